package list

import (
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/sources"
)

// A table is entries in the form in which they are looked up: an index of all keys
// under which they are filed, to the numbers of their listings. It is never changed. A
// nil table has no entries.
type table struct {
	index  *index.Index
	recent ring[Listing] // by number
}

// maxRing bounds the ring of a table.
const maxRing = 1 << 10

func newTable(ix *index.Index) *table {
	return &table{index: ix, recent: make(ring[Listing], min(max(1, ix.Texts()), maxRing))}
}

// listing returns listing n.
func (t *table) listing(n uint32) (*Listing, error) {
	slot := t.recent.slot(n)
	if l := slot.Load(); l != nil && l.number == n {
		return l, nil
	}
	l, err := readListing(t.index, n)
	if err != nil {
		return nil, err
	}
	slot.Store(l)
	return l, nil
}

// listings returns the listings of a set.
func (t *table) listings(set index.Set) ([]*Listing, error) {
	var buf [8]uint32
	numbers, err := t.index.AppendValues(buf[:0], set)
	if err != nil {
		return nil, err
	}
	listings := make([]*Listing, len(numbers))
	for i, n := range numbers {
		if listings[i], err = t.listing(n); err != nil {
			return nil, err
		}
	}
	return listings, nil
}

// unmarked returns the entries of t without a mark, in no order, and once if repetitions
// say the same. Nothing follows an error.
func (t *table) unmarked(m *marks) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if t == nil {
			return
		}
		var numbers []uint32
		place := -1
		for k, set := range t.index.All() {
			place++
			rest(place)
			if m.alone.has(uint32(place)) {
				continue
			}
			var err error
			if numbers, err = t.index.AppendValues(numbers[:0], set); err != nil {
				yield(record{}, err)
				return
			}
			for _, n := range numbers {
				if m.rest[mark{uint32(place), n}] {
					continue
				}
				l, e, err := t.first(k, n)
				if l == nil && err == nil {
					continue
				}
				if !yield(record{l, e}, err) || err != nil {
					return
				}
			}
		}
	}
}

// first returns listing n and the entry that it lists under k, or nil if k is not the
// first of the keys under which that entry is filed.
func (t *table) first(k index.ID, n uint32) (*Listing, sources.Entry, error) {
	l, err := t.listing(n)
	if err != nil {
		return nil, sources.Entry{}, err
	}
	e, err := l.at(k)
	if err != nil {
		return nil, sources.Entry{}, err
	}
	if l.chain == "" { // otherwise it has no other key
		if firstKey(&e) != k {
			return nil, sources.Entry{}, nil
		}
	}
	return l, e, nil
}

// A record is an entry and its listing.
type record struct {
	*Listing
	entry sources.Entry
}

// each calls do for each listing under each key, in the order of the index, until do
// returns an error.
func (t *table) each(do func(place int, k index.ID, number uint32) error) error {
	var numbers []uint32
	place := 0
	for k, set := range t.index.All() {
		var err error
		if numbers, err = t.index.AppendValues(numbers[:0], set); err != nil {
			return err
		}
		for _, n := range numbers {
			if err := do(place, k, n); err != nil {
				return err
			}
		}
		rest(place)
		place++
	}
	return nil
}

// ordered returns the entries of t in the order in which their listings were written.
// Nothing follows an error.
func (t *table) ordered() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if t == nil {
			return
		}
		ends, places, err := t.byListing()
		if err != nil {
			yield(record{}, err)
			return
		}
		defer ends.Free()
		defer places.Free()
		at := uint32(0)
		for n := range uint32(t.index.Texts()) {
			for end := binary.LittleEndian.Uint32(ends.Bytes[4*n:]); at < end; at++ {
				k, _ := t.index.At(int(binary.LittleEndian.Uint32(places.Bytes[4*at:])))
				l, e, err := t.first(k, n)
				if (l != nil || err != nil) && !yield(record{l, e}, err) || err != nil {
					return
				}
				rest(int(at))
			}
		}
	}
}

// byListing returns the places of the keys of each listing, one listing after the other, and
// where each ends: four bytes each.
func (t *table) byListing() (ends, places *mapfile.Memory, err error) {
	texts, all := uint32(t.index.Texts()), 0
	if ends, err = mapfile.New(4 * (int(texts) + 1)); err != nil {
		return nil, nil, err
	}
	add := func(n, count uint32) (before uint32) {
		at := ends.Bytes[4*n:]
		before = binary.LittleEndian.Uint32(at)
		binary.LittleEndian.PutUint32(at, before+count)
		return before
	}
	err = t.each(func(_ int, _ index.ID, n uint32) error {
		if n >= texts {
			return fmt.Errorf("%w: no text has the number %d", index.ErrDamaged, n)
		}
		add(n+1, 1)
		all++
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for n := range texts {
		add(n+1, add(n, 0))
	}
	if places, err = mapfile.New(4 * all); err != nil {
		return nil, nil, err
	}
	return ends, places, t.each(func(place int, _ index.ID, n uint32) error {
		binary.LittleEndian.PutUint32(places.Bytes[4*add(n, 1):], uint32(place))
		return nil
	})
}

// A tableBuilder makes a table.
type tableBuilder struct {
	index index.Builder
	write listingWriter
	keys  []index.ID // scratch
}

func newTableBuilder() *tableBuilder {
	b := new(tableBuilder)
	b.write.index = &b.index
	return b
}

// A filing is the keys under which an entry is filed, and the form of its listing. The
// first key identifies the entry.
type filing struct {
	keys []index.ID
	form byte
}

// file returns the filing of e, which is valid until the next call.
func (b *tableBuilder) file(e *sources.Entry) filing {
	b.keys = AppendFilings(b.keys[:0], e)
	return filing{b.keys, formOf(e, b.keys)}
}

// add adds an entry.
func (b *tableBuilder) add(e *sources.Entry, f filing, repeated int, removed time.Time) {
	n := b.write.write(f.form, e, repeated, removed)
	for _, k := range f.keys {
		b.index.Add(k, n)
	}
}

// remove adds an entry that the list had until the given time.
func (b *tableBuilder) remove(e sources.Entry, at time.Time) {
	f := b.file(&e)
	f.form |= isRemoved
	b.add(&e, f, 0, at)
}

// build returns the table of all that was added.
func (b *tableBuilder) build() (*table, error) {
	ix, err := b.index.Build()
	if err != nil {
		return nil, err
	}
	return newTable(ix), nil
}
