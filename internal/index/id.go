package index

import "github.com/walletscreen/walletscreen/internal/identity"

// An ID identifies an account, or what controls it: a class, and at most 32 bytes. IDs are equal
// if classes, lengths and bytes are. The zero ID is no bytes of class 0, one as any other. IDs are
// the keys of a Table.
type ID struct {
	Words identity.Words
	meta  uint32 // the length, and in the lower 16 bits the class
}

// MakeID returns the ID of a class and the first n bytes, at most 32, of w. The others are zero.
func MakeID(class identity.Class, w identity.Words, n int) ID {
	return ID{w, uint32(n)<<16 | uint32(class)}
}

// Class returns the class of k.
func (k *ID) Class() identity.Class { return identity.Class(k.meta) }

// Len returns how many bytes k has.
func (k *ID) Len() int { return int(k.meta >> 16) }

// SameBytes reports whether k and o differ in nothing but the class.
func (k *ID) SameBytes(o *ID) bool {
	v, w := &k.Words, &o.Words
	return v.W0 == w.W0 && v.W1 == w.W1 && v.W2 == w.W2 && v.W3 == w.W3 && k.Len() == o.Len() // v == w calls a function
}

// Hash returns the [Hash] of k.
func (k *ID) Hash() uint64 { return Hash(k.Class(), k.Words, k.Len()) }
