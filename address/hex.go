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

// load4 returns four bytes of s, little-endian.
func load4(s string, i int) uint64 {
	_ = s[i+3]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24
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

// unhexLower8 is unhex8, and notHex8 added to bad, in one.
func unhexLower8(w, bad uint64) (uint64, uint64) {
	letter := w >> 6 & eachByte
	w ^= '0'*eachByte + letter*('`'-'0')
	w -= letter // as in notHex8: digits are 0 to 9, letters 0 to 5
	bad |= w | (w + (0x80-10)*eachByte + letter*4)
	w += letter * 10
	w = (w<<4 | w>>8) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint64(uint32(w | w>>16)), bad
}

// scanHex returns the offset of the first character of s, from offset at on,
// that is no hex digit, or -1; and whether there are capitals among the digits.
func scanHex(s string, at int) (bad int, capitals bool) {
	if digits := s[at:]; len(digits)%8 == 0 { // the common case, without branches
		if kind, ok := hexCase(digits); ok {
			return -1, kind&hasUpper != 0
		}
	}
	for i := at; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f':
		case 'A' <= c && c <= 'F':
			capitals = true
		default:
			return i, false
		}
	}
	return -1, capitals
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

// isHex reports whether all bytes of s are hex digits.
func isHex(s string) bool { return firstNonHex(s) == len(s) }

// unhex writes the value of 2*len(dst) valid hex digits to dst.
func unhex(dst []byte, digits string) {
	for ; len(dst) >= 4; dst, digits = dst[4:], digits[8:] {
		binary.LittleEndian.PutUint32(dst, uint32(unhex8(load8(digits, 0))))
	}
	for i := range dst {
		dst[i] = unhexDigit(digits[2*i])<<4 | unhexDigit(digits[2*i+1])
	}
}

// unhexDigit returns the value of a valid hex digit.
func unhexDigit(c byte) byte { return c&15 + c>>6*9 }

// putHexNumber writes the number that at most 64 valid hex digits spell to the
// end of dst, whose other bytes are zero.
func putHexNumber(dst *[32]byte, digits string) {
	at, odd := 32-(len(digits)+1)/2, len(digits)&1
	if odd == 1 {
		dst[at] = unhexDigit(digits[0])
	}
	unhex(dst[at+odd:], digits[odd:])
}

// hexText returns "0x" and the 20 bytes of k in lower-case hex digits.
func hexText(k Key) string {
	var buf [evmLen]byte
	buf[0], buf[1] = '0', 'x'
	bytes := k.words.bytes()
	for i, b := range bytes[:20] {
		buf[2+2*i], buf[3+2*i] = hexLower[b>>4], hexLower[b&15]
	}
	return string(buf[:])
}

// hasHexPrefix reports whether s begins with "0x" or "0X".
func hasHexPrefix(s string) bool { return len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x' }

// isHexKey reports whether s is 64 hex digits, with "0x" or without: on a chain
// that has no such address, most likely a private key.
func isHexKey(s string) bool {
	if hasHexPrefix(s) {
		s = s[2:]
	}
	return len(s) == 64 && isHex(s)
}

// badHexLength is the fault of a string that is not as long as "0x" and the
// digits it should have. What is not hex at all is told from what was cut.
func badHexLength(s string) fault {
	if isHexKey(s) {
		return isSecret
	}
	if hasHexPrefix(s) {
		if i := firstNonHex(s[2:min(len(s), 64)]); 2+i < min(len(s), 64) {
			return badChar(2 + i)
		}
	}
	return badLength
}

// badHexPrefix is the fault of a string that does not begin with "0x".
func badHexPrefix(s string) fault {
	if s[0] != '0' {
		return badChar(0)
	}
	return badChar(1)
}
