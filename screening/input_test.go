package screening_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestScreenInput checks the answers about texts that people paste: a hit is never
// lost, and a doubt or an error stands beside it.
func TestScreenInput(t *testing.T) {
	const (
		listedBTC = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
		cleanBTC  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		wrongCase = "0x098b716B8Aaf21512996dC57EB0615e2383E2f96" // a capital of lazarusMixed is missing

	)
	s := loaded(t, nil, staticOf([]sources.Entry{
		sanctioned("ethereum", lazarus, "1"), sanctioned("bitcoin", listedBTC, "2"),
		{Listed: "not an address", Kind: score.Sanctioned, Ref: "3"},
	}))
	for _, tt := range []struct {
		chain, text string
		ref         string // of the label, or ""
		doubts      []address.Doubt
		err         error
	}{
		{"ethereum", lazarus, "1", nil, nil},
		{"ethereum", lazarusMixed, "1", nil, nil},
		{"ethereum", " " + lazarusMixed + "\n", "1", nil, nil},
		{"ethereum", wrongCase, "1", []address.Doubt{address.DoubtCapitals}, nil},
		{"ethereum", clean, "", nil, nil},
		{"ethereum", "0x" + strings.ToUpper(clean[2:len(clean)-1]) + clean[len(clean)-1:], "", []address.Doubt{address.DoubtCapitals}, nil},
		{"Ethereum", lazarus, "1", nil, nil},
		{"ETH", lazarus, "1", nil, nil},
		{"", lazarus, "1", nil, nil},
		{"", cleanBTC, "", nil, nil},
		{"nochain", lazarus, "1", []address.Doubt{address.DoubtWrongChain}, address.ErrChain},
		{"nochain", clean, "", nil, address.ErrChain},
		{"bitcoin", "not an address", "3", nil, nil},
		{"nochain", "not an address", "3", []address.Doubt{address.DoubtWrongChain}, address.ErrChain},
		{"litecoin", listedBTC, "2", []address.Doubt{address.DoubtWrongChain}, address.ErrOtherChain},
		{"ethereum", lazarus + ".", "1", []address.Doubt{address.DoubtMalformed}, address.ErrSyntax},
		{"ethereum", "Wallet: " + lazarusMixed, "1", []address.Doubt{address.DoubtMalformed}, address.ErrSyntax},
		{"ethereum", lazarus[2:], "1", []address.Doubt{address.DoubtMalformed}, address.ErrSyntax},
		{"near", listedBTC + ".near", "2", []address.Doubt{address.DoubtMalformed}, address.ErrSyntax},
		{"near", "eth-" + lazarus + ".omft.near", "1", []address.Doubt{address.DoubtAmbiguous}, nil},
		{"near", "eth-" + clean + ".omft.near", "", []address.Doubt{address.DoubtAmbiguous}, nil},
		{"bitcoin", "neither", "", nil, address.ErrLength},
		{"bitcoin", "bitcoin:" + listedBTC + "?amount=1", "2", nil, nil},
		{"", clean + " / " + lazarusMixed, "1", nil, address.ErrSeveral},
		{"bsc", "the old one was " + lazarus + ", the new one is " + clean, "1", nil, address.ErrSeveral},
		{"BTC", cleanBTC + "," + listedBTC, "2", nil, address.ErrSeveral},
		{"", clean + "\n" + cleanBTC, "", nil, address.ErrSeveral},
	} {
		r, rd, err := s.ScreenInput(tt.chain, tt.text)
		if ref := refOf(r); ref != tt.ref || !slices.Equal(r.Doubts, tt.doubts) || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("ScreenInput(%q, %q) = %+v, %v; want a label %q, doubts %v, error %v", tt.chain, tt.text, r, err, tt.ref, tt.doubts, tt.err)
		}
		if found := r.Score > 0; err != nil && !found && r.Level != "" {
			t.Errorf("ScreenInput(%q, %q): the level is %s, with %v", tt.chain, tt.text, r.Level, err)
		}
		if want := address.Interpret(tt.chain, tt.text); rd.Chain != want.Chain || !slices.Equal(rd.Addresses, want.Addresses) {
			t.Errorf("ScreenInput(%q, %q): the reading is %+v, want %+v", tt.chain, tt.text, rd, want)
		}
		var pe *address.ParseError
		if err != nil && !errors.As(err, &pe) {
			t.Errorf("ScreenInput(%q, %q): %v is no *ParseError", tt.chain, tt.text, err)
		}
		c, cerr := address.ParseChain(tt.chain)
		if cerr != nil || string(c) != tt.chain {
			continue
		}
		same, terr := s.ScreenText(c, tt.text)
		if refOf(same) != refOf(r) || !slices.Equal(same.Doubts, r.Doubts) || (terr == nil) != (err == nil) || same.Address != r.Address {
			t.Errorf("ScreenText(%q, %q) = %+v, %v; ScreenInput %+v, %v", c, tt.text, same, terr, r, err)
		}
	}
}

// TestOneVerdict checks that an Address has the verdict of its text, whichever method is
// asked, and of how many lists: a doubt is never lost.
func TestOneVerdict(t *testing.T) {
	const virtual = "0xaabbccddfdfdfdfdfdfdfdfdfdfd000000000001" // of tempo
	entries := []sources.Entry{sanctioned("ethereum", lazarus, "1"), sanctioned("tempo", "0xaabbccdefdfdfdfdfdfdfdfdfdfd000000000001", "2")}
	one := loaded(t, nil, staticOf(entries))
	mapped := loaded(t, &screening.Options{Store: openStore(t, t.TempDir())}, staticOf(entries))
	all := append(vectors.Addresses(t, ".."), address.MustParse("tempo", virtual),
		address.MustParse("tempo", "0xaabbccdefdfdfdfdfdfdfdfdfdfd000000000002"), // listed with another tag
		address.MustParse("starknet", "0xfd23d9182193775423497fc0c472e156c57c69e4089a1967fb288a2d84e914"))
	doubts := 0
	for _, s := range []*screening.Screener{one, mapped} {
		i := 0
		for r, err := range s.ScreenAll(slices.Values(all)) {
			a := all[i]
			i++
			typed, terr := s.Screen(a)
			if err != nil || terr != nil || r.AllClear() != typed.AllClear() || !slices.Equal(r.Doubts, typed.Doubts) || r.Score != typed.Score {
				t.Errorf("%v: ScreenAll %+v, %v; Screen %+v, %v", a, r, err, typed, terr)
			}
			for _, text := range []string{a.Normalized(), a.Display()} {
				r, err := s.ScreenText(a.Chain(), text)
				same, _, ierr := s.ScreenInput(string(a.Chain()), text)
				if err != nil || ierr != nil || r.Address != same.Address || !slices.Equal(r.Doubts, same.Doubts) || r.Score != same.Score {
					t.Errorf("%v as %q: ScreenText %+v, %v; ScreenInput %+v, %v", a, text, r, err, same, ierr)
				}
				if typed.Address != r.Address || !slices.Equal(typed.Doubts, r.Doubts) || typed.Score != r.Score || typed.AllClear() != r.AllClear() {
					t.Errorf("%v as %q: ScreenText %+v; Screen %+v", a, text, r, typed)
				}
			}
			if len(typed.Doubts) > 0 {
				doubts++
			}
		}
		if r := must(s.Screen(address.MustParse("tempo", virtual))); r.AllClear() || !slices.Equal(r.Doubts, []address.Doubt{address.DoubtUnscreenable}) {
			t.Errorf("Screen of a virtual address: %+v", r)
		}
	}
	if doubts < 2*3 {
		t.Errorf("%d answers have a doubt, want at least 6", doubts)
	}
}

// TestScreenReading checks the verdicts about readings of several accounts, whatever text
// has them.
func TestScreenReading(t *testing.T) {
	listed, other := address.MustParse("ethereum", lazarus), address.MustParse("bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h")
	good, fine := address.MustParse("ethereum", clean), address.MustParse("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	s := loaded(t, nil, staticOf([]sources.Entry{{Address: listed, Kind: score.Sanctioned, Ref: "1"}}),
		sources.Static(sources.Info{ID: "OTHER", Name: "Other", Jurisdiction: sources.Community}, sources.Entry{Address: other, Kind: score.Scam, Ref: "2"}))
	bad := &address.ParseError{Chain: "near", Offset: -1, Err: address.ErrSyntax}
	short := []address.Doubt{address.DoubtShort}
	for _, tt := range []struct {
		name   string
		rd     address.Reading
		want   address.Address // of the Result; zero: the Result is zero
		score  int
		doubts []address.Doubt
		err    error
	}{
		{"one, clean", address.Reading{Addresses: []address.Address{good}}, good, 0, nil, nil},
		{"one, doubtful", address.Reading{Addresses: []address.Address{good}, Doubts: short}, good, 0, short, nil},
		{"candidates, all clean", address.Reading{Addresses: []address.Address{good, fine}}, good, 0, nil, nil},
		{"candidates, all listed", address.Reading{Addresses: []address.Address{other, listed}}, listed, 100, nil, nil},
		{"candidates, the first listed", address.Reading{Addresses: []address.Address{listed, good}}, listed, 100, []address.Doubt{address.DoubtAmbiguous}, nil},
		{"candidates, the last listed", address.Reading{Addresses: []address.Address{good, fine, other}, Doubts: short}, other, 70,
			[]address.Doubt{address.DoubtAmbiguous, address.DoubtShort}, nil},
		{"payees, none listed", address.Reading{Addresses: []address.Address{good, fine}, Several: true}, address.Address{}, 0, nil, address.ErrSeveral},
		{"payees, two listed", address.Reading{Addresses: []address.Address{fine, other, listed}, Several: true}, listed, 100, nil, nil},
		{"payees, and one that no list can name", address.Reading{Addresses: []address.Address{fine, other}, Several: true,
			Doubts: []address.Doubt{address.DoubtUnscreenable}},
			other, 70, []address.Doubt{address.DoubtUnscreenable}, nil},
		{"another chain, listed", address.Reading{Addresses: []address.Address{good, listed}, Err: bad}, listed, 100, []address.Doubt{address.DoubtAmbiguous, address.DoubtMalformed}, bad},
		{"another chain, clean", address.Reading{Addresses: []address.Address{good}, Err: bad}, address.Address{}, 0, nil, bad},
		{"nothing", address.Reading{Err: bad}, address.Address{}, 0, nil, bad},
	} {
		r, err := s.ScreenReading("-", tt.rd)
		if r.Address != tt.want || r.Score != tt.score || !slices.Equal(r.Doubts, tt.doubts) || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("%s: %+v, %v; want %v, score %d, doubts %v, error %v", tt.name, r, err, tt.want, tt.score, tt.doubts, tt.err)
		}
		var pe *address.ParseError
		if err != nil && !errors.As(err, &pe) {
			t.Errorf("%s: %v is no *ParseError", tt.name, err)
		}
		if clear := tt.err == nil && tt.score == 0 && tt.doubts == nil; r.AllClear() != clear {
			t.Errorf("%s: AllClear is %v", tt.name, r.AllClear())
		}
	}
	unloaded := newScreener(t, nil, staticOf(nil))
	if r, _, err := unloaded.ScreenInput("ethereum", " "+clean); !errors.Is(err, screening.ErrNotLoaded) || r.Level != "" || r.AllClear() {
		t.Errorf("without a list: %+v, %v", r, err)
	}
}

// refOf returns the reference of the first label of r, or "".
func refOf(r screening.Result) string {
	if len(r.Labels) == 0 {
		return ""
	}
	return r.Labels[0].Ref
}

// TestSuppressedInput allows an account of ethereum, and asks without a chain: that the
// text could also be an address of other chains with the same key is no match then.
func TestSuppressedInput(t *testing.T) {
	s := loaded(t, nil, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, "1"), sanctioned("zilliqa", lazarus, "2")}))
	allow := screening.Exception{Address: address.MustParse("ethereum", lazarus), Source: ofac.ID, Ref: "1", Reason: "Court order 7", Author: "Jo Roe"}
	if err := s.SetExceptions(t.Context(), []screening.Exception{allow}); err != nil {
		t.Fatal(err)
	}
	r, _, err := s.ScreenInput("", lazarus)
	if err != nil || refOf(r) != "2" {
		t.Errorf("%+v, %v, want the label 2, which is not allowed", r, err)
	}
	s = loaded(t, nil, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, ""), sanctioned("zilliqa", lazarus, "")}))
	allow.Ref = ""
	if err := s.SetExceptions(t.Context(), []screening.Exception{allow}); err != nil {
		t.Fatal(err)
	}
	if r, _, err := s.ScreenInput("", lazarus); err != nil || len(r.Labels) != 1 || r.Address.Chain() != "zilliqa" {
		t.Errorf("without references: %+v, %v, want the label of zilliqa, which is not allowed", r, err)
	}
	s = loaded(t, nil, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, "1")}))
	if err := s.SetExceptions(t.Context(), []screening.Exception{allow}); err != nil {
		t.Fatal(err)
	}
	for _, chain := range []string{"", "ethereum", "ETH"} {
		r, _, err := s.ScreenInput(chain, lazarus)
		if err != nil || len(r.Labels) > 0 || len(r.Suppressed) != 1 || r.Suppressed[0].Reason != "Court order 7" || len(r.Doubts) > 0 ||
			r.Address.Chain() != "ethereum" {
			t.Errorf("on %q: %+v, %v, want nothing but what is suppressed", chain, r, err)
		}
	}
}

// TestFoundIsNotClear checks that no text is clear in which FindAll finds a listed address:
// one of each chain, in the forms in which documents and people write it.
func TestFoundIsNotClear(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	var entries []sources.Entry
	for _, x := range vectors.Texts(t, "..", 1) {
		if x.Form == "normal" && x.Chain != "" {
			entries = append(entries, sources.Entry{Address: x.Of, Kind: score.Sanctioned, Ref: x.Chain})
		}
	}
	s := loaded(t, nil, staticOf(entries))
	found := 0
	texts := vectors.Texts(t, "..", 1)
	step := longtest.Step(11, 1)
	for i, x := range texts {
		if i%step > 0 {
			continue
		}
		for _, text := range []string{x.Text, "paid to " + x.Text + " by noon"} {
			if !slices.ContainsFunc(address.FindAll(text), func(f address.Found) bool { return must(s.Screen(f.Address)).Score > 0 }) {
				continue
			}
			found++
			if r, rd, err := s.ScreenInput(x.Chain, text); err == nil && r.AllClear() {
				t.Errorf("%s: ScreenInput(%q, %q) = %+v, of %+v", x.Form, x.Chain, text, r, rd)
			}
			if r, err := s.ScreenText(address.Chain(x.Chain), text); err == nil && r.AllClear() {
				t.Errorf("%s: ScreenText(%q, %q) = %+v", x.Form, x.Chain, text, r)
			}
		}
	}
	if want := 10000 / step; found < want {
		t.Errorf("%d texts were screened, want at least %d", found, want)
	}
}

// TestInputReading checks the shortcuts of ScreenInput: it returns the Reading of Interpret, and
// finds a listed string that its list does not decode, whatever address the text is.
func TestInputReading(t *testing.T) {
	s := loaded(t, nil, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, "1")}))
	step := longtest.Step(17, 1)
	for i, x := range vectors.Texts(t, "..", 1) {
		if i%step > 0 {
			continue
		}
		for _, text := range []string{x.Text, strings.ToUpper(x.Text)} {
			_, rd, _ := s.ScreenInput(x.Chain, text)
			if want := address.Interpret(x.Chain, text); fmt.Sprintf("%+v", rd) != fmt.Sprintf("%+v", want) {
				t.Errorf("ScreenInput(%q, %q) reads %+v, Interpret %+v", x.Chain, text, rd, want)
			}
		}
	}
	var entries []sources.Entry
	var all []address.Address
	for i, a := range vectors.Addresses(t, "..") {
		if i%longtest.Step(7, 1) > 0 {
			continue
		}
		all = append(all, a)
		entries = append(entries, sources.Entry{Listed: a.Normalized(), Asset: "OTHER", Kind: score.Sanctioned, Ref: a.Normalized()})
	}
	s = loaded(t, nil, staticOf(entries))
	for _, a := range all {
		for _, chain := range []string{string(a.Chain()), ""} {
			r, _, _ := s.ScreenInput(chain, a.Normalized())
			if !slices.ContainsFunc(r.Labels, func(l screening.Label) bool { return l.Ref == a.Normalized() }) {
				t.Errorf("ScreenInput(%q, %q) = %+v, want the listing of the very text", chain, a.Normalized(), r)
			}
		}
	}
}
