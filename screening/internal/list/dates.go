package list

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// Dates say since when the entries of a list are listed, by the list held before and by what is
// known of its past.
type Dates struct {
	now      time.Time
	absent   time.Time // the date of the list held, which lacks the entries that are new; zero: not known
	entries  map[stays.Key]dates
	ended    map[stays.Key]dates
	accounts map[index.ID]dates // of held; nil until it is needed
	held     *List
	bounds   map[index.ID][]bound
	first    map[stays.Key]dates // of the entries that were dated
}

// dates are the first copy of a list that has an entry, and the last one before without it.
type dates struct{ firstSeen, notListedOn time.Time }

// A bound is what copies of a list say of a stay of an account on it. until is zero if the
// stay has not ended.
type bound struct{ notListedOn, since, until time.Time }

// NewDates returns the Dates after the list held and, for entries that it lacks, another one, and history; both may be nil. history has its stays as
// [sources.History] returns them. A date in the future becomes now.
func NewDates(held, also *List, history []sources.Entry, absent, now time.Time) (*Dates, error) {
	d := &Dates{
		now: now, absent: absent, entries: make(map[stays.Key]dates), ended: make(map[stays.Key]dates),
		held: held, bounds: make(map[index.ID][]bound), first: make(map[stays.Key]dates),
	}
	for i := range history {
		e := &history[i]
		d.bounds[accountOf(e)] = append(d.bounds[accountOf(e)], bound{e.NotListedOn, e.FirstSeen, e.Until})
	}
	for _, l := range []*List{held, also} {
		if err := d.add(l); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add adds the dates of the entries of a list, as far as they are not known.
func (d *Dates) add(l *List) error {
	if l == nil {
		return nil
	}
	for e, err := range l.file.At(l.n) {
		if err != nil {
			return err
		}
		key, is := stays.KeyOf(&e), dates{e.FirstSeen, e.NotListedOn}
		if !e.Until.IsZero() {
			if was, ok := d.ended[key]; !ok || is.firstSeen.Before(was.firstSeen) {
				d.ended[key] = is
			}
			continue
		}
		if _, repeated := d.entries[key]; !repeated {
			d.entries[key] = is
		}
	}
	return nil
}

// Date sets FirstSeen and NotListedOn of an entry that is offered.
func (d *Dates) Date(e *sources.Entry) {
	key, copied := stays.KeyOf(e), d.plausible(e.FirstSeen)
	if first, repeated := d.first[key]; repeated {
		e.FirstSeen, e.NotListedOn = first.firstSeen, first.notListedOn
	} else if had, ok := d.entries[key]; ok {
		e.FirstSeen, e.NotListedOn = had.firstSeen, had.notListedOn
	} else if gone, ok := d.ended[key]; ok && !gone.firstSeen.IsZero() { // it came back
		e.FirstSeen, e.NotListedOn = gone.firstSeen, gone.notListedOn
	} else {
		d.dateNew(e)
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
	d.first[key] = dates{e.FirstSeen, e.NotListedOn}
}

// dateNew dates an entry that is new, as far as its dates are not known. If the list held has the
// account under another reference or ticker, they are as there.
func (d *Dates) dateNew(e *sources.Entry) {
	if e.FirstSeen.IsZero() {
		e.FirstSeen = d.now
	}
	if d.absent.IsZero() {
		return
	}
	if d.accounts == nil {
		d.accounts = make(map[index.ID]dates)
		for e, err := range d.held.All() {
			if err != nil {
				break // NewDates has read it
			}
			account := accountOf(&e)
			if was, ok := d.accounts[account]; !ok || e.FirstSeen.Before(was.firstSeen) {
				d.accounts[account] = dates{e.FirstSeen, e.NotListedOn}
			}
		}
	}
	had, ok := d.accounts[accountOf(e)]
	switch {
	case !ok && d.absent.Before(e.FirstSeen) && d.absent.After(e.NotListedOn):
		e.NotListedOn = d.absent
	case ok && had.firstSeen.Before(e.FirstSeen):
		e.FirstSeen, e.NotListedOn = had.firstSeen, had.notListedOn
	}
}

// plausible returns t, or now if t is in the future.
func (d *Dates) plausible(t time.Time) time.Time {
	if t.After(d.now.Add(Skew)) {
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
	d, err := NewDates(nil, nil, history, time.Time{}, time.Time{})
	if err != nil {
		return false, err
	}
	until := make(map[stays.Key]time.Time)
	for e, err := range held.file.At(held.n) {
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
