package index

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// A ref is something by its hash and its number.
type ref struct {
	h uint64
	i uint32
}

// A sorter sorts refs by hash. It is used by one goroutine.
type sorter struct {
	refs    []ref                 // what is to be sorted
	sorted  []ref                 // what was sorted
	ends    []uint32              // by grain: where in sorted its refs end
	compare func(a, b uint32) int // of the numbers of refs with one hash
}

// A bucket has so many grains, which follow one another and are so small that
// hashes, which are spread evenly, hardly share one.
const (
	grainBits = 4
	grains    = 1 << grainBits
)

// sort sorts refs that fall into n buckets from first on, among all.
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
	// Few keys with many values, or many that were made to have one hash.
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

// grainOf returns the grain of a hash in n buckets. It grows with the hash.
func grainOf(h, n uint64) uint64 { return h >> 32 * n >> (32 - grainBits) }

// maxInsert is how many refs may be out of order for sorting by insertion.
const maxInsert = 32

// insert sorts refs that are nearly sorted.
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

// An itemSorter sorts the items of parts: by hash, and by their keys where hashes
// are equal.
type itemSorter struct {
	sorter
	seed     *seed
	side     *side
	size     int
	part     *part // the one that was sorted last
	repeated bool  // it has a key twice
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

// item returns an item of the part.
func (s *itemSorter) item(i uint32) []byte { return s.part.item(i, s.size) }

// sort sorts a part.
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
