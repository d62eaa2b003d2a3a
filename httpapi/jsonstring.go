package httpapi

import (
	"math/bits"
	"unicode/utf8"
)

// plain returns the number of bytes at the beginning of s that are ASCII and need no
// escape in a JSON string.
func plain(s string) int {
	if len(s) < 8 {
		i := 0
		for i < len(s) && ' ' <= s[i] && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
			i++
		}
		return i
	}
	for i := 0; ; i = min(i+8, len(s)-8) { // the last eight may overlap the previous ones
		if odd := oddBytes(word(s[i : i+8])); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
		if i == len(s)-8 {
			return len(s)
		}
	}
}

// word returns the first eight bytes of s, little endian.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// oddBytes returns a word whose lowest set bit lies in the lowest byte of x that is
// not plain.
func oddBytes(x uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	// A subtraction sets the high bit of a byte that is too small. A borrow can only
	// make the bytes above it look odd, too.
	quote, backslash := x^'"'*ones, x^'\\'*ones
	return (x | (x - ' '*ones) | (quote - ones) | (backslash - ones)) & highs
}
