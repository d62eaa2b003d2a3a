// Package keccak computes Keccak-256, the hash of Ethereum, Tron and Monero
// addresses. It is the hash function of the Keccak submission to SHA-3, whose
// padding differs from that of SHA3-256 as it was standardised.
//
// The package is here because the time of an address is the time of one hash,
// and the permutation in permute.go, which gen.go writes in plain Go, takes less
// of it than the assembly of the libraries does. They are its referees in the
// tests.
package keccak

import "encoding/binary"

//go:generate go run gen.go

// rate is the block size of Keccak-256 in bytes.
const rate = 136

// Sum256 returns the Keccak-256 hash of data. It does not allocate.
func Sum256(data []byte) [32]byte {
	// The empty state, but for the lanes that permute wants complemented.
	const ones = 1<<64 - 1
	a := [25]uint64{1: ones, 2: ones, 8: ones, 12: ones, 17: ones, 20: ones}
	for len(data) >= rate {
		for i := range rate / 8 {
			a[i] ^= binary.LittleEndian.Uint64(data[8*i:])
		}
		permute(&a)
		data = data[rate:]
	}
	// What is left, and the padding: a one behind it, and one in the last bit.
	lane := 0
	for ; len(data) >= 8; data = data[8:] {
		a[lane] ^= binary.LittleEndian.Uint64(data)
		lane++
	}
	tail := uint64(1)
	for i := len(data) - 1; i >= 0; i-- {
		tail = tail<<8 | uint64(data[i])
	}
	a[lane] ^= tail
	a[rate/8-1] ^= 0x80 << 56
	permute(&a)
	var sum [32]byte
	binary.LittleEndian.PutUint64(sum[0:], a[0])
	binary.LittleEndian.PutUint64(sum[8:], ^a[1])
	binary.LittleEndian.PutUint64(sum[16:], ^a[2])
	binary.LittleEndian.PutUint64(sum[24:], a[3])
	return sum
}

var roundConstants = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}
