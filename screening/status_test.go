package screening_test

import (
	"errors"
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

// TestStatus checks the SourceStatus of a list in each state.
func TestStatus(t *testing.T) {
	entries := []sources.Entry{
		sanctioned("ethereum", lazarus, "1"),
		sanctioned("ethereum", lazarus, "1"),
		sanctioned("bsc", lazarus, "1"),
		sanctioned("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "2"), // and the 3… that wraps it
		sanctioned("near", "example.near", "3"),                          // and its account on aurora, as of that text on near
		{Listed: paymentID, Asset: "XMR", Kind: score.Sanctioned},
	}
	start := time.Now().Round(0)
	keys, classes := 7, map[string]int{"h20": 3, "h160": 1, "script": 1, "account": 1, "text": 1}
	for _, a := range append(address.Detect(paymentID), address.Detect("example.near")...) { // as which they are found, too
		if a.Chain() == "near" && a.Normalized() == "example.near" {
			continue
		}
		class := "account"
		if k, ok := a.Key(); ok {
			_, tag := k.Identity()
			class = identity.Account(tag).String()
		}
		classes[class]++
		keys++
	}
	us := sources.Static(ofac, entries...)
	s := newScreener(t, &screening.Options{Optional: []string{community.ID}}, us, &published{info: community, err: errDown})
	st := s.Sources()
	want := []screening.SourceStatus{{Info: ofac, Required: true}, {Info: community}}
	if d := cmp.Diff(want, st); d != "" {
		t.Errorf("before anything is loaded: -want +got\n%s", d)
	}
	if st[0].Loaded() || len(s.Digest()) != 64 {
		t.Errorf("before anything is loaded: %v, digest %q", st[0].Loaded(), s.Digest())
	}
	s.Refresh(ctx)
	st = s.Sources()
	if r, err := s.ScreenText("ethereum", clean); err != nil || s.Digest() != r.Digest() {
		t.Errorf("the digest is %s, that of an answer %s (%v)", s.Digest(), r.Digest(), err)
	}
	want[0] = screening.SourceStatus{
		Info: ofac, Required: true, Digest: st[0].Digest, Entries: 6, Addresses: 4,
		Chains: map[address.Chain]int{"ethereum": 2, "bsc": 1, "bitcoin": 1, "near": 1, "": 1},
		Keys:   keys, Classes: classes, Anomalies: 2,
		AnomalyKinds: map[string]int{sources.Duplicate: 1, sources.Undecodable: 1},
	}
	if d := cmp.Diff(want, st, cmpopts.IgnoreFields(screening.SourceStatus{}, "LastUpdated", "Accepted", "Bytes", "Ready", "BuildTime", "Err")); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got := st[0]
	now := time.Now()
	if got.Bytes < 28*got.Keys || got.BuildTime < 0 || got.BuildTime > now.Sub(start) {
		t.Errorf("%d bytes, built in %v", got.Bytes, got.BuildTime)
	}
	for _, at := range []time.Time{got.LastUpdated, got.Accepted, got.Ready} {
		if at.Before(start) || at.After(now) {
			t.Errorf("%v is not between %v and %v", at, start, now)
		}
	}
	if !got.Loaded() || st[1].Loaded() || !errors.Is(st[1].Err, errDown) {
		t.Errorf("loaded %v and %v, %v", got.Loaded(), st[1].Loaded(), st[1].Err)
	}
}
