package index

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// A ref refers to an item or a set by its hash and number.
type ref struct {
	h uint64
	i uint32
}

// A sorter sorts refs by hash. It must not be used concurrently.
type sorter struct {
	refs    []ref                 // the input
	sorted  []ref                 // the output
	ends    []uint32              // by grain: the end of its refs in sorted
	compare func(a, b uint32) int // compares the numbers of refs with one hash
}

// A bucket has this many grains, ranges of hashes small enough that evenly spread hashes
// hardly share one.
const (
	grainBits = 4
	grains    = 1 << grainBits
)

// sort sorts s.refs, which fall into n buckets beginning with first, out of all.
func (s *sorter) sort(first, n, all uint64) {
	s.sorted = slices.Grow(s.sorted[:0], len(s.refs))[:len(s.refs)]
	s.ends = slices.Grow(s.ends[:0], int(n*grains))[:n*grains]
	clear(s.ends)
	first *= grains
	for i, r := range s.refs {
		s.ends[grainOf(r.h, all)-first]++
		step(i)
	}
	begin, most := uint32(0), uint32(0)
	for i, n := range s.ends {
		s.ends[i] = begin
		begin += n
		most = max(most, n)
	}
	for i, r := range s.refs {
		at := &s.ends[grainOf(r.h, all)-first]
		s.sorted[*at] = r
		*at++
		step(i)
	}
	if most <= maxInsert {
		s.insert(s.sorted)
		return
	}
	// A few keys with many values, or many keys with one hash, by intent.
	begin = 0
	for _, end := range s.ends {
		if end-begin > maxInsert {
			slices.SortFunc(s.sorted[begin:end], s.order)
		} else {
			s.insert(s.sorted[begin:end])
		}
		begin = end
	}
}

// grainOf returns the grain of a hash among those of n buckets. It is monotonic.
func grainOf(h, n uint64) uint64 { return h >> 32 * n >> (32 - grainBits) }

// maxInsert is the largest grain that is sorted by insertion.
const maxInsert = 32

// insert sorts nearly sorted refs.
func (s *sorter) insert(refs []ref) {
	for i := 1; i < len(refs); i++ {
		r := refs[i]
		step(i)
		if refs[i-1].h < r.h {
			continue
		}
		j := i
		for ; j > 0 && s.order(r, refs[j-1]) < 0; j-- {
			refs[j] = refs[j-1]
		}
		refs[j] = r
	}
}

// order compares refs.
func (s *sorter) order(a, b ref) int {
	if a.h != b.h {
		return cmp.Compare(a.h, b.h)
	}
	return s.compare(a.i, b.i)
}

// An itemSorter sorts the items of a part by hash, then by key.
type itemSorter struct {
	sorter
	seed     *seed
	side     *side
	size     int
	part     *part // the part sorted last
	repeated bool  // the part has a repeated key
}

func newItemSorter(s *side, seed *seed) *itemSorter {
	is := &itemSorter{seed: seed, side: s, size: itemBytes(s.width)}
	is.compare = func(a, b uint32) int {
		x, y := is.item(a), is.item(b)
		c := bytes.Compare(x[:len(x)-4], y[:len(y)-4])
		is.repeated = is.repeated || c == 0
		return c
	}
	return is
}

// item returns item i of the part.
func (s *itemSorter) item(i uint32) []byte { return s.part.item(i, s.size) }

// sort sorts the items of a part.
func (s *itemSorter) sort(part int) error {
	s.part, s.repeated = &s.side.parts[part], false
	if len(s.part.chunks) > maxKeys/chunkItems {
		return fmt.Errorf("%w: %d keys", ErrTooLarge, s.part.n)
	}
	s.refs = slices.Grow(s.refs[:0], int(s.part.n))
	size, sd := s.size, *s.seed
	for i := range s.part.chunks {
		c := s.part.chunks[i].items
		for n := uint32(i * chunkItems); len(c) > 0; n++ {
			w0, w1, w2, w3, meta, _ := getItem(c[:size:size])
			h := fold(fold(w0^sd[0], w1^sd[1])^uint64(meta), fold(w2^sd[2], w3^sd[3])) // seed.hash, without a call
			s.refs = append(s.refs, ref{h, n})
			c = c[size:]
		}
		if i%goChunks == goChunks-1 {
			pace.Yield()
		}
	}
	first, n := s.side.bucketsOf(part)
	s.sorter.sort(first, n, s.side.buckets)
	return nil
}
