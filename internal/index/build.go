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
	items [2]mapfile.Array // by table
	sum   sum
	texts texts
	err   error
	tune  tuning
}

// tuning holds the settings that tests change.
type tuning struct {
	filterFrom uint64            // least number of keys of a table with filters; 0 means filterFrom
	seed       func(n int) *seed // replaces seedOf, if it is not nil
}

// filterFrom is the least number of keys of a table with filters. Nearly every table has
// them: one word decides most misses, while a bucket has four, and the filters are a
// quarter of the size of the buckets, which matters if a table is larger than the caches.
const filterFrom = 1

// maxSeeds bounds the number of seeds tried. No real list overfills a bucket by chance.
// An attacker must overfill one under all seeds at once: with b buckets, one account in
// b^64 falls into the right ones, and the attack needs 65 accounts, so b is at least 9.
const maxSeeds = 64

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

// subtract removes an item.
func (s *sum) subtract(item []byte) {
	var t sum
	t.add(getItem(item))
	s.lo, s.hi, s.n = s.lo-t.lo, s.hi-t.hi, s.n-t.n
}

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
func (b *Builder) Add(k ID, value uint32) {
	i := sideOf(k.meta)
	item, err := b.items[i].Append(itemBytes(widths[i]))
	if err != nil {
		b.err = cmp.Or(b.err, err)
		return
	}
	putItem(item, k.w0, k.w1, k.w2, k.w3, k.meta, value)
	b.sum.add(k.w0, k.w1, k.w2, k.w3, k.meta, value)
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
	i := sideOf(k.meta)
	return uint32(i)<<31 | uint32(b.items[i].Len())
}

// At returns the key and the value that Add added at a place, zero if there are none.
func (b *Builder) At(place uint32) (ID, uint32) {
	items, n := &b.items[place>>31], int(place<<1>>1)
	if n >= items.Len() {
		return ID{}, 0
	}
	w0, w1, w2, w3, meta, value := getItem(items.At(n))
	return ID{w0, w1, w2, w3, meta}, value
}

// Text returns the text with the given number.
func (b *Builder) Text(n uint32) (string, error) {
	if uint64(n) >= uint64(b.texts.ends.Len()) {
		return "", fmt.Errorf("%w: no text has the number %d", ErrDamaged, n)
	}
	return string(b.texts.bytes(n)), nil
}

// Intern adds a text, unless it has been added before, and returns its number: 0 for the
// first text, then 1, and so on. If there are too many, Build and WriteFile return an
// error.
func (b *Builder) Intern(text string) uint32 {
	n, err := b.texts.intern(text)
	b.err = cmp.Or(b.err, err)
	return n
}

// AddText adds a text, even if it has been added before, and returns its number. Intern does not
// find it.
func (b *Builder) AddText(text []byte) uint32 {
	n, err := add(&b.texts, text)
	b.err = cmp.Or(b.err, err)
	return n
}

// Texts returns the number of texts.
func (b *Builder) Texts() int { return b.texts.ends.Len() }

// PrefetchText reads what Intern will read to look for a text; see [Slots.Prefetch].
func (b *Builder) PrefetchText(text string) (some byte) { return b.texts.prefetch(text) }

// WriteFile makes the Index, writes it to a file for [Open], and resets b. It replaces
// the file at path atomically: path is the old file or the new one at all times, and
// processes that have the old one open keep it.
func (b *Builder) WriteFile(path string) error {
	ix, err := b.Build()
	if err != nil {
		return err
	}
	defer ix.Close() // it is in memory
	return atomicfile.Write(path, 0o644, func(f *os.File) error {
		_, err := ix.WriteTo(f)
		return err
	})
}

// Build makes the Index in memory and resets b.
func (b *Builder) Build() (*Index, error) {
	defer func() { *b = Builder{tune: b.tune} }()
	defer b.texts.free()
	b.texts.slots.Free()
	var sides [2]side
	defer func() {
		for i := range sides {
			b.items[i].Free()
			sides[i].memory.Free()
		}
	}()
	if b.err != nil {
		return nil, b.err
	}
	for n := 0; n < maxSeeds; {
		seed := seedOf(b.sum, n)
		if b.tune.seed != nil {
			seed = b.tune.seed(n)
		}
		sum := b.sum
		for i := range sides {
			if err := sides[i].sort(i, &b.items[i], seed, &b.sum); err != nil {
				return nil, err
			}
		}
		switch {
		case b.sum != sum: // other items, so another seed
		case sides[0].isOverfull(seed) || sides[1].isOverfull(seed):
			n++
		default:
			return b.write(seed, &sides)
		}
	}
	return nil, errors.New("index: every seed overfills a bucket")
}
