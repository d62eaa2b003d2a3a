// Package blech32 decodes Blech32 and Blech32m, variants of Bech32 with a checksum
// of twelve characters instead of six. The Liquid network writes confidential
// addresses in them. [Decode] is the only function.
//
// It is written by hand because no maintained Go library offers Blech32 by itself.
//
// See ELIP-150 and blech32.cpp of Elements.
package blech32

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// A Variant is a kind of checksum.
type Variant uint64

const (
	Blech32  Variant = 1
	Blech32m Variant = 0x455972a3350f7a1
)

const (
	sumLen = 12
	digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l" // as in Bech32
)

// Decode decodes s, which must have the lower-case human-readable part hrp. It
// writes the five-bit values without the checksum to dst, and returns their
// number and the variant of the checksum. Letters must be all lower or all
// upper case. If f is not bech32.OK, bad is the offset of the first wrong
// character, or -1. Decode does not allocate.
func Decode(dst []byte, hrp, s string) (n int, v Variant, bad int, f bech32.Fault) {
	n = len(s) - len(hrp) - 1 - sumLen
	if n < 0 || n > len(dst) {
		return 0, 0, -1, bech32.Length
	}
	sum := uint64(1)
	for i := range len(hrp) {
		sum = step(sum, hrp[i]>>5)
	}
	sum = step(sum, 0)
	var upper, lower bool
	for i := range len(s) {
		c := s[i]
		upper = upper || 'A' <= c && c <= 'Z'
		lower = lower || 'a' <= c && c <= 'z'
		if upper && lower {
			return 0, 0, i, bech32.Charset
		}
		if upper && 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		switch {
		case i < len(hrp):
			if c != hrp[i] {
				return 0, 0, i, bech32.Prefix
			}
			sum = step(sum, c&31)
		case i == len(hrp):
			if c != '1' {
				return 0, 0, i, bech32.Prefix
			}
		default:
			value := strings.IndexByte(digits, c)
			if value < 0 {
				return 0, 0, i, bech32.Charset
			}
			sum = step(sum, byte(value))
			if j := i - len(hrp) - 1; j < n {
				dst[j] = byte(value)
			}
		}
	}
	switch v = Variant(sum); v {
	case Blech32, Blech32m:
		return n, v, -1, bech32.OK
	}
	return 0, 0, -1, bech32.Checksum
}

// step adds one value to the checksum, a polynomial over GF(32).
func step(sum uint64, value byte) uint64 {
	top := sum >> 55
	sum = (sum&(1<<55-1))<<5 ^ uint64(value)
	for i, g := range [5]uint64{0x7d52fba40bd886, 0x5e8dbf1a03950c, 0x1c3a3c74072a18, 0x385d72fa0e5139, 0x7093e5a608865b} {
		if top>>i&1 == 1 {
			sum ^= g
		}
	}
	return sum
}

// Append appends the Blech32 text of the five-bit values to dst, in lower case.
func Append(dst []byte, hrp string, values []byte, v Variant) []byte {
	sum := uint64(1)
	for i := range len(hrp) {
		sum = step(sum, hrp[i]>>5)
	}
	sum = step(sum, 0)
	for i := range len(hrp) {
		sum = step(sum, hrp[i]&31)
	}
	dst = append(append(dst, hrp...), '1')
	for _, value := range values {
		sum = step(sum, value)
		dst = append(dst, digits[value])
	}
	for range sumLen {
		sum = step(sum, 0)
	}
	sum ^= uint64(v)
	for i := sumLen - 1; i >= 0; i-- {
		dst = append(dst, digits[sum>>(5*i)&31])
	}
	return dst
}
