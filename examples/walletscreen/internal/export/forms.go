package export

import (
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// A spelling is a text that is an address on a chain.
type spelling struct {
	chain address.Chain
	text  string
}

// ofKey returns the spellings of all addresses of a key that the key alone
// decides.
func ofKey(k address.Key) []spelling {
	var all []spelling
	for _, a := range k.Spellings() {
		all = append(all, textsOf(a)...)
	}
	return all
}

// ofAccount returns the spellings of the account of a.
func ofAccount(a address.Address) []spelling {
	all := textsOf(a)
	for _, b := range a.Spellings() {
		for _, s := range textsOf(b) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// textsOf returns the normal form of a, and the other texts that people write for
// it and that [address.Normalize] reads: CashAddr without its prefix, the standard
// alphabet of Base64 on ton, and 32 bytes in hex without leading zeros.
func textsOf(a address.Address) []spelling {
	all := []spelling{{a.Chain(), a.Normalized()}}
	text := a.Normalized()
	_, body, _ := strings.Cut(text, ":")
	short := "0x" + strings.TrimLeft(strings.TrimPrefix(text, "0x"), "0")
	for _, t := range []string{body, strings.NewReplacer("-", "+", "_", "/").Replace(text), short} {
		s := spelling{a.Chain(), t}
		if b, err := address.Normalize(s.chain, t); err == nil && b.Canonical() == a.Canonical() && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
