package index

import (
	"encoding/binary"
	"math/bits"
)

const (
	narrowBytes = 20 // longest payload in the first table
	wideBytes   = 32 // longest payload in the second table
)

// An ID identifies an account, or what controls it: a class, and a payload of at most
// 32 bytes. IDs are equal if classes, lengths and bytes of the payloads are. The zero
// ID is the empty payload of class 0, one as any other. IDs are the keys of an Index.
//
// An ID is held as words, not as an array of bytes: a look-up needs words, and
// an array written in bytes and read in words costs more than the look-up.
type ID struct {
	w0, w1, w2, w3 uint64 // the payload, little-endian, filled up with zeros
	meta           uint32 // the length, and in the lower 16 bits the class
}

// ID20 returns the ID of a class and a payload of 20 bytes.
func ID20(class uint16, payload *[20]byte) ID {
	return ID{
		w0: binary.LittleEndian.Uint64(payload[:]), w1: binary.LittleEndian.Uint64(payload[8:]),
		w2: uint64(binary.LittleEndian.Uint32(payload[16:])), meta: narrowBytes<<16 | uint32(class),
	}
}

// ID32 returns the ID of a class and a payload of 32 bytes.
func ID32(class uint16, payload *[32]byte) ID {
	return wordsOf(payload[:], wideBytes<<16|uint32(class))
}

// IDOfWords returns the ID of a class and a payload of n bytes, at most 32, as words:
// little-endian, and filled up with zeros.
func IDOfWords(class uint16, w0, w1, w2, w3 uint64, n int) ID {
	return ID{w0, w1, w2, w3, uint32(n)<<16 | uint32(class)}
}

// wordsOf returns the ID of 32 bytes that are filled up with zeros.
func wordsOf(b []byte, meta uint32) ID {
	_ = b[31]
	return ID{
		w0: binary.LittleEndian.Uint64(b), w1: binary.LittleEndian.Uint64(b[8:]),
		w2: binary.LittleEndian.Uint64(b[16:]), w3: binary.LittleEndian.Uint64(b[24:]), meta: meta,
	}
}

// Class returns the class of k.
func (k ID) Class() uint16 { return uint16(k.meta) }

// Len returns how many bytes the payload of k has.
func (k ID) Len() int { return int(k.meta >> 16) }

// Words returns the payload of k as IDOfWords takes it.
func (k *ID) Words() (w0, w1, w2, w3 uint64) { return k.w0, k.w1, k.w2, k.w3 }

// AppendBytes appends the payload of k, at most 32 bytes, to b.
func (k ID) AppendBytes(b []byte) []byte {
	var padded [wideBytes]byte
	binary.LittleEndian.PutUint64(padded[:], k.w0)
	binary.LittleEndian.PutUint64(padded[8:], k.w1)
	binary.LittleEndian.PutUint64(padded[16:], k.w2)
	binary.LittleEndian.PutUint64(padded[24:], k.w3)
	return append(b, padded[:min(k.meta>>16, wideBytes)]...)
}

// seed is the key of an index's hash function.
type seed [4]uint64

// hash returns the hash of a key: three multiplications to 128 bits, each
// folded to 64. It is not a cryptographic hash: anyone who knows the seed can make keys
// that collide. What that may cost is bounded by maxBucket.
func (s *seed) hash(w0, w1, w2, w3 uint64, meta uint32) uint64 {
	a := fold(w0^s[0], w1^s[1])
	b := fold(w2^s[2], w3^s[3])
	return fold(a^uint64(meta), b)
}

// of returns the hash of k.
func (s *seed) of(k ID) uint64 { return s.hash(k.w0, k.w1, k.w2, k.w3, k.meta) }

// fold multiplies and folds the 128 bits of the product to 64.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// fingerprint returns the lower 16 bits of a hash, 1 in the place of 0, which
// marks an empty slot.
func fingerprint(h uint64) uint64 {
	f := h & 0xffff
	if f == 0 {
		f = 1
	}
	return f
}

// filterBits returns the four bits that a hash sets in the word of the filter.
// They may fall together.
func filterBits(h uint64) uint64 {
	return 1<<(h>>8&63) | 1<<(h>>14&63) | 1<<(h>>20&63) | 1<<(h>>26&63)
}

// bucketOf returns the bucket of a hash among n, at most 2^32. It grows with the hash.
func bucketOf(h, n uint64) uint64 { return h >> 32 * n >> 32 }

// SameBytes reports whether k and o differ in nothing but the class.
func (k *ID) SameBytes(o *ID) bool {
	return k.w0 == o.w0 && k.w1 == o.w1 && k.w2 == o.w2 && k.w3 == o.w3 && (k.meta^o.meta)>>16 == 0
}

// WithClass returns the ID of the payload of k and another class.
func (k ID) WithClass(class uint16) ID {
	k.meta = k.meta>>16<<16 | uint32(class)
	return k
}
