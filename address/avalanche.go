package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// avalanche is the format of the X- and P-Chain of Avalanche: the upper-case
// name of the chain, a dash, and the Bech32 of the hash160 of a secp256k1 key.
// The C-Chain is an EVM chain.
//
// See utils/formatting/address of AvalancheGo.
type avalanche struct{ prefix string }

const (
	avalancheHRP  = "avax"
	avalancheTest = "fuji local custom"
)

func (a avalanche) parse(s string, tolerant bool) (string, form, fault) {
	bare, ok := strings.CutPrefix(s, a.prefix)
	if !ok {
		if i := firstDifference(s, a.prefix); i < len(s) {
			return "", 0, badChar(i)
		}
		return "", 0, badLength
	}
	text, _, bad := parseBech32(avalancheHRP, avalancheTest, bech32.Bech32, 20, 20, bare)
	switch {
	case bad.err != nil:
		return "", 0, bad.after(len(a.prefix))
	case text == bare:
		return s, 0, fault{}
	}
	return a.prefix + text, 0, fault{}
}

func (a avalanche) canonical(text string, f form) (string, form) { return text, f }

func (a avalanche) account(text string, f form) (words, tag) {
	return bech32Key(0, len(avalancheHRP)+1, text[len(a.prefix):])
}

func (a avalanche) key(text string, f form) (words, tag) {
	return bech32Key(identity.Hash160, len(avalancheHRP)+1, text[len(a.prefix):])
}

func (a avalanche) proves(form) bool { return true }
