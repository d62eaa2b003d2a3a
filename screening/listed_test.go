package screening_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestListedStringIsNeverClean lists addresses of every chain, and asks for the text that
// the list prints under the name of each chain on which it is an address.
func TestListedStringIsNeverClean(t *testing.T) {
	longtest.WithoutRace(t)
	pool := vectors.Addresses(t, "..")
	var entries []sources.Entry
	for _, a := range pool {
		entries = append(entries, sources.Entry{Address: a, Kind: score.Sanctioned, Ref: a.String()})
	}
	seen, step := 0, longtest.Step(4, 1)
	for i, e := range entries {
		if i%step > 0 {
			continue
		}
		s := newScreener(t, nil, staticOf([]sources.Entry{e}))
		refresh(t, s)
		for _, c := range address.Chains() {
			a, err := address.Parse(c, e.Text())
			if err != nil || c == e.Address.Chain() {
				continue
			}
			seen++
			for name, ask := range map[string]func() (screening.Result, error){
				"ScreenText": func() (screening.Result, error) { return s.ScreenText(c, e.Text()) },
				"Screen":     func() (screening.Result, error) { return s.Screen(a) },
			} {
				r, err := ask()
				if err != nil || len(r.Labels) != 1 || r.Labels[0].Listed != e.Text() {
					t.Errorf("%v listed, asked on %s: %s: %+v, %v", e.Address, c, name, r, err)
				} else if m := r.Labels[0].Match; m == score.Exact && a.Canonical() != e.Address.Canonical() {
					t.Errorf("%v listed, asked on %s: %s: match %v", e.Address, c, name, m)
				}
			}
		}
	}
	if want := 1000 / step; seen < want {
		t.Errorf("%d pairs, want at least %d", seen, want)
	}
}

// TestMatchOfListedString checks that a string on another chain is a literal match only
// where the account or the key does not match already.
func TestMatchOfListedString(t *testing.T) {
	const hex32 = "0x63c5215e87770d17b9f4cd47c777e322f4eb152cfd2054c1080fd9d57c48913b"
	for _, tt := range []struct {
		listed, asked address.Chain
		text          string
		match         score.Match
	}{
		{"sui", "aptos", hex32, score.Literal},
		{"sui", "movement", hex32, score.Literal},
		{"sui", "sui", hex32, score.Exact},
		{"aptos", "movement", hex32, score.Key},
		{"litecoin", "monacoin", "MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB", score.Literal},
		{"ethereum", "polygon", lazarus, score.Family},
		{"ethereum", "zilliqa", lazarus, score.Key},
		{"bitcoin", "bitcoin-cash", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", score.Key},
	} {
		s := newScreener(t, nil, staticOf([]sources.Entry{sanctioned(tt.listed, tt.text, "1")}))
		refresh(t, s)
		r, err := s.ScreenText(tt.asked, tt.text)
		if err != nil || len(r.Labels) != 1 || r.Labels[0].Match != tt.match {
			t.Errorf("%s of %s on %s: %+v, %v, want %v", tt.text, tt.listed, tt.asked, r.Labels, err, tt.match)
		}
	}
	// Blanks and characters that nobody sees stand around the text.
	for _, listed := range []string{" PRpVKygHdNfKbsLcR6TSiNPg7WFTpfCVAK", "PRpVKygHdNfKbsLcR6TSiNPg7WFTpfCVAK\u200b"} {
		e := sources.Entry{Address: address.MustParse("peercoin", "PRpVKygHdNfKbsLcR6TSiNPg7WFTpfCVAK"), Listed: listed, Kind: score.Sanctioned, Ref: "1"}
		s := newScreener(t, nil, staticOf([]sources.Entry{e}))
		refresh(t, s)
		if r, err := s.ScreenText("monacoin", "PRpVKygHdNfKbsLcR6TSiNPg7WFTpfCVAK"); err != nil || len(r.Labels) != 1 {
			t.Errorf("%q of peercoin on monacoin: %+v, %v", listed, r.Labels, err)
		}
	}
	// The account of the other chain is found by its text only: a third account with
	// its key is another one.
	s := newScreener(t, nil, staticOf([]sources.Entry{sanctioned("litecoin", "MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB", "1")}))
	refresh(t, s)
	other, ok := address.MustParse("monacoin", "MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB").Key()
	if !ok {
		t.Fatal("no key")
	}
	for _, a := range vectors.Addresses(t, "..") {
		if k, ok := a.Key(); ok && k == other && a.Chain() != "monacoin" {
			t.Errorf("%v has the same key", a)
		}
	}
}

// TestListedWord lists cells with more than an address on a chain whose addresses have no checksum, as of a
// table whose columns are not known. The word that the list prints is not clean.
func TestListedWord(t *testing.T) {
	const sol, ar = "7XsTNWyhcVmDMXYLpfRSEfQtH1dRBfA9Ea8mLQ5gBnX9", "bJM0-9yBTuHc_UZDMDG9ZFQrG4rWBC-WvdvPnc_hGJ8"
	for _, tt := range []struct {
		chain        address.Chain
		word, listed string
	}{
		{"solana", sol, sol + ",solana,fake,2020-01-02"},
		{"solana", sol, "sol|" + sol + "|"},
		{"solana", sol, "sol-" + sol + " (memo 12), TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY"},
		{"arweave", ar, ar + ",arweave,fake"},
		{"hedera", "0.0.1234567", "0.0.1234567,hedera,fake"},
		{"near", "evil-actor.near", "evil-actor.near;near;fake"},
	} {
		s := newScreener(t, nil, staticOf([]sources.Entry{{Listed: tt.listed, Kind: score.Sanctioned, Ref: "1"}}))
		refresh(t, s)
		for _, text := range []string{tt.word, tt.listed} {
			r, err := s.ScreenText(tt.chain, text)
			if len(r.Labels) != 1 || r.Labels[0].Match != score.Literal || err != nil && text == tt.word {
				t.Errorf("%q listed, %q asked: %+v, %v, want a match by literal", tt.listed, text, r.Labels, err)
			}
		}
		other := tt.word[:4] + "34" + tt.word[6:]
		if r, err := s.ScreenText(tt.chain, other); err != nil || len(r.Labels) > 0 {
			t.Errorf("%q listed, another account asked: %+v, %v", tt.listed, r.Labels, err)
		}
	}
}
