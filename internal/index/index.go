// Package index is a table in memory from keys to values, for lookups that mostly miss.
//
// [Table.Add] files a value under a key, and [Table.AppendRows] looks it up. A key is a class
// and at most 32 bytes; see [ID]. A value is a number that means something to the caller, such
// as a place in a file.
//
// A [Table] is slots with open addressing, and rows, in slices without pointers, so the
// garbage collector has nothing to scan. A slot has half of the hash of its key, so a miss
// reads slots only. Before that, one word of a [Filter] decides nearly all misses.
//
// [Hash] is the same for all tables of a process: a lookup in several of them computes it once.
// It is keyed with a random seed, so nobody who can write to a list can choose keys that fall
// into one slot.
package index

import (
	"errors"
	"slices"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// ErrTooLarge is the error of a Table with 2^31 rows.
var ErrTooLarge = errors.New("index: too many entries")

// A Table maps keys to values. One goroutine adds rows and then calls Seal; from then on, the
// table is not changed, and its methods may be called concurrently.
type Table struct {
	derive   func(ID) (ID, bool)
	slots    slots // numbers of rows, the first of each key; with derivedBit also under the derived key
	rows     [][]row
	n        uint32 // how many rows there are
	keys     int
	expected int        // how many rows there will be
	derived  [][]uint64 // before Seal: slots of derived keys, in parts of memory that the cache of a processor has room for

	filter *Filter // of a large table; nil: none
	err    error
}

// A row is a value under a key, without the padding of an ID. Its number is at least 1.
type row struct {
	words identity.Words
	meta  uint32
	value uint32
	tag   uint32
	next  uint32 // another row with the key; 0: none
}

func (r *row) key() ID { return ID{r.words, r.meta} }

const (
	derivedBit = 1 << 31
	perPiece   = 1 << 13 // rows of each piece, so that a growing table is not copied
	parts      = 1 << 8  // of the derived keys
)

// New returns an empty Table. If derive, which may be nil, returns another key for a key, the rows of
// that key are found under both once the table is sealed, and the other takes no more than a slot.
func New(derive func(ID) (ID, bool)) *Table {
	if derive == nil {
		derive = func(ID) (ID, bool) { return ID{}, false }
	}
	return &Table{derive: derive, derived: make([][]uint64, parts)}
}

// Grow makes room for n more rows.
func (t *Table) Grow(n int) {
	t.slots.resize(roomOf(t.slots.n + n))
	t.expected = int(t.n) + n
}

// Add adds a row with a value under a key. Of many rows under one key, AppendTagged finds those with a tag.
// derived is what Derived of another Table has for a row with that key, or 0: it saves the time to derive a key again.
func (t *Table) Add(k ID, value, tag, derived uint32) {
	if t.n == derivedBit-1 {
		t.err = ErrTooLarge
		return
	}
	last := len(t.rows) - 1
	if last < 0 || len(t.rows[last]) == perPiece {
		t.rows = append(t.rows, make([]row, 0, min(perPiece, max(16, t.expected-int(t.n)))))
		last++
	}
	t.n++
	t.rows[last] = append(t.rows[last], row{k.Words, k.meta, value, tag, 0})
	number, h := t.n, k.Hash()
	for at := t.slots.begin(h); ; at++ {
		n, end := t.slots.next(&at, h)
		if end {
			break
		}
		if n < derivedBit && t.is(n, &k) {
			first := t.row(n)
			t.row(number).next, first.next = first.next, number
			return
		}
	}
	t.keys++
	t.slots.add(h, number)
	ok := derived != 0
	if !ok {
		var d ID
		if d, ok = t.derive(k); ok {
			derived = uint32(d.Hash() >> 32)
		}
	}
	if ok {
		part := &t.derived[uint64(derived)*parts>>32]
		*part = append(*part, uint64(derived)<<32|derivedBit|uint64(number))
	}
}

// Derived returns half of the hash of the derived key of each row of t, which is sealed; 0 if the row has none, or its key has
// an earlier row.
func (t *Table) Derived() []uint32 {
	all := make([]uint32, t.n+1)
	for _, slot := range t.slots.at {
		if n := uint32(slot); n >= derivedBit {
			all[n-derivedBit] = uint32(slot >> 32)
		}
	}
	return all
}

func (t *Table) row(n uint32) *row { return &t.rows[(n-1)/perPiece][(n-1)%perPiece] }

// Seal ends the adding. The error is ErrTooLarge.
func (t *Table) Seal() error {
	n := t.slots.n
	for _, part := range t.derived {
		n += len(part)
	}
	t.slots.resize(roomOf(n))
	for _, part := range t.derived {
		for _, slot := range part {
			t.slots.add(slot, uint32(slot))
		}
	}
	t.derived = nil
	if t.err == nil && t.Len() > maxShared {
		t.filter = NewFilter(t)
	}
	return t.err
}

// Filter returns the Filter of t, which is sealed; nil if it is small, and should share one with other tables.
func (t *Table) Filter() *Filter { return t.filter }

// is reports whether the number in a slot is of a row that is found under k.
func (t *Table) is(n uint32, k *ID) bool {
	d := t.row(n &^ derivedBit)
	if n >= derivedBit {
		is, _ := t.derive(d.key())
		return is == *k
	}
	return d.words == k.Words && d.meta == k.meta
}

// AppendRows appends to dst, which is empty, the numbers of the rows that are found under k, in
// the order in which they were added.
func (t *Table) AppendRows(dst []uint32, k ID) []uint32 { return t.AppendTagged(dst, k.Hash(), &k, 0) }

// AppendTagged is AppendRows with the hash of k, of the rows with a tag; of all rows if tag is 0.
func (t *Table) AppendTagged(dst []uint32, h uint64, k *ID, tag uint32) []uint32 {
	for at := t.slots.begin(h); ; at++ {
		n, end := t.slots.next(&at, h)
		if end {
			break
		}
		if t.is(n, k) {
			for n &^= derivedBit; n != 0; {
				r := t.row(n)
				if tag == 0 || r.tag == tag {
					dst = append(dst, n)
				}
				n = r.next
			}
		}
	}
	if len(dst) > 1 {
		slices.Sort(dst)
	}
	return dst
}

// Key returns the key of a row, and Value its value.
func (t *Table) Key(row uint32) ID       { return t.row(row).key() }
func (t *Table) Value(row uint32) uint32 { return t.row(row).value }

// Rows returns how many rows were added. Their numbers are 1 to Rows.
func (t *Table) Rows() uint32 { return t.n }

// Len returns the number of keys, without those that are derived.
func (t *Table) Len() int { return t.keys }

// Size returns the size of t in bytes.
func (t *Table) Size() int {
	const rowBytes = 48
	size := 8 * len(t.slots.at)
	for _, piece := range t.rows {
		size += rowBytes * cap(piece)
	}
	if t.filter != nil {
		size += 8 * len(t.filter.words)
	}
	return size
}
