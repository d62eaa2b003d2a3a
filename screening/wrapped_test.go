package screening_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestBothDirections lists each address of a pair and screens the other: the derived
// address must be found from the original and vice versa.
func TestBothDirections(t *testing.T) {
	for _, p := range vectors.Pairs(t, "..") {
		for _, pair := range [][2]address.Address{{p.A, p.B}, {p.B, p.A}} {
			listed, asked := pair[0], pair[1]
			info := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}
			s := newScreener(t, nil, sources.Static(info, sources.Entry{Address: listed, Kind: score.Sanctioned, Ref: "1"}))
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := s.Screen(asked)
			if len(r.Labels) == 1 && r.Labels[0].Match == score.Literal && listed.Normalized() == asked.Normalized() {
				r.Labels[0].Match = score.Key // the text alone would do
			}
			if err != nil || len(r.Labels) != 1 || r.Labels[0].Match.String() != p.Match {
				t.Errorf("%v listed, %v asked: %v, %v, want a match by %s", listed, asked, r.Labels, err, p.Match)
			}
			all := 0
			for r, err := range s.ScreenAll(func(yield func(address.Address) bool) { yield(asked) }) {
				if all++; err != nil || len(r.Labels) != 1 {
					t.Errorf("ScreenAll: %v listed, %v asked: %v, %v", listed, asked, r.Labels, err)
				}
			}
			if all != 1 {
				t.Errorf("ScreenAll yields %d results", all)
			}
		}
	}
}

// TestMistypedListing lists an address with a look-alike character in it, and screens
// the intended account.
func TestMistypedListing(t *testing.T) {
	info := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}
	s := newScreener(t, nil, sources.Static(info, sources.Entry{Listed: "TGJVc32ig2u8tQsYMLE7KXHT5NDQr0aVNU", Asset: "USDT", Kind: score.Sanctioned, Ref: "1"}))
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	intended := address.MustParse("tron", "TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU")
	key, _ := intended.Key()
	for _, a := range key.Spellings() { // on every chain of the key
		r, err := s.ScreenText(a.Chain(), a.Normalized())
		if err != nil || len(r.Labels) != 1 || r.Labels[0].Match != score.Literal {
			t.Errorf("ScreenText of %v = %v, %v, want a match by literal", a, r.Labels, err)
		}
	}
	if a := s.Anomalies("LIST"); len(a) != 1 || a[0].Kind != sources.BadChecksum {
		t.Errorf("the anomalies are %v", a)
	}
}
