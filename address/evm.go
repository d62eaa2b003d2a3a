package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// evmFamily marks the formats whose accounts are the 20-byte accounts of the
// Ethereum Virtual Machine: one account over all chains of the family. A format
// that embeds the type evm does not have the method, for the field of that name
// hides it; hence a check by the compiler beside each.
type evmFamily interface {
	format
	isEVM()
}

// evm is the format of the EVM chains: "0x" and 40 hex digits, 20 bytes in all.
// The normal form is lower case. Digits that are all lower or all upper case
// carry no checksum; mixed case is one, by EIP-55. The tolerant reading takes
// mixed case that does not verify and "0X".
//
// See EIP-55, "Mixed-case checksum address encoding".
type evm struct{}

const (
	evmLen                  = 2 + 40
	evmKind  identity.Class = 0
	formEVM  form           = 0
	hexLower                = "0123456789abcdef"
)

var _ evmFamily = evm{}

func (evm) isEVM() {}

// isPlainEVM reports whether s is an address in normal form, as most are.
func isPlainEVM(s string) bool { return len(s) == evmLen && s[:2] == "0x" && isLowerHex40(s[2:]) }

// parse takes 64 hex digits for a private key.
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

// parseEVMDigits returns the normal form of the account whose 40 hex digits end
// s, "0x" and the digits: s itself if it is that.
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

func (evm) canonical(text string, f form) (string, form) { return text, formEVM }

func (evm) account(text string, f form) (words, tag) { return evmKey(evmKind, text[2:]) }

func (evm) key(text string, f form) (words, tag) { return evmKey(identity.KeccakHash, text[2:]) }

func (evm) proves(form) bool { return true }

// evmKey returns the Key of the 20 bytes in 40 valid hex digits.
func evmKey(c identity.Class, digits string) (words, tag) {
	_ = digits[39]
	return identity.MakeWords(
		unhex8(load8(digits, 0))|unhex8(load8(digits, 8))<<32,
		unhex8(load8(digits, 16))|unhex8(load8(digits, 24))<<32,
		unhex8(load8(digits, 32)), 0,
	), makeTag(c, 20)
}

// isEIP55 reports whether mixed, 40 valid hex digits, has the letter case that
// EIP-55 gives to them: a letter is upper case where the nibble at its place in
// the hash of the lower-case digits is 8 or more.
func isEIP55(mixed string) bool {
	h0, h1, h2 := keccakWords(lowerHex8(load8(mixed, 0)), lowerHex8(load8(mixed, 8)), lowerHex8(load8(mixed, 16)),
		lowerHex8(load8(mixed, 24)), lowerHex8(load8(mixed, 32)))
	return fitsHash(mixed, h0, h1, h2)
}

// isERC1191 is isEIP55 with a prefix of at most 32 bytes, the decimal chain id
// and "0x", that is hashed before the digits.
func isERC1191(mixed, prefix string) bool {
	var text [32 + 40]byte
	n := copy(text[:32], prefix)
	putLowerHex(text[n:], mixed)
	sum := keccak256(text[:n+40])
	return fitsHash(mixed, binary.LittleEndian.Uint64(sum[0:]), binary.LittleEndian.Uint64(sum[8:]), binary.LittleEndian.Uint64(sum[16:]))
}

// fitsHash reports whether the case of the letters in 40 hex digits is what the
// hash that begins with the given words says.
func fitsHash(mixed string, h0, h1, h2 uint64) bool {
	wrong := wrongCase8(load8(mixed, 0), h0) | wrongCase8(load8(mixed, 8), h0>>32) |
		wrongCase8(load8(mixed, 16), h1) | wrongCase8(load8(mixed, 24), h1>>32) |
		wrongCase8(load8(mixed, 32), h2)
	return wrong == 0
}

// wrongCase8 returns which of the eight valid hex digits in w are letters whose
// case is not what the lower four bytes of hash say.
func wrongCase8(w, hash uint64) uint64 {
	hash &= 1<<32 - 1
	hash = (hash | hash<<16) & 0x0000ffff0000ffff
	hash = (hash | hash<<8) & 0x00ff00ff00ff00ff
	upper := hash>>2 | hash<<10 // the top bits of the nibbles, in the order of the digits
	return w >> 1 & ^(w ^ upper) & caseBits
}
