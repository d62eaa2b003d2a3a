package screening_test

import (
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
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

// TestHashedEVM lists Ethereum accounts, some with equal entries, and screens the accounts that
// hold what they have on Substrate chains whose EVM hashes addresses.
func TestHashedEVM(t *testing.T) {
	const first, second = "0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac", "0x10e0271ec47d55511a047516f2a7301801d55eab"
	const spelled = "0x10E0271ec47d55511a047516f2a7301801d55eaB"
	all := []sources.Entry{
		sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", first, "1"), sanctioned("ethereum", second, "1"),
		sanctioned("bsc", second, "2"), sanctioned("ethereum", second, "3"), sanctioned("ethereum", second, "1"), // one twice
	}
	all[4].Listed = spelled
	list := sources.Static(sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US}, all...)
	opts := &screening.Options{Store: openStore(t, t.TempDir())}
	built, opened := newScreener(t, opts, list), newScreener(t, opts, list)
	refresh(t, built)
	if _, err := opened.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		chain address.Chain
		text  string
		want  []string // the listed texts
	}{
		{"substrate", "5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA", []string{first}},
		{"astar", "ZZJS2yF67mEcUH5VCsnZekfhkRJa6C1Uf2ksfH11rdXakYD", []string{first}},
		{"astar", "YL3JsWSoq9NtkKSs2tGBUd5Q4r5ohveu9NikcTZbgZAjuH1", []string{lazarus}},
		{"bittensor", "5GDXvqASMPKNbnmSEt69CkbL6YwiN3sLbVqdPFW4cvC43zSH", []string{spelled, second, second}},
		{"peaq", "5GDXvqASMPKNbnmSEt69CkbL6YwiN3sLbVqdPFW4cvC43zSH", []string{spelled, second, second}},
		{"astar", "ajYMsCKsEAhEvHpeA4XqsfiA9v1CdzZPrCfS6pEfeGHW9j8", nil},
	} {
		for _, s := range []*screening.Screener{built, opened} {
			r, err := s.ScreenText(tt.chain, tt.text)
			var got []string
			for _, l := range r.Labels {
				if got = append(got, l.Listed); l.Match != score.Key {
					t.Errorf("%s: %v matches by %v, want %v", tt.text, l, l.Match, score.Key)
				}
			}
			slices.Sort(got)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s %s: %q, %v, want %q", tt.chain, tt.text, got, err, tt.want)
			}
		}
	}
	if d := built.Sources()[0]; d.Entries != 6 || d.Addresses != 3 {
		t.Errorf("there are %d entries of %d addresses, want 6 of 3", d.Entries, d.Addresses)
	}
}
