// Package bech32 encodes and decodes Bech32 (BIP-173) and Bech32m (BIP-350).
package bech32

// A Variant is one of the checksums that a Bech32 text can end with.
type Variant uint32

const (
	Bech32  Variant = 1          // BIP-173
	Bech32m Variant = 0x2bc830a3 // BIP-350
)

// MaxLen is the longest text that Decode reads.
const MaxLen = 1024

const charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

var values = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range len(charset) {
		t[charset[i]] = byte(i)
		if c := charset[i]; c >= 'a' {
			t[c-0x20] = byte(i)
		}
	}
	return t
}()

// A Fault says why a text is not Bech32.
type Fault uint8

const (
	OK       Fault = iota
	Length         // too short, too long, or the value is longer than dst
	Prefix         // not the human-readable part that was asked for
	Charset        // a character that is no digit, or letters of mixed case, at bad
	Checksum       // neither of the checksums
)

// Decode decodes s, which must have the human-readable part hrp (in lower
// case), and writes its five-bit values without the checksum to dst. It returns
// their number and the variant of the checksum; the 90 characters of BIP-173 are
// for the caller to hold to. Letters must be all lower or all upper case. It
// does not allocate.
func Decode(dst []byte, hrp, s string) (n int, v Variant, bad int, f Fault) {
	if len(s) > MaxLen || len(s) < len(hrp)+1+6 || len(s)-len(hrp)-7 > len(dst) {
		return 0, 0, -1, Length
	}
	chk := uint32(1)
	for i := range len(hrp) {
		chk = step(chk, hrp[i]>>5)
	}
	chk = step(chk, 0)
	var seen byte
	for i := range len(hrp) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
			seen |= 2
		} else if 'a' <= c && c <= 'z' {
			seen |= 1
		}
		if c != hrp[i] {
			return 0, 0, i, Prefix
		}
		chk = step(chk, c&31)
	}
	if s[len(hrp)] != '1' {
		return 0, 0, len(hrp), Prefix
	}
	data := s[len(hrp)+1:]
	for i := range len(data) {
		c := data[i]
		if 'A' <= c && c <= 'Z' {
			seen |= 2
		} else if 'a' <= c && c <= 'z' {
			seen |= 1
		}
		if values[c] == 0xff || seen == 3 {
			return 0, 0, len(hrp) + 1 + i, Charset
		}
		chk = step(chk, values[c])
		if i < len(data)-6 {
			dst[i] = values[c]
		}
	}
	switch v = Variant(chk); v {
	case Bech32, Bech32m:
		return len(data) - 6, v, -1, OK
	}
	return 0, 0, -1, Checksum
}

func step(chk uint32, v byte) uint32 {
	top := chk >> 25
	chk = (chk&0x1ffffff)<<5 ^ uint32(v)
	for i, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>i&1 == 1 {
			chk ^= g
		}
	}
	return chk
}

// Encode returns the five-bit values data with human-readable part hrp and the
// checksum of variant v, in lower case.
func Encode(hrp string, data []byte, v Variant) string {
	chk := uint32(1)
	for i := range len(hrp) {
		chk = step(chk, hrp[i]>>5)
	}
	chk = step(chk, 0)
	for i := range len(hrp) {
		chk = step(chk, hrp[i]&31)
	}
	text := make([]byte, 0, len(hrp)+1+len(data)+6)
	text = append(text, hrp...)
	text = append(text, '1')
	for _, d := range data {
		chk = step(chk, d)
		text = append(text, charset[d])
	}
	for range 6 {
		chk = step(chk, 0)
	}
	chk ^= uint32(v)
	for i := range 6 {
		text = append(text, charset[chk>>(25-5*i)&31])
	}
	return string(text)
}

// Pack joins five-bit values to bytes in dst. It returns their number, and -1 if
// dst is too short, or if what is left over is five bits or more, or not zero.
func Pack(dst, data []byte) int {
	if len(data)*5/8 > len(dst) {
		return -1
	}
	var acc uint32
	bits, n := 0, 0
	for _, d := range data {
		acc = acc<<5 | uint32(d)
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
