package index_test

import (
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// words returns the arguments with which IDOfWords returns k.
func words(k index.ID) (class uint16, w0, w1, w2, w3 uint64, n int) {
	b := k.AppendBytes(nil)
	var padded [32]byte
	copy(padded[:], b)
	w := func(i int) (v uint64) {
		for j := range 8 {
			v |= uint64(padded[8*i+j]) << (8 * j)
		}
		return v
	}
	return k.Class(), w(0), w(1), w(2), w(3), len(b)
}

// A Filter passes every key of its indexes, and hardly any others.
func TestFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][]int{{}, {0}, {1}, {3, 0, 1}, {1000, 1}, {5000, longtest.N(20_000, 70_000), 20}} {
		var indexes []*index.Index
		var keys []index.ID
		for _, n := range sizes {
			var b index.Builder
			for range n {
				k := randomKey(t, rng)
				b.Add(k, 1)
				keys = append(keys, k)
			}
			ix, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			indexes = append(indexes, ix)
		}
		f := index.NewFilter(indexes...)
		for _, k := range keys {
			if !f.MayHave(words(k)) {
				t.Fatalf("of indexes of %d keys, the filter denies %+v", sizes, k)
			}
		}
		others := 0
		for range 10_000 {
			k := randomKey(t, rng) // of many kinds, so that hardly any is there
			if f.MayHave(words(k)) {
				others++
			}
		}
		if others > 500 {
			t.Errorf("of indexes of %d keys, the filter lets %d of 10000 others pass", sizes, others)
		}
	}
}
