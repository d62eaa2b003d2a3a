package index

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// ErrTooLarge is wrapped by the errors about more than an index has room for:
// 2^32-1 keys of a table, sets, or values of all sets, or 4 GiB of texts.
var ErrTooLarge = errors.New("too large for an index")

// A Builder takes keys with their values, and makes an Index of them. The zero
// Builder is ready for use. Its methods may not be called at once.
//
// The bytes of the Index depend on nothing but which keys were added with which
// values, and on the texts in their order; neither on the order of adding, nor
// on repetitions, nor on the machine.
type Builder struct {
	// Workers is how many goroutines build. 0 means 2.
	Workers int

	items [2]pile
	arena *arena // of the chunks of items; nil if there are none
	sum   sum
	texts interner
	err   error
	tune  tuning
}

// tuning is what tests change.
type tuning struct {
	filterFrom uint64            // keys from which a table has filters; 0 means filterFrom
	seed       func(n int) *seed // instead of seedOf, if it is not nil
}

// filterFrom is how many keys a table has filters from: nearly always, for one word
// tells most misses from hits, where a bucket has four; and of a table that is too
// large for the caches, the filters are a quarter as large as the buckets.
const filterFrom = 1

// maxSeeds is how many seeds are tried. That a bucket is overfull by chance is
// not to be expected of any list. Accounts that were made for it must overfill
// one under all seeds at once: of b buckets, one account in b^64 falls into the
// right ones. It takes 65 of them, so there are never fewer than 9 buckets.
const maxSeeds = 64

// A pile holds items of one width in no order: payload, meta and value. Its
// last chunk is being filled.
type pile struct {
	chunks [][]byte
	last   []byte
	at     int // where in last the next item goes
}

// push adds what is in the last chunk to the chunks.
func (p *pile) push() {
	if p.at > 0 {
		p.chunks = append(p.chunks, p.last[:p.at])
	}
	p.last, p.at = nil, 0
}

// chunkItems is how many items a chunk has room for.
const chunkItems = 512

// itemBytes is the size of an item of a table.
func itemBytes(width int) int { return width + 8 }

// putItem writes an item of the width that b has the length of.
func putItem(b []byte, w0, w1, w2, w3 uint64, meta, value uint32) {
	binary.LittleEndian.PutUint64(b, w0)
	binary.LittleEndian.PutUint64(b[8:], w1)
	if len(b) == narrowBytes+8 {
		binary.LittleEndian.PutUint32(b[16:], uint32(w2))
	} else {
		binary.LittleEndian.PutUint64(b[16:], w2)
		binary.LittleEndian.PutUint64(b[24:], w3)
	}
	binary.LittleEndian.PutUint64(b[len(b)-8:], uint64(value)<<32|uint64(meta))
}

// getItem reads what putItem wrote.
func getItem(b []byte) (w0, w1, w2, w3 uint64, meta, value uint32) {
	w0, w1 = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if len(b) == narrowBytes+8 {
		w2 = uint64(binary.LittleEndian.Uint32(b[16:]))
	} else {
		w2, w3 = binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	}
	tail := binary.LittleEndian.Uint64(b[len(b)-8:])
	return w0, w1, w2, w3, uint32(tail), uint32(tail >> 32)
}

// hashItem returns the hash of the key of an item.
func (s *seed) hashItem(b []byte) uint64 {
	w0, w1, w2, w3, meta, _ := getItem(b)
	return fold(fold(w0^s[0], w1^s[1])^uint64(meta), fold(w2^s[2], w3^s[3])) // hash, without a call
}

// A sum is a digest of items that does not depend on their order. Seeds are
// made of it. It is no cryptographic digest: who chooses accounts can choose the
// sum, and so know the seeds; see maxSeeds.
type sum struct{ lo, hi, n uint64 }

// add adds an item.
func (s *sum) add(w0, w1, w2, w3 uint64, meta, value uint32) {
	// Digits of pi: fixed, arbitrary, and odd where they are factors.
	hi, lo := bits.Mul64(
		w0^0x243f6a8885a308d3+w2*0x13198a2e03707345,
		w1^0xa4093822299f31d1+(w3^uint64(value)<<32^uint64(meta))*0x082efa98ec4e6c89)
	s.lo, s.hi, s.n = s.lo+lo, s.hi+(hi^w0), s.n+1
}

// subtract takes another sum off.
func (s *sum) subtract(t sum) { s.lo, s.hi, s.n = s.lo-t.lo, s.hi-t.hi, s.n-t.n }

// seedOf returns the seed number n for items with this sum.
func seedOf(s sum, n int) *seed {
	b := []byte("walletscreen index\n")
	for _, w := range []uint64{s.lo, s.hi, s.n, uint64(n)} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	digest := sha512.Sum512(b)
	var sd seed
	for i := range sd {
		sd[i] = binary.LittleEndian.Uint64(digest[8*i:])
	}
	return &sd
}

// Add adds value to the set of values of key k. If there is no memory for it,
// Build and WriteFile return an error.
func (b *Builder) Add(k Key, value uint32) { b.add(k.w0, k.w1, k.w2, k.w3, k.meta, value) }

// add is Add of a key in registers.
func (b *Builder) add(w0, w1, w2, w3 uint64, meta, value uint32) {
	b.sum.add(w0, w1, w2, w3, meta, value)
	i := 0
	if meta>>16 > narrowBytes {
		i = 1
	}
	p, size := &b.items[i], itemBytes(widths[i])
	if p.at == len(p.last) && !b.room(p, size) {
		return
	}
	putItem(p.last[p.at:p.at+size:p.at+size], w0, w1, w2, w3, meta, value)
	p.at += size
}

// room makes room for items of a size in p. It reports false if there is no
// memory.
func (b *Builder) room(p *pile, size int) bool {
	if b.arena == nil {
		b.arena = new(arena)
	}
	c, err := b.arena.chunk(chunkItems * size)
	if err != nil {
		b.err = cmp.Or(b.err, err)
		return false
	}
	p.push()
	p.last = c[:cap(c)]
	return true
}

// Intern adds a text, if it has not been added yet, and returns its number. The
// first has the number 0, the next 1, and so on. If there are too many, Build
// and WriteFile return an error.
func (b *Builder) Intern(text string) uint32 {
	n, err := b.texts.intern([]byte(text))
	b.err = cmp.Or(b.err, err)
	return n
}

// Build makes the Index, in memory. It takes as much memory for the Index as
// for what was added; WriteFile does with less. b is as new afterwards.
func (b *Builder) Build() (*Index, error) {
	var release func() error
	var data []byte
	err := b.build(func(size int64) (image, error) {
		if size != int64(int(size)) {
			return image{}, ErrTooLarge
		}
		var err error
		data, release, err = allocate(int(size))
		return image{memory: data}, err
	})
	if err != nil {
		if release != nil {
			release()
		}
		return nil, err
	}
	return load(data, release)
}

// WriteFile makes the Index and writes it to a file, which [Open] opens. The
// file is written beside path, synced, and renamed, so that path is at all times
// the old file or the new, and whoever has the old one open keeps it. b is as
// new afterwards.
func (b *Builder) WriteFile(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = b.build(func(size int64) (image, error) { return image{file: f}, f.Truncate(size) })
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error tells more
	}
	return err
}

// An image is where the bytes of an index go: a file, or memory.
type image struct {
	file   *os.File // nil for memory
	memory []byte
}

// WriteAt writes b.
func (m image) WriteAt(b []byte, off int64) (int, error) {
	if m.file != nil {
		return m.file.WriteAt(b, off)
	}
	return copy(m.memory[off:], b), nil
}

// bytes returns room for n bytes that belong at off: these very ones, or at
// least as many of a file. What is in it is to be given to done.
func (m image) bytes(scratch []byte, off, n uint64) []byte {
	if m.file != nil {
		return slices.Grow(scratch[:0], int(n))[:n]
	}
	return m.memory[off : off+n : off+n]
}

// done writes what bytes returned.
func (m image) done(b []byte, off uint64) error {
	if m.file == nil {
		return nil
	}
	_, err := m.file.WriteAt(b, int64(off))
	return err
}

// read returns the n bytes at off.
func (m image) read(scratch []byte, off, n uint64) ([]byte, error) {
	b := m.bytes(scratch, off, n)
	if m.file == nil {
		return b, nil
	}
	_, err := m.file.ReadAt(b, int64(off))
	return b, err
}

// build writes the index to the image that create makes.
func (b *Builder) build(create func(size int64) (image, error)) error {
	err := b.err
	texts := b.texts
	chunks := b.arena
	if chunks == nil {
		chunks = new(arena)
	}
	defer chunks.free()
	bd := &build{workers: b.Workers, filterFrom: b.tune.filterFrom, sum: b.sum, texts: &texts, sets: new(sharedSets), arena: chunks}
	if bd.workers <= 0 {
		bd.workers = 2
	}
	if bd.filterFrom == 0 {
		bd.filterFrom = filterFrom
	}
	newSeed := b.tune.seed
	if newSeed == nil {
		newSeed = func(n int) *seed { return seedOf(bd.sum, n) }
	}
	for i := range bd.sides {
		s := &bd.sides[i]
		s.width = widths[i]
		b.items[i].push()
		s.parts = []part{{chunks: b.items[i].chunks}}
		s.parts[0].count(itemBytes(s.width))
	}
	*b = Builder{Workers: b.Workers, tune: b.tune}
	if err != nil {
		return err
	}

	// In the first round the sets of values are made, and repetitions found. If
	// there were some, the sum was not that of what remains; then, and if a
	// bucket is overfull, all is done again with another seed.
	seed := newSeed(0)
	repeated, err := bd.arrange(seed, true)
	if err != nil {
		return err
	}
	bd.sum.subtract(repeated)
	for n := range maxSeeds {
		if n > 0 || repeated.n > 0 {
			seed = newSeed(n)
			if _, err := bd.arrange(seed, false); err != nil {
				return err
			}
		}
		if !bd.overfull(seed) {
			return bd.write(seed, create)
		}
	}
	return errors.New("index: every seed overfills a bucket")
}

// A build is the making of an index.
type build struct {
	workers    int
	filterFrom uint64
	sum        sum
	sides      [2]side
	arena      *arena
	sets       *sharedSets
	texts      *interner
}

// A side is what becomes a table: its items, in parts that follow one another.
type side struct {
	width int
	bits  int // the parts are 1<<bits, by the highest bits of the hash
	parts []part
}

// A part has the items of a range of hashes, sorted once arrange is through:
// then all of its chunks but the last are full.
type part struct {
	chunks [][]byte
	n      uint64
	before uint64   // items of the parts before it
	seen   []uint32 // the sets of its items, in the order in which they come first
}

// item returns item i of a sorted part.
func (p *part) item(i uint64, size int) []byte {
	at := int(i%chunkItems) * size
	return p.chunks[i/chunkItems][at : at+size : at+size]
}

// parallel calls do from workers goroutines, with the number of the worker and
// each number below n, in ascending order, until one returns an error.
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
				pace.Yield()
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// arrange sorts the items of both sides by their hashes with a seed. With merge
// it replaces the values of each key by the number of their set; it returns the
// sum of the items that were there before.
func (bd *build) arrange(seed *seed, merge bool) (repeated sum, err error) {
	for i := range bd.sides {
		s := &bd.sides[i]
		if err := s.partition(seed, bd.workers, bd.arena); err != nil {
			return sum{}, err
		}
		sorters := make([]sorter, bd.workers)
		for w := range sorters {
			sorters[w] = sorter{seed: seed, width: s.width, bits: s.bits, merge: merge, sets: bd.sets}
		}
		err := parallel(bd.workers, len(s.parts), func(w, i int) error { return sorters[w].sort(&s.parts[i]) })
		if err != nil {
			return sum{}, err
		}
		var n uint64
		for i := range s.parts {
			s.parts[i].before = n
			n += s.parts[i].n
		}
		if n > maxKeys {
			return sum{}, fmt.Errorf("%w: %d keys", ErrTooLarge, n)
		}
		for i := range sorters {
			r := sorters[i].repeated
			repeated = sum{repeated.lo + r.lo, repeated.hi + r.hi, repeated.n + r.n}
		}
	}
	return repeated, nil
}

// keys returns how many items s has.
func (s *side) keys() uint64 {
	last := &s.parts[len(s.parts)-1]
	return last.before + last.n
}

// partItems is how many items a part has at most, on average, unless there are
// too many for maxBits: so few that they are sorted in a cache of their own.
const (
	partItems = 1 << 14
	maxBits   = 11
)

// partition divides all items by the highest bits of their hashes.
func (s *side) partition(seed *seed, workers int, arena *arena) error {
	var in [][]byte
	var n uint64
	for _, p := range s.parts {
		in, n = append(in, p.chunks...), n+p.n
	}
	s.bits = min(maxBits, bits.Len64(n/partItems))
	s.parts = make([]part, 1<<s.bits)
	if s.bits == 0 {
		s.parts[0] = part{chunks: in, n: n}
		return nil
	}
	type divider struct {
		piles []pile   // by part
		free  [][]byte // chunks that can be used again
	}
	dividers := make([]divider, workers)
	size := itemBytes(s.width)
	shift := 64 - s.bits
	sd := *seed
	err := parallel(workers, len(in), func(w, i int) error {
		d := &dividers[w]
		if d.piles == nil {
			d.piles = make([]pile, 1<<s.bits)
		}
		for c := in[i]; len(c) > 0; c = c[size:] {
			w0, w1, w2, w3, meta, value := getItem(c[:size:size])
			h := fold(fold(w0^sd[0], w1^sd[1])^uint64(meta), fold(w2^sd[2], w3^sd[3])) // seed.hash, without a call
			p := &d.piles[h>>shift]
			if p.at == len(p.last) {
				p.push()
				if last := len(d.free) - 1; last >= 0 {
					p.last, d.free = d.free[last], d.free[:last]
				} else {
					c, err := arena.chunk(chunkItems * size)
					if err != nil {
						return err
					}
					p.last = c[:cap(c)]
				}
			}
			putItem(p.last[p.at:p.at+size:p.at+size], w0, w1, w2, w3, meta, value)
			p.at += size
		}
		d.free = append(d.free, in[i][:chunkItems*size])
		in[i] = nil
		return nil
	})
	for i := range s.parts {
		p := &s.parts[i]
		for _, d := range dividers {
			if d.piles != nil {
				d.piles[i].push()
				p.chunks = append(p.chunks, d.piles[i].chunks...)
			}
		}
		p.count(size)
	}
	return err
}

// count sets how many items of a size p has.
func (p *part) count(size int) {
	p.n = 0
	for _, c := range p.chunks {
		p.n += uint64(len(c) / size)
	}
}

// A sorter sorts parts. It is used by one goroutine.
type sorter struct {
	seed     *seed
	width    int
	bits     int
	merge    bool
	sets     *sharedSets
	recent   recentSets
	repeated sum
	stamps   []uint32 // by set: 1 and a number of the part in which it was seen last
	stamp    uint32

	items        []byte
	refs, sorted []ref
	starts       []uint32
	set          []byte
	values       []uint32
}

// A ref is an item by its hash and its place.
type ref struct {
	h uint64
	i uint32
}

// sort sorts the items of p by hash and then by their bytes, and merges them.
func (s *sorter) sort(p *part) error {
	size := itemBytes(s.width)
	if p.n > maxKeys {
		return fmt.Errorf("%w: %d keys", ErrTooLarge, p.n)
	}
	s.items = slices.Grow(s.items[:0], int(p.n)*size)
	s.refs = slices.Grow(s.refs[:0], int(p.n))
	for _, c := range p.chunks {
		s.items = append(s.items, c...)
		for ; len(c) > 0; c = c[size:] {
			s.refs = append(s.refs, ref{s.seed.hashItem(c[:size:size]), uint32(len(s.refs))})
		}
	}
	s.sortRefs()

	// The items go back to the chunks they came from, merged.
	s.stamp++
	n, chunks := uint64(0), p.chunks
	for i := range chunks {
		chunks[i] = chunks[i][:0]
	}
	for i := 0; i < len(s.sorted); {
		w0, w1, w2, w3, meta, set := s.item(i)
		j := i + 1
		if s.merge {
			var err error
			if j < len(s.sorted) && s.sorted[j].h == s.sorted[i].h && s.sameKey(i, j) {
				j, set, err = s.mergeRun(i, meta)
			} else {
				set, err = s.recent.single(s.sets, meta, set)
			}
			if err != nil {
				return err
			}
		}
		for uint64(len(s.stamps)) <= uint64(set) {
			s.stamps = append(s.stamps, 0)
		}
		if s.stamps[set] != s.stamp {
			s.stamps[set] = s.stamp
			p.seen = append(p.seen, set)
		}
		c := &chunks[n/chunkItems]
		at := len(*c)
		*c = (*c)[:at+size]
		putItem((*c)[at:at+size:at+size], w0, w1, w2, w3, meta, set)
		n++
		i = j
	}
	p.n = n
	p.chunks = chunks[:(n+chunkItems-1)/chunkItems]
	clear(chunks[len(p.chunks):])
	return nil
}

// item returns what is at place i of the sorted order.
func (s *sorter) item(i int) (w0, w1, w2, w3 uint64, meta, value uint32) {
	return getItem(s.bytes(s.sorted[i]))
}

// bytes returns the bytes of an item.
func (s *sorter) bytes(r ref) []byte {
	size := itemBytes(s.width)
	at := int(r.i) * size
	return s.items[at : at+size : at+size]
}

// sameKey reports whether the items at places i and j have the same key.
func (s *sorter) sameKey(i, j int) bool {
	a, b := s.bytes(s.sorted[i]), s.bytes(s.sorted[j])
	return bytes.Equal(a[:len(a)-4], b[:len(b)-4])
}

// mergeRun returns the end of the run of items from place i that have the same
// key, and the set of their values.
func (s *sorter) mergeRun(i int, meta uint32) (j int, set uint32, err error) {
	s.values = s.values[:0]
	for j = i; j < len(s.sorted) && s.sorted[j].h == s.sorted[i].h && s.sameKey(i, j); j++ {
		_, _, _, _, _, value := s.item(j)
		s.values = append(s.values, value)
	}
	slices.Sort(s.values)
	w0, w1, w2, w3, _, _ := s.item(i)
	for k := 1; k < len(s.values); k++ {
		if s.values[k] == s.values[k-1] {
			s.repeated.add(w0, w1, w2, w3, meta, s.values[k])
		}
	}
	s.values = slices.Compact(s.values)
	s.set = binary.LittleEndian.AppendUint32(s.set[:0], meta)
	for _, v := range s.values {
		s.set = binary.LittleEndian.AppendUint32(s.set, v)
	}
	set, err = s.sets.intern(s.set)
	return j, set, err
}

// sortRefs sorts refs to sorted. Hashes are spread evenly, so that they nearly
// find their places by their highest bits.
func (s *sorter) sortRefs() {
	n := len(s.refs)
	s.sorted = slices.Grow(s.sorted[:0], n)[:n]
	width := bits.Len(uint(n))
	s.starts = slices.Grow(s.starts[:0], 1<<width+1)[:1<<width+1]
	clear(s.starts)
	slot := func(h uint64) uint64 { return h << s.bits >> (64 - width) }
	if width == 0 {
		return
	}
	for _, r := range s.refs {
		s.starts[slot(r.h)+1]++
	}
	most := uint32(0)
	for i := 1; i < len(s.starts); i++ {
		most = max(most, s.starts[i])
		s.starts[i] += s.starts[i-1]
	}
	for _, r := range s.refs {
		at := &s.starts[slot(r.h)]
		s.sorted[*at] = r
		*at++
	}
	if most <= maxInsert {
		s.insertionSort(s.sorted)
		return
	}
	// Few keys with many values, or many that were made to have one hash.
	var begin uint32
	for _, end := range s.starts[:1<<width] {
		if end-begin > maxInsert {
			slices.SortFunc(s.sorted[begin:end], s.compare)
		} else {
			s.insertionSort(s.sorted[begin:end])
		}
		begin = end
	}
}

// maxInsert is how many items may be out of order for sorting by insertion.
const maxInsert = 32

// insertionSort sorts refs that are nearly sorted.
func (s *sorter) insertionSort(refs []ref) {
	for i := 1; i < len(refs); i++ {
		r := refs[i]
		if refs[i-1].h < r.h {
			continue
		}
		j := i
		for ; j > 0 && s.compare(r, refs[j-1]) < 0; j-- {
			refs[j] = refs[j-1]
		}
		refs[j] = r
	}
}

// compare orders items by hash, and then by their bytes.
func (s *sorter) compare(a, b ref) int {
	if a.h != b.h {
		return cmp.Compare(a.h, b.h)
	}
	return bytes.Compare(s.bytes(a), s.bytes(b))
}

// at returns the item of a rank at or after the first of part.
func (s *side) at(part int, rank uint64) []byte {
	for rank >= s.parts[part].before+s.parts[part].n {
		part++
	}
	return s.parts[part].item(rank-s.parts[part].before, itemBytes(s.width))
}

// seek returns the part in which the items with hashes of at least h begin, and
// how many items are before.
func (s *side) seek(seed *seed, h uint64) (part int, rank uint64) {
	part = int(h >> (64 - s.bits))
	p := &s.parts[part]
	size := itemBytes(s.width)
	lo, hi := uint64(0), p.n
	for lo < hi {
		mid := (lo + hi) / 2
		if seed.hashItem(p.item(mid, size)) < h {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return part, p.before + lo
}

// groupBuckets is how many buckets are written at once.
const groupBuckets = 1 << 10

// firstHash returns the least hash of bucket b among n.
func firstHash(b, n uint64) uint64 { return (b<<32 + n - 1) / n << 32 }

// overfull reports whether a bucket has more than maxBucket items.
func (bd *build) overfull(seed *seed) bool {
	var found atomic.Bool
	for i := range bd.sides {
		s := &bd.sides[i]
		keys := s.keys()
		buckets := bucketsFor(keys)
		// Of the items whose rank is a multiple of step, an overfull bucket has
		// two that follow one another. Most others have at most one.
		const step = maxBucket / 2
		parallel(bd.workers, len(s.parts), func(_, i int) error {
			p := &s.parts[i]
			for rank := (p.before + step - 1) / step * step; rank < p.before+p.n && rank+step < keys; rank += step {
				b := bucketOf(seed.hashItem(s.at(i, rank)), buckets)
				if b == bucketOf(seed.hashItem(s.at(i, rank+step)), buckets) && s.first(seed, b+1, buckets)-s.first(seed, b, buckets) > maxBucket {
					found.Store(true)
				}
			}
			return nil
		})
	}
	return found.Load()
}

// first returns how many items are before bucket b among n.
func (s *side) first(seed *seed, b, n uint64) uint64 {
	if b == n {
		return s.keys()
	}
	_, rank := s.seek(seed, firstHash(b, n))
	return rank
}

// number returns the sets in the order in which the keys have them first, and
// the place of each in this order.
func (bd *build) number() (order, places []uint32) {
	const none = 1<<32 - 1
	places = make([]uint32, bd.sets.all.len())
	for i := range places {
		places[i] = none
	}
	for i := range bd.sides {
		for j := range bd.sides[i].parts {
			p := &bd.sides[i].parts[j]
			for _, set := range p.seen {
				if places[set] == none {
					places[set] = uint32(len(order))
					order = append(order, set)
				}
			}
			p.seen = nil
		}
	}
	return order, places
}

// write writes all to the image that create makes.
func (bd *build) write(seed *seed, create func(size int64) (image, error)) error {
	order, places := bd.number()
	l := layout{
		seed: *seed, sets: uint64(len(order)), values: uint64(len(bd.sets.all.arena)/4 - len(order)),
		texts: uint64(bd.texts.len()), bytes: uint64(len(bd.texts.arena)),
	}
	if l.values > 1<<32-1 {
		return fmt.Errorf("%w: %d values", ErrTooLarge, l.values)
	}
	for i := range bd.sides {
		l.keys[i] = bd.sides[i].keys()
		l.filter[i] = l.keys[i] >= bd.filterFrom
	}
	at := l.sections()
	img, err := create(int64(at.end))
	if err != nil {
		return err
	}
	for i := range bd.sides {
		if err := bd.writeTable(seed, img, &at, i, l.filter[i], places); err != nil {
			return err
		}
	}

	sets, values := newSectionWriter(img, at.sets), newSectionWriter(img, at.values)
	first := uint32(0)
	for _, set := range order {
		b := bd.sets.all.bytes(set) // meta and values
		sets.Write(b[:4])
		sets.word(first)
		values.Write(b[4:])
		first += uint32(len(b)/4 - 1)
	}
	sets.word(0)
	sets.word(first)
	ends, texts := newSectionWriter(img, at.ends), newSectionWriter(img, at.texts)
	ends.word(0)
	for _, end := range bd.texts.ends {
		ends.word(end)
	}
	texts.Write(bd.texts.arena)
	// The errors of Write stick, and come out of Flush.
	if err := cmp.Or(sets.Flush(), values.Flush(), ends.Flush(), texts.Flush()); err != nil {
		return err
	}
	body, err := bodyDigest(img, at.end, bd.workers)
	if err != nil {
		return err
	}
	_, err = img.WriteAt(l.header(at.end, body), 0)
	return err
}

// writeTable writes the filters, buckets and records of a table.
func (bd *build) writeTable(seed *seed, img image, at *sections, i int, filter bool, places []uint32) error {
	s := &bd.sides[i]
	keys := s.keys()
	buckets := bucketsFor(keys)
	stride := uint64(s.width + 4)
	type scratch struct{ heads, filters, records []byte }
	scratches := make([]scratch, bd.workers)
	groups := int((buckets + groupBuckets - 1) / groupBuckets)
	size := itemBytes(s.width)
	err := parallel(bd.workers, groups, func(w, g int) error {
		b := uint64(g) * groupBuckets
		n := min(groupBuckets, buckets-b)
		part, from := s.seek(seed, firstHash(b, buckets))
		end := s.first(seed, b+n, buckets)

		c := &scratches[w]
		heads := img.bytes(c.heads, at.heads[i].off+headBytes*b, headBytes*n)
		records := img.bytes(c.records, at.records[i].off+stride*from, stride*(end-from))
		filters := c.filters
		if filter {
			filters = img.bytes(c.filters, at.filters[i].off+8*b, 8*n)
		}
		*c = scratch{heads, filters, records}
		if img.file != nil {
			clear(heads)
		}

		begin, next, word := from, uint64(0), uint64(0) // rank and filter of the bucket before next
		for rank := from; rank < end; part++ {
			p := &s.parts[part]
			for ; rank < min(end, p.before+p.n); rank++ {
				item := p.item(rank-p.before, size)
				h := seed.hashItem(item)
				own := bucketOf(h, buckets) - b
				if next <= own {
					if filter && next > 0 {
						binary.LittleEndian.PutUint64(filters[8*(next-1):], word)
					}
					for ; next <= own; next++ {
						binary.LittleEndian.PutUint32(heads[headBytes*next:], uint32(rank))
						if filter {
							binary.LittleEndian.PutUint64(filters[8*next:], 0)
						}
					}
					begin, word = rank, 0
				}
				word |= filterBits(h)
				if slot := rank - begin; slot < slots {
					binary.LittleEndian.PutUint16(heads[headBytes*own+4+2*slot:], uint16(fingerprint(h)))
				}
				w0, w1, w2, w3, _, set := getItem(item)
				rec := records[:stride]
				records = records[stride:]
				binary.LittleEndian.PutUint64(rec, w0)
				binary.LittleEndian.PutUint64(rec[8:], w1)
				if stride == narrowBytes+4 {
					binary.LittleEndian.PutUint64(rec[16:], uint64(places[set])<<32|w2)
				} else {
					binary.LittleEndian.PutUint64(rec[16:], w2)
					binary.LittleEndian.PutUint64(rec[24:], w3)
					binary.LittleEndian.PutUint32(rec[32:], places[set])
				}
			}
		}
		if filter && next > 0 {
			binary.LittleEndian.PutUint64(filters[8*(next-1):], word)
		}
		for ; next < n; next++ {
			binary.LittleEndian.PutUint32(heads[headBytes*next:], uint32(end))
			if filter {
				binary.LittleEndian.PutUint64(filters[8*next:], 0)
			}
		}
		err := cmp.Or(
			img.done(heads, at.heads[i].off+headBytes*b),
			img.done(c.records, at.records[i].off+stride*from))
		if err == nil && filter {
			err = img.done(filters, at.filters[i].off+8*b)
		}
		return err
	})
	if err != nil {
		return err
	}
	var last [headBytes]byte
	binary.LittleEndian.PutUint32(last[:], uint32(keys))
	_, err = img.WriteAt(last[:], int64(at.heads[i].off+headBytes*buckets))
	return err
}

// A sectionWriter writes a section in order.
type sectionWriter struct{ *bufio.Writer }

func newSectionWriter(img image, s section) sectionWriter {
	return sectionWriter{bufio.NewWriterSize(io.NewOffsetWriter(img, int64(s.off)), 1<<16)}
}

// word writes a word.
func (w sectionWriter) word(v uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	w.Write(b[:]) // the error sticks
}

// bodyDigest returns the SHA-256 digest of the CRC-32C checksums of the blocks
// of an image of size bytes, without its header.
func bodyDigest(img image, size uint64, workers int) ([32]byte, error) {
	n := int((size - headerBytes + blockBytes - 1) / blockBytes)
	sums := make([]byte, n*crc32.Size)
	scratch := make([][]byte, workers)
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	err := parallel(workers, n, func(w, i int) error {
		off := headerBytes + uint64(i)*blockBytes
		b, err := img.read(scratch[w], off, min(blockBytes, size-off))
		if err != nil {
			return err
		}
		scratch[w] = b
		binary.LittleEndian.PutUint32(sums[i*crc32.Size:], crc32.Checksum(b, castagnoli))
		return nil
	})
	return sha256.Sum256(sums), err
}
