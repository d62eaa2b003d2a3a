package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// A side is the items of one table in the order of its records: by hash, then by key, then
// by value; each once.
type side struct {
	width  int
	memory *mapfile.Memory
	items  []byte
	keys   uint64
}

// A ref is the hash and the number of an item in a part.
type ref struct {
	h uint64
	i uint32
}

// partItems is about the number of items that are sorted in the cache of a processor.
const partItems = 1 << 12

// hashOf returns the hash of an item.
func (s *seed) hashOf(item []byte) uint64 {
	w0, w1, w2, w3, meta, _ := getItem(item)
	return fold(fold(w0^s[0], w1^s[1])^uint64(meta), fold(w2^s[2], w3^s[3])) // hash, without a call
}

// sort sorts the items of table i: the items that s has, or else the items of added. It
// frees added. It subtracts items that were there twice from sum. First it divides the items
// into parts by the upper bits of their hashes.
func (s *side) sort(i int, added *mapfile.Array, seed *seed, sum *sum) error {
	s.width = widths[i]
	size := itemBytes(s.width)
	from, n := [][]byte{s.items}, len(s.items)/size
	if s.memory == nil {
		from, n = added.Pieces(), added.Len()
	}
	shift := 64 - bits.Len(uint(n/partItems))
	ends := make([]int, 1<<(64-shift)+1) // by part, after it: first where it begins, then where it ends
	for _, piece := range from {
		for ; len(piece) > 0; piece = piece[size:] {
			ends[seed.hashOf(piece[:size])>>shift+1] += size
		}
		pace.Yield()
	}
	for part := range ends[1:] {
		ends[part+1] += ends[part]
	}
	to, err := mapfile.New(n * size)
	if err != nil {
		return err
	}
	for _, piece := range from {
		for k := 0; len(piece) > 0; k++ {
			end := &ends[seed.hashOf(piece[:size])>>shift]
			copy(to.Bytes[*end:*end+size], piece)
			*end += size
			piece = piece[size:]
			if k%partItems == 0 {
				pace.Yield()
			}
		}
	}
	s.memory.Free()
	added.Free()
	s.memory, s.items, s.keys = to, to.Bytes[:0], 0
	var ps partSorter
	begin := 0
	for _, end := range ends[:len(ends)-1] {
		s.keep(ps.sorted(to.Bytes[begin:end], size, seed, shift), sum)
		begin = end
		pace.Yield()
	}
	return nil
}

// keep appends the items of the next part, without repetitions.
func (s *side) keep(items []byte, sum *sum) {
	size := itemBytes(s.width)
	var last []byte
	for ; len(items) > 0; items = items[size:] {
		item := items[:size]
		if bytes.Equal(item, last) {
			sum.subtract(item)
			continue
		}
		if last == nil || !bytes.Equal(item[:size-4], last[:size-4]) {
			s.keys++
		}
		s.items = append(s.items, item...)
		last = item
	}
}

// A partSorter sorts parts of a side.
type partSorter struct {
	refs, byGrain []ref
	ends          []uint32
	out           []byte
}

// sorted returns the items of a part, whose hashes have the same bits above shift, in order,
// until the next call. It divides them by the next bits of the hash, so that few have to be
// compared.
func (p *partSorter) sorted(items []byte, size int, seed *seed, shift int) []byte {
	n := len(items) / size
	p.refs, p.byGrain = p.refs[:0], slices.Grow(p.byGrain[:0], n)[:n]
	grainBits := bits.Len(uint(n)) + 1
	p.ends = slices.Grow(p.ends[:0], 1<<grainBits+1)[:1<<grainBits+1]
	clear(p.ends)
	grain := func(h uint64) uint64 { return h << (64 - shift) >> (64 - grainBits) }
	for i := range n {
		h := seed.hashOf(items[i*size : i*size+size])
		p.refs = append(p.refs, ref{h, uint32(i)})
		p.ends[grain(h)+1]++
	}
	for i := range p.ends[1:] {
		p.ends[i+1] += p.ends[i]
	}
	for _, r := range p.refs {
		end := &p.ends[grain(r.h)]
		p.byGrain[*end] = r
		*end++
	}
	begin := uint32(0)
	for _, end := range p.ends[:len(p.ends)-1] {
		if end-begin > 1 {
			slices.SortFunc(p.byGrain[begin:end], func(a, b ref) int {
				if a.h != b.h {
					return cmp.Compare(a.h, b.h)
				}
				return compareItems(items[int(a.i)*size:][:size], items[int(b.i)*size:][:size])
			})
		}
		begin = end
	}
	p.out = p.out[:0]
	for _, r := range p.byGrain {
		p.out = append(p.out, items[int(r.i)*size:int(r.i)*size+size]...)
	}
	return p.out
}

// compareItems compares the keys, and if they are equal the values.
func compareItems(a, b []byte) int {
	key := len(a) - 4
	if c := bytes.Compare(a[:key], b[:key]); c != 0 {
		return c
	}
	return cmp.Compare(binary.LittleEndian.Uint32(a[key:]), binary.LittleEndian.Uint32(b[key:]))
}

// isOverfull reports whether a bucket would have too many records.
func (s *side) isOverfull(seed *seed) bool {
	buckets, size := bucketsFor(s.keys), itemBytes(s.width)
	bucket, n := uint64(0), 0
	for at := 0; at < len(s.items); at += size {
		if at > 0 && bytes.Equal(s.items[at-size:at-4], s.items[at:at+size-4]) {
			continue
		}
		if b := bucketOf(seed.hashOf(s.items[at:at+size]), buckets); b != bucket {
			bucket, n = b, 0
		}
		if n++; n > maxBucket {
			return true
		}
	}
	return false
}
