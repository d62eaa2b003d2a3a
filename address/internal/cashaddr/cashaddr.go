// Package cashaddr encodes and decodes CashAddr: characters of five bits with a
// checksum of 40 bits that also covers the prefix, even if the text omits it.
// Bitcoin Cash, eCash, Kaspa and Conflux use it. [Alphabet] has the methods.
//
// It is written by hand because there is no maintained Go library for it: it exists
// only inside wallets with large import graphs. As in Bech32, the checksum is
// linear: a sum of terms, one for each character and its position.
package cashaddr

import "github.com/walletscreen/walletscreen/internal/fivebit"

// MaxLen is the length of the longest text that [Alphabet.Verify] accepts.
const MaxLen = 256

// ChecksumLen is the number of characters of the checksum.
const ChecksumLen = 8

// An Alphabet is a set of 32 digits. It is immutable.
type Alphabet struct {
	digits string
	marked *fivebit.Alphabet
}

// The alphabets in use.
var (
	Bitcoin = newAlphabet("qpzry9x8gf2tvdw0s3jn54khce6mua7l") // and kaspa
	Conflux = newAlphabet("abcdefghjkmnprstuvwxyz0123456789")
)

func newAlphabet(digits string) *Alphabet {
	return &Alphabet{digits, fivebit.New(digits)}
}

// block is the number of values that add processes at a time. It exceeds the
// length of the longest address.
const block = 64

// weights[i][v] is the contribution to the checksum of a value v that
// block+ChecksumLen-1-i values follow.
var weights = func() (t [block + ChecksumLen][32]uint64) {
	for v := range t[0] {
		w := uint64(v)
		for i := len(t) - 1; i >= 0; i-- {
			t[i][v] = w
			w = step(w, 0)
		}
	}
	return t
}()

// step returns the checksum chk extended by the value v.
func step(chk uint64, v byte) uint64 {
	top := chk >> 35
	chk = (chk&0x07ffffffff)<<5 ^ uint64(v)
	for i, g := range [5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
		if top>>i&1 == 1 {
			chk ^= g
		}
	}
	return chk
}

// shift returns the checksum chk extended by len(w)-8 zero values. It sums the
// contributions of the eight values of chk.
func shift(w [][32]uint64, chk uint64) uint64 {
	_ = w[7]
	return w[0][chk>>35&31] ^ w[1][chk>>30&31] ^ w[2][chk>>25&31] ^ w[3][chk>>20&31] ^
		w[4][chk>>15&31] ^ w[5][chk>>10&31] ^ w[6][chk>>5&31] ^ w[7][chk&31]
}

// begin returns the checksum of prefix, which must be in lower case, and the
// zero after it.
func begin(prefix string) uint64 {
	if len(prefix) >= block {
		prefix = prefix[:block-1] // no prefix is that long
	}
	w := weights[block-1-len(prefix):]
	chk := shift(w, 1)
	w = w[ChecksumLen:]
	for i := range len(prefix) {
		chk ^= w[i][prefix[i]&31]
	}
	return chk
}

// add returns the checksum chk extended by the characters of body, and the
// union of their marks.
func (a *Alphabet) add(chk uint64, body string) (uint64, byte) {
	marked := a.marked
	var marks byte
	for len(body) > 0 {
		n := min(len(body), block)
		w := weights[block-n:]
		chk = shift(w, chk)
		w = w[ChecksumLen:]
		now := body[:len(w)]
		body = body[n:]
		for len(w) >= 4 && len(now) >= 4 {
			m0, m1, m2, m3 := marked[now[0]], marked[now[1]], marked[now[2]], marked[now[3]]
			chk ^= w[0][m0&31] ^ w[1][m1&31] ^ w[2][m2&31] ^ w[3][m3&31]
			marks |= m0 | m1 | m2 | m3
			w, now = w[4:], now[4:]
		}
		for i := range w {
			m := marked[now[i]]
			marks |= m
			chk ^= w[i][m&31]
		}
	}
	return chk, marks
}

// Begins reports whether the first character of body, in either letter case, is of a
// payload whose first byte is b.
func (a *Alphabet) Begins(body string, b byte) bool {
	return body != "" && body[0]|0x20 == a.digits[b>>3]
}

// A Fault describes why a text is not valid CashAddr.
type Fault uint8

const (
	OK       Fault = iota
	Length         // too short or too long
	Charset        // a character that is not a digit, or mixed case
	Checksum       // a checksum that does not match
)

// Verify reports whether body, the text without the prefix and the colon, ends
// with the checksum of itself and prefix. The prefix must be in lower case. The
// letters of body must be all lower or all upper case; isUpper reports upper
// case. If f is not OK, bad is the offset in body of the first wrong character,
// or -1. Verify does not allocate.
//
// The data of body, for Size and Read, is body without the last ChecksumLen
// characters.
func (a *Alphabet) Verify(prefix, body string) (isUpper bool, bad int, f Fault) {
	if len(body) > MaxLen {
		return false, -1, Length
	}
	chk, marks := a.add(begin(prefix), body)
	if marks&fivebit.Foreign != 0 || marks&(fivebit.Lower|fivebit.Upper) == fivebit.Lower|fivebit.Upper {
		marks = 0
		for i := range len(body) {
			m := a.marked[body[i]]
			marks |= m
			if m&fivebit.Foreign != 0 || marks&(fivebit.Lower|fivebit.Upper) == fivebit.Lower|fivebit.Upper {
				return false, i, Charset
			}
		}
	}
	switch {
	case len(body) < ChecksumLen:
		return false, -1, Length
	case chk != 1:
		return false, -1, Checksum
	}
	return marks&fivebit.Upper != 0, -1, OK
}

// Size returns the number of bytes that data encodes. It returns -1 if more
// than four bits remain, or if any remaining bit is not zero.
func (a *Alphabet) Size(data string) int { return a.marked.Size(data) }

// Read decodes data into dst and returns the number of bytes written. It stops
// when dst is full.
func (a *Alphabet) Read(dst []byte, data string) int { return a.marked.Read(dst, data) }

// Encode returns the prefix, a colon, b and the checksum, in lower case.
func (a *Alphabet) Encode(prefix string, b []byte) string {
	var buf [MaxLen]byte
	return string(a.Append(buf[:0], prefix, b))
}

// Append appends what Encode returns to text.
func (a *Alphabet) Append(text []byte, prefix string, b []byte) []byte {
	text = append(append(text, prefix...), ':')
	body := len(text)
	chk := begin(prefix)
	text = fivebit.Unpack(text, b)
	for i, v := range text[body:] {
		chk = step(chk, v)
		text[body+i] = a.digits[v]
	}
	for range ChecksumLen {
		chk = step(chk, 0)
	}
	chk ^= 1
	for i := range ChecksumLen {
		text = append(text, a.digits[chk>>(35-5*i)&31])
	}
	return text
}
