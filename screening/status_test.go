package screening_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		AnomalyKinds: map[string]int{sources.Duplicate: 1, sources.Undecodable: 1},
	}
	if d := cmp.Diff(want, st, cmpopts.IgnoreFields(screening.SourceStatus{}, "LastUpdated", "Accepted", "Bytes", "Err")); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got := st[0]
	now := time.Now()
	if got.Bytes < 28*got.Addresses {
		t.Errorf("%d bytes", got.Bytes)
	}
	for _, at := range []time.Time{got.LastUpdated, got.Accepted} {
		if at.Before(start) || at.After(now) {
			t.Errorf("%v is not between %v and %v", at, start, now)
		}
	}
	if !got.Loaded() || st[1].Loaded() || !errors.Is(st[1].Err, errDown) {
		t.Errorf("loaded %v and %v, %v", got.Loaded(), st[1].Loaded(), st[1].Err)
	}
}
