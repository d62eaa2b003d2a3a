package index

import (
	"math/bits"
	"math/rand/v2"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// A Filter covers several tables: one word of memory decides nearly all misses in all of them.
// It is immutable, and its methods may be called concurrently.
type Filter struct {
	words []uint64
}

const (
	// perWord is the number of keys for each word of a Filter. With 16 bits a key, one of
	// about four hundred other keys passes.
	perWord = 4
	// maxShared is the maximum number of keys of a Table that does without a Filter of its
	// own: so few that a Filter of many such tables is made in a millisecond.
	maxShared = 1 << 16
)

// NewFilter returns a Filter of all keys of the tables. It takes two bytes a key.
func NewFilter(tables ...*Table) *Filter {
	n := 0
	for _, t := range tables {
		n += t.slots.n
	}
	f := &Filter{words: make([]uint64, n/perWord+1)}
	for _, t := range tables {
		for _, slot := range t.slots.at {
			if slot != 0 {
				word, bits := f.place(slot)
				f.words[word] |= bits
			}
		}
	}
	return f
}

// place returns the word of a hash, and four bits there, which may fall together. They follow
// from the upper half of the hash, because a slot has no more.
func (f *Filter) place(h uint64) (word, bits uint64) {
	h >>= 32
	mixed := h * 0x9e3779b97f4a7c15 // the golden ratio
	return h * uint64(len(f.words)) >> 32, 1<<(mixed>>58) | 1<<(mixed>>52&63) | 1<<(mixed>>46&63) | 1<<(mixed>>40&63)
}

// MayHave reports false if none of the tables has a key whose [Hash] is h.
func (f *Filter) MayHave(h uint64) bool {
	word, bits := f.place(h)
	return f.words[word]&bits == bits
}

// seed is the key of the hash function.
var seed = [4]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64()}

// Hash returns the hash of the key that [MakeID] returns. It keeps the key in registers,
// while an ID is so large that it goes through memory. It is not a cryptographic hash, but
// nobody knows the seed.
func Hash(class identity.Class, w identity.Words, n int) uint64 {
	a := fold(w.W0^seed[0], w.W1^seed[1])
	b := fold(w.W2^seed[2], w.W3^seed[3])
	return fold(a^uint64(uint32(n)<<16|uint32(class)), b)
}

// fold multiplies and folds the 128 bits of the product to 64.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
