package f4jumble

import (
	"encoding"
	"hash"
	"sync"

	"golang.org/x/crypto/blake2b"
)

const hashSize = blake2b.Size // the size of the longest hash, in bytes

// Blake2b writes the unkeyed BLAKE2b hash of data with a personalization to
// out. The size of the hash is len(out), from 1 to hashSize.
// golang.org/x/crypto/blake2b has no personalization, and allocates for sizes other than
// 32, 48 and 64: so Blake2b sets both in the state of a new hash of that package. See RFC 7693, and
// section 2.8 of the BLAKE2 paper.
func Blake2b(out, data []byte, personal [16]byte) {
	const words = len("b2b") // where the state has its eight words, most significant byte first
	s := states.Get().(*state)
	s.text = append(s.text[:0], begin...)
	s.text[words+7] ^= hashSize ^ byte(len(out))
	for i, b := range personal { // in the last two words, least significant byte first
		s.text[words+48+(i^7)] ^= b
	}
	if err := s.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.text); err != nil {
		panic(err) // it is a text of the same package
	}
	for len(data) > 0 {
		n := copy(s.in[:], data)
		s.hash.Write(s.in[:n])
		data = data[n:]
	}
	copy(out, s.hash.Sum(s.out[:0]))
	states.Put(s)
}

// A state is a hash with buffers. Buffers passed through an interface are allocated on the heap; a
// pool reuses them.
type state struct {
	hash hash.Hash
	text []byte
	in   [blake2b.BlockSize]byte
	out  [hashSize]byte
}

var states = sync.Pool{New: func() any { return &state{hash: newHash()} }}

func newHash() hash.Hash {
	h, _ := blake2b.New512(nil) // there is no key that could be too long
	return h
}

// begin is the state before any data, with neither a personalization nor another size.
var begin, _ = newHash().(encoding.BinaryMarshaler).MarshalBinary()
