package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// A Past is the entries that a list no longer has. An entry that is listed again stays in it,
// and one that is dropped several times is in it at least once, with the last time. It is never
// changed, but shared by successive lists: a few entries more cost little, however many it has.
// A nil Past has no entries.
type Past struct {
	older, recent *List // with their Entries only; nil: none
}

// minRecent is the maximum number of recent entries of a Past, unless that is a small part of
// the older ones.
const minRecent = 512

// With returns p with more removals. A time after now becomes now, unless now is zero.
func (p *Past) With(removals []revision.Removal, now time.Time) (*Past, error) {
	if len(removals) == 0 {
		return p, nil
	}
	next := new(Past)
	if p != nil {
		*next = *p
	}
	last := make(map[sources.Entry]time.Time)
	for r := range next.recent.records() {
		last[r.entry] = r.removed
	}
	for _, r := range removals {
		if !now.IsZero() && r.At.After(now.Add(Skew)) {
			r.At = now
		}
		if r.At.After(last[r.Entry]) {
			last[r.Entry] = r.At
		}
	}
	t, n := newTable(), len(last)
	older := 0
	if next.older != nil {
		older = next.older.Entries
	}
	merge := n > max(minRecent, older/8)
	if merge {
		for r := range next.older.records() {
			if _, again := last[r.entry]; !again {
				t.remove(r.entry, r.removed)
				n++
			}
		}
	}
	for e, at := range last {
		t.remove(e, at)
	}
	if err := t.seal(); err != nil {
		return nil, err
	}
	next.recent = &List{Facts: Facts{Entries: n}, entries: t}
	if merge {
		next.older, next.recent = next.recent, nil
	}
	return next, nil
}

// records returns the entries of l with their listings, in no order.
func (l *List) records() iter.Seq[record] {
	if l == nil {
		return (*table)(nil).records()
	}
	return l.entries.records()
}

// Lists returns p as lists, for look-ups. Their listings have an Until.
func (p *Past) Lists() (all []*List) {
	if p == nil {
		return nil
	}
	for _, l := range []*List{p.older, p.recent} {
		if l != nil {
			all = append(all, l)
		}
	}
	return all
}

// find returns the entry with the Canonical form of e, whose filing is f.
func (p *Past) find(e *sources.Entry, f filing) found {
	for _, l := range p.Lists() {
		fd := finder{table: l.entries}
		if gone := fd.find(e, f); gone.Listing != nil {
			return gone
		}
	}
	return found{}
}

// has reports whether p has e, whose filing is f, as an entry that ended at its Until or later.
func (p *Past) has(e *sources.Entry, f filing) bool {
	for _, l := range p.Lists() {
		for _, row := range l.entries.index.AppendRows(nil, f.keys[0]) {
			if l, k := l.entries.listing(row); k == f.keys[0] && l.isSame(e, f.form) && !l.removed.Before(e.Until) {
				return true
			}
		}
	}
	return false
}

// remove adds an entry that the list had until the given time.
func (t *table) remove(e sources.Entry, at time.Time) {
	f := t.file(&e)
	f.form |= isRemoved
	t.add(&e, f, 0, at)
}
