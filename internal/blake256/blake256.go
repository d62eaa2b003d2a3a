// Package blake256 implements the hash BLAKE-256 with 14 rounds, a finalist of
// the SHA-3 competition. It is neither BLAKE2 nor BLAKE3. Decred makes its
// checksums and key hashes with it.
//
// See J.-P. Aumasson and others, "SHA-3 proposal BLAKE", version 1.3, 2010.
package blake256

import (
	"encoding/binary"
	"math/bits"
)

const (
	blockLen = 64
	rounds   = 14
)

// iv is the initial value, that of SHA-256.
var iv = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// pi are the first digits of π.
var pi = [16]uint32{
	0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
	0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
}

// sigma are the orders in which the rounds take the words of a block; the
// eleventh round begins anew.
var sigma = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// Sum256 returns the BLAKE-256 hash of b.
func Sum256(b []byte) [32]byte {
	h := iv
	hashed := uint64(0) // bits of the input
	for ; len(b) >= blockLen; b = b[blockLen:] {
		hashed += 8 * blockLen
		compress(&h, b, hashed)
	}
	// The padding is a one, zeros, a one, and the length in bits. A block in
	// which there is nothing but padding counts as none.
	var last [2 * blockLen]byte
	n := copy(last[:], b)
	hashed += 8 * uint64(n)
	last[n] = 0x80
	end := blockLen
	if n+1+8 > blockLen {
		end = 2 * blockLen
	}
	last[end-9] |= 1
	binary.BigEndian.PutUint64(last[end-8:], hashed)
	count := hashed
	if n == 0 {
		count = 0
	}
	compress(&h, last[:], count)
	if end > blockLen {
		compress(&h, last[blockLen:], 0)
	}

	var sum [32]byte
	for i, w := range h {
		binary.BigEndian.PutUint32(sum[4*i:], w)
	}
	return sum
}

// compress takes the first block of b into h; count is the number of bits
// hashed with it.
func compress(h *[8]uint32, b []byte, count uint64) {
	var m [16]uint32
	for i := range m {
		m[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	var v [16]uint32
	copy(v[:], h[:])
	copy(v[8:], pi[:8]) // the salt would be added here; it is zero
	v[12] ^= uint32(count)
	v[13] ^= uint32(count)
	v[14] ^= uint32(count >> 32)
	v[15] ^= uint32(count >> 32)
	for r := range rounds {
		s := &sigma[r%len(sigma)]
		mix(&v, 0, 4, 8, 12, m[s[0]]^pi[s[1]], m[s[1]]^pi[s[0]])
		mix(&v, 1, 5, 9, 13, m[s[2]]^pi[s[3]], m[s[3]]^pi[s[2]])
		mix(&v, 2, 6, 10, 14, m[s[4]]^pi[s[5]], m[s[5]]^pi[s[4]])
		mix(&v, 3, 7, 11, 15, m[s[6]]^pi[s[7]], m[s[7]]^pi[s[6]])
		mix(&v, 0, 5, 10, 15, m[s[8]]^pi[s[9]], m[s[9]]^pi[s[8]])
		mix(&v, 1, 6, 11, 12, m[s[10]]^pi[s[11]], m[s[11]]^pi[s[10]])
		mix(&v, 2, 7, 8, 13, m[s[12]]^pi[s[13]], m[s[13]]^pi[s[12]])
		mix(&v, 3, 4, 9, 14, m[s[14]]^pi[s[15]], m[s[15]]^pi[s[14]])
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
}

// mix is the function G on four words of v, with the words x and y of the block.
func mix(v *[16]uint32, a, b, c, d int, x, y uint32) {
	v[a] += v[b] + x
	v[d] = bits.RotateLeft32(v[d]^v[a], -16)
	v[c] += v[d]
	v[b] = bits.RotateLeft32(v[b]^v[c], -12)
	v[a] += v[b] + y
	v[d] = bits.RotateLeft32(v[d]^v[a], -8)
	v[c] += v[d]
	v[b] = bits.RotateLeft32(v[b]^v[c], -7)
}
