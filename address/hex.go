package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// The functions in this file read eight hex digits at a time, as the bytes of a little-endian word,
// and without branches, because branches on the digits of fresh addresses are unpredictable.

const (
	eachByte = 0x0101010101010101 // multiplying a byte by it repeats the byte eight times
	caseBits = 0x20 * eachByte
)

func load8(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

func load4(s string, i int) uint64 {
	_ = s[i+3]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24
}

// unhex8 returns the four bytes, little-endian, that eight valid hex digits spell.
func unhex8(w uint64) uint64 {
	letter := w >> 6 & eachByte       // 1 for a-f and A-F
	n := w&(0x0f*eachByte) + letter*9 // the values of the digits
	n = n * (1 + 1<<12) & 0xff00ff00ff00ff00
	n = n * (1 + 1<<8) & 0xffff0000ffff0000
	return n * (1 + 1<<16) >> 32
}

// notHex8 returns zero if eight bytes are digits and letters from a to f. Otherwise it has values
// over 15 in the upper halves of bytes, and in bit 6 values from 10 on that are not letters, and
// smaller values that are. A carry into the next byte comes only from a value over 15.
func notHex8(w uint64) uint64 {
	n := w ^ '0'*eachByte // digits become 0 to 9; letters have bit 6
	n -= n >> 6 & eachByte * ('a' ^ '0' - 10)
	letter := (n + (0x40-10)*eachByte) ^ w
	return n&(0xf0*eachByte) | letter&(0x40*eachByte)
}

// hexCase reports whether all of digits, whose length must be a multiple of
// eight, are hex digits, and the letter cases among them.
func hexCase(digits string) (kind int, ok bool) {
	var lower, upper, bad uint64
	for len(digits) >= 8 {
		w := load8(digits, 0)
		digits = digits[8:]
		low := w | w>>1&caseBits // with bytes from 0x40 to 0x5f, which include all capitals, in lower case
		bad |= notHex8(low)
		upper |= low ^ w
		lower |= low >> 1 & w // a letter has bit 6, and in lower case bit 5
	}
	if bad != 0 {
		return 0, false
	}
	if lower&caseBits != 0 {
		kind = hasLower
	}
	if upper != 0 {
		kind |= hasUpper
	}
	return kind, true
}

// The letter cases that hexCase finds.
const (
	hasLower = 1 << iota
	hasUpper
)

// isLowerHex reports whether the first 40 characters of s are digits and letters from a to f.
func isLowerHex(s string) bool {
	_ = s[39]
	return notHex8(load8(s, 0))|notHex8(load8(s, 8))|notHex8(load8(s, 16))|notHex8(load8(s, 24))|notHex8(load8(s, 32)) == 0
}

// hexWords returns the 20 bytes that the first 40 characters of s, valid hex digits, spell.
func hexWords(s string) identity.Words {
	_ = s[39]
	return identity.Words{
		W0: unhex8(load8(s, 0)) | unhex8(load8(s, 8))<<32, W1: unhex8(load8(s, 16)) | unhex8(load8(s, 24))<<32, W2: unhex8(load8(s, 32)),
	}
}

// ParseEVM is [Parse] followed by [Address.Identity], for the text that most questions have:
// "0x" and 40 digits in lower case, on an EVM chain with a slug. It sets a to the address. For
// any other text it returns the zero Tag and leaves a unchanged.
func (a *Address) ParseEVM(c Chain, s string) (identity.Words, identity.Tag) {
	if len(s) != evmLen || s[:2] != "0x" {
		return identity.Words{}, identity.Tag{}
	}
	r := lookup(c)
	if r == 0 || r == otherEVMRow {
		return identity.Words{}, identity.Tag{}
	}
	if first := &chains[r-1].codecs[0]; !first.evm || first.doubt != "" || !isLowerHex(s[2:]) {
		return identity.Words{}, identity.Tag{}
	}
	*a = Address{text: s, row: r}
	return hexWords(s[2:]), evmTag
}

// scanHex returns the offset of the first character of s, from offset at on,
// that is not a hex digit, or -1; and whether the digits include capitals.
func scanHex(s string, at int) (bad int, capitals bool) {
	for i := at; i < len(s); i++ {
		class := charClass[s[i]]
		if class&classHex == 0 {
			return i, false
		}
		capitals = capitals || class&classUpper != 0
	}
	return -1, capitals
}

// firstNonHex returns the index of the first byte of s that is not a hex digit, or len(s).
func firstNonHex(s string) int { return skip(classHex, s, 0) }

func isHex(s string) bool { return firstNonHex(s) == len(s) }

// unhex decodes 2*len(dst) valid hex digits into dst.
func unhex(dst []byte, digits string) {
	for ; len(dst) >= 4; dst, digits = dst[4:], digits[8:] {
		binary.LittleEndian.PutUint32(dst, uint32(unhex8(load8(digits, 0))))
	}
	for i := range dst {
		dst[i] = unhexDigit(digits[2*i])<<4 | unhexDigit(digits[2*i+1])
	}
}

func unhexDigit(c byte) byte { return c&15 + c>>6*9 }

// putHexNumber writes the number that at most 64 valid hex digits spell to the
// end of dst. The other bytes of dst must be zero.
func putHexNumber(dst *[32]byte, digits string) {
	at, odd := 32-(len(digits)+1)/2, len(digits)&1
	if odd == 1 {
		dst[at] = unhexDigit(digits[0])
	}
	unhex(dst[at+odd:], digits[odd:])
}

func hasHexPrefix(s string) bool { return len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x' }

// badHexLength returns the fault of a string that is not as long as "0x" and the required digits.
// It distinguishes text that is not hex from hex of the wrong length, and from 64 digits: a private
// key, the hash of a transaction, or an account of another chain.
func badHexLength(s string) fault {
	if len(s) == 64 && isHex(s) || len(s) == hex32Len && hasHexPrefix(s) && isHex(s[2:]) {
		return badSyntax
	}
	if hasHexPrefix(s) {
		if i := firstNonHex(s[2:min(len(s), 64)]); 2+i < min(len(s), 64) {
			return badChar(2 + i)
		}
	}
	return badLength
}

// badHexPrefix returns the fault of a string that does not begin with "0x".
func badHexPrefix(s string) fault {
	if s[0] != '0' {
		return badChar(0)
	}
	return badChar(1)
}
