package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
)

// nem is the format of nem: 40 characters of Base32 for a byte that identifies
// the network, 20 bytes, and the first 4 bytes of their keccak256 hash. Wallets
// show them in groups of six with dashes between, and accept any letter case.
// The normal form is upper case; the canonical form also omits the dashes. "T…"
// and "M…" are addresses of test networks. The format is written by hand because no Go
// library reads it.
//
// See the NEM technical reference, section 3.1, "Addresses".
type nem struct{}

const (
	formNEM form = iota
	formNEMGroups
)

const (
	nemLen       = 40
	nemGroupsLen = 40 + 6
	nemMainnet   = 0x68
	nemTestnet   = 0x98
	nemMijin     = 0x60
)

func (nem) parse(s string, tolerant bool) (string, form, fault) {
	f := formNEM
	switch len(s) {
	case nemLen:
	case nemGroupsLen:
		f = formNEMGroups
	default:
		return "", 0, wrongLength(s)
	}
	small := false
	for i := range len(s) {
		if f == formNEMGroups && (i%7 == 6) != (s[i] == '-') {
			return "", 0, badChar(i)
		}
		small = small || 'a' <= s[i] && s[i] <= 'z'
	}
	if small {
		s = upperASCII(s)
	}
	var raw [25]byte
	if bad := decodeNEM(&raw, s); bad >= 0 {
		if f == formNEMGroups {
			bad += bad / 6
		}
		return "", 0, badChar(bad)
	}
	if raw[0] != nemMainnet && raw[0] != nemTestnet && raw[0] != nemMijin {
		return "", 0, badChar(nemWrongNetwork(s))
	}
	sum := keccak256(raw[:21])
	switch {
	case [4]byte(sum[:]) != [4]byte(raw[21:]):
		return "", 0, badChecksum
	case raw[0] != nemMainnet:
		return "", 0, badNetwork
	}
	return s, f, fault{}
}

// nemWrongNetwork returns which of the first two characters, which encode the
// network, is wrong.
func nemWrongNetwork(s string) int {
	if s[0] == 'N' || s[0] == 'T' || s[0] == 'M' {
		return 1
	}
	return 0
}

// upperASCII returns s with its ASCII letters in upper case.
func upperASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 0x20
		}
	}
	return string(b)
}

// decodeNEM decodes s, ignoring dashes. It returns the index of the first wrong
// character, not counting dashes, or -1.
func decodeNEM(raw *[25]byte, s string) int {
	if len(s) == nemLen {
		return base32.Decode(base32.Upper, raw[:], s)
	}
	var letters [nemLen]byte
	for i := range letters {
		letters[i] = s[i+i/6]
	}
	return base32.Decode(base32.Upper, raw[:], letters[:])
}

func (nem) canonical(text string, f form) (string, form) {
	if f == formNEMGroups {
		text = strings.ReplaceAll(text, "-", "")
	}
	return text, formNEM
}

func (nem) account(text string, f form) (words, tag) {
	var raw [25]byte
	decodeNEM(&raw, text)
	return makeKey(0, raw[1:21])
}

func (nem) key(string, form) (words, tag) { return words{}, 0 }

func (nem) proves(form) bool { return true }
