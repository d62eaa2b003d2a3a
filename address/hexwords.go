package address

import "encoding/binary"

// Hex digits are read eight at a time, as the bytes of a word, the first the
// lowest, and without a branch: the digits of fresh addresses are what a branch
// predictor cannot learn.

const (
	eachByte = 0x0101010101010101 // times a byte, it is that byte eight times
	caseBits = 0x20 * eachByte
	topBits  = 0x80 * eachByte
)

// load8 returns the eight bytes of s at i, little-endian.
func load8(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// unhex8 returns the four bytes, little-endian, that eight valid hex digits
// spell.
func unhex8(w uint64) uint64 {
	letter := w >> 6 & eachByte // 1 for a-f and A-F
	w = w&(0x0f*eachByte) + letter*9
	w = (w<<4 | w>>8) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint64(uint32(w | w>>16))
}

// lowerHex8 returns w with its capitals in lower case, bytes from 0x40 to 0x5f.
func lowerHex8(w uint64) uint64 { return w | w>>1&caseBits }

// notHex8 returns a word that has a top bit of a byte set exactly if a byte of
// w is no digit and no letter from a to f.
func notHex8(w uint64) uint64 {
	letter := w >> 6 & eachByte
	// Digits become 0 to 9, and letters 1 to 6, then 0 to 5; what is neither
	// becomes more, or has its top bit set. What overflows into the next byte has
	// set a top bit before.
	w ^= '0'*eachByte + letter*('`'-'0')
	w -= letter
	return w | (w + (0x80-10)*eachByte + letter*4)
}

// hexCase reports whether digits, whose length is a multiple of eight, are all
// hex digits, and the cases of the letters among them.
func hexCase(digits string) (kind int, ok bool) {
	var bad, lower, upper uint64
	for len(digits) >= 8 {
		w := load8(digits, 0)
		digits = digits[8:]
		low := lowerHex8(w)
		bad |= notHex8(low)
		upper |= low ^ w
		lower |= low >> 1 & w // a letter has bit 6, and in lower case bit 5
	}
	if bad&topBits != 0 {
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

// putLowerHex writes valid hex digits, a multiple of eight, to dst in lower
// case.
func putLowerHex(dst []byte, digits string) {
	for i := 0; i+8 <= len(digits); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], lowerHex8(load8(digits, i)))
	}
}

// isLowerHex40 reports whether the first 40 characters of s are digits and
// letters from a to f.
func isLowerHex40(s string) bool {
	_ = s[39]
	bad := notHex8(load8(s, 0)) | notHex8(load8(s, 8)) | notHex8(load8(s, 16)) | notHex8(load8(s, 24)) | notHex8(load8(s, 32))
	return bad&topBits == 0
}
