// Package base58 encodes and decodes Base58: bytes as the digits of one big number, or, as
// in CryptoNote, of one number for each eight bytes. [Alphabet] has the methods.
//
// It is written by hand for speed: ten digits fit a machine word, so [Alphabet.Decode] reads ten
// digits at a time, without allocation. It takes at most half the time of mr-tron/base58, which
// checks it in the tests (BenchmarkDecode).
package base58

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// MaxLen is the length of the longest text that Decode accepts. The work grows with the
// square of the length, and no address is longer.
const MaxLen = 128

const (
	chunk     = 10                 // digits in a word
	chunkBase = 430804206899405824 // 58^10

	// maxLimbs is the number of words for MaxLen digits of less than six bits each.
	maxLimbs = MaxLen * 6 / 64

	// notDigit is above the value of any two digits. Adding it once or twice to the
	// value of a digit still fits 32 bits.
	notDigit = 1 << 30
)

// An Alphabet is an ordered set of 58 digits.
type Alphabet struct {
	digits string
	low    [256]uint32 // digit to value, or notDigit
	high   [256]uint32 // digit to 58 times its value, or notDigit
	blocks bool        // one number for each eight bytes
}

// The alphabets of Bitcoin and of the XRP Ledger, and Bitcoin's in the blocks of CryptoNote.
// None has 0, O, I or l.
var (
	Bitcoin = newAlphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
	Ripple  = newAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")

	CryptoNote = func() *Alphabet {
		a := *Bitcoin
		a.blocks = true
		return &a
	}()
)

func newAlphabet(digits string) *Alphabet {
	a := &Alphabet{digits: digits}
	for i := range a.low {
		a.low[i], a.high[i] = notDigit, notDigit
	}
	for i := range len(digits) {
		a.low[digits[i]], a.high[digits[i]] = uint32(i), uint32(58*i)
	}
	return a
}

// Decode decodes s into the beginning of dst and returns the number of bytes. Leading zero digits,
// except in blocks, are leading zero bytes, so each text has one value and each value one text.
//
// If s is not Base58, n is -1 and bad is the offset of the first byte that is not a digit.
// If s is longer than MaxLen or its value longer than dst, or if no bytes have these blocks, n
// is -1 and bad is -1. Decode does not allocate.
func (a *Alphabet) Decode(dst []byte, s string) (n, bad int) {
	switch {
	case len(s) > MaxLen:
		return -1, -1
	case a.blocks:
		return a.decodeBlocks(dst, s)
	}
	var limbs [maxLimbs]uint64 // the number, little-endian
	used := 1
	first := len(s) % chunk
	head, seen := a.head(s[:first])
	limbs[0] = head
	for rest := s[first:]; len(rest) >= chunk; rest = rest[chunk:] {
		carry, pairs := a.word(rest)
		seen |= pairs
		for j := range limbs[:used] {
			hi, lo := bits.Mul64(limbs[j], chunkBase)
			var c uint64
			limbs[j], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		if carry != 0 {
			limbs[used] = carry
			used++
		}
	}
	if seen >= notDigit {
		return -1, a.firstBad(s)
	}
	var buf [8 * maxLimbs]byte
	for j, x := range limbs[:used] {
		binary.BigEndian.PutUint64(buf[8*(maxLimbs-1-j):], x)
	}
	size := 8*(used-1) + byteLen(limbs[used-1])
	zeros := a.zeros(s)
	if n = zeros + size; n > len(dst) {
		return -1, -1
	}
	clear(dst[:zeros])
	copy(dst[zeros:], buf[len(buf)-size:])
	return n, -1
}

func byteLen(x uint64) int { return (bits.Len64(x) + 7) / 8 }

// head returns the value of s, which has fewer than ten digits, and the bitwise or of the
// values of its digits.
func (a *Alphabet) head(s string) (w uint64, or uint32) {
	for i := range len(s) {
		d := a.low[s[i]]
		or |= d
		w = w*58 + uint64(d)
	}
	return w, or
}

// word returns the value of the first ten digits of s, and the bitwise or of the values of
// its pairs, which the processor computes in parallel.
func (a *Alphabet) word(s string) (w uint64, or uint32) {
	_ = s[chunk-1]
	p0 := a.high[s[0]] + a.low[s[1]]
	p1 := a.high[s[2]] + a.low[s[3]]
	p2 := a.high[s[4]] + a.low[s[5]]
	p3 := a.high[s[6]] + a.low[s[7]]
	p4 := a.high[s[8]] + a.low[s[9]]
	return join(p0, p1, p2, p3, p4), p0 | p1 | p2 | p3 | p4
}

// join returns the value of five pairs of digits.
func join(p0, p1, p2, p3, p4 uint32) uint64 {
	const pair = 58 * 58
	high, low := uint64(p0)*pair+uint64(p1), uint64(p2)*pair+uint64(p3)
	return (high*(pair*pair)+low)*pair + uint64(p4)
}

// Value returns the value of c, which must be a digit.
func (a *Alphabet) Value(c byte) byte { return byte(a.low[c]) }

func (a *Alphabet) zeros(s string) (n int) {
	for n < len(s) && s[n] == a.digits[0] {
		n++
	}
	return n
}

// firstBad returns the offset of the first byte of s that is not a digit, or -1.
func (a *Alphabet) firstBad(s string) int {
	for i := range len(s) {
		if a.low[s[i]] == notDigit {
			return i
		}
	}
	return -1
}

// Encode returns b in Base58. If b has at most 96 bytes, it allocates only the text.
func (a *Alphabet) Encode(b []byte) string {
	var buf [MaxLen + 5]byte
	return string(a.Append(buf[:0], b))
}

// Append appends the result of Encode to dst.
func (a *Alphabet) Append(dst, b []byte) []byte {
	if a.blocks {
		return a.appendBlocks(dst, b)
	}
	for len(b) > 0 && b[0] == 0 {
		dst, b = append(dst, a.digits[0]), b[1:]
	}
	start := len(dst)
	for _, c := range b { // the values of the digits, least significant first
		carry := uint(c)
		for i, v := range dst[start:] {
			carry += uint(v) << 8
			dst[start+i] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			dst = append(dst, byte(carry%58))
		}
	}
	digits := dst[start:]
	slices.Reverse(digits)
	for i, v := range digits {
		digits[i] = a.digits[v]
	}
	return dst
}
