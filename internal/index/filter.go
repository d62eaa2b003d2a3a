package index

import (
	"crypto/sha512"
	"encoding/binary"
	"runtime"
)

// A Filter covers several indexes: it decides nearly all misses in all of them, in less
// time than a lookup in one. It is immutable, and its methods may be called concurrently.
type Filter struct {
	seed  seed
	words []uint64
}

// perWord is the number of keys for each word of a Filter. With 16 bits a key, one of
// about four hundred other keys passes.
const perWord = 4

// NewFilter returns a Filter of all keys of the indexes. It takes two bytes a key.
func NewFilter(indexes ...*Index) *Filter {
	n := 0
	digests := []byte("walletscreen filter\n")
	for _, ix := range indexes {
		n += ix.Len()
		digests = append(digests, ix.digest[:]...)
	}
	f := &Filter{words: make([]uint64, n/perWord+1)}
	sum := sha512.Sum512(digests)
	for i := range f.seed {
		f.seed[i] = binary.LittleEndian.Uint64(sum[8*i:])
	}
	for _, ix := range indexes {
		for k := range ix.All() {
			h := f.seed.of(k)
			f.words[bucketOf(h, uint64(len(f.words)))] |= filterBits(h)
		}
		runtime.KeepAlive(ix)
	}
	return f
}

// MayHave reports false if none of the indexes has the key that [IDOfWords] returns. It keeps it
// in registers, like [Index.LookupWords].
func (f *Filter) MayHave(class uint16, w0, w1, w2, w3 uint64, n int) bool {
	hash := f.seed.hash(w0, w1, w2, w3, uint32(n)<<16|uint32(class))
	bits := filterBits(hash)
	return f.words[bucketOf(hash, uint64(len(f.words)))]&bits == bits
}
