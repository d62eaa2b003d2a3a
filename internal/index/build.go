package index

import (
	"cmp"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
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

	items  [2]pile
	arenas [2]arena // of the chunks of items
	pool   *pool    // of the arenas; nil if nothing was added
	sum    sum
	texts  interner
	err    error
	tune   tuning
}

// tuning is what tests change.
type tuning struct {
	filterFrom uint64            // keys from which a table has filters; 0 means filterFrom
	seed       func(n int) *seed // instead of seedOf, if it is not nil
	held       func(bytes int)   // called with those of all slabs when a part was written, if it is not nil
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
	chunks []chunk
	last   chunk
	at     int // where in last the next item goes
}

// push adds what is in the last chunk to the chunks.
func (p *pile) push() {
	if p.at > 0 {
		p.chunks = append(p.chunks, chunk{p.last.items[:p.at], p.last.slab})
	}
	p.last, p.at = chunk{}, 0
}

// room makes room for items of a size.
func (p *pile) room(a *arena, size int) error {
	c, err := a.chunk(chunkItems * size)
	if err != nil {
		return err
	}
	p.push()
	p.last = chunk{c.items[:cap(c.items)], c.slab}
	return nil
}

// chunkItems is how many items a chunk has room for.
const chunkItems = 256

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
	if p.at == len(p.last.items) && !b.room(i) {
		return
	}
	putItem(p.last.items[p.at:p.at+size:p.at+size], w0, w1, w2, w3, meta, value)
	p.at += size
}

// room makes room for items of table i. It reports false if there is no memory.
func (b *Builder) room(i int) bool {
	if b.pool == nil {
		b.pool = new(pool)
	}
	b.arenas[i].pool = b.pool
	err := b.items[i].room(&b.arenas[i], itemBytes(widths[i]))
	b.err = cmp.Or(b.err, err)
	return err == nil
}

// Intern adds a text, if it has not been added yet, and returns its number. The
// first has the number 0, the next 1, and so on. If there are too many, Build
// and WriteFile return an error.
func (b *Builder) Intern(text string) uint32 {
	n, err := b.texts.intern([]byte(text))
	b.err = cmp.Or(b.err, err)
	return n
}

// Build makes the Index, in memory. What was added, which is about as large, is
// given back meanwhile, piece by piece: where memory can be mapped, at once, and
// elsewhere to the collector. b is as new afterwards.
func (b *Builder) Build() (*Index, error) {
	var release func() error
	var data []byte
	free := func() {
		if release != nil {
			release()
		}
	}
	err := b.build(func(size int64) (image, error) {
		if size != int64(int(size)) {
			return image{}, ErrTooLarge
		}
		free()
		var err error
		data, release, err = allocate(int(size))
		return image{memory: data}, err
	})
	if err != nil {
		free()
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
		if b.pool != nil {
			b.pool.free()
		}
		b.reset()
		return err
	}
	err = b.build(func(size int64) (image, error) {
		return image{file: f}, cmp.Or(f.Truncate(0), f.Truncate(size))
	})
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

// reset makes b as new.
func (b *Builder) reset() { *b = Builder{Workers: b.Workers, tune: b.tune} }

// build writes the index to the image that create makes: of zeros, and perhaps not
// the first one.
func (b *Builder) build(create func(size int64) (image, error)) error {
	err := b.err
	texts := b.texts
	chunks := b.pool
	if chunks == nil {
		chunks = new(pool)
	}
	defer chunks.free()
	bd := &build{workers: b.Workers, filterFrom: b.tune.filterFrom, sum: b.sum, texts: &texts, sets: new(sharedSets), pool: chunks, held: b.tune.held}
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
		b.items[i].push()
		b.arenas[i].close()
		bd.sides[i].width = widths[i]
		bd.sides[i].parts = []part{{chunks: b.items[i].chunks}}
	}
	b.reset()
	if err != nil {
		return err
	}

	// If a key was added twice, there are fewer keys than items, and the sum was
	// perhaps not that of what remains; then, all is done again. Only what remains
	// can overfill a bucket.
	for n := 0; n < maxSeeds; {
		switch err := bd.write(newSeed(n), create); err {
		case errRepeated:
		case errOverfull:
			n++
		default:
			return err
		}
	}
	return errors.New("index: every seed overfills a bucket")
}

// Why what was written is of no use.
var (
	errRepeated = errors.New("a key was added twice")
	errOverfull = errors.New("a bucket is overfull")
)

// A build is the making of an index.
type build struct {
	workers    int
	filterFrom uint64
	sum        sum
	sides      [2]side
	pool       *pool
	held       func(bytes int)
	numbered   bool // items have the numbers of sets, in the place of values
	sets       *sharedSets
	texts      *interner
}

// write writes all to the image that create makes. If a key is there twice, it
// makes all its items one, of all keys, and returns errRepeated.
func (bd *build) write(seed *seed, create func(size int64) (image, error)) error {
	var order sequence
	for i := range bd.sides {
		s := &bd.sides[i]
		firsts, err := bd.partition(s, seed)
		if err != nil {
			return err
		}
		if err := order.add(s, seed, firsts); err != nil {
			return err
		}
	}
	bd.numbered = true
	bd.pool.trim()

	l := layout{seed: *seed, sets: uint64(len(order.sets)), texts: uint64(bd.texts.len()), bytes: uint64(len(bd.texts.arena))}
	for i, set := range order.sets {
		l.values += uint64(len(bd.sets.all.bytes(set))/4 - 1)
		step(i)
	}
	var useless error
	for i := range bd.sides {
		l.keys[i] = bd.sides[i].keys
		l.filter[i] = l.keys[i] >= bd.filterFrom
		if l.keys[i] > maxKeys {
			useless = fmt.Errorf("%w: %d keys", ErrTooLarge, l.keys[i])
		}
	}
	if l.values > 1<<32-1 {
		return fmt.Errorf("%w: %d values", ErrTooLarge, l.values)
	}
	var at sections
	var img image
	if useless == nil {
		at = l.sections()
		var err error
		if img, err = create(int64(at.end)); err != nil {
			return err
		}
	}
	if err := bd.writeTables(seed, img, &at, &order, useless); err != nil {
		return err
	}

	sets, values := newSectionWriter(img, at.sets), newSectionWriter(img, at.values)
	first := uint32(0)
	for i, set := range order.sets {
		b := bd.sets.all.bytes(set) // meta and values
		sets.Write(b[:4])
		sets.word(first)
		values.Write(b[4:])
		first += uint32(len(b)/4 - 1)
		step(i)
	}
	sets.word(0)
	sets.word(first)
	ends, texts := newSectionWriter(img, at.ends), newSectionWriter(img, at.texts)
	ends.word(0)
	for i, end := range bd.texts.ends {
		ends.word(end)
		step(i)
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
