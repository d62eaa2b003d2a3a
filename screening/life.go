package screening

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

var errBack = errors.New("store: it is as it was at an earlier time")

// storeTimeout bounds each use of the store.
const storeTimeout = time.Minute

// bounded calls f, which uses the store, for at most storeTimeout. A panic is an error.
func bounded(ctx context.Context, f func(context.Context) error) (err error) {
	defer caught(&err)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return f(ctx)
}

// take learns what the store knows of source i, and returns the list to hold: had, or the list that another
// program, or the one before, has accepted. The error is why the store has not answered. The caller has
// the lock of the source.
func (s *Screener) take(ctx context.Context, i int, had current) (next current, err error) {
	if s.book.Store() == nil {
		return had, nil
	}
	ld, id := &s.sourceLocks[i], s.infos[i].ID
	if err := s.book.Follow(ctx); err != nil {
		return had, err
	}
	state := s.book.State()
	held, back := state.Held[id], state.Back
	wentBack := ld.back != back
	if (wentBack || had.unkept) && had.isLoaded() && !held.Is(&had.held) {
		return s.offerHeld(ctx, i, had, &held, back)
	}
	if next, err = s.open(ctx, i, had, &held); err != nil {
		return had, err
	}
	ld.back = back
	if wentBack && had.list != nil && next.list != had.list { // it is not offered, because the list accepted last could not be proved
		next.unsaved = had.unsaved
		next.add(had.list, s.now(), nil, errBack)
	}
	answers := had.list != nil && had.damaged == nil
	if u := next.unsaved; !answers || u == nil || u.last == nil { // or its own files may be ahead
		if next, err = s.adopt(ctx, i, next, answers); err != nil {
			if next.list != nil && !answers { // a file that is ahead may have another one
				next.damaged, next.later = fmt.Errorf("store: %w", err), held
			}
			return next, err
		}
	}
	if u := next.unsaved; u != nil && u.last != nil {
		return s.offerUnsaved(ctx, i, next)
	}
	return next, nil
}

// offerHeld offers the list held again to the store, which has another one, and returns the list to hold. back is
// how often the store went back.
func (s *Screener) offerHeld(ctx context.Context, i int, had current, held *journal.Held, back int) (next current, err error) {
	ld := &s.sourceLocks[i]
	wentBack := ld.back != back
	o := &offer{rev: had.revision(), asked: had.held.Asked, again: !wentBack, earlier: true, Offer: list.Offer{Checked: had.checked, Entries: had.list.File(), N: had.list.Entries}}
	for e, err := range o.Entries.All() {
		if err != nil {
			return had, err
		}
		if e.Out != 0 {
			o.Ended = append(o.Ended, e.Entry)
		}
	}
	var reason error
	if next, err = s.open(ctx, i, current{err: had.err}, held); err == nil {
		next, _, reason, err = s.consider(ctx, i, next, o, nil)
	}
	if err != nil {
		if !errors.Is(err, store.ErrMoved) { // until it is saved, the journal says another thing
			if u := had.unsaved; u != nil && u.last != nil {
				o = u.last // it was accepted after the list held
			}
			had.add(had.list, s.now(), o, fmt.Errorf("store: %w", err))
		}
		return had, err
	}
	isReplaced := errors.Is(reason, ErrOlder) && held.Accepted.After(had.held.Accepted) // by a newer list of its publisher
	if next.unsaved = had.unsaved; reason != nil && wentBack && !isReplaced {           // the operator had accepted it
		next.add(had.list, s.now(), nil, fmt.Errorf("%w: %w", errBack, reason))
		next.unsaved.last = nil
	}
	ld.back = back
	return next, nil
}

// offerUnsaved offers the last list that could not be saved, and returns the list to hold.
func (s *Screener) offerUnsaved(ctx context.Context, i int, had current) (next current, err error) {
	next, _, _, err = s.consider(ctx, i, had, had.unsaved.last, nil)
	if err == nil && next.unsaved != nil { // another list was accepted meanwhile, which it does not replace
		if err = s.say(ctx, i, &journal.Line{Type: journal.Gap, From: had.unsaved.since, Reason: "a list could not be saved"}); err == nil {
			next.unsaved = nil
		}
	}
	return next, err
}

// note appends a line whose failure does no harm.
func (s *Screener) note(ctx context.Context, l *journal.Line) {
	if s.opts.LoadOnly || !s.running.Load() {
		return // it answers nobody, or only reads
	}
	if err := s.append(ctx, l, nil); err != nil {
		s.opts.Logger.WarnContext(ctx, "journal not written", "error", err)
	}
}

// add lets what l has match beside the list held; last and err are as in unsaved, and nil for what they were.
func (h *current) add(l *list.List, now time.Time, last *offer, err error) {
	had := h.unsaved
	if had == nil {
		h.unsaved = &unsaved{l, now, last, err}
		return
	}
	h.unsaved = &unsaved{had.list, had.since, cmp.Or(last, had.last), cmp.Or(err, had.err)}
	both, n := stays.NewWriter(0), 0
	for _, entries := range []iter.Seq2[sources.Entry, error]{had.list.All(), list.Missing(l, had.list)} {
		n = 0
		for e, err := range entries {
			if err == nil { // it is in memory
				both.Add(&stays.Stay{Entry: e, In: 1})
				n++
			}
		}
	}
	if n == 0 { // nothing is missing
		return
	}
	if f, err := both.File(stays.Header{Last: 1}, nil, nil); err == nil {
		if both, err := list.Build(f, func(sources.Entry) error { return nil }); err == nil {
			h.unsaved.list = both
		}
	}
}

// consider judges an offer beside the list held, and saves it if it is accepted. failed is why the store did not
// answer just now, or nil. A list that cannot be saved matches beside the list held. reason is why the offer was refused, and err why
// the store fails; it wraps [store.ErrMoved] if another program has accepted a list meanwhile.
func (s *Screener) consider(ctx context.Context, i int, had current, o *offer, failed error) (next current, report SourceReport, reason, err error) {
	report.Unchanged = had.list != nil
	if !s.book.State().Known || ctx.Err() != nil && errors.Is(failed, ctx.Err()) {
		return had, report, nil, failed // nothing is accepted that cannot be compared with the list held
	}
	defer caught(&reason) // panics of callbacks
	came, changes, v := s.judgeOffer(ctx, i, &had, o)
	switch v.decision {
	case confirmed:
		next, err = s.confirm(ctx, i, had, o, failed)
		return next, report, nil, err
	case ignored:
		s.opts.Logger.DebugContext(ctx, "list ignored", "source", s.infos[i].ID, "reason", v.reason)
		return had, report, nil, failed
	case refused:
		if failed == nil && came.held.Revision.Digest != "" {
			failed = s.say(ctx, i, &journal.Line{Type: journal.Refused, Reason: v.reason.Error(), Offered: &came.held, From: had.unsavedSince()})
		}
		return had, report, v.reason, failed
	}
	if failed == nil {
		failed = s.save(ctx, i, &had, &came, &changes)
	}
	if failed == nil {
		return came, SourceReport{Added: changes.Added, Removed: changes.Removed, before: had.list, after: came.list}, nil, nil
	}
	if !errors.Is(failed, store.ErrMoved) {
		late := *o
		late.earlier = true
		if late.Checked.IsZero() && !late.seed { // nobody knows when a seed was read
			late.Checked = s.now()
		}
		had.add(came.list, s.now(), &late, fmt.Errorf("store: %w", failed))
		report.Unchanged = false
	}
	return had, report, nil, failed
}

// append appends a line. It finishes even if ctx ends.
func (s *Screener) append(ctx context.Context, l *journal.Line, base *journal.Held) error {
	return bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.book.Append(ctx, l, base) })
}

// say appends a line about source i, unless the journal has another list than offers were judged by.
func (s *Screener) say(ctx context.Context, i int, l *journal.Line) error {
	ld := &s.sourceLocks[i]
	l.Source = s.infos[i].ID
	err := s.append(ctx, l, &ld.known)
	if err == nil && l.Held != nil {
		ld.known = *l.Held
	}
	return err
}

// save writes the file and the line of a list that was accepted.
func (s *Screener) save(ctx context.Context, i int, had, next *current, changes *list.Changes) error {
	id, start, kept := s.infos[i].ID, time.Now(), s.book.IsKept()
	f := next.list.File() // nothing else has it yet
	f.After, f.Program = s.book.State().Number, s.book.Program
	name := ""
	err := bounded(context.WithoutCancel(ctx), func(ctx context.Context) (err error) { name, err = s.book.Put(ctx, f); return err })
	if err != nil {
		return err
	}
	next.unkept = !kept
	err = s.say(ctx, i, &journal.Line{Type: journal.Accepted, Held: &next.held, From: had.unsavedSince(), Added: changes.Added, Removed: changes.Removed})
	if is := s.book.State().Held[id]; kept && errors.Is(err, store.ErrMoved) && !is.Is(&next.held) { // or another program has adopted it
		bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.book.Store().Delete(ctx, name) }) // it was judged by a list that is not held any more
	}
	if err == nil {
		s.opts.Logger.InfoContext(ctx, "list accepted", "source", id, "added", changes.Added, "removed", changes.Removed, "entries", next.held.Entries,
			"kept", kept, "took", time.Since(start))
	}
	return err
}

// confirmEvery is the interval at which checks that found nothing new are written to the journal.
const confirmEvery = time.Minute

// confirm notes that an offer is the list held.
func (s *Screener) confirm(ctx context.Context, i int, had current, o *offer, failed error) (current, error) {
	held, now := had.held, s.now()
	rev := o.rev
	rev.Checked = now
	if !o.Checked.IsZero() && o.Checked.Before(now) {
		rev.Checked = o.Checked
	}
	if rev.Checked.Before(held.Revision.Checked) && !isFuture(held.Revision.Checked, now) {
		rev.Checked = held.Revision.Checked
	}
	if !o.asked.IsZero() {
		held.Asked, held.History = o.asked, digestOfHistory(o.History)
	}
	since := rev.Checked.Sub(held.Revision.Checked)
	held.Revision, held.Seed = rev, held.Seed && o.seed
	untimed := held
	untimed.Asked, untimed.Revision.Checked = had.held.Asked, had.held.Revision.Checked
	if since.Abs() >= confirmEvery || untimed != had.held || had.unsaved != nil {
		if failed == nil {
			failed = bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.saveAgain(ctx, &had) })
		}
		if failed == nil {
			failed = s.say(ctx, i, &journal.Line{Type: journal.Checked, Held: &held, From: had.unsavedSince()})
		}
		if failed != nil {
			return had, failed
		}
		had.unsaved, had.held = nil, held
	}
	had.err = nil
	had.age(held.Revision.Checked, now)
	return had, failed
}

// saveAgain writes the file of the list held if no file of the store has it any more.
func (s *Screener) saveAgain(ctx context.Context, had *current) error {
	if !s.book.IsKept() {
		return nil
	}
	f := had.list.File()
	names, err := journal.Names(ctx, s.book.Store(), f.Source)
	if err == nil && !slices.ContainsFunc(names, func(n stays.Name) bool { return n.Has(f.Source, had.held.N) }) {
		_, err = s.book.Put(ctx, f)
	}
	return err
}
