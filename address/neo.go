package address

import (
	"github.com/walletscreen/walletscreen/internal/base58"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// neo is the format of Neo, Neo N3 and Ontology: Base58Check of a version byte
// and the hash160 of the account's verification script. Neo and Ontology use
// the same version and derive the same script from a key, so an address of one
// is an address of the other. Neo N3 uses other scripts. The letter case
// matters; the normal form is the input. The test networks use the same
// addresses.
//
// See "Wallets" in the Neo documentation, and common/address.go of Ontology.
type neo struct {
	version byte
}

const neoLen = 1 + 20 + sumLen

func (c neo) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	if bad := decodeBase58Check(&buf, s, neoLen); bad.err != nil {
		return "", 0, bad
	}
	if buf[0] != c.version {
		return "", 0, badSyntax
	}
	return s, 0, fault{}
}

func (neo) canonical(text string, f form) (string, form) { return text, f }

func (neo) account(text string, f form) (words, tag) {
	hash := base58Hash(text)
	return makeKey(0, hash[:])
}

func (neo) key(text string, f form) (words, tag) {
	hash := base58Hash(text)
	return makeKey(identity.ScriptHash, hash[:])
}

func (neo) proves(form) bool { return true }
