package address

import (
	"crypto/sha512"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// algorand is the format of algorand: 58 upper-case characters of Base32 that
// encode an ed25519 public key and the last 4 bytes of its SHA-512/256 hash.
// The last character contains two bits that must be zero.
//
// See the Algorand documentation, "Accounts: transformation of a public key to
// an address".
type algorand struct{}

const (
	algorandLen         = 58
	algorandBytes       = 36
	formAlgorand   form = 0
	algorandDigest      = 28 // offset of the checksum in the digest
)

func (algorand) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) != algorandLen {
		return "", 0, wrongLength(s)
	}
	var raw [algorandBytes]byte
	if bad := base32.Decode(base32.Upper, raw[:], s); bad >= 0 {
		return "", 0, badChar(bad)
	}
	sum := sha512.Sum512_256(raw[:32])
	if [4]byte(sum[algorandDigest:]) != [4]byte(raw[32:]) {
		return "", 0, badChecksum
	}
	return s, formAlgorand, fault{}
}

func (algorand) canonical(text string, f form) (string, form) { return text, f }

func (algorand) account(text string, f form) (words, tag) { return algorandKey(0, text) }

func (algorand) key(text string, f form) (words, tag) { return algorandKey(identity.Ed25519, text) }

func (algorand) proves(form) bool { return true }

func algorandKey(c identity.Class, text string) (words, tag) {
	var raw [algorandBytes]byte
	base32.Decode(base32.Upper, raw[:], text)
	return makeKey(c, raw[:32])
}
