package address

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// TestDecide decides every combination of the kinds of evidence, and checks what must hold
// of each, so that no reading that proves nothing makes a text clean.
func TestDecide(t *testing.T) {
	var (
		evm, evm2 = MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), MustParse("ethereum", "0x57ec89a0c056163a0314e413320f9b3abe761259")
		bsc       = MustParse("bsc", "0x098b716b8aaf21512996dc57eb0615e2383e2f96")
		tron      = MustParse("tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
		btc       = MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
		sol       = MustParse("solana", "42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi")
		word      = MustParse("near", "alice")
		move      = MustParse("aptos", "0x1d8727df513fa2a8785d0834e40b34223daff1affc079574082baadb74b66ee4")
	)
	failed := func(chain, other Chain, err error) error {
		return &ParseError{Chain: chain, Other: other, Offset: -1, Err: err}
	}
	names := map[string]name{
		"no name":        {},
		"a chain":        {chain: "ethereum", sure: true},
		"a ticker":       {chain: "ethereum", code: "ETH is a ticker"},
		"an open ticker": {chain: "ethereum", code: "USDT is a ticker", open: true},
		"additions":      {chain: "ethereum", code: "the name has additions", added: true},
		"unknown":        {err: failed("nonesuch", "", ErrChain)},
	}
	named := map[string]Reading{
		"of the chain":   {Addresses: []Address{evm}},
		"in doubt":       {Addresses: []Address{evm}, Doubts: []Doubt{DoubtCapitals}},
		"several payees": {Addresses: []Address{evm, evm2}, Several: true},
		"nothing":        {Err: failed("ethereum", "", ErrSyntax)},
		"of another":     {Err: failed("ethereum", "tron", ErrOtherChain)},
		"corrected":      {Addresses: []Address{evm}, Err: failed("ethereum", "", ErrCharset)},
		"a secret":       {Err: failed("ethereum", "", ErrSecret)},
	}
	anywhere := map[string]Reading{
		"nothing":     {Err: failed("", "", ErrSyntax)},
		"proven":      {Addresses: []Address{tron}},
		"two, proven": {Addresses: []Address{btc, tron}},
		"one family":  {Addresses: []Address{bsc, evm}},
		"unproven":    {Addresses: []Address{sol}},
		"64 digits":   {Addresses: []Address{move}},
		"a word":      {Addresses: []Address{word}, Doubts: []Doubt{DoubtAmbiguous}},
		"short":       {Addresses: []Address{move}, Doubts: []Doubt{DoubtShort}},
		"a secret":    {Err: failed("", "", ErrSecret)},
	}
	insides := map[string][]Address{
		"nothing":    nil,
		"the same":   {evm},
		"another":    {evm2},
		"padded":     {MustParse("ethereum", "0x"+move.text[2+24:])},
		"two others": {evm2, btc},
	}
	has := func(r *Reading, a Address) bool { return slices.ContainsFunc(r.Addresses, a.isControlledLike) }
	tried := make(map[string]int)
	for nameKind, n := range names {
		for namedKind, on := range named {
			for anyKind, other := range anywhere {
				for insideKind, in := range insides {
					for _, secret := range []string{"", isKey} {
						e := evidence{name: n, named: on, anywhere: other, inside: in, secret: secret}
						copied := fmt.Sprint(e)
						r := decide(&e)
						bad := func(law string) {
							t.Helper()
							t.Errorf("%s; named %s; anywhere %s; inside %s; secret %q: %s: %+v", nameKind, namedKind, anyKind, insideKind, secret, law, r)
						}
						if again := decide(&e); !reflect.DeepEqual(again, r) || fmt.Sprint(e) != copied {
							bad("decide changed its evidence")
						}
						e.beside = 7
						if with := decide(&e); with.Err == nil || r.Err != nil && !reflect.DeepEqual(with, r) || !slices.Equal(with.Addresses, r.Addresses) {
							bad(fmt.Sprintf("with another address beside: %+v", with))
						}
						e.beside = 0
						certain := r.Err == nil && r.Doubts == nil
						tried[fmt.Sprint(certain, r.Err != nil, r.Several)]++

						// A secret shows nothing.
						isSecret := errors.Is(r.Err, ErrSecret)
						if isSecret {
							if r.Addresses != nil {
								bad("addresses beside a secret")
							}
							continue
						}
						if r.Err != nil && secret != "" {
							bad("a secret that is not reported")
						}
						if r.Err == nil && len(r.Addresses) == 0 {
							bad("no error and no address")
						}
						// Whatever the text can mean is shown, so that a listed account is, unless
						// the name is a ticker, which yields.
						can := slices.Clone(on.Addresses)
						isNamed := n.chain != "" && on.Err == nil
						switch {
						case n.chain == "":
							can = slices.Clone(other.Addresses)
						case n.sure && !isNamed:
							can = append(can, other.Addresses...)
						}
						for _, a := range can {
							if r.Note == n.note("") && !has(&r, a) {
								bad(a.String() + " is not shown")
							}
						}
						for _, i := range in {
							read := append(slices.Clone(on.Addresses), other.Addresses...)
							if certain && !has(&Reading{Addresses: read}, i) && !slices.ContainsFunc(read, i.isPaddedIn) {
								bad("certain, with another address inside")
							}
							if !has(&r, i) {
								bad("what is inside is not shown")
							}
						}
						// A name that is a chain, or is not known, never yields.
						if certain && n.sure && on.Err != nil {
							bad("certain, against the chain that is named")
						}
						if n.err != nil && r.Err == nil || n.added && on.Err != nil && r.Err == nil {
							bad("certain, against the name")
						}
						// A ticker yields to a proof; an open one to any address but a word.
						if certain && n.chain != "" && on.Err != nil && !n.open && !slices.ContainsFunc(r.Addresses, Address.hasMark) {
							bad("a ticker yields to what proves nothing")
						}
						// A doubt is not lost.
						from := other
						if isNamed {
							from = on
						}
						if r.Err == nil {
							for _, d := range from.Doubts {
								if !slices.Contains(r.Doubts, d) {
									bad("lost the doubt " + string(d))
								}
							}
						}
						// More evidence against a reading makes it no more certain.
						less := e
						less.inside, less.secret = nil, ""
						if before := decide(&less); certain && (before.Err != nil || before.Doubts != nil) {
							bad("more evidence made it certain")
						}
					}
				}
			}
		}
	}
	for _, kind := range []string{"true false false", "false false false", "false true false", "false true true", "true false true"} {
		if tried[kind] < 20 {
			t.Errorf("%d readings that are certain, an error, several: %s; the test proves nothing of them: %v", tried[kind], kind, tried)
		}
	}
}

// TestDecideCell decides the pieces of cells.
func TestDecideCell(t *testing.T) {
	evm, tron := MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), MustParse("tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	wrong := &ParseError{Chain: "ethereum", Other: "tron", Offset: -1, Err: ErrOtherChain}
	for _, c := range []struct {
		pieces  []Reading
		several int // 0: it is not a cell
	}{
		{nil, 0},
		{[]Reading{{Addresses: []Address{evm}}}, 0},
		{[]Reading{{Addresses: []Address{evm}}, {Addresses: []Address{tron}}}, 2},
		{[]Reading{{Addresses: []Address{evm}}, {Addresses: []Address{tron}, Err: wrong}}, 2},
		{[]Reading{{Addresses: []Address{evm}}, {Addresses: []Address{evm}, Doubts: []Doubt{DoubtCapitals}}}, 1},
		{[]Reading{{Addresses: []Address{evm}}, {Err: wrong}}, 0},
		{[]Reading{{Addresses: []Address{evm}}, {Addresses: []Address{MustParse("near", "alice")}}}, 0},
	} {
		r := decide(&evidence{cell: c.pieces, anywhere: Reading{Err: ErrSyntax}})
		switch n := len(r.Addresses); {
		case n != c.several || r.Several != (n > 1) || errors.Is(r.Err, ErrSeveral) != (n > 1):
			t.Errorf("%+v: %+v, want %d addresses", c.pieces, r, c.several)
		case n == 1 && !slices.Equal(r.Doubts, []Doubt{DoubtCapitals}):
			t.Errorf("%+v: the doubts %v", c.pieces, r.Doubts)
		}
	}
}
