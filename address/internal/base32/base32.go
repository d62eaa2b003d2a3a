// Package base32 decodes and encodes Base32 without padding, in any alphabet.
// It is strict: no two texts decode to the same bytes.
package base32

// An Alphabet is a choice of 32 digits. It is immutable.
type Alphabet struct {
	digits string
	values [256]byte
}

// The alphabets of RFC 4648 section 6, in capitals and in small letters.
var (
	Upper = New("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	Lower = New("abcdefghijklmnopqrstuvwxyz234567")
)

// None is the value of a character that is no digit.
const None = 0xff

// New returns the Alphabet of 32 different ASCII digits, from 0 to 31.
func New(digits string) *Alphabet {
	a := &Alphabet{digits: digits}
	for i := range a.values {
		a.values[i] = None
	}
	for i := range 32 {
		a.values[digits[i]] = byte(i)
	}
	return a
}

// Value returns the value of digit c, and None if c is none.
func (a *Alphabet) Value(c byte) byte { return a.values[c] }

// Decode decodes s and writes the bytes to dst, which is to be len(s)*5/8 long.
// It returns -1, or the index of the first character that is no digit; or of
// the last character, if the bits that no byte is made of are five or more or
// not all zero, so that a shorter or another text has the same bytes. It does
// not allocate.
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

// Append appends the text of src to dst.
func (a *Alphabet) Append(dst, src []byte) []byte {
	var acc uint32
	bits := 0
	for _, b := range src {
		acc = acc<<8 | uint32(b)
		for bits += 8; bits >= 5; {
			bits -= 5
			dst = append(dst, a.digits[acc>>bits&31])
		}
	}
	if bits > 0 {
		dst = append(dst, a.digits[acc<<(5-bits)&31])
	}
	return dst
}
