// Package bech32 reads and writes text of five-bit characters that ends with a checksum, which
// also covers a prefix: Bech32 and its kin. Each is a [Code]; [Code.Verify] checks a text,
// [Code.Read] decodes its data, and [Code.Append] encodes.
//
// It is written by hand for speed, and because no maintained Go library has Blech32 or CashAddr
// by itself. Verify takes less than a fifth of the time of btcutil, which checks it in the tests
// (BenchmarkVerify).
package bech32

import "encoding/binary"

// A Code is an alphabet, a checksum, and the character between the prefix and the data.
type Code struct {
	// ChecksumLen is the number of characters of the checksum.
	ChecksumLen int

	separator byte
	upperBits bool // the checksum covers the upper bits of the prefix
	digits    string
	generator [5]uint64
	variants  []uint64 // the remainders of valid text, by Variant

	marks   [256]byte    // of each character: its value, and flags
	folded  [32]uint64   // what a step adds for the upper five bits of a checksum
	folded2 [1024]uint64 // what two steps add for the upper ten
}

// The codes.
var (
	// Std is Bech32 (BIP-173) and Bech32m (BIP-350).
	Std = newCode(Code{ChecksumLen: 6, separator: '1', upperBits: true, digits: common, variants: []uint64{1, 0x2bc830a3},
		generator: [5]uint64{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}})
	// Blech is Blech32 and Blech32m, of the Liquid network; see ELIP-150, and blech32.cpp of
	// Elements.
	Blech = newCode(Code{ChecksumLen: 12, separator: '1', upperBits: true, digits: common, variants: []uint64{1, 0x455972a3350f7a1},
		generator: [5]uint64{0x7d52fba40bd886, 0x5e8dbf1a03950c, 0x1c3a3c74072a18, 0x385d72fa0e5139, 0x7093e5a608865b}})
	// Cash is CashAddr, of Bitcoin Cash, eCash and Kaspa.
	Cash = newCode(Code{ChecksumLen: 8, separator: ':', digits: common, variants: []uint64{1}, generator: cash})
	// Conflux is CashAddr with another alphabet.
	Conflux = newCode(Code{ChecksumLen: 8, separator: ':', digits: "abcdefghjkmnprstuvwxyz0123456789", variants: []uint64{1}, generator: cash})
)

const common = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

var cash = [5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470}

// A Variant is one of the checksums of a code.
type Variant uint8

const (
	Bech32  Variant = iota // BIP-173, and the only one of CashAddr
	Bech32m                // BIP-350
)

// MaxLen is the length of the longest text that Verify accepts.
const MaxLen = 1024

// The flags of a mark.
const (
	value   = 31
	lower   = 1 << 5 // a lower-case letter
	upper   = 1 << 6
	foreign = 1 << 7 // not in the alphabet
)

func newCode(c Code) *Code {
	for i := range c.marks {
		c.marks[i] = foreign
	}
	for i := range len(c.digits) {
		d := c.digits[i]
		c.marks[d] = byte(i)
		if d >= 'a' {
			c.marks[d] |= lower
			c.marks[d-0x20] = byte(i) | upper
		}
	}
	for top := range c.folded {
		for i, g := range c.generator {
			c.folded[top] ^= g & -(uint64(top) >> i & 1)
		}
	}
	for top := range c.folded2 {
		c.folded2[top] = c.step(c.step(uint64(top)<<(5*(c.ChecksumLen-2)), 0), 0)
	}
	return &c
}

// step returns the checksum chk after the value v.
func (c *Code) step(chk uint64, v byte) uint64 {
	shift := 5 * (c.ChecksumLen - 1)
	return (chk&(1<<shift-1))<<5 ^ uint64(v) ^ c.folded[chk>>shift&31]
}

// sum returns the checksum of prefix and data, and the bitwise or of the marks of data.
func (c *Code) sum(prefix, data string) (chk uint64, marks byte) {
	chk = 1
	if c.upperBits {
		for i := range len(prefix) {
			chk = c.step(chk, prefix[i]>>5)
		}
		chk = c.step(chk, 0)
	}
	for i := range len(prefix) {
		chk = c.step(chk, prefix[i]&31)
	}
	if !c.upperBits {
		chk = c.step(chk, 0)
	}
	shift := 5 * (c.ChecksumLen - 2) & 63
	for ; len(data) >= 2; data = data[2:] {
		m0, m1 := c.marks[data[0]], c.marks[data[1]]
		marks |= m0 | m1
		chk = (chk&(1<<shift-1))<<10 ^ uint64(m0&value)<<5 ^ uint64(m1&value) ^ c.folded2[chk>>shift&1023]
	}
	if data != "" {
		marks |= c.marks[data[0]]
		chk = c.step(chk, c.marks[data[0]]&value)
	}
	return chk, marks
}

// A Fault says why a text is not valid.
type Fault uint8

const (
	OK       Fault = iota
	Length         // too short or too long
	Prefix         // another prefix
	Charset        // not a digit, or letters of mixed case, at bad
	Checksum       // no variant of the checksum is right
)

// Verify checks that s is text of c with the given prefix, which must be in lower case, and
// returns the variant of its checksum. The letters of s may be all lower or all upper case.
// The caller must check the limit of 90 characters of BIP-173. If f is not OK, bad is the
// offset of the first wrong character, or -1. Verify does not allocate.
//
// The data of a valid text is what follows the prefix and the separator, without the last
// ChecksumLen characters; see [Code.Read].
func (c *Code) Verify(prefix, s string) (v Variant, bad int, f Fault) {
	n := len(prefix)
	if len(s) > MaxLen {
		return 0, -1, Length
	}
	at := 0
	for at < min(n, len(s)) && (s[at] == prefix[at] || 'A' <= s[at] && s[at] <= 'Z' && s[at]|0x20 == prefix[at]) {
		at++
	}
	switch {
	case at == len(s):
		return 0, -1, Length
	case at < n || s[n] != c.separator:
		return 0, at, Prefix
	}
	v, isUpper, bad, f := c.VerifyData(prefix, s[n+1:])
	if bad >= 0 {
		bad += n + 1
	}
	if f != OK || isUpper || s[:n] != prefix { // its case may be mixed
		if i := firstMixed(s); i >= 0 && (bad < 0 || i < bad) {
			return 0, i, Charset
		}
	}
	return v, bad, f
}

// firstMixed returns the offset of the first letter of s whose case differs from the case of the
// letters before it, or -1.
func firstMixed(s string) int {
	first := byte(0)
	for i := range len(s) {
		if c := s[i] &^ 0x20; c < 'A' || c > 'Z' {
			continue
		}
		if first == 0 {
			first = s[i]
		} else if (first^s[i])&0x20 != 0 {
			return i
		}
	}
	return -1
}

// firstBad returns the offset of the first character of data that is not a digit, or whose
// letter case differs from the case of the others, or -1.
func (c *Code) firstBad(data string) int {
	marks := byte(0)
	for i := range len(data) {
		marks |= c.marks[data[i]]
		if marks&foreign != 0 || marks&(lower|upper) == lower|upper {
			return i
		}
	}
	return -1
}

// VerifyData is Verify for a text without the prefix and the separator. isUpper reports
// whether its letters are in upper case.
func (c *Code) VerifyData(prefix, data string) (v Variant, isUpper bool, bad int, f Fault) {
	if len(data) > MaxLen {
		return 0, false, -1, Length
	}
	chk, marks := c.sum(prefix, data)
	if marks&foreign != 0 || marks&(lower|upper) == lower|upper {
		return 0, false, c.firstBad(data), Charset
	}
	if len(data) < c.ChecksumLen {
		return 0, false, -1, Length
	}
	for v, want := range c.variants {
		if chk == want {
			return Variant(v), marks&upper != 0, -1, OK
		}
	}
	return 0, false, -1, Checksum
}

// Ends appends to dst the lengths at which data, truncated there, ends with a valid checksum
// of any variant, given that prefix, in lower case, and the separator precede it. It stops at
// the first byte that is not a digit or whose letter case differs, so its work is proportional
// to what it reads.
func (c *Code) Ends(dst []int, prefix, data string) []int {
	chk, _ := c.sum(prefix, "")
	if n := c.firstBad(data); n >= 0 {
		data = data[:n]
	}
	for i := range len(data) {
		chk = c.step(chk, c.marks[data[i]]&value)
		for _, want := range c.variants {
			if i >= c.ChecksumLen-1 && chk == want {
				dst = append(dst, i+1)
			}
		}
	}
	return dst
}

// Value returns the value of a digit.
func (c *Code) Value(digit byte) byte { return c.marks[digit] & value }

// Read decodes data into dst, as far as dst has room, and returns the number of bytes. It returns -1
// if more than four bits are left over, or any that is not zero, because an address must have only
// one spelling. The result is arbitrary for characters outside the alphabet.
func (c *Code) Read(dst []byte, data string) int {
	a := &c.marks
	n := 0
	for len(data) >= 8 && len(dst)-n >= 5 {
		w := uint64(a[data[0]]&value)<<35 | uint64(a[data[1]]&value)<<30 |
			uint64(a[data[2]]&value)<<25 | uint64(a[data[3]]&value)<<20 |
			uint64(a[data[4]]&value)<<15 | uint64(a[data[5]]&value)<<10 |
			uint64(a[data[6]]&value)<<5 | uint64(a[data[7]]&value)
		d := dst[n : n+5]
		d[0] = byte(w >> 32)
		binary.BigEndian.PutUint32(d[1:], uint32(w))
		n += 5
		data = data[8:]
	}
	var acc uint32
	bits := 0
	for i := range len(data) {
		acc = acc<<5 | uint32(a[data[i]]&value)
		if bits += 5; bits >= 8 {
			if n == len(dst) {
				return n
			}
			bits -= 8
			dst[n] = byte(acc >> bits)
			n++
		}
	}
	if bits > 4 || acc&(1<<bits-1) != 0 {
		return -1
	}
	return n
}

// Append appends the text of the five-bit values, in lower case, with the given prefix and
// the checksum of variant v to dst.
func (c *Code) Append(dst []byte, prefix string, values []byte, v Variant) []byte {
	chk, _ := c.sum(prefix, "")
	dst = append(append(dst, prefix...), c.separator)
	for _, d := range values {
		dst = append(dst, c.digits[d])
		chk = c.step(chk, d)
	}
	for range c.ChecksumLen {
		chk = c.step(chk, 0)
	}
	chk ^= c.variants[v]
	for i := c.ChecksumLen - 1; i >= 0; i-- {
		dst = append(dst, c.digits[chk>>(5*i)&31])
	}
	return dst
}

// Encode returns what Append of Std appends.
func Encode(hrp string, values []byte, v Variant) string {
	return string(Std.Append(nil, hrp, values, v))
}

// Unpack appends the bytes of b to dst as five-bit values, padded with zeros.
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
