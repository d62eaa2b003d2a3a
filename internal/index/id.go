package index

import "encoding/binary"

// An ID identifies an account, or what controls it: a class, and a payload of at most
// 32 bytes. IDs are equal if classes, lengths and bytes of the payloads are. The zero
// ID is the empty payload of class 0, one as any other. IDs are the keys of a Table.
//
// An ID is held as words, not as an array of bytes: a look-up needs words, and
// an array written in bytes and read in words costs more than the look-up.
type ID struct {
	w0, w1, w2, w3 uint64 // the payload, little-endian, filled up with zeros
	meta           uint32 // the length, and in the lower 16 bits the class
}

// ID32 returns the ID of a class and a payload of 32 bytes.
func ID32(class uint16, payload *[32]byte) ID {
	return wordsOf(payload[:], 32<<16|uint32(class))
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

// SameBytes reports whether k and o differ in nothing but the class.
func (k *ID) SameBytes(o *ID) bool {
	return k.w0 == o.w0 && k.w1 == o.w1 && k.w2 == o.w2 && k.w3 == o.w3 && (k.meta^o.meta)>>16 == 0
}

// WithClass returns the ID of the payload of k and another class.
func (k ID) WithClass(class uint16) ID {
	k.meta = k.meta>>16<<16 | uint32(class)
	return k
}
