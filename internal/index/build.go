package index

import (
	"cmp"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// ErrTooLarge is wrapped by errors about an index that would have more than 2^32-1 keys
// in a table, sets, or values in all sets, or more than 4 GiB of texts.
var ErrTooLarge = errors.New("too large for an index")

// A Builder makes an Index of keys and their values. The zero Builder is ready for use.
// Its methods must not be called concurrently.
//
// The bytes of the Index depend only on the keys and their values, and on the texts and
// their order; not on the order in which keys are added, on repetitions, or on the
// machine.
type Builder struct {
	// Workers is the number of goroutines that build. 0 means 2.
	Workers int

	items  [2]pile
	arenas [2]arena // of the chunks of items
	pool   *pool    // of the arenas; nil if the Builder is empty
	sum    sum
	texts  *interner // nil if there are none
	err    error
	tune   tuning
}

// tuning holds the settings that tests change.
type tuning struct {
	filterFrom uint64            // least number of keys of a table with filters; 0 means filterFrom
	seed       func(n int) *seed // replaces seedOf, if it is not nil
	held       func(bytes int)   // called with the size of all slabs after each part is written, if it is not nil
}

// filterFrom is the least number of keys of a table with filters. Nearly every table has
// them: one word decides most misses, while a bucket has four, and the filters are a
// quarter of the size of the buckets, which matters if a table is larger than the caches.
const filterFrom = 1

// maxSeeds bounds the number of seeds tried. No real list overfills a bucket by chance.
// An attacker must overfill one under all seeds at once: with b buckets, one account in
// b^64 falls into the right ones, and the attack needs 65 accounts, so b is at least 9.
const maxSeeds = 64

// A pile holds items of one width in any order: payload, meta and value. The last chunk
// is being filled.
type pile struct {
	chunks []chunk
	last   chunk
	at     int // offset in last of the next item
}

// push moves the content of the last chunk to the chunks.
func (p *pile) push() {
	if p.at > 0 {
		p.chunks = append(p.chunks, chunk{p.last.items[:p.at], p.last.slab})
	}
	p.last, p.at = chunk{}, 0
}

// room adds a chunk for items of the given size.
func (p *pile) room(a *arena, size int) error {
	c, err := a.chunk(chunkItems * size)
	if err != nil {
		return err
	}
	p.push()
	p.last = chunk{c.items[:cap(c.items)], c.slab}
	return nil
}

// chunkItems is the capacity of a chunk.
const chunkItems = 256

// itemBytes returns the size of an item in a table of the given width.
func itemBytes(width int) int { return width + 8 }

// putItem encodes an item into b, whose length tells the width.
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

// getItem decodes what putItem encoded.
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

// A sum is a digest of items that does not depend on their order. Seeds follow from it.
// It is not cryptographic: an attacker who chooses accounts can choose the sum, and so
// knows the seeds; see maxSeeds.
type sum struct{ lo, hi, n uint64 }

// add adds an item.
func (s *sum) add(w0, w1, w2, w3 uint64, meta, value uint32) {
	// Digits of pi: arbitrary constants, odd where they are factors.
	hi, lo := bits.Mul64(
		w0^0x243f6a8885a308d3+w2*0x13198a2e03707345,
		w1^0xa4093822299f31d1+(w3^uint64(value)<<32^uint64(meta))*0x082efa98ec4e6c89)
	s.lo, s.hi, s.n = s.lo+lo, s.hi+(hi^w0), s.n+1
}

// subtract removes the items of t.
func (s *sum) subtract(t sum) { s.lo, s.hi, s.n = s.lo-t.lo, s.hi-t.hi, s.n-t.n }

// seedOf returns seed number n for items with this sum.
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

// Add adds value to the set of values of key k. If memory cannot be allocated, Build and
// WriteFile return an error.
func (b *Builder) Add(k ID, value uint32) { b.add(k.w0, k.w1, k.w2, k.w3, k.meta, value) }

// add is Add with the key in registers.
func (b *Builder) add(w0, w1, w2, w3 uint64, meta, value uint32) {
	b.sum.add(w0, w1, w2, w3, meta, value)
	i := sideOf(meta)
	p, size := &b.items[i], itemBytes(widths[i])
	if p.at == len(p.last.items) && !b.room(i) {
		return
	}
	putItem(p.last.items[p.at:p.at+size:p.at+size], w0, w1, w2, w3, meta, value)
	p.at += size
}

// sideOf returns the table of keys with the given meta.
func sideOf(meta uint32) int {
	if meta>>16 > narrowBytes {
		return 1
	}
	return 0
}

// Next returns the place of k for At, if k is the next key that Add adds.
func (b *Builder) Next(k ID) uint32 {
	i := uint32(sideOf(k.meta))
	p := &b.items[i]
	return i<<31 | uint32(len(p.chunks)*chunkItems+p.at/itemBytes(widths[i]))
}

// At returns the key and the value that Add added at a place, zero if there are none.
func (b *Builder) At(place uint32) (ID, uint32) {
	i, n := place>>31, int(place<<1>>1)
	p, size := &b.items[i], itemBytes(widths[i])
	items := p.last.items[:p.at]
	if n/chunkItems < len(p.chunks) {
		items = p.chunks[n/chunkItems].items
	} else if n/chunkItems > len(p.chunks) {
		items = nil
	}
	at := n % chunkItems * size
	if at >= len(items) {
		return ID{}, 0
	}
	w0, w1, w2, w3, meta, value := getItem(items[at : at+size : at+size])
	return ID{w0, w1, w2, w3, meta}, value
}

// Text returns the text with the given number.
func (b *Builder) Text(n uint32) (string, error) {
	if b.texts == nil || uint64(n) >= uint64(b.texts.len()) {
		return "", fmt.Errorf("%w: no text has the number %d", ErrDamaged, n)
	}
	return string(b.texts.bytes(n)), nil
}

// room makes room for items of table i. It reports whether memory could be allocated.
func (b *Builder) room(i int) bool {
	if b.pool == nil {
		b.pool = new(pool)
	}
	b.arenas[i].pool = b.pool
	err := b.items[i].room(&b.arenas[i], itemBytes(widths[i]))
	b.err = cmp.Or(b.err, err)
	return err == nil
}

// Intern adds a text, unless it has been added before, and returns its number: 0 for the
// first text, then 1, and so on. If there are too many, Build and WriteFile return an
// error.
func (b *Builder) Intern(text string) uint32 {
	if b.texts == nil {
		b.texts = new(interner)
	}
	n, err := b.texts.intern([]byte(text))
	b.err = cmp.Or(b.err, err)
	return n
}

// Build makes the Index in memory and resets b. It frees the items, which are about as
// large as the Index, while it writes: at once where memory can be mapped, and by the
// garbage collector elsewhere.
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
		data, release, err = mapfile.Allocate(int(size))
		return image{memory: data}, err
	})
	if err != nil {
		free()
		return nil, err
	}
	return load(data, release)
}

// WriteFile makes the Index, writes it to a file for [Open], and resets b. It replaces
// the file at path atomically: path is the old file or the new one at all times, and
// processes that have the old one open keep it.
func (b *Builder) WriteFile(path string) error {
	built := false
	err := atomicfile.Write(path, 0o644, func(f *os.File) error {
		built = true
		return b.build(func(size int64) (image, error) {
			return image{file: f}, cmp.Or(f.Truncate(0), f.Truncate(size))
		})
	})
	if !built { // no file could be created
		if b.pool != nil {
			b.pool.free()
		}
		b.reset()
	}
	return err
}

// reset empties b.
func (b *Builder) reset() { *b = Builder{Workers: b.Workers, tune: b.tune} }

// build writes the index to an image from create, which is filled with zeros. It may
// call create more than once, and uses the last image.
func (b *Builder) build(create func(size int64) (image, error)) error {
	err := b.err
	texts := b.texts
	if texts == nil {
		texts = new(interner)
	}
	defer texts.freeAll()
	texts.close()
	chunks := b.pool
	if chunks == nil {
		chunks = new(pool)
	}
	defer chunks.free()
	bd := &build{workers: b.Workers, filterFrom: b.tune.filterFrom, sum: b.sum, texts: texts, sets: new(sharedSets), pool: chunks, held: b.tune.held}
	defer bd.sets.all.freeAll()
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

	// If a key was added twice, there are fewer keys than items, and the sum may differ
	// from that of the remaining items. Then everything is done again. Only remaining
	// items can overfill a bucket.
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

// Reasons why the image written so far cannot be used.
var (
	errRepeated = errors.New("a key was added twice")
	errOverfull = errors.New("a bucket is overfull")
)

// A build is the state of building one index.
type build struct {
	workers    int
	filterFrom uint64
	sum        sum
	sides      [2]side
	pool       *pool
	held       func(bytes int)
	numbered   bool // items have the numbers of sets instead of values
	sets       *sharedSets
	texts      *interner
}

// write writes the index to the image that create returns. If keys were added twice, it
// merges the items of each such key and returns errRepeated.
func (bd *build) write(seed *seed, create func(size int64) (image, error)) error {
	for i := range bd.sides {
		if err := bd.partition(&bd.sides[i], seed); err != nil {
			return err
		}
	}
	bd.numbered = true
	bd.pool.trim()
	bd.sets.all.close()

	l := layout{seed: *seed, texts: uint64(bd.texts.len()), bytes: bd.texts.size}
	l.sets, l.values = bd.used()
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
	order, err := newSequence(l.sets, uint64(bd.sets.all.len()))
	if err != nil {
		return err
	}
	defer order.free()
	var at sections
	var img image
	if useless == nil {
		at = l.sections()
		if img, err = create(int64(at.end)); err != nil {
			return err
		}
	}
	if err := bd.writeTables(seed, img, &at, order, useless); err != nil {
		return err
	}

	order.places.Free()
	ends, texts := newSectionWriter(img, at.ends), newSectionWriter(img, at.texts)
	ends.word(0)
	end := uint32(0)
	for i := range bd.texts.len() {
		text := bd.texts.bytes(uint32(i))
		end += uint32(len(text))
		ends.word(end)
		texts.Write(text)
		if place := bd.texts.ends.At(i); i > 0 && place/pieceBytes > bd.texts.ends.At(i-1)/pieceBytes {
			bd.texts.free(int(bd.texts.ends.At(i-1) / pieceBytes)) // all of it is written
		}
		step(i)
	}
	bd.texts.freeAll()
	sets, values := newSectionWriter(img, at.sets), newSectionWriter(img, at.values)
	first := uint32(0)
	for i := range order.sets.Len() {
		b := bd.sets.all.bytes(order.sets.At(i)) // meta and values
		sets.Write(b[:4])
		sets.word(first)
		values.Write(b[4:])
		first += uint32(len(b)/4 - 1)
		step(i)
	}
	sets.word(0)
	sets.word(first)
	// Errors of Write are sticky; Flush returns them.
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
