package address

import (
	"crypto/sha256"
	"hash/crc32"

	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 Bitcoin's hash160 is made of it

	"github.com/walletscreen/walletscreen/internal/blake256"
	"github.com/walletscreen/walletscreen/internal/groestl"
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

// sumLen is the length of the checksum at the end of a Base58Check text.
const sumLen = 4

// A checkHash is the hash that a chain makes the checksum of Base58Check with:
// the first four bytes of the hash of the hash of all that comes before.
type checkHash uint8

const (
	sha256d    checkHash = iota
	groestl512           // groestlcoin
	blake256d            // decred
)

// verifies reports whether the last four bytes of b are its checksum.
func (h checkHash) verifies(b []byte) bool {
	if len(b) < sumLen {
		return false
	}
	at := len(b) - sumLen
	return h.sum(b[:at]) == [sumLen]byte(b[at:])
}

// sum returns the checksum of b.
func (h checkHash) sum(b []byte) [sumLen]byte {
	switch h {
	case groestl512:
		once := groestl.Sum512(b)
		twice := groestl.Sum512(once[:])
		return [sumLen]byte(twice[:])
	case blake256d:
		once := blake256.Sum256(b)
		twice := blake256.Sum256(once[:])
		return [sumLen]byte(twice[:])
	}
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return [sumLen]byte(twice[:])
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
