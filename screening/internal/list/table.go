package list

import (
	"slices"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
)

// A table finds the stays of a section of a file by the keys under which they are found. It is not changed
// after seal.
type table struct {
	index   *index.Table // of the places of stays
	section []byte
	recent  *[1 << 10]atomic.Pointer[Listing] // a cache
}

func newTable(derive func(index.ID) (index.ID, bool)) *table {
	return &table{index: index.New(derive), recent: new([1 << 10]atomic.Pointer[Listing])}
}

// evmAccount returns the key of the account that holds what an Ethereum account has on Substrate
// chains with an EVM: a question about that one does not lead to the Ethereum account.
func evmAccount(k index.ID) (index.ID, bool) {
	if k.Class() != identity.KeccakHash {
		return index.ID{}, false
	}
	return index.MakeID(identity.Substrate, identity.EVMAccount(k.Words), 32), true
}

// listing returns the listing of a row that is found under k.
func (t *table) listing(row uint32, k *index.ID) *Listing {
	at := t.index.Value(row)
	if hex, label := stays.HexAt(t.section, at); hex != nil && hasBytes(k, hex) {
		if l := t.cached(at, label, true); l.key == k.Class() { // the address follows from the key, so one label has one listing
			return l
		}
	}
	return t.cached(at, at, false)
}

// cached returns newListing of the stay at a place, from the cache if possible, where it has the
// given number.
func (t *table) cached(at, number uint32, isHex bool) *Listing {
	slot := &t.recent[number*0x9e3779b9>>22] // the golden ratio
	l := slot.Load()
	if l == nil || l.at != number || l.isHex != isHex {
		r := stays.NewReader(t.section)
		l = newListing(r.Read(at), number, isHex)
		slot.Store(l)
	}
	return l
}

// add adds the stay at a place under the given keys, with its tag. derived is of the first key; see [index.Table.Add].
func (t *table) add(at uint32, keys []index.ID, tag, derived uint32) {
	for i, k := range keys {
		if i > 0 {
			derived = 0
		}
		if !slices.Contains(keys[:i], k) {
			t.index.Add(k, at, tag, derived)
		}
	}
}

// A view reads the stays of a table.
type view struct {
	*table
	stays.Reader
}

// row returns the stay of a row.
func (v *view) row(row uint32) *stays.Record {
	return v.Read(v.index.Value(row))
}

// appendRows appends to dst, which is empty, the rows of what r lists under its first key, perhaps with other names and
// dates, in the order in which they were added.
func (v *view) appendRows(dst []uint32, r *stays.Record, first *index.ID) []uint32 {
	if v.table == nil {
		return dst
	}
	return slices.DeleteFunc(v.index.AppendTagged(dst, first.Hash(), first, r.Tag()), func(row uint32) bool {
		k := v.index.Key(row)
		return k != *first || !v.row(row).Lists(r) // it is derived, or another entry
	})
}
