package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// storeTimeout bounds each use of the store.
const storeTimeout = time.Minute

// errAhead is why a list is not loaded: a file of the store is ahead of its journal, and could
// not be accepted.
var errAhead = fmt.Errorf("%w: files of the list are ahead of the journal, and it cannot be written", store.ErrDamaged)

// take learns what the store knows of source i, and returns the list to hold: had, or the list that another
// program, or the one before, has accepted. The error is why the store has not answered. The caller has
// the lock of the source.
func (s *Screener) take(ctx context.Context, i int, had current) (next current, err error) {
	defer caught(&err)
	if !s.book.HasStore() {
		return had, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	ld, id := &s.sourceLocks[i], s.infos[i].ID
	if err := s.book.Follow(ctx); err != nil {
		return had, err
	}
	_, back, _ := s.book.State()
	held := s.book.Held(id)
	wentBack := ld.back != back
	had.known = held
	if wentBack && had.isLoaded() && !held.Is(&had.held) { // what was held is offered to it again
		again := current{err: had.err, known: held}
		if next, err = s.open(ctx, i, again, &held); err != nil {
			return had, err
		}
		o := &offer{rev: had.revision(), checked: had.checked, asked: had.held.Asked, entries: had.list.File(), n: had.list.Entries}
		for e, err := range o.entries.Ended(0) {
			if err != nil {
				return had, err
			}
			o.ended = append(o.ended, e.Entry)
		}
		var reason error
		next, _, reason, err = s.consider(ctx, i, next, o, nil)
		if next.also, next.lost, next.unsaved = had.also, had.lost, had.unsaved; reason != nil { // the operator had accepted it
			next.add(had.list, s.now())
			next.unsaved = fmt.Errorf("store: it is as it was at an earlier time: %w", reason)
		}
		if err == nil {
			ld.back = back
		}
		return next, err
	}
	ld.back = back
	if next, err = s.open(ctx, i, had, &held); err != nil {
		return had, err
	}
	if !ld.started {
		if next, err = s.adopt(ctx, i, next); err != nil {
			return next, err
		}
		ld.started = next.damaged == nil || s.running.Load()
	}
	if next.late != nil {
		return s.saveLate(ctx, i, next)
	}
	return next, nil
}

// saveLate offers again the list of source i that was accepted last and could not be saved. If another list
// was accepted meanwhile that it does not replace, it ends.
func (s *Screener) saveLate(ctx context.Context, i int, had current) (current, error) {
	next, _, _, err := s.consider(ctx, i, had, had.late, nil)
	if err == nil && next.late != nil {
		err = s.append(ctx, &journal.Line{Type: journal.Gap, Source: s.infos[i].ID, From: next.lost, Reason: "a list could not be saved"}, &next.known)
		if err == nil {
			next.also, next.lost, next.unsaved, next.late = nil, time.Time{}, nil, nil
		}
	}
	return next, err
}

// open returns the list that the journal says is held, unless that is had.
func (s *Screener) open(ctx context.Context, i int, had current, held *journal.Held) (current, error) {
	id, now := s.infos[i].ID, s.now()
	if held.N == 0 || had.damaged == nil && had.list != nil && held.Is(&had.held) {
		if held.N > 0 {
			if held.Revision.Checked.After(had.held.Revision.Checked) {
				had.err = nil // another program has reached the publisher
			}
			had.held = *held
			had.age(held.Revision.Checked, now)
		}
		return had, nil
	}
	start := time.Now()
	next, err := s.openHeld(ctx, i, held, now)
	if err == nil {
		next.also, next.lost, next.unsaved, next.late, next.known = had.also, had.lost, had.unsaved, had.late, had.known
		s.log.InfoContext(ctx, "list opened from the store", "source", id, "entries", next.list.Entries,
			"last_updated", next.checked, "digest", next.held.Revision.Digest, "took", time.Since(start))
		if held.Damaged {
			held.Damaged = false
			s.note(ctx, &journal.Line{Type: journal.Answering, Source: id, Held: held})
		}
		return next, nil
	}
	if !isAtFault(err) {
		return had, err
	}
	damage := fmt.Errorf("store: %w", err)
	if had.damaged == nil || had.list == nil {
		s.log.ErrorContext(ctx, "the list accepted last cannot be opened", "source", id, "error", err)
	}
	if had.list == nil {
		known := had.known
		had = s.openOlder(ctx, i, held, now)
		had.known = known
	}
	had.damaged, had.later = damage, *held
	if !held.Damaged {
		held.Damaged = true
		s.note(ctx, &journal.Line{Type: journal.Damaged, Source: id, Held: held, Reason: err.Error()})
	}
	return had, nil
}

// note appends a line whose failure does no harm.
func (s *Screener) note(ctx context.Context, l *journal.Line) {
	if s.loadOnly || !s.running.Load() {
		return // it answers nobody, or only reads
	}
	if err := s.book.Append(ctx, l, nil); err != nil {
		s.log.WarnContext(ctx, "journal not written", "error", err)
	}
}

// isAtFault reports whether a file, and not the store, is the reason of err.
func isAtFault(err error) bool {
	return errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrVersion) || errors.Is(err, store.ErrNotFound) || errors.Is(err, errNotTaken)
}

// errNotTaken is the error for a stored list that would be refused from its source, too.
var errNotTaken = errors.New("it would be refused")

// openHeld opens a list of source i in the store, at the time now.
func (s *Screener) openHeld(ctx context.Context, i int, held *journal.Held, now time.Time) (current, error) {
	return openHeld(ctx, s.book.Store(), s.infos[i].ID, held, now, func(e sources.Entry) error {
		if err := s.check(i, e); err != nil {
			return fmt.Errorf("%w: %w", errNotTaken, err)
		}
		return nil
	}, s.building)
}

// openHeld opens a list of a store. Any file that answers for the acceptance will do, because the digest in the
// journal proves what it says.
func openHeld(ctx context.Context, st store.Store, id string, held *journal.Held, now time.Time, check func(sources.Entry) error, building func(func() error) error) (current, error) {
	var errs []error
	for range 2 { // a file may be replaced meanwhile
		errs = nil
		names, err := journal.Covering(ctx, st, id, held.N)
		if err != nil {
			return current{}, err
		}
		for _, name := range names {
			start := time.Now()
			f, err := journal.Load(ctx, st, name)
			var l *list.List
			if err == nil {
				err = building(func() (err error) {
					if f, err = f.Cut(held.N, held.Revision); err == nil {
						l, err = list.Build(f, check)
					}
					return err
				})
			}
			switch {
			case err == nil && l.Digest == held.Digest:
				h := current{list: l, held: *held, name: name.String(), ready: time.Now(), took: time.Since(start)}
				h.held.Damaged = false
				h.age(held.Revision.Checked, now)
				return h, nil
			case err == nil:
				err = fmt.Errorf("%s: %w: it has another list of that number", name, store.ErrDamaged)
			case !isAtFault(err):
				return current{}, err
			}
			errs = append(errs, err)
		}
		if errs != nil && !errors.Is(errors.Join(errs...), store.ErrNotFound) {
			break
		}
	}
	if errs == nil {
		return current{}, fmt.Errorf("list %d of %s: %w", held.N, id, store.ErrNotFound)
	}
	return current{}, fmt.Errorf("%w: %w", store.ErrDamaged, errors.Join(errs...))
}

// openOlder returns the newest list before held that can be read: what it has matches.
func (s *Screener) openOlder(ctx context.Context, i int, held *journal.Held, now time.Time) (h current) {
	names, _ := s.book.Names(ctx, s.infos[i].ID)
	for _, name := range names {
		f, err := s.book.Load(ctx, name)
		if err != nil {
			continue
		}
		if f, err = f.Cut(min(f.Last, held.N), f.Revision); err != nil {
			continue
		}
		l, err := list.Build(f, func(e sources.Entry) error { return s.check(i, e) })
		if err != nil {
			continue
		}
		h = current{list: l, held: heldOf(f, l), ready: time.Now()}
		h.age(f.Revision.Checked, now)
		return h
	}
	return h
}

// adopt makes the newest file that is ahead of the journal the list held. It was judged; its line
// is missing because the program was killed before it wrote it, or because the end of the
// journal is lost. Of files that contradict each other none is adopted, and all match.
func (s *Screener) adopt(ctx context.Context, i int, had current) (current, error) {
	state, _, _ := s.book.State()
	names, err := s.book.Names(ctx, s.infos[i].ID)
	if err != nil {
		return had, err
	}
	begun, lost := state.Before(s.infos[i].ID)
	begun = min(begun, s.book.Begun()) // lines of other lists, and of this program, may follow
	var newest *stays.File
	var of *list.List
	var at stays.Name
	var broken error // the first one cannot be opened
	for _, name := range names {
		if !journal.IsAhead(name, begun, state.Held[s.infos[i].ID].N) {
			continue
		}
		f, err := s.book.Load(ctx, name)
		var l *list.List
		if err == nil {
			l, err = list.Build(f, func(e sources.Entry) error { return s.check(i, e) })
		}
		if isAtFault(err) {
			if newest == nil && broken == nil {
				broken = fmt.Errorf("store: %w", err)
				had.known = journal.Held{N: name.Last, Damaged: true}
				had.damaged, had.later = broken, had.known
				s.note(ctx, &journal.Line{Type: journal.Damaged, Source: name.Source, Held: &had.known, Reason: err.Error()})
			}
			continue
		} else if err != nil {
			return had, err
		}
		if broken != nil { // until the publisher answers
			if had.list == nil {
				had.list, had.held, had.ready = l, heldOf(f, l), time.Now()
			}
			return had, nil
		}
		had.add(l, s.now())
		had.damaged, had.later = errAhead, journal.Held{N: f.Last, Digest: l.Digest, Addresses: l.Addresses, Revision: f.Revision}
		switch {
		case newest == nil:
			newest, of, at = f, l, name
		case f.After == newest.After && l.Digest != of.Digest:
			return had, nil // until the publisher answers
		}
	}
	if newest == nil {
		return had, nil
	}
	since := state.At
	if newest.After <= s.book.Begun() && !lost { // no line is lost: until then the list held answered
		since = newest.Written
	}
	next := current{list: of, held: heldOf(newest, of), name: at.String(), err: had.err, ready: time.Now()}
	next.held.Most, next.held.Asked = journal.Most(had.held.Most, of.Addresses), newest.Written
	next.age(newest.Revision.Checked, s.now())
	next.known = next.held
	if err := s.book.Append(ctx, &journal.Line{Type: journal.Accepted, Source: s.infos[i].ID, Held: &next.held, From: since, Reason: "a file was ahead of the journal"}, &had.known); err != nil {
		if errors.Is(err, store.ErrMoved) {
			return had, err
		}
		s.log.WarnContext(ctx, "a list that was accepted is not in the journal, and cannot be written there", "source", s.infos[i].ID, "error", err)
		return had, nil
	}
	return next, nil
}

// heldOf returns what the journal would say of l, the list of a file.
func heldOf(f *stays.File, l *list.List) journal.Held {
	return journal.Held{N: f.Last, Digest: l.Digest, Entries: l.Entries, Addresses: l.Addresses, Revision: f.Revision, Accepted: f.Written}
}

// add lets what l has match beside the list held.
func (h *current) add(l *list.List, now time.Time) {
	if h.lost.IsZero() {
		h.lost = now
	}
	if h.also == nil || h.also.Digest == l.Digest {
		h.also = l
		return
	}
	var all []stays.Stay
	for _, l := range []*list.List{h.also, l} {
		for e, err := range l.All() {
			if err != nil { // it is in memory
				continue
			}
			all = append(all, stays.Stay{Entry: e, In: 1})
		}
	}
	all = slices.Compact(all)
	f, err := stays.New(stays.Header{Last: 1}, all)
	if err == nil {
		if both, err := list.Build(f, func(sources.Entry) error { return nil }); err == nil {
			h.also = both
		}
	}
}

// consider judges an offer beside the list held, and saves what is accepted. failed is why the store did not
// answer just now, or nil. What cannot be saved matches beside what is held. reason is why the offer was refused, and err why
// the store fails; it wraps [store.ErrMoved] if another program has accepted a list meanwhile.
func (s *Screener) consider(ctx context.Context, i int, had current, o *offer, failed error) (next current, report SourceReport, reason, err error) {
	report.Unchanged = had.list != nil
	if _, _, known := s.book.State(); !known {
		return had, report, nil, failed // nothing is accepted that cannot be compared with what is held
	}
	defer caught(&reason) // panics of callbacks
	d, reason := s.judgeOffer(ctx, i, &had, o)
	switch {
	case reason == errSame:
		next, err = s.confirm(ctx, i, had, o, failed)
		return next, report, nil, err
	case reason == errRead, reason == errReplaced:
		s.log.DebugContext(ctx, "list ignored", "source", s.infos[i].ID, "reason", reason)
		return had, report, nil, failed
	case reason != nil:
		if failed == nil {
			had.unsaved = nil
		}
		if failed == nil && d.refused != nil {
			failed = s.append(ctx, &journal.Line{Type: journal.Refused, Source: s.infos[i].ID, Reason: reason.Error(), Offered: d.refused, From: had.lost}, &had.known)
		}
		return had, report, reason, failed
	}
	if failed == nil {
		next, failed = s.save(ctx, i, &had, d)
	}
	if failed == nil {
		return next, SourceReport{Added: d.changes.Added, Removed: d.changes.Removed, before: had.list, after: next.list}, nil, nil
	}
	if !errors.Is(failed, store.ErrMoved) {
		late := *o
		if late.checked.IsZero() {
			late.checked = s.now()
		}
		had.late = &late
		had.add(d.list, s.now())
		had.unsaved = fmt.Errorf("store: %w", failed)
		report.Unchanged = false
	}
	return had, report, nil, failed
}

// append appends a line. It finishes even if ctx ends.
func (s *Screener) append(ctx context.Context, l *journal.Line, base *journal.Held) (err error) {
	defer caught(&err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.book.Append(ctx, l, base)
}

// save writes the file and the line of a list that was accepted, and returns it.
func (s *Screener) save(ctx context.Context, i int, had *current, d *draft) (next current, err error) {
	defer caught(&err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	id, start := s.infos[i].ID, time.Now()
	f := d.list.File() // nothing else has it yet
	f.After, f.Program = s.book.Number(), s.book.Program()
	name, err := s.book.Put(ctx, f)
	if err != nil {
		return next, err
	}
	next = current{list: d.list, held: d.held, name: name, known: d.held, ready: d.ready, took: d.took}
	next.age(d.held.Revision.Checked, s.now())
	err = s.book.Append(ctx, &journal.Line{Type: journal.Accepted, Source: id, Held: &next.held, From: had.lost, Added: d.changes.Added, Removed: d.changes.Removed}, &had.known)
	if is := s.book.Held(id); errors.Is(err, store.ErrMoved) && !is.Is(&next.held) { // or another program has adopted it
		s.book.Delete(ctx, name) // it was judged by a list that is not held any more
	}
	if err == nil {
		s.log.InfoContext(ctx, "list accepted", "source", id, "kept", s.book.IsKept(), "took", time.Since(start))
	}
	return next, err
}

// confirmEvery is the interval at which checks that found nothing new are written to the journal.
const confirmEvery = time.Minute

// confirm notes that an offer is the list held.
func (s *Screener) confirm(ctx context.Context, i int, had current, o *offer, failed error) (current, error) {
	held, now := had.held, s.now()
	rev := o.rev
	rev.Checked = now
	if !o.checked.IsZero() && o.checked.Before(now) {
		rev.Checked = o.checked
	}
	if rev.Checked.Before(held.Revision.Checked) && !isFuture(held.Revision.Checked, now) {
		rev.Checked = held.Revision.Checked
	}
	if !o.asked.IsZero() {
		held.Asked = o.asked
	}
	since := rev.Checked.Sub(held.Revision.Checked)
	held.Revision = journal.Storable(rev)
	news := held.Revision
	news.Checked = had.held.Revision.Checked
	if since.Abs() >= confirmEvery || news != had.held.Revision || !had.lost.IsZero() {
		if failed == nil {
			failed = s.saveAgain(ctx, i, &had)
		}
		if failed == nil {
			failed = s.append(ctx, &journal.Line{Type: journal.Checked, Source: s.infos[i].ID, Held: &held, From: had.lost}, &had.known)
		}
		if failed != nil {
			return had, failed
		}
		had.also, had.lost, had.unsaved, had.late = nil, time.Time{}, nil, nil
		had.held, had.known = held, held
	}
	had.err = nil
	had.age(held.Revision.Checked, now)
	return had, failed
}

// saveAgain writes the file of the list held if no file of the store has it any more.
func (s *Screener) saveAgain(ctx context.Context, i int, had *current) (err error) {
	defer caught(&err)
	if !s.book.IsKept() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	names, err := journal.Covering(ctx, s.book.Store(), s.infos[i].ID, had.held.N)
	if err == nil && names == nil {
		_, err = s.book.Put(ctx, had.list.File())
	}
	return err
}
