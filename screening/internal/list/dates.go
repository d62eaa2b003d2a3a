package list

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// A span is what copies of a list say of a stay of an account on it: the last copy before it, the first copy that
// has the account, and the first one again without it; zero if there is none.
type span struct{ notListedOn, since, until time.Time }

// spansOf returns the spans of history, which has its stays as [sources.History] returns them, by account.
func spansOf(history []sources.Entry) map[index.ID][]span {
	spans := make(map[index.ID][]span)
	for i := range history {
		e := &history[i]
		spans[accountOf(e)] = append(spans[accountOf(e)], span{e.NotListedOn, e.FirstSeen, e.Until})
	}
	return spans
}

// date sets FirstSeen and NotListedOn of the entry that is offered and was read, which r lists. was are its rows in the
// list held.
func (n *next) date(e *sources.Entry, r *stays.Record, was []uint32) {
	copied := n.plausible(e.FirstSeen)
	if had, ok := n.hadDates(r, was); ok {
		e.FirstSeen, e.NotListedOn = had.since, had.notListedOn
	} else {
		n.dateNew(e)
	}
	e.FirstSeen = n.plausible(e.FirstSeen)
	if !copied.IsZero() && copied.Before(e.FirstSeen) {
		e.FirstSeen = copied
	}
	if len(n.spans) > 0 {
		if copied.IsZero() {
			copied = n.now
		}
		n.correct(e, copied)
	}
	if e.NotListedOn.After(e.FirstSeen) {
		e.NotListedOn = time.Time{}
	}
}

// hadDates returns the dates of what r lists on the list held, or else the first dates beside it, or of a stay that has ended: it
// came back.
func (n *next) hadDates(r *stays.Record, was []uint32) (had span, ok bool) {
	if len(was) > 0 {
		o := n.view.row(was[0])
		return span{notListedOn: o.NotListedOn, since: o.FirstSeen}, true
	}
	var buf [8]uint32
	for _, l := range [...]*List{n.offer.Beside, n.held.past, n.offer.Beside.Past()} {
		if l == nil { // a view is large
			continue
		}
		v := l.view()
		for _, row := range v.appendRows(buf[:0], r, n.first()) {
			if o := v.row(row); !o.FirstSeen.IsZero() && (!ok || o.FirstSeen.Before(had.since)) {
				had, ok = span{notListedOn: o.NotListedOn, since: o.FirstSeen}, true
			}
		}
	}
	return had, ok
}

// dateNew dates an entry that is new, as far as its dates are not known. If the list held has the
// account under another reference or ticker, they are as there.
func (n *next) dateNew(e *sources.Entry) {
	if e.FirstSeen.IsZero() {
		e.FirstSeen = n.now
	}
	absent := n.offer.Absent
	if absent.IsZero() || n.view.table == nil {
		return
	}
	var had span
	ok := false
	var buf [8]uint32
	for _, row := range n.view.index.AppendRows(buf[:0], *n.first()) {
		var s stays.Stay
		n.view.row(row).Read(&s) // never fails: it was read before
		if accountOf(&s.Entry) == accountOf(e) && (!ok || s.FirstSeen.Before(had.since)) {
			had, ok = span{notListedOn: s.NotListedOn, since: s.FirstSeen}, true
		}
	}
	switch {
	case !ok && absent.Before(e.FirstSeen) && absent.After(e.NotListedOn):
		e.NotListedOn = absent
	case ok && had.since.Before(e.FirstSeen):
		e.FirstSeen, e.NotListedOn = had.since, had.notListedOn
	}
}

// plausible returns t, or now if t is in the future: a clock was wrong.
func (n *next) plausible(t time.Time) time.Time {
	if t.After(n.now) && t.After(n.now.Add(Skew)) {
		return n.now
	}
	return t
}

// endOf returns when the stay of e ended: by the history, perhaps in other letter case, or else when the list without
// it was read.
func (n *next) endOf(e *sources.Entry) (until time.Time) {
	for _, s := range n.spans[accountOf(e)] {
		if s.until.After(e.FirstSeen) && s.until.After(until) {
			until = s.until
		}
	}
	switch {
	case !until.IsZero():
		return until
	case n.offer.Checked.After(e.FirstSeen):
		return n.offer.Checked
	}
	return n.now
}

// accountOf returns the key of the account of e, or of its text.
func accountOf(e *sources.Entry) index.ID {
	if e.Address.IsValid() {
		return KeyOf(e.Address.Account())
	}
	return TextKey(e.Listed)
}

// correct corrects FirstSeen and NotListedOn of e by the history of the list. A copy of the
// given day has e.
func (n *next) correct(e *sources.Entry, day time.Time) {
	h, ok := n.span(e, day)
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

// span returns the first stay of the account of e that the given day is in; else the first
// one that has not ended; else, if the list may be a copy of years ago, the first one.
func (n *next) span(e *sources.Entry, day time.Time) (h span, ok bool) {
	best := 0
	for _, s := range n.spans[accountOf(e)] {
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
