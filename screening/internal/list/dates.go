package list

import (
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// Dates say since when the entries of a list are listed, by the list held before and by its
// known past.
type Dates struct {
	now    time.Time
	latest time.Time // that is plausible
	absent time.Time // the date of the list held, which lacks the entries that are new; zero: not known
	also   *List
	bounds map[index.ID][]bound
}

// dates are the first copy of a list that has an entry, and the last one before without it.
type dates struct{ firstSeen, notListedOn time.Time }

// A bound is what copies of a list say of a stay of an account on it. until is zero if the
// stay has not ended.
type bound struct{ notListedOn, since, until time.Time }

// NewDates returns the Dates, for entries that the list held lacks, of another one and history; both may be nil. history has its stays as
// [sources.History] returns them. A date in the future becomes now.
func NewDates(also *List, history []sources.Entry, absent, now time.Time) *Dates {
	d := &Dates{now: now, latest: now.Add(Skew), absent: absent, also: also, bounds: make(map[index.ID][]bound)}
	for i := range history {
		e := &history[i]
		d.bounds[accountOf(e)] = append(d.bounds[accountOf(e)], bound{e.NotListedOn, e.FirstSeen, e.Until})
	}
	return d
}

// date sets FirstSeen and NotListedOn of an entry that is offered, which r lists under the given first key. was are its rows
// in the list held, with the entries of v.
func (d *Dates) date(e *sources.Entry, r *stays.Record, first *index.ID, held *List, v *view, was []uint32) {
	copied := d.plausible(e.FirstSeen)
	if had, ok := d.had(r, first, held, v, was); ok {
		e.FirstSeen, e.NotListedOn = had.firstSeen, had.notListedOn
	} else {
		d.dateNew(e, first, v)
	}
	e.FirstSeen = d.plausible(e.FirstSeen)
	if !copied.IsZero() && copied.Before(e.FirstSeen) {
		e.FirstSeen = copied
	}
	if len(d.bounds) > 0 {
		if copied.IsZero() {
			copied = d.now
		}
		d.bound(e, copied)
	}
	if e.NotListedOn.After(e.FirstSeen) {
		e.NotListedOn = time.Time{}
	}
}

// had returns the dates of what r lists on the list held, or beside it, or else the dates of its first stay there that has
// ended.
func (d *Dates) had(r *stays.Record, first *index.ID, held *List, v *view, was []uint32) (is dates, ok bool) {
	if len(was) > 0 {
		o := v.row(was[0])
		return dates{o.FirstSeen, o.NotListedOn}, true
	}
	var buf [8]uint32
	past := held.past
	if d.also != nil {
		v := d.also.entries.view()
		if rows := v.appendRows(buf[:0], r, first); len(rows) > 0 {
			o := v.row(rows[0])
			return dates{o.FirstSeen, o.NotListedOn}, true
		}
		past = slices.Concat(past, d.also.past)
	}
	for _, l := range past {
		v := l.entries.view()
		for _, row := range v.appendRows(buf[:0], r, first) {
			o := v.row(row)
			if !ok || o.FirstSeen.Before(is.firstSeen) {
				is, ok = dates{o.FirstSeen, o.NotListedOn}, true
			}
		}
	}
	return is, ok && !is.firstSeen.IsZero() // it came back
}

// dateNew dates an entry that is new, as far as its dates are not known. If the list held has the
// account under another reference or ticker, they are as there.
func (d *Dates) dateNew(e *sources.Entry, first *index.ID, v *view) {
	if e.FirstSeen.IsZero() {
		e.FirstSeen = d.now
	}
	if d.absent.IsZero() || v.table == nil {
		return
	}
	var had dates
	ok := false
	var buf [8]uint32
	for _, row := range v.index.AppendRows(buf[:0], *first) {
		var s stays.Stay
		v.row(row).Read(&s) // never fails: it was read before
		if accountOf(&s.Entry) == accountOf(e) && (!ok || s.FirstSeen.Before(had.firstSeen)) {
			had, ok = dates{s.FirstSeen, s.NotListedOn}, true
		}
	}
	switch {
	case !ok && d.absent.Before(e.FirstSeen) && d.absent.After(e.NotListedOn):
		e.NotListedOn = d.absent
	case ok && had.firstSeen.Before(e.FirstSeen):
		e.FirstSeen, e.NotListedOn = had.firstSeen, had.notListedOn
	}
}

// plausible returns t, or now if t is in the future.
func (d *Dates) plausible(t time.Time) time.Time {
	if t.After(d.latest) {
		return d.now
	}
	return t
}

// Ended returns when the stay of e ended by the history, perhaps in other letter case; zero if that is
// not known.
func (d *Dates) Ended(e *sources.Entry) (until time.Time) {
	for _, s := range d.bounds[accountOf(e)] {
		if s.until.After(e.FirstSeen) && s.until.After(until) {
			until = s.until
		}
	}
	return until
}

// accountOf returns the key of the account of e, or of its text.
func accountOf(e *sources.Entry) index.ID {
	if e.Address.IsValid() {
		return KeyOf(e.Address.Account())
	}
	return TextKey(e.Listed)
}

// bound corrects FirstSeen and NotListedOn of e by the history of the list. A copy of the
// given day has e.
func (d *Dates) bound(e *sources.Entry, day time.Time) {
	h, ok := d.stay(e, day)
	if !ok {
		return
	}
	first, not := e.FirstSeen, h.notListedOn
	if h.since.Before(first) || !not.IsZero() && !not.Before(first) {
		first = h.since
	}
	if e.NotListedOn.After(not) && !e.NotListedOn.After(first) {
		not = e.NotListedOn
	}
	e.FirstSeen, e.NotListedOn = first, not
}

// stay returns the first stay of the account of e that the given day is in; else the first
// one that has not ended; else, if the list may be a copy of years ago, the first one.
func (d *Dates) stay(e *sources.Entry, day time.Time) (h bound, ok bool) {
	best := 0
	for _, s := range d.bounds[accountOf(e)] {
		rank := 0
		switch {
		case s.notListedOn.Before(day) && (s.until.IsZero() || day.Before(s.until)):
			rank = 3
		case s.until.IsZero():
			rank = 2
		case e.NotListedOn.Before(s.until) && e.EntityListedAt.Before(s.until):
			rank = 1
		}
		if rank > best || rank == best && rank > 0 && s.since.Before(h.since) {
			h, best = s, rank
		}
	}
	return h, best > 0
}

// Lacks reports whether a list does not say what the given history says.
func Lacks(held *List, history []sources.Entry) (bool, error) {
	d := NewDates(nil, history, time.Time{}, time.Time{})
	until := make(map[stays.Key]time.Time)
	for e, err := range held.file.At(held.file.Last) {
		if err != nil {
			return false, err
		}
		if key := stays.KeyOf(&e); e.Until.After(until[key]) {
			until[key] = e.Until
		}
		first, not := e.FirstSeen, e.NotListedOn
		if d.bound(&e, first); e.Until.IsZero() && (!first.Equal(e.FirstSeen) || !not.Equal(e.NotListedOn)) {
			return true, nil
		}
	}
	for i := range history {
		if e := &history[i]; e.Until.After(until[stays.KeyOf(e)]) {
			return true, nil
		}
	}
	return false, nil
}
