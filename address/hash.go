package address

import (
	"crypto/sha256"
	"hash/crc32"

	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 Bitcoin's hash160 is made of it

	"github.com/walletscreen/walletscreen/internal/blake256"
)

// hash160 returns ripemd160(sha256(b)).
func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	return ripemd(sum)
}

// blake160 returns ripemd160(blake256(b)).
func blake160(b []byte) []byte {
	return ripemd(blake256.Sum256(b))
}

func ripemd(sum [32]byte) []byte {
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
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
