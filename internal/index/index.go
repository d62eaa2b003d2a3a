package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"runtime"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// ErrDamaged is wrapped by errors about an index that differs from what a Builder makes.
var ErrDamaged = errors.New("index is damaged")

// An Index is an immutable map of keys to sets of values. All methods except Close may
// be called concurrently.
type Index struct {
	seed   seed
	tables [2]table
	sets   []byte // 8 bytes for each set: meta of its keys, first value; and one more
	values []byte // 4 bytes for each value
	ends   []byte // 4 bytes for each text: its offset; and one more
	texts  []byte
	digest [32]byte
	data   []byte // the whole index

	owner any // keeps data mapped; nil if data is on the heap
}

// A table holds the keys of one range of lengths.
type table struct {
	keys    uint64
	buckets uint64
	width   int  // bytes of payload in a record
	filter  bool // the table has filters
	filters []byte
	heads   []byte // the buckets, and one more that ends the last
	records []byte
}

// A Set is the number of a set of values in an Index. Equal numbers mean equal sets.
type Set uint32

// damagedSet is the result of a lookup in a damaged index: a hit, because a miss would
// mean clean, for which [Index.AppendValues] returns an error.
const damagedSet Set = 1<<32 - 1

// Lookup returns the set of values of k, and reports whether ix has k. It does not
// allocate.
//
// Lookup compares class, length and every byte before it reports a hit. If it finds
// something that no Builder makes, it reports true, and AppendValues returns an error for
// the set.
func (ix *Index) Lookup(k ID) (s Set, ok bool) {
	_, s, ok = ix.lookup(k.w0, k.w1, k.w2, k.w3, k.meta)
	return s, ok
}

// LookupWords is Lookup of [IDOfWords]. It keeps the key in registers, while an ID is so
// large that it goes through memory.
func (ix *Index) LookupWords(class uint16, w0, w1, w2, w3 uint64, n int) (s Set, ok bool) {
	_, s, ok = ix.lookup(w0, w1, w2, w3, uint32(n)<<16|uint32(class))
	return s, ok // inlined
}

// Place is like Lookup and also returns the place of the key: the number of keys that
// [Index.All] yields before it.
func (ix *Index) Place(k ID) (place int, s Set, ok bool) {
	r, s, ok := ix.lookup(k.w0, k.w1, k.w2, k.w3, k.meta)
	if ok && s != damagedSet && sideOf(k.meta) == 1 {
		r += ix.tables[0].keys
	}
	return int(r), s, ok
}

const (
	lanes = 0x0001_0001_0001_0001 // 1 in each of four 16-bit lanes
	tops  = 0x8000_8000_8000_8000 // the highest bit of each
	ranks = 0xffff_ffff           // the part of the first word of a bucket without fingerprints
)

// lookup is Lookup with the key in registers. It also returns the number of the record.
func (ix *Index) lookup(w0, w1, w2, w3 uint64, meta uint32) (uint64, Set, bool) {
	t := &ix.tables[0]
	if meta>>16 > narrowBytes {
		t = &ix.tables[1]
	}
	sd := &ix.seed
	h := fold(fold(w0^sd[0], w1^sd[1])^uint64(meta), fold(w2^sd[2], w3^sd[3])) // sd.hash, without a call
	n := bucketOf(h, t.buckets)
	if t.filter {
		off := 8 * n
		if off+8 > uint64(len(t.filters)) {
			return 0, damagedSet, true
		}
		mask := filterBits(h)
		if binary.LittleEndian.Uint64(t.filters[off:])&mask != mask {
			runtime.KeepAlive(ix)
			return 0, 0, false
		}
	}
	off := headBytes * n
	if off+2*headBytes > uint64(len(t.heads)) {
		return 0, damagedSet, true // closed
	}
	if candidates(t.heads[off:off+headBytes], fingerprint(h)*lanes) == 0 {
		runtime.KeepAlive(ix)
		return 0, 0, false
	}
	r, s, ok := ix.scan(t, off, h, w0, w1, w2, w3, meta)
	runtime.KeepAlive(ix)
	return r, s, ok
}

// candidates returns 0 if the bucket cannot have a key: no fingerprint equals the
// fingerprint that f repeats four times, and every record has a fingerprint.
func candidates(head []byte, f uint64) uint64 {
	last := binary.LittleEndian.Uint64(head[24:])
	return (zeros(binary.LittleEndian.Uint64(head)^f|ranks)|zeros(binary.LittleEndian.Uint64(head[8:])^f)|
		zeros(binary.LittleEndian.Uint64(head[16:])^f)|zeros(last^f))&tops | last>>48
}

// zeros sets the highest bit of each lane of x that is 0, and perhaps of lanes that are 1
// above such a lane. The other bits are arbitrary.
func zeros(x uint64) uint64 { return (x - lanes) &^ x }

// scan compares a key with the records of the bucket at off that have its fingerprint or
// none.
func (ix *Index) scan(t *table, off, h, w0, w1, w2, w3 uint64, meta uint32) (uint64, Set, bool) {
	head := t.heads[off : off+2*headBytes : off+2*headBytes]
	f := fingerprint(h) * lanes
	first := binary.LittleEndian.Uint64(head)
	// Bit 16*j+i says that lane j of word i has the fingerprint. There is one loop for all
	// words, because nothing predicts the word.
	found := zeros(first^f|ranks)&tops>>15 | zeros(binary.LittleEndian.Uint64(head[8:])^f)&tops>>14 |
		zeros(binary.LittleEndian.Uint64(head[16:])^f)&tops>>13 | zeros(binary.LittleEndian.Uint64(head[24:])^f)&tops>>12
	rank := first & ranks
	for ; found != 0; found &= found - 1 {
		at := bits.TrailingZeros64(found)
		r := rank + uint64(4*(at&15)+at>>4-2)
		if s, ok := ix.compare(t, r, w0, w1, w2, w3, meta); ok {
			return r, s, true
		}
	}
	if binary.LittleEndian.Uint16(head[headBytes-2:]) == 0 {
		return 0, 0, false
	}
	end := uint64(binary.LittleEndian.Uint32(head[headBytes:]))
	if end < rank+slots || end > rank+maxBucket || end > t.keys {
		return 0, damagedSet, true
	}
	for r := rank + slots; r < end; r++ {
		if s, ok := ix.compare(t, r, w0, w1, w2, w3, meta); ok {
			return r, s, true
		}
	}
	return 0, 0, false
}

// compare returns the set of record r, and reports whether the record has the key.
func (ix *Index) compare(t *table, r, w0, w1, w2, w3 uint64, meta uint32) (Set, bool) {
	if r >= t.keys {
		return damagedSet, true
	}
	var s uint32
	if t.width == narrowBytes {
		const n = narrowBytes + 4
		rec := t.records[n*r : n*r+n : n*r+n]
		tail := binary.LittleEndian.Uint64(rec[16:])
		if (binary.LittleEndian.Uint64(rec)^w0)|(binary.LittleEndian.Uint64(rec[8:])^w1)|uint64(uint32(tail)^uint32(w2)) != 0 {
			return 0, false
		}
		s = uint32(tail >> 32)
	} else {
		const n = wideBytes + 4
		rec := t.records[n*r : n*r+n : n*r+n]
		if binary.LittleEndian.Uint64(rec) != w0 || binary.LittleEndian.Uint64(rec[8:]) != w1 ||
			binary.LittleEndian.Uint64(rec[16:]) != w2 || binary.LittleEndian.Uint64(rec[24:]) != w3 {
			return 0, false
		}
		s = binary.LittleEndian.Uint32(rec[wideBytes:])
	}
	off := 8 * uint64(s)
	if off+16 > uint64(len(ix.sets)) {
		return damagedSet, true
	}
	return Set(s), binary.LittleEndian.Uint32(ix.sets[off:off+4:off+4]) == meta
}

// record returns the bytes of record r, which must be less than t.keys.
func (t *table) record(r uint64) []byte {
	stride := uint64(t.width + 4)
	return t.records[r*stride : (r+1)*stride]
}

// AppendValues appends the values of s to dst, in ascending order. It returns an error
// that wraps ErrDamaged if ix has no set s.
func (ix *Index) AppendValues(dst []uint32, s Set) ([]uint32, error) {
	off := 8 * uint64(s)
	if off+16 > uint64(len(ix.sets)) {
		return dst, fmt.Errorf("%w: no set has the number %d", ErrDamaged, s)
	}
	first := uint64(binary.LittleEndian.Uint32(ix.sets[off+4:]))
	end := uint64(binary.LittleEndian.Uint32(ix.sets[off+12:]))
	if first >= end || 4*end > uint64(len(ix.values)) {
		return dst, fmt.Errorf("%w: the values of set %d", ErrDamaged, s)
	}
	for i := first; i < end; i++ {
		dst = append(dst, binary.LittleEndian.Uint32(ix.values[4*i:]))
	}
	runtime.KeepAlive(ix)
	return dst, nil
}

// Text returns the text that [Builder.Intern] numbered i.
func (ix *Index) Text(i uint32) (string, error) {
	off := 4 * uint64(i)
	if off+8 > uint64(len(ix.ends)) {
		return "", fmt.Errorf("%w: no text has the number %d", ErrDamaged, i)
	}
	begin, end := binary.LittleEndian.Uint32(ix.ends[off:]), binary.LittleEndian.Uint32(ix.ends[off+4:])
	if begin > end || uint64(end) > uint64(len(ix.texts)) {
		return "", fmt.Errorf("%w: text %d", ErrDamaged, i)
	}
	text := string(ix.texts[begin:end])
	runtime.KeepAlive(ix)
	return text, nil
}

// Texts returns the number of texts.
func (ix *Index) Texts() int { return max(0, len(ix.ends)/4-1) }

// Sets returns the number of sets.
func (ix *Index) Sets() int { return max(0, len(ix.sets)/8-1) }

// Len returns the number of keys.
func (ix *Index) Len() int { return int(ix.tables[0].keys + ix.tables[1].keys) }

// Size returns the size of ix in bytes, in memory and as a file.
func (ix *Index) Size() int { return len(ix.data) }

// Digest returns the checksum of the header, which covers checksums of everything else.
// Indexes of the same keys, values and texts have the same digest. It does not resist an
// attacker who wants two indexes with one digest.
func (ix *Index) Digest() [32]byte { return ix.digest }

// WriteTo writes the bytes of ix, for [Load].
func (ix *Index) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(ix.data)
	runtime.KeepAlive(ix)
	return int64(n), err
}

// All returns the keys of ix and their sets, in an unspecified order. If ix is damaged,
// it may return any keys and sets.
func (ix *Index) All() iter.Seq2[ID, Set] {
	return func(yield func(ID, Set) bool) {
		for i := range ix.tables {
			t := &ix.tables[i]
			for r := range t.keys {
				if k, s := ix.at(t, r); !yield(k, s) {
					return
				}
			}
		}
		runtime.KeepAlive(ix)
	}
}

// At returns the key at a place, as in [Index.Place], and its set.
func (ix *Index) At(place int) (ID, Set) {
	defer runtime.KeepAlive(ix)
	r := uint64(place)
	for i := range ix.tables {
		t := &ix.tables[i]
		if r < t.keys {
			return ix.at(t, r)
		}
		r -= t.keys
	}
	return ID{}, damagedSet
}

// at returns the key and the set of record r.
func (ix *Index) at(t *table, r uint64) (ID, Set) {
	rec := t.record(r)
	var padded [wideBytes]byte
	copy(padded[:], rec[:t.width])
	s := binary.LittleEndian.Uint32(rec[t.width:])
	if 8*uint64(s)+16 > uint64(len(ix.sets)) {
		return wordsOf(padded[:], 0), damagedSet
	}
	return wordsOf(padded[:], binary.LittleEndian.Uint32(ix.sets[8*s:])), Set(s)
}

// Open maps the file of an index into memory, or reads it on systems without mapped
// files. It checks the structure of the file, which takes the same short time for all
// sizes; [Index.Verify] checks the rest.
//
// The file must not be changed or truncated while it is open. To replace it, rename
// another file over it, as [Builder.WriteFile] does.
func Open(path string) (*Index, error) {
	m, err := mapfile.Open(path)
	if errors.Is(err, mapfile.ErrIrregular) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	ix, err := Load(m.Bytes, m)
	if err != nil {
		m.Free()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ix, nil
}

// Load returns the index with the bytes data, which must not be changed afterwards. It
// checks what Open checks. If owner is not nil, it unmaps data when it becomes unreachable: the
// Index keeps it reachable.
func Load(data []byte, owner any) (*Index, error) {
	ix, err := parse(data)
	if err == nil {
		ix.owner = owner
	}
	return ix, err
}

// Close frees ix. It must not be called while another method of ix runs. Calling it is
// optional: the garbage collector frees an unreachable Index. A closed Index answers like
// a damaged one.
func (ix *Index) Close() error {
	m, _ := ix.owner.(*mapfile.Memory)
	*ix = Index{}
	return m.Free()
}
