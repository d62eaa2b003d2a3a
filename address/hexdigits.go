package address

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

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

// isBareKey reports whether s is 64 hex digits, with "0x" or without: on a chain
// that has no such address, most likely a private key.
func isBareKey(s string) bool {
	if len(s) == 66 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	return len(s) == 64 && firstNonHex(s) == 64
}

// wrongLength is the fault of a string that is not as long as any address of a
// chain that has none of 64 hex digits.
func wrongLength(s string) fault {
	if isBareKey(s) {
		return isSecret
	}
	return badLength
}

// hasAnyPrefix reports whether s begins with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// maxID is the largest number of an account on filecoin and hedera, which count
// them in signed 64-bit numbers.
const maxID = 1<<63 - 1

// parseID reads the number of an account at offset at of s: decimal digits
// without leading zeros. It returns the number and the offset behind it.
func parseID(s string, at int) (id uint64, end int, bad fault) {
	for end = at; end < len(s) && '0' <= s[end] && s[end] <= '9'; end++ {
		if end-at == 19 {
			return 0, 0, badSyntax
		}
		id = id*10 + uint64(s[end]-'0')
	}
	switch {
	case end == at && at == len(s):
		return 0, 0, badLength
	case end == at:
		return 0, 0, badChar(at)
	case s[at] == '0' && end > at+1:
		return 0, 0, badChar(at)
	case id > maxID:
		return 0, 0, badSyntax
	}
	return id, end, fault{}
}

// idKey returns the Key of an account that is numbered.
func idKey(c Class, id uint64) (words, tag) {
	return words{w0: bits.ReverseBytes64(id)}, makeTag(c, 8)
}
