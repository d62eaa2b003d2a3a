package address

import (
	"crypto/sha256"
	"hash/crc32"

	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 Bitcoin's hash160 is made of it
)

// hash160 returns ripemd160(sha256(b)).
func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}

// sumLen is the length of the checksum at the end of a Base58Check text.
const sumLen = 4

// A checkHash is the hash that a chain makes the checksum of Base58Check with:
// the first four bytes of the hash of the hash of all that comes before.
type checkHash uint8

const (
	sha256d checkHash = iota
)

// verifies reports whether the last four bytes of b are its checksum.
func (h checkHash) verifies(b []byte) bool {
	if len(b) < sumLen {
		return false
	}
	sum := h.sum(b[:len(b)-sumLen])
	return sum == [sumLen]byte(b[len(b)-sumLen:])
}

// sum returns the checksum of b.
func (h checkHash) sum(b []byte) [sumLen]byte {
	first := sha256.Sum256(b)
	second := sha256.Sum256(first[:])
	return [sumLen]byte(second[:])
}

// crc32IEEE returns what crc32.ChecksumIEEE returns. That one chooses among its
// implementations by a func value, which moves the buffers here to the heap.
func crc32IEEE(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc = crc32.IEEETable[byte(crc)^c] ^ crc>>8
	}
	return ^crc
}
