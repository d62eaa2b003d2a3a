package screening_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

func TestStats(t *testing.T) {
	entries := []sources.Entry{
		sanctioned("ethereum", lazarus, "1"),
		sanctioned("ethereum", lazarus, "1"),
		sanctioned("bsc", lazarus, "1"),
		sanctioned("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "2"), // and the 3… that wraps it
		sanctioned("near", "example.near", "3"),
		{Listed: paymentID, Asset: "XMR", Kind: score.Sanctioned},
	}
	start := time.Now()
	for _, tt := range []struct {
		noKeys  bool
		keys    int
		classes map[string]int
	}{
		{false, 5, map[string]int{"h20": 1, "h160": 1, "script": 1, "account": 1, "text": 1}},
		{true, 4, map[string]int{"account": 3, "text": 1}},
	} {
		if n := len(address.Detect(paymentID)); n > 0 { // as which it is found too
			tt.keys += n
			for _, a := range address.Detect(paymentID) {
				class := "account"
				if k, ok := a.Key(); ok && !tt.noKeys {
					_, tag := k.Identity()
					class = identity.Account(tag).String()
				}
				tt.classes[class]++
			}
		}
		s := newScreener(t, &screening.Options{NoKeyMatch: tt.noKeys, Optional: []string{community.ID}},
			sources.Static(ofac, entries...), &published{info: community, err: errDown})
		if st := s.Stats(); len(st.Sources) != 2 || !cmp.Equal(st.Sources[0], screening.SourceStats{Source: ofac.ID}) || st.Digest == "" {
			t.Errorf("before anything is loaded: %+v", st)
		}
		s.Refresh(ctx)
		st := s.Stats()
		r, err := s.ScreenText("ethereum", clean)
		if err != nil || st.Digest != r.Digest() {
			t.Errorf("the digest is %s, that of an answer %s (%v)", st.Digest, r.Digest(), err)
		}
		want := []screening.SourceStats{{
			Source: ofac.ID, Entries: 6, Addresses: 4,
			Chains: map[address.Chain]int{"ethereum": 2, "bsc": 1, "bitcoin": 1, "near": 1, "": 1},
			Keys:   tt.keys, Classes: tt.classes,
			Anomalies: map[sources.AnomalyKind]int{sources.Duplicate: 1, sources.Undecodable: 1},
		}, {Source: community.ID}}
		if d := cmp.Diff(want, st.Sources, cmpopts.IgnoreFields(screening.SourceStats{}, "Bytes", "BytesPerEntry", "Built", "BuildTime")); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		got := st.Sources[0]
		if got.Bytes < 28*got.Keys || got.BytesPerEntry != float64(got.Bytes)/6 || got.Built.Before(start) || got.Built.After(time.Now()) ||
			got.BuildTime < 0 || got.BuildTime > time.Since(start) {
			t.Errorf("%d bytes, %v for each entry, built at %v in %v", got.Bytes, got.BytesPerEntry, got.Built, got.BuildTime)
		}
		clear(got.Chains)
		clear(got.Classes)
		clear(got.Anomalies)
		if again := s.Stats().Sources[0]; !maps.Equal(again.Chains, want[0].Chains) || !maps.Equal(again.Classes, want[0].Classes) || !maps.Equal(again.Anomalies, want[0].Anomalies) {
			t.Error("a caller's change of the answer shows in the next")
		}
	}
}
