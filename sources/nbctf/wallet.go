package nbctf

import (
	"strings"
	"unicode"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// A wallet is an address in a cell, and its text there. The address is zero if the text is
// no known address.
type wallet struct {
	address address.Address
	listed  string
}

// wallets returns the addresses in a cell: one in most of them; several, or one with a note
// behind it, in some. A cell without an address is one wallet that lists its text.
func wallets(asset, text string) []wallet {
	if a, ok := sources.Decode(asset, text); ok {
		return []wallet{{a, text}}
	}
	bare, _, _ := strings.Cut(text, "(")
	bare = sources.TrimListed(bare)
	latin := toLatin(bare)
	if a, ok := sources.Decode(asset, latin); ok {
		return []wallet{{a, bare}}
	}
	var all []wallet
	for _, f := range address.FindAll(toLatin(text)) {
		all = append(all, wallet{f.Address, f.Address.Normalized()})
	}
	if all == nil {
		all = []wallet{{listed: bare}}
	}
	return all
}

// toLatin returns text with letters that look like Latin ones replaced by these, and without
// invisible characters.
func toLatin(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		if i := strings.IndexRune(foreign, r); i >= 0 {
			return rune(latin[len([]rune(foreign[:i]))])
		}
		return r
	}, text)
}

// Letters of the Cyrillic and Greek alphabets, and the Latin ones that they look like.
const (
	foreign = "АВСЕНІЈКМОРЅТУХасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧον"
	latin   = "ABCEHIJKMOPSTYXaceijopsxyABEZHIKMNOPTYXov"
)
