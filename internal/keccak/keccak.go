// Package keccak computes Keccak-256, the hash of Ethereum, Tron and Monero
// addresses. It is the hash function of the Keccak submission to SHA-3, whose
// padding differs from that of SHA3-256 as it was standardised.
//
// The package is here because the time of an address is the time of one hash,
// and the generic permutation below, which works in place, takes less of it
// than the assembly of the libraries does. They are its referees in the tests.
package keccak

import (
	"encoding/binary"
	"math/bits"
)

// rate is the block size of Keccak-256 in bytes.
const rate = 136

// Sum256 returns the Keccak-256 hash of data. It does not allocate.
func Sum256(data []byte) [32]byte {
	var a [25]uint64
	for len(data) >= rate {
		absorb(&a, data)
		data = data[rate:]
	}
	var last [rate]byte
	copy(last[:], data)
	last[len(data)] = 1
	last[rate-1] |= 0x80
	absorb(&a, last[:])
	var sum [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(sum[8*i:], a[i])
	}
	return sum
}

// absorb mixes one block into the state.
func absorb(a *[25]uint64, block []byte) {
	for i := range rate / 8 {
		a[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
	permute(a)
}

var roundConstants = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}

var rotations = [24]int{1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44}
var lanes = [24]int{10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1}

// permute is Keccak-f[1600].
func permute(a *[25]uint64) {
	for _, rc := range roundConstants {
		var c [5]uint64
		for x := range 5 {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for x := range 5 {
			d := c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
			for y := 0; y < 25; y += 5 {
				a[y+x] ^= d
			}
		}
		t := a[1]
		for i, lane := range lanes {
			t, a[lane] = a[lane], bits.RotateLeft64(t, rotations[i])
		}
		for y := 0; y < 25; y += 5 {
			copy(c[:], a[y:y+5])
			for x := range 5 {
				a[y+x] = c[x] ^ ^c[(x+1)%5]&c[(x+2)%5]
			}
		}
		a[0] ^= rc
	}
}
