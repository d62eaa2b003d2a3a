package list

import (
	"slices"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// A table is entries in the form in which they are looked up: the keys under which they are
// filed, with their listings. It is not changed after seal. A nil table has no entries.
type table struct {
	index  *index.Table
	recent [1 << 10]atomic.Pointer[Listing] // a cache by number
	write  listingWriter
	keys   []index.ID // scratch
}

func newTable() *table {
	t := &table{index: index.New(evmAccount)}
	t.write.index = t.index
	return t
}

// evmAccount returns the key of the account that holds what an Ethereum account has on Substrate
// chains with an EVM: a question about that one does not lead to the Ethereum account.
func evmAccount(k index.ID) (index.ID, bool) {
	if identity.Class(k.Class()) != identity.KeccakHash {
		return index.ID{}, false
	}
	w0, w1, w2, w3 := identity.Load(identity.EVMAccount(identity.MakeWords(k.Words())))
	return index.IDOfWords(uint16(identity.Substrate), w0, w1, w2, w3, 32), true
}

// listing returns the listing of a row, and the key under which it is filed.
func (t *table) listing(row uint32) (*Listing, index.ID) {
	k, n := t.index.Row(row)
	slot := &t.recent[n*0x9e3779b9>>22] // the golden ratio
	l := slot.Load()
	if l == nil || l.number != n {
		l = readListing(t.index, n)
		slot.Store(l)
	}
	return l, k
}

// A filing is the keys under which an entry is filed, and the form of its listing. The
// first key identifies the entry.
type filing struct {
	keys []index.ID
	form byte
}

// file returns the filing of e, which is valid until the next call.
func (t *table) file(e *sources.Entry) filing {
	var form byte
	t.keys, form = appendFilings(t.keys[:0], e)
	return filing{t.keys, form}
}

// add adds a stay, which has the given filing, unless the row before, 0 for none, lists just that. It reports
// whether it was added.
func (t *table) add(s *stays.Stay, f filing, before uint32) bool {
	n := t.write.write(f.form, s)
	if before != 0 {
		if _, last := t.index.Row(before); n == last {
			return false
		}
	}
	for i, k := range f.keys {
		if slices.Contains(f.keys[:i], k) {
			continue
		}
		row, same := t.index.Add(k, n)
		if i == 0 {
			t.write.count(f.form, row, same)
		}
	}
	return true
}

// appendRows appends to dst, which is empty, the rows of e under its first key, perhaps with other names and dates, in
// the order in which they were added.
func (t *table) appendRows(dst []uint32, e *sources.Entry, first *index.ID) []uint32 {
	if t == nil {
		return dst
	}
	dst = t.index.AppendRows(dst, *first)
	return slices.DeleteFunc(dst, func(row uint32) bool {
		k, n := t.index.Row(row)
		if k != *first { // it is derived
			return true
		}
		p := readParts(t.index, n)
		return !p.is(e, first)
	})
}

// parts returns the listing of a row.
func (t *table) parts(row uint32) parts {
	_, n := t.index.Row(row)
	return readParts(t.index, n)
}

// seal ends the adding.
func (t *table) seal() error {
	t.write, t.keys = listingWriter{}, nil
	return t.index.Seal()
}

// A bitset is a set of small numbers. The zero bitset is empty.
type bitset []uint64

func (b bitset) has(n uint32) bool { return int(n/64) < len(b) && b[n/64]>>(n%64)&1 != 0 }

// add adds n, and reports whether b had it.
func (b *bitset) add(n uint32) (had bool) {
	if more := int(n/64) + 1 - len(*b); more > 0 {
		*b = append(*b, make([]uint64, more)...)
	}
	had = b.has(n)
	(*b)[n/64] |= 1 << (n % 64)
	return had
}
