package list

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// A bound is what copies of a list say of a stay of an account on it. until is zero if the
// stay has not ended.
type bound struct{ notListedOn, since, until time.Time }

// Follow gives b the past of the list: absent is the date of the list before,
// which does not have the entries that are new, or zero; and history its stays, as
// [sources.History] returns them. It precedes Add.
func (b *Builder) Follow(absent time.Time, history []sources.Entry) {
	b.absent, b.bounds = absent, make(map[index.ID][]bound)
	for _, e := range history {
		if !e.Until.IsZero() {
			b.ended = append(b.ended, e)
		}
		id := accountOf(&e)
		b.bounds[id] = append(b.bounds[id], bound{e.NotListedOn, e.FirstSeen, e.Until})
	}
}

// accountOf returns the key of the account of e, or of its text.
func accountOf(e *sources.Entry) index.ID {
	if e.Address.IsValid() {
		return KeyOf(e.Address.Account())
	}
	return TextKey(e.Listed)
}

// date corrects FirstSeen and NotListedOn of e. copied is the date of the copy that has it;
// zero: it is listed now.
func (b *Builder) date(e *sources.Entry, copied time.Time) {
	if !copied.IsZero() && copied.Before(e.FirstSeen) {
		e.FirstSeen = copied
	}
	if len(b.bounds) > 0 {
		if copied.IsZero() {
			copied = b.now
		}
		b.bound(e, copied)
	}
	if e.NotListedOn.After(e.FirstSeen) {
		e.NotListedOn = time.Time{}
	}
}

// bound corrects FirstSeen and NotListedOn of e by the history of the list. A copy of the
// given day has e.
func (b *Builder) bound(e *sources.Entry, day time.Time) {
	h, ok := b.stay(e, day)
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
func (b *Builder) stay(e *sources.Entry, day time.Time) (h bound, ok bool) {
	best := 0
	for _, s := range b.bounds[accountOf(e)] {
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
