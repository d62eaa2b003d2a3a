package address

import (
	"encoding/binary"
	"math/bits"

	"github.com/walletscreen/walletscreen/internal/keccak"
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
	evmLen         = 2 + 40
	evmKind  Class = 0
	formEVM  form  = 0
	hexLower       = "0123456789abcdef"
)

var _ evmFamily = evm{}

func (evm) isEVM() {}

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
	case kind == hasUpper|hasLower && !tolerant && !isEIP55(digits, ""):
		return "", badChecksum
	}
	var buf [evmLen]byte
	buf[0], buf[1] = '0', 'x'
	putLowerHex(buf[2:], digits)
	return string(buf[:]), fault{}
}

func (evm) canonical(text string, f form) (string, form) { return text, formEVM }

func (evm) account(text string, f form) Key { return evmKey(evmKind, text[2:]) }

func (evm) key(text string, f form) Key { return evmKey(KeccakHash, text[2:]) }

func (evm) proves(form) bool { return true }

// evmKey returns the Key of the 20 bytes in 40 valid hex digits.
func evmKey(c Class, digits string) Key {
	_ = digits[39]
	return Key{
		w0:   unhex8(load8(digits, 0)) | unhex8(load8(digits, 8))<<32,
		w1:   unhex8(load8(digits, 16)) | unhex8(load8(digits, 24))<<32,
		w2:   unhex8(load8(digits, 32)),
		meta: keyMeta(c, 20),
	}
}

// load8 returns the eight bytes of s at i, little-endian.
func load8(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// unhex8 returns the four bytes, little-endian, that eight valid hex digits
// spell, the first digit in the lowest byte of w.
func unhex8(w uint64) uint64 {
	letter := w >> 6 & 0x0101010101010101 // 1 for a-f and A-F
	w = w&0x0f0f0f0f0f0f0f0f + letter*9
	w = (w<<4 | w>>8) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint64(uint32(w | w>>16))
}

// The letter cases that hexCase finds.
const (
	hasLower = 1 << iota
	hasUpper
)

// hexCase reports whether digits, whose length is a multiple of eight, are all
// hex digits, and the cases of the letters among them.
//
// It looks at eight digits at a time without a branch, for the digits of fresh
// addresses are what a branch predictor cannot learn.
func hexCase(digits string) (kind int, ok bool) {
	var bad, lower, upper uint64
	for len(digits) >= 8 {
		w := load8(digits, 0)
		digits = digits[8:]
		const ones = 0x0101010101010101
		const high = 0x80 * ones
		ascii := w &^ high
		// The top bit of each byte of these says "at least".
		ge0 := ascii + (0x80-'0')*ones
		gt9 := ascii + (0x80-'9'-1)*ones
		fold := ascii | 0x20*ones
		geA := fold + (0x80-'a')*ones
		gtF := fold + (0x80-'f'-1)*ones
		digit := ge0 &^ gt9
		letter := geA &^ gtF
		bad |= w | ^(digit | letter)
		up := w << 2 // bit 5, which is set in lower-case letters, as the top bit
		lower |= letter & up
		upper |= letter &^ up
	}
	const high = 0x8080808080808080
	if bad&high != 0 {
		return 0, false
	}
	if lower&high != 0 {
		kind = hasLower
	}
	if upper&high != 0 {
		kind |= hasUpper
	}
	return kind, true
}

// firstNonHex returns the index of the first byte of s that is no hex digit, or
// len(s).
func firstNonHex(s string) int {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case '0' <= s[i] && s[i] <= '9', 'a' <= c && c <= 'f':
		default:
			return i
		}
	}
	return len(s)
}

// putLowerHex writes valid hex digits, a multiple of eight, to dst in lower
// case.
func putLowerHex(dst []byte, digits string) {
	for i := 0; i+8 <= len(digits); i += 8 {
		w := load8(digits, i)
		// Digits have bit 5 already, letters have bit 6.
		binary.LittleEndian.PutUint64(dst[i:], w|w>>1&0x2020202020202020)
	}
}

// isEIP55 reports whether mixed, 40 valid hex digits, has the letter case that
// EIP-55 gives to them: a letter is upper case where the nibble at its place in
// the hash of the lower-case digits is 8 or more. With a prefix of at most 32
// bytes, the decimal chain id and "0x", that is hashed before the digits, the
// case is that of ERC-1191.
func isEIP55(mixed, prefix string) bool {
	var text [32 + 40]byte
	n := copy(text[:32], prefix)
	putLowerHex(text[n:], mixed)
	sum := keccak.Sum256(text[:n+40])
	var wrong uint64
	for i := range 5 {
		// The nibbles that belong to eight digits, one to a byte.
		h := uint64(binary.BigEndian.Uint32(sum[4*i:]))
		h = (h | h<<16) & 0x0000ffff0000ffff
		h = (h | h<<8) & 0x00ff00ff00ff00ff
		h = (h | h<<4) & 0x0f0f0f0f0f0f0f0f
		h = bits.ReverseBytes64(h)
		w := load8(mixed, 8*i)
		letter := w >> 1 & 0x2020202020202020 // bit 5 of each, as is the bit of case
		wrong |= letter & (^w ^ h<<2)
	}
	return wrong == 0
}

// isHexKey reports whether s is 64 hex digits, with or without "0x": a private
// key as likely as the hash of anything.
func isHexKey(s string) bool {
	if len(s) == 66 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	return len(s) == 64 && firstNonHex(s) == 64
}

// badHexLength is the fault of a string that is not as long as "0x" and the
// digits it should have. What is not hex at all is told from what was cut.
func badHexLength(s string) fault {
	if isHexKey(s) {
		return isSecret
	}
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		if i := firstNonHex(s[2:min(len(s), 64)]); 2+i < min(len(s), 64) {
			return badChar(2 + i)
		}
	}
	return badLength
}

// badHexPrefix is the fault of a string of the right length without "0x".
func badHexPrefix(s string) fault {
	if s[0] != '0' {
		return badChar(0)
	}
	return badChar(1)
}
