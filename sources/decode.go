package sources

import (
	"errors"
	"strings"
	"sync"
	"unicode"

	"github.com/walletscreen/walletscreen/address"
)

// Decode returns the account that a list means when it prints text under asset, a ticker or the
// name of a chain, and false if text is not a known address.
//
// The ticker is a hint, never a gate. If text is an address on a chain of the ticker, that
// chain is used: "1…" under BSV is listed for bitcoin-sv. Otherwise text may be an address
// elsewhere, for lists print Tron and Bitcoin addresses under USDT: then the chain is the
// first one whose checksum proves text. With neither, or with an unknown one, text must
// be proven by a checksum, or be 0x and 40 hex digits in any letter case.
func Decode(asset, text string) (address.Address, bool) {
	text = TrimListed(text)
	chains := tickerChains()[strings.ToUpper(asset)]
	if chains == nil && asset != "" {
		if c, err := address.ParseChain(asset); err == nil {
			chains = []address.Chain{c}
		}
	}
	for _, c := range chains {
		if a, err := address.Normalize(c, text); err == nil {
			return a, true
		}
	}
	if len(text) == 42 && strings.EqualFold(text[:2], "0x") { // most entries of community lists; Detect would try every chain
		if a, err := address.Normalize("ethereum", text); err == nil {
			return a, true
		}
	}
	for _, a := range address.Detect(text) {
		if a.Proven() {
			return a, true
		}
	}
	if !strings.Contains(text, ":") {
		return address.Address{}, false
	}
	// A URI or a CAIP-10 account id names its chain.
	a, err := address.Normalize("ethereum", text)
	var bad *address.ParseError
	if errors.As(err, &bad) && bad.Err == address.ErrOtherChain && bad.Other != "" {
		a, err = address.Normalize(bad.Other, text)
	}
	return a, err == nil
}

// TrimListed returns a listed string without the blanks around it that lists are known to
// print: Unicode white space, zero-width characters and byte order marks.
func TrimListed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\ufeff'
	})
}

// tickerChains returns the chains on which each asset lives, by ticker.
var tickerChains = sync.OnceValue(func() map[string][]address.Chain {
	chains := make(map[string][]address.Chain)
	for _, c := range address.Chains() {
		for _, t := range c.Tickers() {
			chains[t] = append(chains[t], c)
		}
	}
	return chains
})
