package address

import (
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address/internal/curve"
)

// casper is the format of Casper: a public key in hex, after "01" for ed25519
// or "02" for secp256k1, or "account-hash-" and the hash of the key, which is
// the canonical form. Digits in mixed case must match the checksum of CEP-57,
// which covers the bytes of the key or of the hash.
//
// See CEP-57, "Checksummed addresses", and account_hash.rs of casper-types.
type casper struct{}

const (
	formCasperHash form = iota
	formCasperEd25519
	formCasperSecp256k1
)

const (
	casperPrefix = "account-hash-"
	casperKeyLen = 33 // of a secp256k1 key, the longer one
)

func (casper) parse(s string, tolerant bool) (string, form, fault) {
	start, f := 2, formCasperHash
	switch {
	case len(s) == 2+2*32 && s[:2] == "01":
		f = formCasperEd25519
	case len(s) == 2+2*casperKeyLen && s[:2] == "02":
		f = formCasperSecp256k1
	case strings.HasPrefix(s, casperPrefix):
		start = len(casperPrefix)
		if len(s) != start+2*32 {
			return "", 0, badLength
		}
	case len(s) > 2 && s[0] == '0' && (s[1] == '1' || s[1] == '2'):
		return "", 0, badLength
	default:
		return "", 0, badSyntax
	}
	bad, capitals := scanHex(s, start)
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	var buf [casperKeyLen]byte
	b := buf[:(len(s)-start)/2]
	unhex(b, s[start:])
	switch {
	case f == formCasperEd25519 && !curve.IsEd25519((*[32]byte)(b)),
		f == formCasperSecp256k1 && !isSecp256k1Key(buf):
		return "", 0, badSyntax
	case !capitals:
		return s, f, fault{}
	case !tolerant && strings.ToUpper(s[start:]) != s[start:] && !isCEP57(b, s[start:]):
		return "", 0, badChecksum
	}
	return s[:start] + strings.ToLower(s[start:]), f, fault{}
}

// isCEP57 reports whether the capitals among digits, which spell b, match the
// checksum of CEP-57: the letters take their case from the bits of the hash of
// b, in order, lowest bit first.
func isCEP57(b []byte, digits string) bool {
	sum := blake2b.Sum256(b)
	letters := 0
	for _, c := range []byte(digits) {
		if c <= '9' {
			continue
		}
		if isUpper := sum[letters/8]>>(letters%8)&1 != 0; isUpper != (c < 'a') {
			return false
		}
		letters++
	}
	return true
}

// casperHash returns the hash of the account that text spells.
func casperHash(text string, f form) (hash [32]byte) {
	if f == formCasperHash {
		unhex(hash[:], text[len(casperPrefix):])
		return hash
	}
	name := "ed25519"
	if f == formCasperSecp256k1 {
		name = "secp256k1"
	}
	var buf [len("secp256k1") + 1 + casperKeyLen]byte
	n := copy(buf[:], name) + 1 // and a zero
	size := len(text)/2 - 1
	unhex(buf[n:n+size], text[2:])
	return blake2b.Sum256(buf[:n+size])
}

func (casper) canonical(text string, f form) (string, form) {
	if f == formCasperHash {
		return text, f
	}
	hash := casperHash(text, f)
	return casperPrefix + hex.EncodeToString(hash[:]), formCasperHash
}

func (casper) account(text string, f form) (words, tag) {
	hash := casperHash(text, f)
	return key32(0, &hash)
}

// key returns no key, because the canonical form does not show it.
func (casper) key(string, form) (words, tag) { return words{}, 0 }

func (casper) proves(form) bool { return false }
