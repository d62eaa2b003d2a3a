package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/pace"
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

// records returns the entries of t, in no order, and once if repetitions say the same. Nothing
// follows an error.
func (t *table) records() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if t == nil {
			return
		}
		var numbers []uint32
		i := 0
		for k, set := range t.index.All() {
			pace.Step(i)
			i++
			var err error
			if numbers, err = t.index.AppendValues(numbers[:0], set); err != nil {
				yield(record{}, err)
				return
			}
			for _, n := range numbers {
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
	if l.chain == "" { // otherwise it is under no other key
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
	var form byte
	b.keys, form = AppendFilings(b.keys[:0], e)
	return filing{b.keys, form}
}

// add adds an entry.
func (b *tableBuilder) add(e *sources.Entry, f filing, repeated int, removed time.Time) {
	n := b.write.write(f.form, e, repeated, removed)
	for i, k := range f.keys {
		if i == 1 && f.form&addressMask == hexAddress {
			n = b.write.writeKeyed(n, &f.keys[0])
		}
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
