// Package f4jumble implements F4Jumble, the unkeyed permutation of bytes in
// Zcash unified addresses. It makes a change of any character change all bytes.
// [Jumble] and [Unjumble] are inverse to each other. [Blake2b] is the hash that they use.
//
// It is written by hand because no maintained Go library implements F4Jumble.
//
// See ZIP-316, "Jumbling".
package f4jumble

import "crypto/subtle"

// The lengths that ZIP-316 permits.
const (
	MinLen = 48
	MaxLen = 4194368
)

// Jumble permutes b in place. The length of b must be from MinLen to MaxLen. It does not allocate.
func Jumble(b []byte) {
	left, right := split(b)
	xorG(right, left, 0)
	xorH(left, right, 0)
	xorG(right, left, 1)
	xorH(left, right, 1)
}

// Unjumble reverses Jumble.
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

// xorH XORs the hash of src into dst, which must not be longer than a hash.
func xorH(dst, src []byte, round byte) {
	var sum [hashSize]byte
	Blake2b(sum[:len(dst)], src, personal('H', round, 0))
	subtle.XORBytes(dst, dst, sum[:])
}

// xorG XORs as many hashes of src into dst as dst is long.
func xorG(dst, src []byte, round byte) {
	var sum [hashSize]byte
	for i := 0; len(dst) > 0; i++ {
		Blake2b(sum[:], src, personal('G', round, i))
		n := subtle.XORBytes(dst, dst, sum[:])
		dst = dst[n:]
	}
}

// personal returns the personalization of one hash.
func personal(function, round byte, block int) (p [16]byte) {
	copy(p[:], "UA_F4Jumble_")
	p[12], p[13] = function, round
	p[14], p[15] = byte(block), byte(block>>8)
	return p
}
