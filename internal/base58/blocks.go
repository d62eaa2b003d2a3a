package base58

import (
	"encoding/binary"
	"math/bits"
)

// CryptoNote writes Base58 in blocks: each eight bytes become eleven digits, and the
// shorter block at the end as many as its length needs. Leading zero bytes are not
// special. See src/common/base58.cpp of Monero.
const (
	blockLen  = 8
	blockText = 11
)

var (
	// blockTextLen is the number of digits for a number of bytes.
	blockTextLen = [blockLen + 1]int{0, 2, 3, 5, 6, 7, 9, 10, 11}
	// blockByteLen is its inverse, or -1.
	blockByteLen = [blockText]int{0, -1, 1, 2, -1, 3, 4, 5, -1, 6, 7}
)

// BlocksLen returns the number of digits of n bytes in blocks.
func BlocksLen(n int) int { return n/blockLen*blockText + blockTextLen[n%blockLen] }

func (a *Alphabet) decodeBlocks(dst []byte, s string) (n, bad int) {
	if len(s)/blockText*blockLen > len(dst) {
		return -1, a.firstBad(s)
	}
	rest := s
	var seen uint32
	var overflow uint64
	for ; len(rest) >= blockText; rest = rest[blockText:] {
		// Ten digits fit into 64 bits, the eleventh may not.
		v, pairs := a.word(rest)
		d := a.low[rest[blockText-1]]
		seen |= pairs | d
		high, low := bits.Mul64(v, 58)
		low, carry := bits.Add64(low, uint64(d), 0)
		overflow |= high + carry
		binary.BigEndian.PutUint64(dst[n:], low)
		n += blockLen
	}
	v, last := a.head(rest)
	if seen |= last; seen >= notDigit {
		return -1, a.firstBad(s)
	}
	size := blockByteLen[len(rest)]
	if size < 0 || overflow != 0 || v>>(8*size) != 0 || n+size > len(dst) {
		return -1, -1
	}
	for i := range size {
		dst[n+i] = byte(v >> (8 * (size - 1 - i)))
	}
	return n + size, -1
}

func (a *Alphabet) appendBlocks(dst, b []byte) []byte {
	for len(b) > 0 {
		block := b[:min(blockLen, len(b))]
		b = b[len(block):]
		var v uint64
		for _, c := range block {
			v = v<<8 | uint64(c)
		}
		var digits [blockText]byte
		at := blockText - blockTextLen[len(block)]
		for i := blockText - 1; i >= at; i-- {
			digits[i] = a.digits[v%58]
			v /= 58
		}
		dst = append(dst, digits[at:]...)
	}
	return dst
}
