package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// restore returns the list to hold of source i: had, or a newer revision in the store,
// because this program has just started or because another one accepted it. Until the
// store has answered, nothing is saved: it may know when entries were first seen. The
// error is why it has not. The caller has the lock of the source.
func (s *Screener) restore(ctx context.Context, i int, had held) (held, error) {
	if s.archive == nil {
		return had, nil
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	id, ld := s.infos[i].ID, &s.loaders[i]
	names, err := s.archive.names(ctx, id)
	if err == nil {
		if had.stored && !slices.Contains(names, had.file) {
			had.stored = false // it was deleted, and is saved again
		}
		var past *held
		var damage error
		past, damage, err = s.newest(ctx, i, newer(names, ld.known, &had))
		if err == nil {
			asked := ld.asked
			ld.asked = true
			if len(names) > 0 {
				ld.known = names[0]
			}
			ld.names = names
			if !asked || damage != nil || ld.unread {
				had.storeErr = nil
			}
			ld.unread = false
			if damage != nil {
				had.storeErr = sourceError(id, fmt.Errorf("store: %w", damage))
				s.log.ErrorContext(ctx, "stored list not usable", "source", id, "error", damage)
			}
			if past == nil {
				return s.confirmed(ctx, had)
			}
			// If a program was killed before it had written this event, or the line was
			// damaged, it is missing, and is written now.
			s.archive.pend(store.Event{
				Type: store.Accepted, At: s.now(), Source: id, Revision: past.file, List: past.confirmed,
				Entries: past.list.Entries, Addresses: past.list.Addresses,
			})
			had, err = s.merge(i, had, *past)
			if err == nil {
				s.log.InfoContext(ctx, "list opened from the store", "source", id, "entries", had.list.Entries, "mapped", had.list.IsMapped(),
					"last_updated", had.checked, "digest", had.revision.Digest, "took", time.Since(start))
				return had, nil
			}
		}
	}
	ld.unread = true
	had.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
	s.log.WarnContext(ctx, "store not read", "source", id, "error", err)
	return had, had.storeErr
}

// confirmed returns had as another program that shares the store has confirmed it.
func (s *Screener) confirmed(ctx context.Context, had held) (held, error) {
	if !had.stored || !s.archive.isShared() {
		return had, nil
	}
	rev, err := s.archive.latest(ctx, had.file, had.confirmed)
	if err != nil || rev == had.confirmed {
		return had, err
	}
	had.confirmed, had.revision, had.err = rev, rev, nil
	had.revision.Checked = time.Time{}
	had.age(rev.Checked, s.now())
	return had, nil
}

// newer returns the names of revisions that are newer than the one called known or, if
// that was deleted, newer than had.
func newer(names []string, known string, had *held) []string {
	if at := slices.Index(names, known); at >= 0 {
		return names[:at]
	}
	if had.list == nil || known == "" {
		return names
	}
	at := slices.IndexFunc(names, func(name string) bool {
		_, accepted, _, ok := store.ParseName(name)
		return !ok || !accepted.After(had.accepted)
	})
	if at >= 0 {
		return names[:at]
	}
	return names
}

// newest opens the first of the names whose revision is usable, and returns nil if there
// is none. damage describes the faults of those before it. The error is that of reading
// the store.
func (s *Screener) newest(ctx context.Context, i int, names []string) (h *held, damage, err error) {
	for _, name := range names {
		past, err := s.openRevision(ctx, i, name)
		switch {
		case err == nil:
			return past, damage, nil
		case errors.Is(err, store.ErrNotFound): // deleted in the meantime
		case ctx.Err() != nil:
			return nil, nil, err
		case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrVersion), errors.Is(err, errNotTaken):
			damage = errors.Join(damage, fmt.Errorf("%s: %w", name, err))
		default:
			return nil, nil, err
		}
	}
	return nil, damage, nil
}

// replaced reports whether had has replaced the revision of source i with this digest in the
// store.
func (s *Screener) replaced(i int, had *held, digest string) bool {
	names := s.loaders[i].names
	at := slices.Index(names, had.file)
	return at >= 0 && slices.ContainsFunc(names[at+1:], func(name string) bool {
		_, _, d, _ := store.ParseName(name)
		return d == digest
	})
}

// errNotTaken is the error for a stored list that would be refused from its source, too.
var errNotTaken = errors.New("it would be refused")

// openRevision opens a revision of source i.
func (s *Screener) openRevision(ctx context.Context, i int, name string) (*held, error) {
	check := func(e sources.Entry) error {
		if err := s.check(i, e); err != nil {
			return fmt.Errorf("%w: %w", errNotTaken, err)
		}
		return nil
	}
	h, f, err := s.archive.open(ctx, name, check, s.building)
	if err != nil {
		return nil, err
	}
	if f.Source != s.infos[i].ID || h.file != name {
		return nil, fmt.Errorf("%w: it is a list of %s", store.ErrDamaged, f.Source)
	}
	for _, k := range h.list.Kinds {
		if err := check(sources.Entry{Listed: name, Kind: k}); err != nil {
			return nil, err
		}
	}
	times, err := s.archive.checks(ctx, &h)
	if err != nil {
		return nil, err
	}
	now := s.now()
	for _, t := range times {
		h.age(t, now)
	}
	return &h, nil
}

// merge returns the list to hold: had or past, which is in the store. A list that was
// loaded before the store could be read follows past: its entries were first seen when
// those of past were.
func (s *Screener) merge(i int, had, past held) (held, error) {
	past.err, past.storeErr = had.err, had.storeErr
	if s.archive.isShared() {
		past.err = nil // another program has loaded it
		return past, nil
	}
	if had.list == nil || had.stored || past.file == had.file || past.accepted.After(had.accepted) || past.revision.Completeness != sources.Partial && !had.isLoaded() {
		return past, nil
	}
	next := had
	next.accepted = s.now().UTC()
	next.file, next.stored, next.filed = store.Name(s.infos[i].ID, next.accepted, next.revision.Digest), false, false
	b := list.NewBuilder(past.list, next.accepted)
	history, err := s.history(i, s.sources[i])
	if err != nil {
		return had, err
	}
	b.Follow(time.Time{}, history)
	for e, err := range had.list.All() {
		if err == nil {
			e.FirstSeen = time.Time{}
			err = b.Add(e)
		}
		if err != nil {
			return had, err
		}
	}
	if err := s.build(b, &next); err != nil {
		return had, err
	}
	_, _, err = b.Compare(next.list, next.accepted)
	return next, err
}

// save saves the list of source i, or that it was confirmed, and returns it with the
// outcome. It finishes what it has begun even if ctx ends. The caller has the lock of
// the source.
func (s *Screener) save(ctx context.Context, i int, h held, report *SourceReport) held {
	ld := &s.loaders[i]
	if s.archive == nil || !ld.asked || h.list == nil {
		return h
	}
	id := s.infos[i].ID
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if h.stored && h.filed {
		rev := h.revision
		rev.Checked = h.checked
		if rev == h.confirmed {
			return h
		}
		h.confirmed = rev
		s.archive.pend(store.Event{Type: store.Confirmed, At: s.now(), Source: id, Revision: h.file, List: rev})
		return h
	}
	if !h.stored {
		if s.archive.isShared() {
			return h // share could not save it
		}
		if other := s.accepted(ctx, i, &h); other != nil {
			return *other
		}
	}
	wasStored, start := h.stored, time.Now()
	if err := s.archive.save(ctx, s.infos[i], &h); err != nil {
		h.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		s.log.ErrorContext(ctx, "list not saved: it will be lost when the program ends", "source", id, "error", err)
		return h
	}
	h.storeErr, ld.known = nil, h.file
	s.log.InfoContext(ctx, "list saved", "source", id, "took", time.Since(start))
	if !wasStored {
		s.archive.pend(accepted(id, &h, report))
	}
	return h
}

// accepted returns the list that another program has accepted and saved in the meantime, if it
// is the same as h, so that the store has it once and both know the same times.
func (s *Screener) accepted(ctx context.Context, i int, h *held) *held {
	names, err := s.archive.names(ctx, s.infos[i].ID)
	if err != nil || len(names) == 0 || names[0] == s.loaders[i].known {
		return nil
	}
	if _, _, digest, ok := store.ParseName(names[0]); !ok || digest != h.revision.Digest {
		return nil
	}
	other, err := s.openRevision(ctx, i, names[0])
	if err != nil || other.list.Digest != h.list.Digest || other.list.Entries != h.list.Entries ||
		other.list.Removed != h.list.Removed || other.revision.Completeness != h.revision.Completeness {
		return nil
	}
	s.loaders[i].known = names[0]
	other.age(h.checked, s.now())
	other.err, other.seed = h.err, h.seed
	return other
}

// errOvertaken is why a list was not accepted.
var errOvertaken = errors.New("another program has accepted another list in the meantime")

// share saves the list next of source i, which follows had, in the store that replicas
// share, and returns what to hold: next only once it is saved, so that all answer from
// the same lists and know the same times. The caller has the lock of the source.
func (s *Screener) share(ctx context.Context, i int, had, next held, report SourceReport) (held, SourceReport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	id := s.infos[i].ID
	fail := func(err error) (held, SourceReport) {
		had.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		had.err, s.loaders[i].unread = had.storeErr, true
		s.log.ErrorContext(ctx, "list not accepted: it cannot be saved", "source", id, "error", err)
		return had, SourceReport{SourceStatus: SourceStatus{Err: had.err}, Unchanged: had.list != nil, opened: report.opened}
	}
	unlock, err := s.archive.lock(ctx, id)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	now, err := s.restore(ctx, i, had)
	switch {
	case err != nil:
		return fail(err)
	case now.list != had.list:
		report = SourceReport{Unchanged: true, opened: true}
		if now.list.Digest != next.list.Digest {
			now.err = sourceError(id, errOvertaken)
			report.Err = now.err
		}
		return now, report
	}
	if err := s.archive.save(ctx, s.infos[i], &next); err != nil {
		return fail(err)
	}
	s.archive.pend(accepted(id, &next, &report))
	if err := s.archive.flush(ctx); err != nil {
		return fail(err)
	}
	next.storeErr, s.loaders[i].known = nil, next.file
	s.log.InfoContext(ctx, "list saved", "source", id)
	return next, report
}

// accepted returns the event that h was accepted.
func accepted(source string, h *held, report *SourceReport) store.Event {
	return store.Event{
		Type: store.Accepted, At: h.accepted, Source: source, Revision: h.file, List: h.confirmed,
		Entries: h.list.Entries, Addresses: h.list.Addresses, Added: report.Added, Removed: report.Removed,
	}
}
