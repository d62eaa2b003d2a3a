package screening

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// An intake takes the entries of a list one by one, compares them with those of
// the list that is held, and makes of them the one to be held instead. Of entries
// that are neither new nor repeated it keeps nothing that is a pointer: a list may
// have millions, and all that the collector must follow makes questions wait.
type intake struct {
	had  list
	now  time.Time // when an entry is first seen that was never seen before
	held finder    // of the entries of had
	kept marks     // on them
	gone finder    // of what had has no more
	back marks     // on what is listed again of that

	b         *segmentBuilder
	anomalies sources.Anomalies
	count     int
	added     entrySet
}

// newIntake returns an intake for a list of the same source as had, at the given
// time.
func newIntake(had list, now time.Time, accountsOnly bool) *intake {
	return &intake{
		had: had, now: now, held: finder{seg: had.segment}, gone: finder{seg: had.removed},
		b: newSegmentBuilder(accountsOnly, had.count),
	}
}

// add takes the next entry.
func (in *intake) add(e sources.Entry) error {
	f := in.b.file(e)
	old, err := in.held.find(e, f)
	if err != nil {
		return err
	}
	repeated := false
	if old.listing != nil {
		e.FirstSeen = old.entry.FirstSeen
		repeated = !in.kept.add(old)
	} else if repeated, err = in.fresh(&e, f); err != nil {
		return err
	}
	in.anomalies.Add(e, repeated)
	in.b.add(e, f, repeated)
	in.count++
	pace.Step(in.count)
	return nil
}

// fresh takes an entry that the list before did not have, and sets when it was
// first seen. It reports whether it is repeated.
func (in *intake) fresh(e *sources.Entry, f filing) (repeated bool, err error) {
	if i, ok := in.added.find(*e); ok {
		e.FirstSeen = in.added.entries[i].FirstSeen
		return true, nil
	}
	gone, err := in.gone.find(*e, f)
	if err != nil {
		return false, err
	}
	if gone.listing != nil {
		in.back.add(gone)
		e.FirstSeen = gone.entry.FirstSeen
	} else if e.FirstSeen.IsZero() {
		e.FirstSeen = in.now
	}
	in.added.entries = append(in.added.entries, *e)
	return false, nil
}

// finish sets what l is to hold of the entries that were added.
func (in *intake) finish(l *list, workers int) (err error) {
	start := time.Now()
	in.b.index.Workers = workers
	if l.segment, err = in.b.build(); err != nil {
		return err
	}
	l.segment.built = time.Now()
	l.segment.took = l.segment.built.Sub(start)
	l.count, l.anomalies = in.count, in.anomalies
	return nil
}

// all returns all entries, if the list before had none: the new ones, which are the first
// of their Identity, and then those that are repeated.
func (in *intake) all() []sources.Entry {
	all := in.added.entries
	for _, r := range in.b.repeated {
		all = append(all, slices.Repeat([]sources.Entry{r.entry}, r.times)...)
	}
	return all
}

// compare sets what l, which was finished and accepted, has more and less than the
// list before it, and all that is gone by now.
func (in *intake) compare(l *list) error {
	l.added, l.gone, l.removed = in.added.entries, nil, in.had.removed
	err := in.had.segment.each(&in.kept, func(r *listing, e sources.Entry) {
		if r.repeated == 0 {
			l.gone = append(l.gone, e)
		}
	})
	if err != nil || l.gone == nil && in.back.none() {
		return err
	}
	b := newSegmentBuilder(in.b.accountsOnly, len(l.gone))
	err = in.had.removed.each(&in.back, func(r *listing, e sources.Entry) { b.remove(e, r.removed) })
	if err != nil {
		return err
	}
	for i, e := range l.gone {
		b.remove(e, l.accepted)
		pace.Step(i)
	}
	l.removed, err = b.build()
	return err
}

// A finder finds the entries of a segment by their Identity.
type finder struct {
	seg    *segment                         // nil: there are none
	crowds map[int]map[sources.Entry]uint32 // by place, of keys with many listings: these by Identity
}

// A found entry is its listing, and where it was found.
type found struct {
	*listing      // nil: it is not there
	place    int  // of the key
	alone    bool // the key has no other listing
}

// maxRow is how many listings of a key are looked through one by one.
const maxRow = 16

// find finds the entry that has the Identity of e, of which the filing is given.
func (fd *finder) find(e sources.Entry, f filing) (found, error) {
	if fd.seg == nil {
		return found{}, nil
	}
	place, set, ok := fd.seg.index.Place(f.keys[0])
	if !ok {
		return found{}, nil
	}
	if crowd := fd.crowds[place]; crowd != nil {
		n, ok := crowd[e.Identity()]
		if !ok {
			return found{}, nil
		}
		l, err := fd.seg.read(n)
		return found{l, place, false}, err
	}
	var buf [maxRow]uint32
	numbers, err := fd.seg.index.AppendValues(buf[:0], set)
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
		l, err := fd.seg.read(n)
		if err != nil {
			return found{}, err
		}
		if l.repeated == 0 && l.same(e, f.form) {
			return found{l, place, len(numbers) == 1}, nil
		}
	}
	return found{}, nil
}

// crowd makes the listings of the key at a place known by what they list.
func (fd *finder) crowd(place int, k index.Key, numbers []uint32) error {
	crowd := make(map[sources.Entry]uint32, len(numbers))
	for i, n := range numbers {
		pace.Step(i)
		l, err := fd.seg.read(n)
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

// marks are marks on entries of a segment. The zero marks are none.
type marks struct {
	alone []uint64 // bits, by place: on the entry that has its key for itself
	rest  map[mark]bool
}

// A mark is the place of a key, and the number of one of its listings.
type mark struct {
	place  int
	number uint32
}

// add marks the entry f, and reports whether it had no mark.
func (m *marks) add(f found) bool {
	if !f.alone {
		if m.rest == nil {
			m.rest = make(map[mark]bool)
		}
		at := mark{f.place, f.number}
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

// all reports whether there is a mark on all that has its key at a place.
func (m *marks) all(place int) bool {
	word := place / 64
	return word < len(m.alone) && m.alone[word]>>(place%64)&1 != 0
}

// An entrySet finds entries by their Identity. What is appended to the entries is
// looked at only when something is to be found.
type entrySet struct {
	entries []sources.Entry
	seed    maphash.Seed
	at      map[uint64]int32 // hash of an Identity to the first of the entries that has it
	placed  int              // of the entries, those that at knows
}

// find returns the index of the first entry that is the same as e.
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

// place returns the hash under which the Identity of e is, or is to be put.
func (s *entrySet) place(e sources.Entry) (h uint64, i int32, ok bool) {
	id := e.Identity()
	for h = maphash.Comparable(s.seed, id); ; h++ { // the next, where another Identity has this one
		i, ok = s.at[h]
		if !ok || s.entries[i].Identity() == id {
			return h, i, ok
		}
	}
}
