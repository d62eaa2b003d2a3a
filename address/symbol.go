package address

import (
	"crypto/sha3"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
)

// symbol is the format of Symbol: 39 characters of Base32 for a byte that
// identifies the network, 20 bytes, and the first 3 bytes of their SHA3-256
// hash. Wallets also show groups of six with dashes between. The normal form is
// upper case; the canonical form also omits the dashes.
//
// See "Cryptography" in the documentation of Symbol, and RawAddress in its
// SDKs.
type symbol struct{}

const (
	formSymbol form = iota
	formSymbolGroups
)

const (
	symbolLen       = 39
	symbolGroupsLen = 39 + 6
	symbolBytes     = 24
	symbolMainnet   = 0x68
	symbolTestnet   = 0x98
)

func (symbol) parse(s string, tolerant bool) (string, form, fault) {
	f := formSymbol
	switch len(s) {
	case symbolLen:
	case symbolGroupsLen:
		f = formSymbolGroups
	default:
		return "", 0, wrongLength(s)
	}
	small := false
	for i := range len(s) {
		if f == formSymbolGroups && (i%7 == 6) != (s[i] == '-') {
			return "", 0, badChar(i)
		}
		small = small || 'a' <= s[i] && s[i] <= 'z'
	}
	if small {
		if !tolerant {
			return "", 0, badChar(strings.IndexFunc(s, func(r rune) bool { return r >= 'a' }))
		}
		s = upperASCII(s)
	}
	var raw [symbolBytes]byte
	if bad := decodeSymbol(&raw, s); bad >= 0 {
		if f == formSymbolGroups {
			bad += bad / 6
		}
		return "", 0, badChar(bad)
	}
	sum := sha3.Sum256(raw[:21])
	switch {
	case [3]byte(sum[:]) != [3]byte(raw[21:]):
		return "", 0, badChecksum
	case raw[0] == symbolTestnet:
		return "", 0, badNetwork
	case raw[0] != symbolMainnet:
		return "", 0, badSyntax
	}
	return s, f, fault{}
}

// decodeSymbol decodes s, ignoring dashes. It returns the index of the first
// wrong character, not counting dashes, or -1.
func decodeSymbol(raw *[symbolBytes]byte, s string) int {
	letters := [symbolLen + 1]byte{symbolLen: 'A'} // 39 characters are 24 bytes and 3 bits, which are zero
	for i := range symbolLen {
		letters[i] = s[i]
		if len(s) == symbolGroupsLen {
			letters[i] = s[i+i/6]
		}
	}
	var b [symbolBytes + 1]byte
	bad := base32.Decode(base32.Upper, b[:], letters[:])
	copy(raw[:], b[:])
	if bad < 0 && b[symbolBytes] != 0 {
		return symbolLen - 1
	}
	return bad
}

func (symbol) canonical(text string, f form) (string, form) {
	if f == formSymbolGroups {
		text = strings.ReplaceAll(text, "-", "")
	}
	return text, formSymbol
}

func (symbol) account(text string, f form) (words, tag) {
	var raw [symbolBytes]byte
	decodeSymbol(&raw, text)
	return makeKey(0, raw[1:21])
}

func (symbol) key(string, form) (words, tag) { return words{}, 0 }

func (symbol) proves(form) bool { return true }
