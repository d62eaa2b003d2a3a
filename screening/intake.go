package screening

import (
	"errors"
	"hash/maphash"
	"time"

	"github.com/walletscreen/walletscreen/address"
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
	gone entrySet  // the entries of had.removed
	back []bool    // by entry of gone: it is listed again

	b         segmentBuilder
	inspector sources.Inspector
	seed      maphash.Seed
	addresses map[uint64]struct{} // hashes of distinct addresses, so many bits that no two have one
	count     int
	repeated  []sources.Entry
	added     entrySet
	done      bool
}

// newIntake returns an intake for a list of the same source as had, at the given
// time.
func newIntake(had list, now time.Time, accountsOnly bool) *intake {
	in := &intake{
		had: had, now: now, back: make([]bool, len(had.removed)),
		b:    segmentBuilder{accountsOnly: accountsOnly, chains: make(map[address.Chain]int)},
		seed: maphash.MakeSeed(), addresses: make(map[uint64]struct{}, had.addresses),
	}
	for _, r := range had.removed {
		in.gone.entries = append(in.gone.entries, r.Entry)
	}
	return in
}

// add takes the next entry.
func (in *intake) add(e sources.Entry) error {
	if in.done {
		return errors.New("an entry after the end of the list")
	}
	f := in.b.file(e)
	had, err := in.had.segment.find(e, f)
	if err != nil {
		return err
	}
	if had != nil {
		e.FirstSeen = had.entry.FirstSeen
	} else if i, ok := in.gone.find(e); ok {
		in.back[i] = true
		e.FirstSeen = in.gone.entries[i].FirstSeen
	}
	if e.FirstSeen.IsZero() {
		e.FirstSeen = in.now
	}
	repeated := in.inspector.Add(e)
	if repeated {
		in.repeated = append(in.repeated, e)
	}
	if had == nil {
		in.note(e, repeated)
	}
	in.b.add(e, f, repeated)
	in.addresses[maphash.String(in.seed, addressText(e))] = struct{}{}
	in.count++
	pace.Step(in.count)
	return nil
}

// note notes an entry that the list before did not have.
func (in *intake) note(e sources.Entry, repeated bool) {
	if repeated {
		if _, ok := in.added.find(e); ok {
			return
		}
	}
	in.added.entries = append(in.added.entries, e)
}

// addressText returns what makes e another address than others: the string in its
// normal form, or as listed where it is no address.
func addressText(e sources.Entry) string {
	if !e.Address.IsValid() {
		return literalKey(e.Listed)
	}
	return e.Address.Normalized()
}

// finish sets what l is to hold of the entries that were added.
func (in *intake) finish(l *list, workers int) (err error) {
	in.done = true
	start := time.Now()
	in.b.index.Workers = workers
	if l.segment, err = in.b.build(); err != nil {
		return err
	}
	l.segment.built = time.Now()
	l.segment.took = l.segment.built.Sub(start)
	l.count, l.repeated = in.count, in.repeated
	l.addresses, l.anomalies = len(in.addresses), in.inspector.Anomalies()
	return nil
}

// compare sets what l, which was finished and accepted, has more and less than the
// list before it, and all that is gone by now.
func (in *intake) compare(l *list) error {
	gone, err := in.had.segment.without(l.segment)
	if err != nil {
		return err
	}
	l.added, l.gone, l.removed = in.added.entries, gone, nil
	for i, r := range in.had.removed {
		if !in.back[i] {
			l.removed = append(l.removed, r)
		}
	}
	for _, e := range gone {
		l.removed = append(l.removed, sources.Removal{Entry: e, At: l.accepted})
	}
	return nil
}

// without returns the entries of seg, each Identity once, that next does not have.
func (seg *segment) without(next *segment) ([]sources.Entry, error) {
	if seg == nil {
		return nil, nil
	}
	// Whether next has what a set tells of depends on nothing but its set for the
	// key, if both tell of no address but that which is the key in hex. So nearly
	// all of a long list needs one look-up.
	type sets struct {
		had, next index.Set
		listed    bool
	}
	same := make(map[sets]bool)
	const maxSame = 1 << 16
	var gone []sources.Entry
	var values []uint32
	var keys []index.Key
	i := 0
	for k, set := range seg.index.All() {
		i++
		pace.Step(i)
		of := sets{had: set}
		if of.next, of.listed = next.index.Lookup(k); same[of] {
			continue
		}
		var err error
		if values, err = seg.index.AppendValues(values[:0], set); err != nil {
			return nil, err
		}
		known := true
		for _, n := range values {
			l, err := seg.read(n)
			if err != nil {
				return nil, err
			}
			if l.repeated {
				continue
			}
			e, err := l.at(k)
			if err != nil {
				return nil, err
			}
			keys = appendFilings(keys[:0], e, seg.accountsOnly)
			f := filing{keys, formOf(e, keys)}
			known = known && f.form == hexAddress
			if k != keys[0] { // once, of all that it is filed under
				continue
			}
			found, err := next.find(e, f)
			if err != nil {
				return nil, err
			}
			if found == nil {
				gone, known = append(gone, e), false
			}
		}
		if known && len(same) < maxSame {
			same[of] = true
		}
	}
	return gone, nil
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
