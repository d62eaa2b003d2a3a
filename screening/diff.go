package screening

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

// A diff compares a list with the one that is held.
type diff struct {
	had     *entrySet
	kept    []bool // by entry of had
	removed []sources.Removal
	gone    *entrySet // the entries of removed
	back    []bool    // by entry of gone: it is listed again
}

func newDiff(had list) (*diff, error) {
	entries, err := had.all()
	if err != nil {
		return nil, err
	}
	gone := make([]sources.Entry, len(had.removed))
	for i, r := range had.removed {
		gone[i] = r.Entry
	}
	return &diff{
		had: newEntrySet(entries), kept: make([]bool, len(entries)),
		removed: had.removed, gone: newEntrySet(gone), back: make([]bool, len(gone)),
	}, nil
}

// firstSeen notes that e is listed, and returns when it was first seen, if it was
// seen before.
func (d *diff) firstSeen(e sources.Entry) (time.Time, bool) {
	if i, ok := d.had.find(e); ok {
		d.kept[i] = true
		return d.had.entries[i].FirstSeen, true
	}
	if i, ok := d.gone.find(e); ok {
		d.back[i] = true
		return d.gone.entries[i].FirstSeen, true
	}
	return time.Time{}, false
}

// to returns which entries of next are new, which of those that are held are
// gone, and all that is gone by now, at the given time. firstSeen was asked about
// each entry of next. If all of next is new, it is next itself that is returned.
func (d *diff) to(next []sources.Entry, now time.Time) (added, gone []sources.Entry, removed []sources.Removal) {
	fresh := &entrySet{seed: maphash.MakeSeed(), at: make(map[uint64]int32), entries: next}
	for i, e := range next {
		pace.Step(i)
		if _, had := d.had.find(e); had || !fresh.add(i) {
			continue
		}
		if len(added) == i { // all until now
			added = next[: i+1 : i+1]
		} else {
			added = append(added, e)
		}
	}
	if len(added) < len(next) {
		added = slices.Clone(added) // lest few keep all in memory
	}
	for i, r := range d.removed {
		if !d.back[i] {
			removed = append(removed, r)
		}
	}
	for i, e := range d.had.entries {
		pace.Step(i)
		if first, _ := d.had.find(e); first == i && !d.kept[i] {
			gone = append(gone, e)
			removed = append(removed, sources.Removal{Entry: e, At: now})
		}
	}
	return added, gone, removed
}

// An entrySet finds entries by their Identity. It holds no more than a hash and an
// index of each, for lists may have millions.
type entrySet struct {
	seed    maphash.Seed
	at      map[uint64]int32 // hash of an Identity to the first entry that has it
	entries []sources.Entry
}

func newEntrySet(entries []sources.Entry) *entrySet {
	s := &entrySet{seed: maphash.MakeSeed(), at: make(map[uint64]int32, len(entries)), entries: entries}
	for i := range entries {
		s.add(i)
		pace.Step(i)
	}
	return s
}

// find returns the index of the first entry that is the same as e.
func (s *entrySet) find(e sources.Entry) (int, bool) {
	if len(s.at) == 0 {
		return 0, false
	}
	_, i, ok := s.place(e)
	return int(i), ok
}

// add adds entry i, and reports whether it was the first of its Identity.
func (s *entrySet) add(i int) bool {
	h, _, ok := s.place(s.entries[i])
	if !ok {
		s.at[h] = int32(i)
	}
	return !ok
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
