package list

import (
	"hash/maphash"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// A finder finds the entries of a table by their Identity.
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

// maxRow is how many listings of a key are searched one by one.
const maxRow = 16

// find finds the entry that has the Identity of e, whose filing is f.
func (fd *finder) find(e sources.Entry, f filing) (found, error) {
	if fd.table == nil {
		return found{}, nil
	}
	place, set, ok := fd.table.index.Place(f.keys[0])
	if !ok {
		return found{}, nil
	}
	if crowd := fd.crowds[place]; crowd != nil {
		n, ok := crowd[e.Identity()]
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

// crowd indexes the listings of the key at a place by Identity.
func (fd *finder) crowd(place int, k index.Key, numbers []uint32) error {
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
			crowd[e.Identity()] = n
		}
	}
	if fd.crowds == nil {
		fd.crowds = make(map[int]map[sources.Entry]uint32)
	}
	fd.crowds[place] = crowd
	return nil
}

// marks are marks on entries of a table. The zero marks are none.
type marks struct {
	alone []uint64 // bits, by place: on the entry that has its key to itself
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

// An entrySet finds entries by their Identity. It indexes them when the first one is
// searched.
type entrySet struct {
	entries []sources.Entry
	seed    maphash.Seed
	at      map[uint64]int32 // hash of an Identity to the first of the entries that has it
	placed  int              // how many entries are in at
}

// find returns the index of the first entry with the Identity of e.
func (s *entrySet) find(e sources.Entry) (int, bool) {
	if len(s.entries) == 0 {
		return 0, false
	}
	if s.at == nil {
		s.seed, s.at = maphash.MakeSeed(), make(map[uint64]int32)
	}
	for ; s.placed < len(s.entries); s.placed++ {
		if h, _, ok := s.place(s.entries[s.placed]); !ok {
			s.at[h] = int32(s.placed)
		}
	}
	_, i, ok := s.place(e)
	return int(i), ok
}

// place returns the hash at which the Identity of e is, or belongs.
func (s *entrySet) place(e sources.Entry) (h uint64, i int32, ok bool) {
	id := e.Identity()
	for h = maphash.Comparable(s.seed, id); ; h++ { // the next one if another Identity has this hash
		i, ok = s.at[h]
		if !ok || s.entries[i].Identity() == id {
			return h, i, ok
		}
	}
}
