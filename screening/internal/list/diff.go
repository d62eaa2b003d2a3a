package list

import (
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// maxChanged is the maximum number of entries that a Delta names.
const maxChanged = 100_000

// compare keeps p, which is not repeated, unless it is just as prev has it: as old, if the cursor has
// not found it.
func (b *Builder) compare(p *pending, old found) {
	e := &p.entry
	same := p.known && e.FirstSeen.Equal(p.firstSeen) && e.NotListedOn.Equal(p.notListedOn)
	b.tidy = b.tidy || p.known && !same
	if b.prev == nil || b.many || same && (old.Listing == nil || old.saysSame(e)) {
		return
	}
	if p.known {
		had := normalized(*e)
		if old.Listing != nil {
			had = old.at(p.keys[0])
		}
		had.FirstSeen, had.NotListedOn = p.firstSeen, p.notListedOn
		b.renamed = append(b.renamed, had)
	}
	b.gained = append(b.gained, *e)
	if b.many = len(b.gained) > min(maxChanged, max(1000, b.prev.Entries/8)); b.many {
		b.gained, b.renamed = nil, nil
	}
}

// saysSame reports whether an entry with the Canonical form of e has its name and its dates of
// listing, too.
func (l *Listing) saysSame(e *sources.Entry) bool {
	had := &l.Entry
	return had.Name == e.Name && had.ListedAt.Equal(e.ListedAt) && had.EntityListedAt.Equal(e.EntityListedAt)
}

// IsSame reports whether all that was added is the list before it, with no other entries, no
// other times, and no more entries that ended. Nothing can be added afterwards.
func (b *Builder) IsSame() (bool, error) {
	if !b.follows || b.n != b.prev.Entries {
		if err := b.leave(b.n); err != nil {
			return false, err
		}
		b.sum()
		if b.prev == nil || b.tidy || b.facts.Entries != b.prev.Entries || b.digest != b.prev.Facts.Digest {
			return false, nil
		}
	}
	return len(b.newlyEnded()) == 0, nil
}

// Lacks reports whether prev, whose entries are all, does not say what history, which Follow
// was given, says of them.
func (b *Builder) Lacks(all iter.Seq2[sources.Entry, error]) (bool, error) {
	for e, err := range all {
		if err != nil {
			return false, err
		}
		first, not := e.FirstSeen, e.NotListedOn
		b.bound(&e, first)
		b.tidy = b.tidy || !first.Equal(e.FirstSeen) || !not.Equal(e.NotListedOn)
	}
	return b.tidy || len(b.newlyEnded()) > 0, nil
}

// pastOf returns the Past of the list before.
func (b *Builder) pastOf() *Past {
	if b.prev == nil {
		return nil
	}
	return b.prev.past
}

// newlyEnded returns the entries that have ended, unless the list before says so already.
func (b *Builder) newlyEnded() (more []revision.Removal) {
	var t table // for filings
	for _, e := range b.ended {
		if !b.pastOf().has(&e, t.file(&e)) {
			at := e.Until
			e.Until = time.Time{}
			more = append(more, revision.Removal{Entry: normalized(e), At: at})
		}
	}
	return more
}

// A Diff is the difference between a list and the previous list.
type Diff struct {
	Added, Removed int // entries, by their Canonical form
	// Delta has what the list no longer has and, unless IsPart is set, all differences.
	Delta  revision.Delta
	IsPart bool
}

// Compare returns the difference between l, which b has built, and the list before it. It sets
// the Past of l: entries that l no longer has were removed on the day of l, or now if that is
// before they were listed, unless End has said when they ended.
func (b *Builder) Compare(l *List, day time.Time) (d Diff, err error) {
	d.Added, d.IsPart = b.added, b.many || b.prev == nil
	d.Delta.Removed = b.newlyEnded()
	ended := make(map[sources.Entry]bool, len(b.ended))
	for _, e := range b.ended {
		ended[e.Canonical()] = true
	}
	again := b.again()
	for e, err := range b.gone(l) {
		if err != nil {
			return d, err
		}
		d.Removed++
		if !ended[e.Canonical()] && !b.knowsEnd(&e) {
			at := day
			if !at.After(e.FirstSeen) {
				at = b.now
			}
			d.Delta.Removed = append(d.Delta.Removed, revision.Removal{Entry: e, At: at})
		}
		if d.IsPart = d.IsPart || d.Removed > maxChanged; !d.IsPart {
			d.Delta.Dropped = append(d.Delta.Dropped, e)
		}
	}
	if d.IsPart {
		d.Delta.Dropped = nil
	} else {
		d.Delta.Dropped = append(d.Delta.Dropped, b.renamed...)
		for _, e := range b.gained {
			d.Delta.Gained = append(d.Delta.Gained, normalized(e))
		}
		for e, n := range again {
			for ; n > 0; n-- {
				d.Delta.Gained = append(d.Delta.Gained, e)
			}
			for ; n < 0; n++ {
				d.Delta.Dropped = append(d.Delta.Dropped, e)
			}
		}
	}
	b.gained, b.renamed, b.repeated = nil, nil, nil
	l.past, err = b.pastOf().With(d.Delta.Removed, b.now)
	return d, err
}

// again returns how many more repetitions of an entry there are than in the list before.
func (b *Builder) again() map[sources.Entry]int {
	more := make(map[sources.Entry]int)
	for _, r := range b.repeated {
		more[r.entry] += r.times
	}
	if b.prev == nil || !b.hadRepeated() {
		return more
	}
	for r := range b.prev.records() {
		if r.repeated > 0 {
			more[r.entry] -= r.repeated
		}
	}
	return more
}

// knowsEnd reports whether the history has the end of the stay of e, perhaps in other letter
// case.
func (b *Builder) knowsEnd(e *sources.Entry) bool {
	return slices.ContainsFunc(b.bounds[accountOf(e)], func(s bound) bool { return s.until.After(e.FirstSeen) })
}

// normalized returns e as a List has it: Listed is "" if it is the normal form, and times are
// in UTC.
func normalized(e sources.Entry) sources.Entry {
	e.Listed = ownText(&e)
	for _, t := range []*time.Time{&e.ListedAt, &e.FirstSeen, &e.EntityListedAt, &e.NotListedOn} {
		*t = t.UTC().Round(0)
	}
	return e
}
