// Package f4jumble implements F4Jumble, the unkeyed permutation of bytes that
// Zcash unified addresses are written with, so that a change of any character
// changes them all.
//
// See ZIP-316, "Jumbling".
package f4jumble

import "crypto/subtle"

// The lengths that ZIP-316 allows.
const (
	MinLen = 48
	MaxLen = 4194368
)

// Jumble permutes b, from MinLen to MaxLen bytes, in place. It does not
// allocate.
func Jumble(b []byte) {
	left, right := split(b)
	xorG(right, left, 0)
	xorH(left, right, 0)
	xorG(right, left, 1)
	xorH(left, right, 1)
}

// Unjumble undoes Jumble.
func Unjumble(b []byte) {
	left, right := split(b)
	xorH(left, right, 1)
	xorG(right, left, 1)
	xorH(left, right, 0)
	xorG(right, left, 0)
}

// split returns the two parts of b that the rounds of the permutation mix.
func split(b []byte) (left, right []byte) {
	n := min(hashSize, len(b)/2)
	return b[:n], b[n:]
}

// xorH adds the hash of src to dst, which is no longer than a hash.
func xorH(dst, src []byte, round byte) {
	var sum [hashSize]byte
	blake2b(sum[:len(dst)], src, personal('H', round, 0))
	subtle.XORBytes(dst, dst, sum[:])
}

// xorG adds to dst as many hashes of src as it is long.
func xorG(dst, src []byte, round byte) {
	var sum [hashSize]byte
	for i := 0; len(dst) > 0; i++ {
		blake2b(sum[:], src, personal('G', round, i))
		n := subtle.XORBytes(dst, dst, sum[:])
		dst = dst[n:]
	}
}

// personal returns the personalisation of one hash.
func personal(function, round byte, block int) (p [16]byte) {
	copy(p[:], "UA_F4Jumble_")
	p[12], p[13] = function, round
	p[14], p[15] = byte(block), byte(block>>8)
	return p
}
