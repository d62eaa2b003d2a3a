package screening_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// mistyped returns text with one error at offset i: a character deleted, doubled, inserted,
// replaced, or swapped with the next one. n selects the characters.
func mistyped(text string, i, n int) []string {
	const all = "7qZ_-.l1aBx0/ "
	one, other := all[n%len(all):n%len(all)+1], all[(n+5)%len(all):(n+5)%len(all)+1]
	texts := []string{text[:i] + one + text[i:], text[:i] + other + text[i:]}
	if i < len(text) {
		texts = append(texts, text[:i]+text[i+1:], text[:i+1]+text[i:], text[:i]+one+text[i+1:])
	}
	if i+1 < len(text) {
		texts = append(texts, text[:i]+text[i+1:i+2]+text[i:i+1]+text[i+2:])
	}
	return texts
}

// TestMistyped screens listed addresses with one typing error, without a chain, on their
// chain, and with tickers: that is clean only where the format has no checksum that could
// tell, and never on a chain of another format.
func TestMistyped(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	type listed struct {
		chain address.Chain
		text  string
	}
	seen := make(map[listed]bool)
	var all []listed
	for _, src := range bundle.All() {
		if _, err := src.Load(t.Context(), sources.Revision{}, func(e sources.Entry) error {
			if x := (listed{e.Address.Chain(), e.Address.Display()}); e.Address.IsValid() && !seen[x] {
				seen[x] = true
				all = append(all, x)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	step, tried, lucky := longtest.Step(601, 61), 0, 0
	for n, x := range all {
		if n%step != 0 {
			continue
		}
		names := []string{"", string(x.chain), "ETH", "BTC", "AR"}
		if tickers := x.chain.Tickers(); len(tickers) > 0 {
			names = append(names, tickers[0])
		}
		for i := range len(x.text) + 1 {
			for _, text := range mistyped(x.text, i, n+i) {
				tried++
				for k, name := range names {
					if (tried+k)%longtest.N(3, 1) != 0 {
						continue // each text is asked with other names
					}
					r, _, err := s.ScreenInput(name, text)
					if err != nil || len(r.Labels)+len(r.Suppressed)+len(r.Doubts) > 0 {
						continue
					}
					digits := text[min(2, len(text)):]
					a := r.Address
					isEVM := a.Canonical().Chain() == "ethereum" && strings.HasPrefix(x.text, "0x") && len(x.text) == 42
					switch {
					case isEVM && (digits == strings.ToLower(digits) || digits == strings.ToUpper(digits)):
					case isEVM: // the capitals verify by chance
						lucky++
					case a.Chain() == x.chain && !a.Proven():
					default:
						t.Errorf("ScreenInput(%q, %q), with an error in %s of %s, is clean on %s", name, text, x.text, x.chain, a.Chain())
					}
				}
			}
		}
	}
	if tried < 150000/step || lucky > tried/500 {
		t.Errorf("%d texts, %d verify by chance", tried, lucky)
	}
}

// TestInsideSolana screens a listed address with more digits behind it, which together are an
// account of solana: it is never clean.
func TestInsideSolana(t *testing.T) {
	const listed, text = "TSmkpLgPJ8abHFgXcVaZqKW1mPT7qbmn1d", "TSmkpLgPJ8abHFgXcVaZqKW1mPT7qbmn1dGcDMaCCvz"
	s := loaded(t, nil, sources.Static(ofac, sanctioned("tron", listed, "1")))
	r, err := s.ScreenText("solana", text)
	if len(r.Labels) != 1 || !slices.Contains(r.Doubts, address.DoubtAmbiguous) {
		t.Errorf("ScreenText: %+v, %v", r, err)
	}
	for _, chain := range []string{"", "solana", "SOL", "bitcoin"} {
		if r, rd, err := s.ScreenInput(chain, text); len(r.Labels) != 1 || err == nil && len(rd.Doubts) == 0 {
			t.Errorf("ScreenInput on %q: %+v, %+v, %v", chain, r, rd, err)
		}
	}
	if r, err := s.Screen(address.MustParse("solana", text)); err != nil || !slices.Contains(r.Doubts, address.DoubtAmbiguous) || r.AllClear() {
		t.Errorf("Screen: %+v, %v", r, err)
	}
}
