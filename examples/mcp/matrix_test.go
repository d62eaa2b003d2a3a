package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	walletscreen "github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestMatrix asks the tools for the texts that TestMatrix of examples/walletscreen asks other
// surfaces, and the cells of a messy table, and wants the account and the doubts of the library. Without a chain, the tools
// may ask for one.
func TestMatrix(t *testing.T) {
	var texts []vectors.Text
	var entries []sources.Entry
	for i, q := range vectors.Texts(t, "../..", 1) {
		if i%longtest.N(29, 3) == 0 {
			texts = append(texts, q)
		}
		if q.Form == "normal" && q.Chain != "" && i%2 == 0 {
			entries = append(entries, sources.Entry{Address: q.Of, Kind: score.Sanctioned, Ref: "r"})
		}
	}
	_, rows := vectors.Messy(longtest.N(500, 5000))
	for _, r := range rows {
		texts = append(texts, vectors.Text{Form: "messy", Chain: r.Chain, Text: r.Cell})
	}
	for _, a := range vectors.MessyListed() {
		entries = append(entries, sources.Entry{Address: a, Kind: score.Sanctioned, Ref: "m"})
	}
	s, err := walletscreen.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN", Jurisdiction: sources.US}, entries...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	const token = "wsk_only-for-this-test-0123456789abcdef"
	keys, err := access.Fixed(map[string]string{"matrix": token})
	if err != nil {
		t.Fatal(err)
	}
	call := local(httpapi.NewHandler(s, keys, nil), &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
	answered := 0
	for _, q := range texts {
		r, rd, wrong := s.ScreenInput(q.Chain, q.Text)
		got, err := call.screen(context.Background(), question{q.Text, q.Chain})
		var p *problem
		switch {
		case errors.As(err, &p):
			if (wrong == nil || len(r.Labels) > 0) && (q.Chain != "" || p.Code != "chain_needed") {
				t.Errorf("screen_address, %s, chain %q, %.100q: %v, want %v", q.Form, q.Chain, q.Text, p, r)
			}
		case wrong != nil && len(r.Labels) == 0:
			t.Errorf("screen_address, %s, chain %q, %.100q: %+v, want %v", q.Form, q.Chain, q.Text, got, wrong)
		default:
			answered++
			chain, err := address.ParseChain(got.Chain)
			a, err2 := address.Parse(chain, got.Address)
			if err != nil || err2 != nil || a.Canonical() != r.Address.Canonical() || len(got.Labels) > 0 != (len(r.Labels) > 0) ||
				!sameDoubts(got.Doubts, r.Doubts) ||
				got.AllClear != r.AllClear() {
				t.Errorf("screen_address, %s, chain %q, %.100q: %+v, %v, want %v %v %v", q.Form, q.Chain, q.Text, got, err, r.Address, r.Labels, r.Doubts)
			}
		}
		if q.Form == "messy" {
			continue // validate wants a full name of a chain
		}
		v, err := call.validate(context.Background(), question{q.Text, q.Chain})
		if err != nil {
			t.Fatal(err)
		}
		switch means := rd.Err == nil && !rd.Several; {
		case !v.Valid:
			if means && (q.Chain != "" || v.Code != "chain_needed") {
				t.Errorf("validate_address, %s, chain %q, %.100q: %+v, want %v", q.Form, q.Chain, q.Text, v, rd.Addresses)
			}
		case !means || v.Canonical != rd.Addresses[0].Canonical().String() || !sameDoubts(v.Doubts, rd.Doubts):
			t.Errorf("validate_address, %s, chain %q, %.100q: %+v, want %v %v %v", q.Form, q.Chain, q.Text, v, rd.Addresses, rd.Doubts, rd.Err)
		}
	}
	if answered < len(texts)/4 {
		t.Errorf("%d of %d texts have an answer", answered, len(texts))
	}
}

// sameDoubts reports whether the sentences are about these doubts.
func sameDoubts(sentences []doubt, doubts []address.Doubt) bool {
	return slices.EqualFunc(sentences, doubts, func(s doubt, d address.Doubt) bool { return strings.HasPrefix(string(s), string(d)+":") })
}
