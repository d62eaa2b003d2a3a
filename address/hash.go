package address

import (
	"crypto/sha256"
	"hash"
	"hash/crc32"
	"io"
	"sync"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 a part of Bitcoin's hash160, and the checksum of FIO keys
	"golang.org/x/crypto/sha3"
)

func blake160(b []byte) [ripemd160.Size]byte {
	sum := blake256.Sum256(b)
	return sumRIPEMD(sum[:])
}

func hash160(b []byte) [ripemd160.Size]byte {
	sum := sha256.Sum256(b)
	return sumRIPEMD(sum[:])
}

func sumRIPEMD(b []byte) (sum [ripemd160.Size]byte) {
	h := ripemd160.New()
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

// A keccakState is a Keccak-256 hash with buffers for its input and output. Buffers passed through
// an interface are allocated on the heap; a pool reuses them.
type keccakState struct {
	hash interface {
		hash.Hash
		io.Reader // reads the hash without a copy of the state
	}
	in  [136]byte // one block
	out [32]byte
}

var keccakPool = sync.Pool{New: func() any {
	return &keccakState{hash: sha3.NewLegacyKeccak256().(interface {
		hash.Hash
		io.Reader
	})}
}}

// keccak256 returns the Keccak-256 hash of b. It does not allocate.
func keccak256(b []byte) [32]byte {
	s := keccakPool.Get().(*keccakState)
	s.hash.Reset()
	for len(b) > 0 {
		n := copy(s.in[:], b)
		s.hash.Write(s.in[:n])
		b = b[n:]
	}
	s.hash.Read(s.out[:])
	sum := s.out
	keccakPool.Put(s)
	return sum
}

// decompress returns the coordinates X and Y, big-endian, of a compressed
// secp256k1 public key: 02 or 03 for an even or an odd Y, and X. It reports
// false if there is no such point. It does not allocate.
func decompress(key [33]byte) (xy [64]byte, ok bool) {
	if key[0] != 2 && key[0] != 3 {
		return xy, false
	}
	var x, y secp256k1.FieldVal
	if tooLarge := x.SetByteSlice(key[1:]); tooLarge || !secp256k1.DecompressY(&x, key[0] == 3, &y) {
		return xy, false
	}
	copy(xy[:32], key[1:])
	y.Normalize().PutBytesUnchecked(xy[32:])
	return xy, true
}

// isSecp256k1Key reports whether key is a compressed public key.
func isSecp256k1Key(key [33]byte) bool {
	_, ok := decompress(key)
	return ok
}

// crc32IEEE is equivalent to crc32.ChecksumIEEE, which selects an implementation by a func value
// and thereby moves the caller's buffer to the heap.
func crc32IEEE(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc = crc32.IEEETable[byte(crc)^c] ^ crc>>8
	}
	return ^crc
}

var crc16Table = func() (t [256]uint16) {
	for i := range t {
		crc := uint16(i) << 8
		for range 8 {
			crc = crc<<1 ^ crc>>15*0x1021
		}
		t[i] = crc
	}
	return t
}()

// crc16 returns the CRC-16 of XMODEM: polynomial 0x1021, initial value zero, most significant bit
// first, not inverted. The addresses of Stellar and TON end with it.
func crc16(b []byte) (crc uint16) {
	for _, c := range b {
		crc = crc<<8 ^ crc16Table[byte(crc>>8)^c]
	}
	return crc
}
