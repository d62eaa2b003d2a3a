// Package base32 encodes and decodes Base32 without padding, in any alphabet.
// [Decode] is strict: two different texts never decode to the same bytes.
//
// Decode is written by hand because encoding/base32 accepts line breaks, which an address must not
// contain, and allocates. The tests check it against encoding/base32.
package base32

import "encoding/base32"

// An Alphabet is a set of 32 digits. It is immutable.
type Alphabet struct {
	encoding *base32.Encoding
	values   [256]byte
}

// The alphabets of RFC 4648 section 6, in upper and lower case.
var (
	Upper = New("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	Lower = New("abcdefghijklmnopqrstuvwxyz234567")
)

// None is the value of a character that is not a digit.
const None = 0xff

// New returns the Alphabet of 32 distinct ASCII digits, for the values 0 to 31.
func New(digits string) *Alphabet {
	a := &Alphabet{encoding: base32.NewEncoding(digits).WithPadding(base32.NoPadding)}
	for i := range a.values {
		a.values[i] = None
	}
	for i := range 32 {
		a.values[digits[i]] = byte(i)
	}
	return a
}

// Value returns the value of digit c, or None if c is not a digit.
func (a *Alphabet) Value(c byte) byte { return a.values[c] }

// Decode decodes s into dst, which must have length len(s)*5/8. It returns -1 on success, or the
// index of the first character that is not a digit. If five or more bits remain, or any remaining
// bit is not zero, another text would decode to the same bytes, and Decode returns the index of the
// last character. It does not allocate.
func Decode[T string | []byte](a *Alphabet, dst []byte, s T) (bad int) {
	var acc uint32
	bits, n := 0, 0
	for i := range len(s) {
		v := a.values[s[i]]
		if v == None {
			return i
		}
		acc = acc<<5 | uint32(v)
		if bits += 5; bits >= 8 {
			bits -= 8
			dst[n] = byte(acc >> bits)
			n++
		}
	}
	if bits >= 5 || acc&(1<<bits-1) != 0 {
		return len(s) - 1
	}
	return -1
}

// Append appends the encoding of src to dst and returns the result.
func (a *Alphabet) Append(dst, src []byte) []byte { return a.encoding.AppendEncode(dst, src) }
