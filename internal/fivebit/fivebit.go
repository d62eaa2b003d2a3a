// Package fivebit reads and writes characters of five bits each, as in Bech32 and
// CashAddr: most significant bit first, padded with zeros. [New] makes an [Alphabet].
package fivebit

import "encoding/binary"

// An Alphabet maps each byte to a mark: its value in the lower five bits, and a flag for a
// lower-case letter, an upper-case letter, or a byte outside the alphabet.
type Alphabet [256]byte

// The parts of a mark.
const (
	Value   = 31
	Lower   = 1 << 5
	Upper   = 1 << 6
	Foreign = 1 << 7
)

// New returns the alphabet of 32 digits, which must be in lower case. Upper-case letters
// have the same values.
func New(digits string) *Alphabet {
	a := new(Alphabet)
	for i := range a {
		a[i] = Foreign
	}
	for i := range len(digits) {
		c := digits[i]
		a[c] = byte(i)
		if c >= 'a' {
			a[c] |= Lower
			a[c-0x20] = byte(i) | Upper
		}
	}
	return a
}

// Size returns the number of bytes of data. It returns -1 if more than four bits are left
// over, or any that is not zero, because an address must have only one spelling.
func (a *Alphabet) Size(data string) int {
	n := len(data) * 5
	if left := n % 8; left != 0 && (left > 4 || a[data[len(data)-1]]&(1<<left-1) != 0) {
		return -1
	}
	return n / 8
}

// Read decodes data into dst, as far as dst has room, and returns the number of bytes. The
// result is arbitrary for characters outside the alphabet.
func (a *Alphabet) Read(dst []byte, data string) int {
	n := 0
	for len(data) >= 8 && len(dst)-n >= 5 {
		w := uint64(a[data[0]]&Value)<<35 | uint64(a[data[1]]&Value)<<30 |
			uint64(a[data[2]]&Value)<<25 | uint64(a[data[3]]&Value)<<20 |
			uint64(a[data[4]]&Value)<<15 | uint64(a[data[5]]&Value)<<10 |
			uint64(a[data[6]]&Value)<<5 | uint64(a[data[7]]&Value)
		d := dst[n : n+5]
		d[0] = byte(w >> 32)
		binary.BigEndian.PutUint32(d[1:], uint32(w))
		n += 5
		data = data[8:]
	}
	var acc uint32
	bits := 0
	for i := range len(data) {
		acc = acc<<5 | uint32(a[data[i]]&Value)
		if bits += 5; bits >= 8 {
			if n == len(dst) {
				break
			}
			bits -= 8
			dst[n] = byte(acc >> bits)
			n++
		}
	}
	return n
}

// Pack joins five-bit values to bytes in dst and returns their number, or -1 if dst is too
// short, if five bits or more are left over, or any that is not zero.
func Pack(dst, values []byte) int {
	if len(values)*5/8 > len(dst) {
		return -1
	}
	n := 0
	for len(values) >= 8 {
		w := binary.BigEndian.Uint64(values)
		w = w&0x1f001f001f001f00>>3 | w&0x001f001f001f001f
		w = w&0x03ff000003ff0000>>6 | w&0x000003ff000003ff
		w = w>>12&0xfffff00000 | w&0x00000fffff
		dst[n] = byte(w >> 32)
		binary.BigEndian.PutUint32(dst[n+1:], uint32(w))
		n += 5
		values = values[8:]
	}
	var acc uint32
	bits := 0
	for _, v := range values {
		acc = acc<<5 | uint32(v)
		if bits += 5; bits >= 8 {
			bits -= 8
			dst[n] = byte(acc >> bits)
			n++
		}
	}
	if bits >= 5 || acc&(1<<bits-1) != 0 {
		return -1
	}
	return n
}

// Unpack appends the bytes of b to dst as five-bit values.
func Unpack(dst, b []byte) []byte {
	var acc uint32
	bits := 0
	for _, c := range b {
		acc = acc<<8 | uint32(c)
		for bits += 8; bits >= 5; {
			bits -= 5
			dst = append(dst, byte(acc>>bits&31))
		}
	}
	if bits > 0 {
		dst = append(dst, byte(acc<<(5-bits)&31))
	}
	return dst
}
