package list

import (
	"hash/maphash"

	"github.com/walletscreen/walletscreen/internal/index"
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
	*Listing // nil: it is not there
	where    location
}

// A location is where an entry is: the place of its first key, and the number of its listing.
type location struct {
	place  int
	number uint32
}

// maxRow is the maximum number of listings of a key that are searched one by one.
const maxRow = 16

// find finds the entry with the Canonical form of e, whose filing is f.
func (fd *finder) find(e *sources.Entry, f filing) (found, error) {
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
		return found{l, location{place, n}}, err
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
			return found{l, location{place, n}}, nil
		}
	}
	return found{}, nil
}

// has reports whether the table has the entry with the Canonical form of e, whose filing is f.
func (fd *finder) has(e *sources.Entry, f filing) (bool, error) {
	found, err := fd.find(e, f)
	return found.Listing != nil, err
}

// account returns the listing of the account of e that was seen first, whatever its
// reference and ticker; nil if there is none. f is the filing of e.
func (fd *finder) account(e *sources.Entry, f filing) (*Listing, error) {
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
		if accountOf(&had) == accountOf(e) && (first == nil || l.Entry.FirstSeen.Before(first.Entry.FirstSeen)) {
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

// newcomers find the entries of a tableBuilder by Canonical entry. They refer to an entry
// by the place of its first key.
type newcomers struct {
	table *tableBuilder
	slots index.Slots
	seed  maphash.Seed
}

// hashOf returns the hash of all that isSame compares, because a key may have many entries.
func (nc *newcomers) hashOf(e *sources.Entry, f filing) uint64 {
	if nc.seed == (maphash.Seed{}) {
		nc.seed = maphash.MakeSeed()
	}
	return maphash.Comparable(nc.seed, struct {
		key                      index.ID
		kind, ref, asset, listed string
	}{f.keys[0], string(e.Kind), e.Ref, e.Asset, ownText(e)})
}

// find returns the listing of the entry with the Canonical form of e, whose filing is f, and
// whose hash is given. If there is none, the caller must add e to the table next, and find will
// find it.
func (nc *newcomers) find(e *sources.Entry, f filing, hash uint64) (l *Listing, err error) {
	k := f.keys[0]
	_, ok := nc.slots.Find(hash, func(place uint32) bool {
		other, text := nc.table.index.At(place)
		if other != k {
			return false
		}
		l, err = readListing(&nc.table.index, text)
		return err != nil || l.isSame(e, f.form)
	})
	if ok {
		return l, err
	}
	return nil, nc.slots.Add(hash, nc.table.index.Next(k))
}
