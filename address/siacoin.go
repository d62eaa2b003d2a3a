package address

import (
	"strings"

	"golang.org/x/crypto/blake2b"
)

// siacoin is the format of siacoin: 76 hex digits that encode 32 bytes, the
// hash of the conditions for spending, and the first 6 bytes of their
// BLAKE2b-256 hash. The normal form is lower case.
//
// See go.sia.tech/core, types.Address.
type siacoin struct{}

const (
	siacoinLen       = 2 * (32 + 6)
	formSiacoin form = 0
)

func (siacoin) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) != siacoinLen {
		return "", 0, wrongLength(s)
	}
	bad, capitals := scanHex(s, 0)
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	var raw [32 + 6]byte
	unhex(raw[:], s)
	sum := blake2b.Sum256(raw[:32])
	if [6]byte(sum[:]) != [6]byte(raw[32:]) {
		return "", 0, badChecksum
	}
	if capitals {
		s = strings.ToLower(s)
	}
	return s, formSiacoin, fault{}
}

func (siacoin) canonical(text string, f form) (string, form) { return text, f }

func (siacoin) account(text string, f form) (words, tag) {
	return hexKey(0, text[:64])
}

func (siacoin) key(string, form) (words, tag) { return words{}, 0 }

func (siacoin) proves(form) bool { return true }
