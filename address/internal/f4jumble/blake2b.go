package f4jumble

import (
	"encoding/binary"
	"math/bits"
)

// Sizes of BLAKE2b in bytes.
const (
	hashSize  = 64 // size of the longest hash
	blockSize = 128
)

// iv holds the initial values, the same as in SHA-512 (RFC 7693 section 2.6).
var iv = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// sigma is the order of the message words in each round (section 2.7). Rounds
// 10 and 11 use the orders of 0 and 1.
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

// Blake2b writes the unkeyed BLAKE2b hash of data with a personalization to
// out. The size of the hash is len(out), from 1 to hashSize.
// golang.org/x/crypto/blake2b has no personalization, and allocates for sizes other than
// 32, 48 and 64. See RFC 7693, and section
// 2.8 of the BLAKE2 paper.
func Blake2b(out, data []byte, personal [16]byte) {
	h := iv
	h[0] ^= 0x01010000 | uint64(len(out))
	h[6] ^= binary.LittleEndian.Uint64(personal[:8])
	h[7] ^= binary.LittleEndian.Uint64(personal[8:])
	var done uint64
	for len(data) > blockSize {
		done += blockSize
		compress(&h, data[:blockSize], done, 0)
		data = data[blockSize:]
	}
	var last [blockSize]byte
	copy(last[:], data)
	compress(&h, last[:], done+uint64(len(data)), ^uint64(0))
	var digest [hashSize]byte
	for i, w := range h {
		binary.LittleEndian.PutUint64(digest[8*i:], w)
	}
	copy(out, digest[:])
}

// compress mixes one block into h. length is the number of bytes up to the end
// of the block; last is all ones for the last block, else 0.
func compress(h *[8]uint64, block []byte, length, last uint64) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:8], h[:])
	copy(v[8:], iv[:])
	v[12] ^= length
	v[14] ^= last
	for r := range 12 {
		s := &sigma[r%10]
		for i := range 4 {
			v[i], v[4+i], v[8+i], v[12+i] = mix(v[i], v[4+i], v[8+i], v[12+i], m[s[2*i]], m[s[2*i+1]])
		}
		for i := range 4 {
			b, c, d := 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4
			v[i], v[b], v[c], v[d] = mix(v[i], v[b], v[c], v[d], m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[8+i]
	}
}

// mix implements the function G of section 3.1.
func mix(a, b, c, d, x, y uint64) (uint64, uint64, uint64, uint64) {
	a += b + x
	d = bits.RotateLeft64(d^a, -32)
	c += d
	b = bits.RotateLeft64(b^c, -24)
	a += b + y
	d = bits.RotateLeft64(d^a, -16)
	c += d
	b = bits.RotateLeft64(b^c, -63)
	return a, b, c, d
}
