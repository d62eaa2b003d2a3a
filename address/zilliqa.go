package address

import (
	"crypto/sha256"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// zilliqa is the format of Zilliqa: Bech32 of 20 bytes, or "0x" and their 40
// hex digits. Digits in mixed case must match Zilliqa's own checksum or, since
// the chain has an EVM, EIP-55. The canonical form is Bech32.
//
// An account is the end of the SHA-256 hash of a key, or of the Keccak-256 hash
// as on EVM chains; the address does not reveal which. Its key is an
// [identity.KeccakHash]: if an Ethereum account has the same bytes, the hash
// must be that one, because nobody can find two keys whose different hashes are
// equal.
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

// isZilliqaCase reports whether the letter case of 40 hex digits matches
// Zilliqa's checksum: the case of digit i is bit 6i of the SHA-256 hash of the
// bytes.
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
