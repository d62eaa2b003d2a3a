package stays

import (
	"fmt"
	"hash/maphash"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// spare is how many more stays than entries may be followed by another one of the same entry,
// until a new file begins without them.
var spare = 100

// Next returns the file that also answers for the acceptance h.Last, which follows acceptance held of f, and
// has the listed entries in their order. ended are entries that the list says it had, with
// their Until; until says when an entry ended that is no longer listed. f may be nil. It does not change f.
func (f *File) Next(held uint32, h Header, listed, ended []sources.Entry, until func(*sources.Entry) time.Time) (*File, error) {
	to := h.Last
	h.First = to
	if f != nil {
		h.First = f.First
	}
	open := make(map[Key]stay) // the stays that last
	var old []Stay             // those that have ended
	err := f.each(held, func(s *Stay) {
		if s.Out == 0 {
			open[keyOfAll(&s.Entry)] = stay{s.In, false}
		} else {
			old = append(old, *s)
		}
	})
	if err != nil {
		return nil, err
	}
	c := newEncoder()
	for i := range listed {
		e := Normal(listed[i])
		key := keyOfAll(&e)
		s, known := open[key]
		if !known {
			s.in = to
		} else if !s.kept {
			open[key] = stay{s.in, true}
		}
		if err := c.stay(&Stay{e, s.in, 0}); err != nil {
			return nil, entryError(&e, err)
		}
	}
	err = f.each(held, func(s *Stay) {
		if key := keyOfAll(&s.Entry); s.Out == 0 && !open[key].kept {
			open[key] = stay{s.In, true} // once, if it was repeated
			s.Until, s.Out = until(&s.Entry).UTC().Round(0), to
			old = append(old, *s)
		}
	})
	if err != nil {
		return nil, err
	}
	clear(open)
	old = addEnded(old, ended, to)
	n, followed := len(old), followed(old, listed)
	if n-followed.kept > len(listed)+spare {
		h.First = to
		old = followed.without(old)
	}
	for i := range old {
		if err := c.stay(&old[i]); err != nil {
			return nil, entryError(&old[i].Entry, err)
		}
	}
	h.Stays = len(listed) + len(old)
	return &File{h, c.buf}, nil
}

// A stay is the beginning of one, and whether it was found again.
type stay struct {
	in   uint32
	kept bool
}

func entryError(e *sources.Entry, err error) error { return fmt.Errorf("entry %.64q: %w", e.Ref, err) }

// addEnded adds the entries that a list says it had, unless they are known.
func addEnded(old []Stay, ended []sources.Entry, to uint32) []Stay {
	known := make(map[Key]time.Time, len(ended)) // when they ended last
	for i := range ended {
		known[KeyOf(&ended[i])] = time.Time{}
	}
	if len(ended) > 0 {
		for i := range old {
			key := KeyOf(&old[i].Entry)
			if at, ok := known[key]; ok && old[i].Until.After(at) {
				known[key] = old[i].Until
			}
		}
	}
	for i := range ended {
		if ended[i].Until.After(known[KeyOf(&ended[i])]) {
			old = append(old, Stay{Normal(ended[i]), to, to})
		}
	}
	return old
}

// last are the ends of the last stays of entries, 0 if they last.
type last struct {
	ends map[Key]uint32
	kept int // how many of the stays are not followed by another one of the same entry
}

// followed returns the last stays of the entries that have ended.
func followed(old []Stay, listed []sources.Entry) last {
	l := last{ends: make(map[Key]uint32, len(old))}
	if len(old) == 0 {
		return l
	}
	for i := range old {
		key := KeyOf(&old[i].Entry)
		l.ends[key] = max(l.ends[key], old[i].Out)
	}
	for i := range listed {
		if key := KeyOf(&listed[i]); l.ends[key] > 0 {
			l.ends[key] = 0
		}
	}
	for i := range old {
		if l.ends[KeyOf(&old[i].Entry)] == old[i].Out {
			l.kept++
		}
	}
	return l
}

// without returns the stays that no other one of the same entry follows.
func (l *last) without(old []Stay) []Stay {
	kept := old[:0]
	for _, s := range old {
		if l.ends[KeyOf(&s.Entry)] == s.Out {
			kept = append(kept, s)
		}
	}
	return kept
}

// each calls f for the stays that last in acceptance n, with Out 0, and those that have ended before. Those of later
// acceptances, which the journal never had, are left out.
func (f *File) each(n uint32, do func(*Stay)) error {
	if f == nil {
		return nil
	}
	for s, err := range f.All() {
		switch {
		case err != nil:
			return err
		case s.In > n:
			continue
		case s.covers(n):
			s.Out, s.Until = 0, time.Time{}
		}
		do(&s)
	}
	return nil
}

// A Key stands for an entry in a map, where entries themselves would need much memory. It is another one in each
// process, so that nobody can choose two entries of one key.
type Key [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// KeyOf returns the Key of the Canonical entry of e.
func KeyOf(e *sources.Entry) Key {
	c := e.Canonical()
	return Key{maphash.Comparable(seeds[0], c), maphash.Comparable(seeds[1], c)}
}

// keyOfAll returns the Key of all that a Normal entry says.
func keyOfAll(e *sources.Entry) Key {
	return Key{maphash.Comparable(seeds[0], *e), maphash.Comparable(seeds[1], *e)}
}

// Normal returns e as a file has it: Listed is "" if it is the normal form of the address, and times
// are in UTC.
func Normal(e sources.Entry) sources.Entry {
	if e.Listed == e.Address.Normalized() {
		e.Listed = ""
	}
	for _, t := range []*time.Time{&e.ListedAt, &e.FirstSeen, &e.EntityListedAt, &e.NotListedOn, &e.Until} {
		if t.IsZero() {
			*t = time.Time{}
		} else {
			*t = t.UTC().Round(0)
		}
	}
	return e
}
