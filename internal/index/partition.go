package index

import (
	"cmp"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// A side holds the items of one table, in parts that cover adjacent buckets.
type side struct {
	width   int
	parts   []part
	keys    uint64  // number of items in all parts
	buckets uint64  // for that number of keys
	shift   int     // a part has 1<<shift buckets; the last one may have fewer
	arenas  []arena // of the chunks of parts
}

// A part holds the items of adjacent buckets, unsorted.
type part struct {
	chunks []chunk // nil once the part is written
	n      uint64
	before uint64 // number of items in the parts before it
}

// item returns an item of p: the one at i%chunkItems of chunk i/chunkItems.
func (p *part) item(i uint32, size int) []byte {
	at := int(i%chunkItems) * size
	return p.chunks[i/chunkItems].items[at : at+size : at+size]
}

// partOf returns the number of the part with the items of hash h.
func (s *side) partOf(h uint64) uint64 { return bucketOf(h, s.buckets) >> s.shift }

// bucketsOf returns the first bucket of a part and the number of its buckets.
func (s *side) bucketsOf(part int) (first, n uint64) {
	first = uint64(part) << s.shift
	return first, min(1<<s.shift, s.buckets-first)
}

// Chunks of adjacent parts come from one arena, so that its slabs can be freed as soon as
// the parts are written. More arenas free memory earlier; but each has a slab that is not
// full.
const (
	maxArenas  = 16
	arenaBytes = 2 * hugeBytes
)

// arenaOf returns the arena of the chunks of a part.
func (s *side) arenaOf(part uint64) *arena {
	return &s.arenas[part*uint64(len(s.arenas))/uint64(len(s.parts))]
}

// closeArenas closes all arenas.
func (s *side) closeArenas() {
	for i := range s.arenas {
		s.arenas[i].close()
	}
}

// A part has 1<<partBits buckets, few enough to sort its items in a cache, or more if
// there would be more than maxParts parts.
const (
	partBits = 9
	maxParts = 1 << 11
)

// A worker yields the processor after some tens of microseconds: after this many items or
// refs, chunks or buckets.
const (
	goItems   = 1 << 13
	goChunks  = goItems / chunkItems / 2
	goBuckets = goItems / perBucket / 4
)

// step yields now and then. A long loop calls it with the number of each iteration, which
// takes some nanoseconds.
func step(i int) {
	if i%goItems == goItems-1 {
		pace.Yield()
	}
}

// parallel calls do for each i below n, in ascending order, from the given number of
// goroutines, until a call returns an error.
func parallel(workers, n int, do func(worker, i int) error) error {
	var next, failed atomic.Int64
	errs := make([]error, min(workers, n))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(w, i); err != nil {
					errs[w] = err
					failed.Store(1)
				}
				if i < n-1 {
					pace.Yield()
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// A divider distributes items over the parts of a side. It must not be used
// concurrently.
type divider struct {
	side   *side
	seed   seed
	size   int  // of an item
	number bool // items still have values instead of numbers of sets
	sets   *sharedSets
	recent recentSets
	piles  []pile // by part
}

// divide distributes the items of a chunk.
func (d *divider) divide(c []byte) error {
	s, sd, size := d.side, d.seed, d.size
	if d.number {
		if err := d.recent.number(d.sets, c, size); err != nil {
			return err
		}
	}
	for rest := c; len(rest) > 0; rest = rest[size:] {
		w0, w1, w2, w3, meta, set := getItem(rest[:size:size])
		h := fold(fold(w0^sd[0], w1^sd[1])^uint64(meta), fold(w2^sd[2], w3^sd[3])) // seed.hash, without a call
		part := s.partOf(h)
		p := &d.piles[part]
		if p.at == len(p.last.items) {
			if err := p.room(s.arenaOf(part), size); err != nil {
				return err
			}
		}
		putItem(p.last.items[p.at:p.at+size:p.at+size], w0, w1, w2, w3, meta, set)
		p.at += size
	}
	return nil
}

// partition distributes the items of s over parts by their buckets, assuming that each
// item has a different key. The first time, it replaces the value of each item by the
// number of a set with that one value.
func (bd *build) partition(s *side, seed *seed) error {
	size := itemBytes(s.width)
	var in []chunk
	s.keys = 0
	for i := range s.parts {
		in = append(in, s.parts[i].chunks...)
	}
	for _, c := range in {
		s.keys += uint64(len(c.items) / size)
	}
	s.buckets, s.shift = bucketsFor(s.keys), partBits
	for (s.buckets-1)>>s.shift >= maxParts {
		s.shift++
	}
	s.parts = make([]part, (s.buckets-1)>>s.shift+1)
	s.arenas = make([]arena, min(s.keys*uint64(size)/arenaBytes, maxArenas-1)+1)
	for i := range s.arenas {
		s.arenas[i].pool = bd.pool
	}
	dividers := make([]divider, bd.workers)
	err := parallel(bd.workers, (len(in)+goChunks-1)/goChunks, func(w, g int) error {
		d := &dividers[w]
		if d.piles == nil {
			*d = divider{
				side: s, seed: *seed, size: size, number: !bd.numbered, sets: bd.sets,
				piles: make([]pile, len(s.parts)),
			}
		}
		for i := g * goChunks; i < min((g+1)*goChunks, len(in)); i++ {
			if err := d.divide(in[i].items); err != nil {
				return err
			}
			bd.pool.done(in[i].slab)
			in[i] = chunk{}
		}
		return nil
	})
	if err != nil {
		return err
	}
	n := uint64(0)
	for i := range s.parts {
		p := &s.parts[i]
		p.before = n
		for w := range dividers {
			if piles := dividers[w].piles; piles != nil {
				piles[i].push()
				p.chunks = append(p.chunks, piles[i].chunks...)
			}
		}
		for _, c := range p.chunks {
			p.n += uint64(len(c.items) / size)
		}
		n += p.n
	}
	s.closeArenas()
	return nil
}

// used returns how many sets the items have, and how many values these sets have.
func (bd *build) used() (sets, values uint64) {
	bits := make([]uint32, bd.sets.all.len()/32+1)
	for i := range bd.sides {
		s := &bd.sides[i]
		size := itemBytes(s.width)
		parallel(bd.workers, len(s.parts), func(_, part int) error {
			for i, c := range s.parts[part].chunks {
				for rest := c.items; len(rest) > 0; rest = rest[size:] {
					set := binary.LittleEndian.Uint32(rest[size-4 : size])
					word, bit := &bits[set/32], uint32(1)<<(set%32)
					if atomic.LoadUint32(word)&bit == 0 {
						atomic.OrUint32(word, bit)
					}
				}
				if i%goChunks == goChunks-1 {
					pace.Yield()
				}
			}
			return nil
		})
	}
	for set := range bd.sets.all.len() {
		if bits[set/32]>>(set%32)&1 != 0 {
			sets++
			values += uint64(len(bd.sets.all.bytes(uint32(set)))/4 - 1)
		}
		step(set)
	}
	return sets, values
}

// A sequence numbers sets in the order of the first keys that have them.
type sequence struct {
	mu     sync.Mutex
	turned sync.Cond
	part   int            // the part to number next
	n      uint32         // how many sets have a place
	sets   *mapfile.Words // by place
	places *mapfile.Words // of each set in this order, by its number, plus 1; or 0
}

// newSequence returns the sequence of the given number of sets, out of all.
func newSequence(sets, all uint64) (q *sequence, err error) {
	q = new(sequence)
	q.turned.L = &q.mu
	if q.sets, err = mapfile.NewWords(int(sets)); err == nil {
		q.places, err = mapfile.NewWords(int(all))
	}
	return q, err
}

// free frees the memory of q.
func (q *sequence) free() {
	q.sets.Free()
	q.places.Free()
}

// turn calls do when it has returned for all parts before the given one.
func (q *sequence) turn(part int, do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.part != part {
		q.turned.Wait()
	}
	do()
	q.part++
	q.turned.Broadcast()
}

// place returns the place of a set, which is the next one if it has none.
func (q *sequence) place(set uint32) uint32 {
	if p := q.places.At(int(set)); p != 0 {
		return p - 1
	}
	q.sets.Set(int(q.n), set)
	q.n++
	q.places.Set(int(set), q.n)
	return q.n - 1
}
