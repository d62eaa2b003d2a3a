// Package cashaddr encodes and decodes CashAddr: characters of five bits with a
// checksum of 40 bits, over which the prefix goes as well, even where it is not
// written. Bitcoin Cash, eCash, Kaspa and Conflux use it.
//
// As in Bech32, the checksum is linear, and the sum of what each character adds
// to it at its place.
package cashaddr

import "github.com/walletscreen/walletscreen/internal/fivebit"

// MaxLen is the longest text that is read.
const MaxLen = 256

// ChecksumLen is the number of characters of the checksum.
const ChecksumLen = 8

// An Alphabet has the 32 digits of a chain.
type Alphabet struct {
	digits string
	marked *fivebit.Alphabet
}

// The alphabets in use.
var (
	Bitcoin = newAlphabet("qpzry9x8gf2tvdw0s3jn54khce6mua7l") // also of kaspa
	Conflux = newAlphabet("abcdefghjkmnprstuvwxyz0123456789")
)

func newAlphabet(digits string) *Alphabet {
	return &Alphabet{digits, fivebit.New(digits)}
}

// block is the number of values that are summed up at a time: more than the
// longest address has.
const block = 64

// weights has what a value adds to the checksum. The values that weights[i] is
// for are those that block+ChecksumLen-1-i others follow.
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

// step returns the checksum after one more value.
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

// shift returns the checksum chk after len(w)-8 more values that are zero: the sum
// of what the eight values of chk add to the checksum.
func shift(w [][32]uint64, chk uint64) uint64 {
	_ = w[7]
	return w[0][chk>>35&31] ^ w[1][chk>>30&31] ^ w[2][chk>>25&31] ^ w[3][chk>>20&31] ^
		w[4][chk>>15&31] ^ w[5][chk>>10&31] ^ w[6][chk>>5&31] ^ w[7][chk&31]
}

// begin returns the checksum after the prefix, in lower case, and the zero
// behind it.
func begin(prefix string) uint64 {
	if len(prefix) >= block {
		prefix = prefix[:block-1] // there is none so long
	}
	w := weights[block-1-len(prefix):]
	chk := shift(w, 1)
	w = w[ChecksumLen:]
	for i := range len(prefix) {
		chk ^= w[i][prefix[i]&31]
	}
	return chk
}

// add returns the checksum chk after the characters of body, and all of their
// marks.
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

// A Fault says why a text is not CashAddr.
type Fault uint8

const (
	OK       Fault = iota
	Length         // too short or too long
	Charset        // a character that is no digit, or letters of mixed case, at bad
	Checksum       // not the checksum
)

// Verify reports whether body, which stands behind the prefix and a colon, or
// alone, ends with the checksum of prefix, which is given in lower case, and
// itself. The letters of body must be all lower or all upper case; isUpper says
// that they are upper case. If it is not right, f says why, and bad is the
// offset in body of the first wrong character, or -1. It does not allocate.
//
// The body without the last ChecksumLen characters is its data, for the methods
// Size and Read.
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

// Size returns the number of bytes that data makes. It is -1 where the bits that
// are left over are more than four, or not zero.
func (a *Alphabet) Size(data string) int { return a.marked.Size(data) }

// Read writes the bytes that data makes to dst, as many as are there and fit,
// and returns their number.
func (a *Alphabet) Read(dst []byte, data string) int { return a.marked.Read(dst, data) }

// Encode returns b with the prefix, a colon and the checksum, in lower case.
func (a *Alphabet) Encode(prefix string, b []byte) string {
	var buf [MaxLen]byte
	text := append(append(buf[:0], prefix...), ':')
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
	return string(text)
}
