package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// evmFamily marks the formats whose accounts are the 20-byte accounts of the
// Ethereum Virtual Machine, which are the same account on all chains of the
// family. A compile-time assertion beside each format catches a missing method.
type evmFamily interface {
	format
	isEVM()
}

// evm is the format of the EVM chains: "0x" and 40 hex digits, 20 bytes in all.
// The normal form is lower case. Digits in a single letter case have no
// checksum; mixed case must match EIP-55. In tolerant mode, parse also accepts
// mixed case that does not match, and "0X".
//
// See EIP-55, "Mixed-case checksum address encoding".
type evm struct{ packed }

const (
	evmLen                  = 2 + 40
	evmKind  identity.Class = 0
	formEVM  form           = 0
	hexLower                = "0123456789abcdef"
)

var _ evmFamily = evm{}

func (evm) isEVM() {}

// parse reports 64 hex digits as a private key.
func (evm) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) != evmLen {
		return "", 0, badHexLength(s)
	}
	if s[0] != '0' || s[1] != 'x' && !(tolerant && s[1] == 'X') {
		return "", 0, badHexPrefix(s)
	}
	text, bad := parseEVMDigits(s, s[2:], tolerant)
	return text, formEVM, bad
}

// parseEVMDigits returns the normal form of s, which is "0x" and 40 hex digits;
// the digits are given again. If s is in normal form, it returns s.
func parseEVMDigits(s, digits string, tolerant bool) (string, fault) {
	kind, ok := hexCase(digits)
	switch {
	case !ok:
		return "", badChar(len(s) - 40 + firstNonHex(digits))
	case kind&hasUpper == 0 && s[1] == 'x':
		return s, fault{}
	case kind == hasUpper|hasLower && !tolerant && !isEIP55(digits):
		return "", badChecksum
	}
	var buf [evmLen]byte
	buf[0], buf[1] = '0', 'x'
	putLowerHex(buf[2:], digits)
	return string(buf[:]), fault{}
}

func (evm) account(text string, f form) (words, tag) { return evmKey(evmKind, text[2:]) }

func (evm) proves(form) bool { return true }

// evmKey returns the Key of the 20 bytes that 40 valid hex digits spell.
func evmKey(c identity.Class, digits string) (words, tag) {
	_ = digits[39]
	return identity.MakeWords(
		unhex8(load8(digits, 0))|unhex8(load8(digits, 8))<<32,
		unhex8(load8(digits, 16))|unhex8(load8(digits, 24))<<32,
		unhex8(load8(digits, 32)), 0,
	), makeTag(c, 20)
}

// isEIP55 reports whether the letter case of mixed, 40 valid hex digits,
// matches EIP-55: a letter is upper case if the nibble at its position in the
// hash of the lower-case digits is 8 or more.
func isEIP55(mixed string) bool {
	h0, h1, h2 := keccakWords(lowerHex8(load8(mixed, 0)), lowerHex8(load8(mixed, 8)), lowerHex8(load8(mixed, 16)),
		lowerHex8(load8(mixed, 24)), lowerHex8(load8(mixed, 32)))
	return fitsHash(mixed, h0, h1, h2)
}

// isERC1191 is like isEIP55 but hashes prefix before the digits. prefix is the
// decimal chain id and "0x", at most 32 bytes.
func isERC1191(mixed, prefix string) bool {
	var text [32 + 40]byte
	n := copy(text[:32], prefix)
	putLowerHex(text[n:], mixed)
	sum := keccak256(text[:n+40])
	return fitsHash(mixed, binary.LittleEndian.Uint64(sum[0:]), binary.LittleEndian.Uint64(sum[8:]), binary.LittleEndian.Uint64(sum[16:]))
}

// fitsHash reports whether the letter case of 40 hex digits matches the hash
// that begins with the given words.
func fitsHash(mixed string, h0, h1, h2 uint64) bool {
	wrong := wrongCase8(load8(mixed, 0), h0) | wrongCase8(load8(mixed, 8), h0>>32) |
		wrongCase8(load8(mixed, 16), h1) | wrongCase8(load8(mixed, 24), h1>>32) |
		wrongCase8(load8(mixed, 32), h2)
	return wrong == 0
}

// wrongCase8 returns the bits of those of the eight valid hex digits in w that
// are letters whose case does not match the lower four bytes of hash.
func wrongCase8(w, hash uint64) uint64 {
	hash &= 1<<32 - 1
	hash = (hash | hash<<16) & 0x0000ffff0000ffff
	hash = (hash | hash<<8) & 0x00ff00ff00ff00ff
	upper := hash>>2 | hash<<10 // the top bits of the nibbles, in the order of the digits
	return w >> 1 & ^(w ^ upper) & caseBits
}
