package address

import (
	"crypto/sha256"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// zilliqa is the format of Zilliqa: Bech32 of 20 bytes, or "0x" and the 40 hex
// digits of the same. Digits of mixed case are a checksum, of a kind of their
// own or, since the chain has an EVM, by EIP-55. The canonical form is Bech32.
//
// An account is the end of the SHA-256 of a key, or of the Keccak-256 as on all
// EVM chains; the address does not show which. Its key is a [KeccakHash], for
// if an Ethereum account has the same bytes, it is that: nobody can make the two
// hashes of two keys meet.
//
// See ZIP-1, and toChecksumAddress in zilliqa-js.
type zilliqa struct{}

const (
	zilliqaHRP  = "zil"
	zilliqaTest = "tzil"
)

// The forms of zilliqa.
const (
	formZil form = iota
	formZilHex
)

func (zilliqa) parse(s string, tolerant bool) (string, form, fault) {
	if !hasHexPrefix(s) {
		text, _, bad := parseBech32(zilliqaHRP, zilliqaTest, bech32.Bech32, 20, 20, s)
		return text, formZil, bad
	}
	text, _, bad := evm{}.parse(s, tolerant)
	if bad.err == ErrChecksum && isZilliqaCase(s[2:]) {
		text, _, bad = evm{}.parse(s, true)
	}
	return text, formZilHex, bad
}

// isZilliqaCase reports whether the letter case of 40 hex digits is a checksum of
// Zilliqa: the one of digit i is that of bit 6i of the SHA-256 of the bytes.
func isZilliqaCase(digits string) bool {
	k := newKey(evmKey(0, digits))
	var b [32]byte
	sum := sha256.Sum256(k.AppendBytes(b[:0]))
	for i := range len(digits) {
		bit := 6 * i
		isUpper := sum[bit/8]>>(7-bit%8)&1 == 1
		if c := digits[i]; c >= 'A' && isUpper != (c < 'a') {
			return false
		}
	}
	return true
}

func (z zilliqa) canonical(text string, f form) (string, form) {
	if f == formZil {
		return text, f
	}
	return encodeKey(zilliqaHRP, newKey(z.account(text, f))), formZil
}

func (zilliqa) account(text string, f form) (words, tag) { return zilliqaKey(0, text, f) }

func (zilliqa) key(text string, f form) (words, tag) { return zilliqaKey(identity.KeccakHash, text, f) }

func zilliqaKey(c identity.Class, text string, f form) (words, tag) {
	if f == formZilHex {
		return evmKey(c, text[2:])
	}
	return bech32Key(c, len(zilliqaHRP)+1, text)
}

func (zilliqa) proves(form) bool { return true }
