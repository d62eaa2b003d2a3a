package list

import (
	"hash/maphash"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// A finder finds the entries of a table by their Canonical entries.
type finder struct {
	table  *table
	crowds map[int]map[sources.Entry]uint32 // by place: the listings of keys that have many
}

// A found entry is its listing, and where it was found.
type found struct {
	*Listing      // nil: it is not there
	place    int  // of the key
	alone    bool // the key has no other listing
}

// maxRow is the maximum number of listings of a key that are searched one by one.
const maxRow = 16

// find finds the entry with the Canonical form of e, whose filing is f.
func (fd *finder) find(e sources.Entry, f filing) (found, error) {
	if fd.table == nil {
		return found{}, nil
	}
	place, set, ok := fd.table.index.Place(f.keys[0])
	if !ok {
		return found{}, nil
	}
	if crowd := fd.crowds[place]; crowd != nil {
		n, ok := crowd[e.Canonical()]
		if !ok {
			return found{}, nil
		}
		l, err := fd.table.listing(n)
		return found{l, place, false}, err
	}
	var buf [maxRow]uint32
	numbers, err := fd.table.index.AppendValues(buf[:0], set)
	if err != nil {
		return found{}, err
	}
	if len(numbers) > maxRow {
		if err := fd.crowd(place, f.keys[0], numbers); err != nil {
			return found{}, err
		}
		return fd.find(e, f)
	}
	for _, n := range numbers {
		l, err := fd.table.listing(n)
		if err != nil {
			return found{}, err
		}
		if l.repeated == 0 && l.isSame(e, f.form) {
			return found{l, place, len(numbers) == 1}, nil
		}
	}
	return found{}, nil
}

// account returns the listing of the account of e that was seen first, whatever its
// reference and ticker; nil if there is none. f is the filing of e.
func (fd *finder) account(e sources.Entry, f filing) (*Listing, error) {
	_, set, ok := fd.table.index.Place(f.keys[0])
	if !ok {
		return nil, nil
	}
	var buf [maxRow]uint32
	numbers, err := fd.table.index.AppendValues(buf[:0], set)
	if err != nil {
		return nil, err
	}
	var first *Listing
	for _, n := range numbers[:min(len(numbers), maxRow)] {
		l, err := fd.table.listing(n)
		if err != nil {
			return nil, err
		}
		had, err := l.at(f.keys[0])
		if err != nil {
			return nil, err
		}
		if accountOf(had) == accountOf(e) && (first == nil || l.entry.FirstSeen.Before(first.entry.FirstSeen)) {
			first = l
		}
	}
	return first, nil
}

// crowd indexes the listings of the key at a place by Canonical entry.
func (fd *finder) crowd(place int, k index.ID, numbers []uint32) error {
	crowd := make(map[sources.Entry]uint32, len(numbers))
	for i, n := range numbers {
		pace.Step(i)
		l, err := fd.table.listing(n)
		if err != nil {
			return err
		}
		e, err := l.at(k)
		if err != nil {
			return err
		}
		if l.repeated == 0 {
			crowd[e.Canonical()] = n
		}
	}
	if fd.crowds == nil {
		fd.crowds = make(map[int]map[sources.Entry]uint32)
	}
	fd.crowds[place] = crowd
	return nil
}

// marks is a set of entries of a table. The zero marks is empty.
type marks struct {
	alone []uint64 // a bit set by place, for keys with only one entry
	rest  map[mark]bool
}

// A mark is the place of a key, and the number of one of its listings.
type mark struct{ place, number uint32 }

// add marks f, and reports whether it had no mark.
func (m *marks) add(f found) bool {
	if !f.alone {
		if m.rest == nil {
			m.rest = make(map[mark]bool)
		}
		at := mark{uint32(f.place), f.number}
		had := m.rest[at]
		m.rest[at] = true
		return !had
	}
	word, bit := f.place/64, uint64(1)<<(f.place%64)
	if word >= len(m.alone) {
		m.alone = append(m.alone, make([]uint64, word+1-len(m.alone))...)
	}
	had := m.alone[word]&bit != 0
	m.alone[word] |= bit
	return !had
}

// none reports whether nothing has a mark.
func (m *marks) none() bool { return m.alone == nil && m.rest == nil }

// all reports whether everything at a place has a mark.
func (m *marks) all(place int) bool {
	word := place / 64
	return word < len(m.alone) && m.alone[word]>>(place%64)&1 != 0
}

// newcomers find the entries of a tableBuilder by Canonical entry. They refer to an entry
// by the place of its first key.
type newcomers struct {
	table  *tableBuilder
	n      int            // entries
	slots  *mapfile.Words // open addressing: a place plus 1, or 0
	seed   maphash.Seed
	crowds map[index.ID]map[sources.Entry]uint32 // the places of the entries of keys that have many
}

// find returns the listing of the entry with the Canonical form of e, whose filing is f. If
// there is none, the caller must add e to the table next, and find will find it.
func (nc *newcomers) find(e sources.Entry, f filing) (*Listing, error) {
	if nc.slots == nil || 4*nc.n >= 3*nc.slots.Len() {
		if err := nc.grow(); err != nil {
			return nil, err
		}
	}
	k := f.keys[0]
	if crowd := nc.crowds[k]; crowd != nil {
		return nc.findIn(crowd, k, e)
	}
	at, row := nc.slotOf(k), 0
	for ; nc.slots.At(at) != 0; at = nc.after(at) {
		other, n := nc.table.index.At(nc.slots.At(at) - 1)
		if other != k {
			continue
		}
		row++
		if l, err := readListing(&nc.table.index, n); err != nil || l.isSame(e, f.form) {
			return l, err
		}
	}
	if row == maxRow {
		if err := nc.crowd(k); err != nil {
			return nil, err
		}
		return nc.findIn(nc.crowds[k], k, e)
	}
	nc.slots.Set(at, nc.table.index.Next(k)+1)
	nc.n++
	return nil, nil
}

// findIn is find of an entry of a key that has many.
func (nc *newcomers) findIn(crowd map[sources.Entry]uint32, k index.ID, e sources.Entry) (*Listing, error) {
	id := e.Canonical()
	if place, ok := crowd[id]; ok {
		_, n := nc.table.index.At(place)
		return readListing(&nc.table.index, n)
	}
	crowd[id] = nc.table.index.Next(k)
	return nil, nil
}

// crowd indexes the entries of a key by Canonical entry.
func (nc *newcomers) crowd(k index.ID) error {
	crowd := make(map[sources.Entry]uint32)
	for at := nc.slotOf(k); nc.slots.At(at) != 0; at = nc.after(at) {
		place := nc.slots.At(at) - 1
		other, n := nc.table.index.At(place)
		if other != k {
			continue
		}
		l, err := readListing(&nc.table.index, n)
		if err != nil {
			return err
		}
		e, err := l.at(k)
		if err != nil {
			return err
		}
		crowd[e.Canonical()] = place
	}
	if nc.crowds == nil {
		nc.crowds = make(map[index.ID]map[sources.Entry]uint32)
	}
	nc.crowds[k] = crowd
	return nil
}

// slotOf returns the slot at which the search for a key begins.
func (nc *newcomers) slotOf(k index.ID) int {
	return int(maphash.Comparable(nc.seed, k) % uint64(nc.slots.Len()))
}

// after returns the slot after the given one.
func (nc *newcomers) after(at int) int { return (at + 1) % nc.slots.Len() }

// grow makes room for half as many slots again.
func (nc *newcomers) grow() error {
	old, n := nc.slots, 64
	if old == nil {
		nc.seed = maphash.MakeSeed()
	} else {
		n = old.Len() * 3 / 2
	}
	slots, err := mapfile.NewWords(n)
	if err != nil {
		return err
	}
	nc.slots = slots
	if old == nil {
		return nil
	}
	for i := range old.Len() {
		pace.Step(i)
		v := old.At(i)
		if v == 0 {
			continue
		}
		k, _ := nc.table.index.At(v - 1)
		at := nc.slotOf(k)
		for slots.At(at) != 0 {
			at = nc.after(at)
		}
		slots.Set(at, v)
	}
	old.Free()
	return nil
}

// free frees the slots. Nothing can be found afterwards.
func (nc *newcomers) free() {
	if nc.slots != nil {
		nc.slots.Free()
	}
	nc.crowds = nil
}
