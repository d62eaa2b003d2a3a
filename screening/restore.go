package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// restore returns the list to hold of source i: had, or a newer revision in the store,
// because this program has just started or because another one accepted it. Until the
// store has answered, nothing is saved: it may know when entries were first seen. The
// error is why it has not. The caller has the lock of the source.
func (s *Screener) restore(ctx context.Context, i int, had current) (current, error) {
	if s.archive == nil {
		return had, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	next, err := s.readStore(ctx, i, had)
	if err != nil {
		id := s.infos[i].ID
		s.sourceLocks[i].unread = true
		next.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		s.log.WarnContext(ctx, "store not read", "source", id, "error", err)
		return next, next.storeErr
	}
	return next, nil
}

// readStore returns the list to hold of source i, as restore does.
func (s *Screener) readStore(ctx context.Context, i int, had current) (current, error) {
	start := time.Now()
	id, ld := s.infos[i].ID, &s.sourceLocks[i]
	names, gone, err := s.archive.names(ctx, id)
	if err != nil {
		return had, err
	}
	if had.stored && (slices.Contains(gone, had.file) || !slices.Contains(names, had.file)) {
		had.stored = false // it was deleted, and is saved again
	}
	past, broken, damage, err := s.newest(ctx, i, &had, newer(names, ld.known, &had))
	if err != nil {
		return had, err
	}
	if !ld.asked || damage != nil || ld.unread {
		had.storeErr = nil
	}
	ld.asked, ld.unread, ld.names = true, false, names
	if len(names) > 0 {
		ld.known = names[0]
	}
	if damage != nil {
		had.storeErr = sourceError(id, fmt.Errorf("store: %w", damage))
		s.log.ErrorContext(ctx, "stored list not usable", "source", id, "error", damage)
	}
	if broken != "" && !had.stored && had.seed {
		had = current{storeErr: had.storeErr} // an older list than the one that is broken
	}
	if broken != "" && (had.list == nil || had.stored) { // or it was loaded while the store could not be read
		had.broken = broken
	}
	if past == nil {
		return s.confirmed(ctx, had)
	}
	past.broken = broken
	s.pendAccepted(ctx, i, past, names)
	next, err := s.merge(ctx, i, had, *past)
	if err == nil {
		s.log.InfoContext(ctx, "list opened from the store", "source", id, "entries", next.list.Entries,
			"last_updated", next.checked, "digest", next.revision.Digest, "took", time.Since(start))
	}
	return next, err
}

// pendAccepted queues the events of a revision from the store that are missing in the journal,
// because a program was killed before it had written them, or the lines were damaged.
func (s *Screener) pendAccepted(ctx context.Context, i int, past *current, names []string) {
	if err := s.pendLost(ctx, i, past, names); err != nil {
		s.log.WarnContext(ctx, "changes of a list not known", "source", s.infos[i].ID, "error", err)
	}
	if past.broken == "" { // or it would be the one accepted last
		s.archive.pend(journal.Event{
			Type: journal.Accepted, At: s.now(), Source: s.infos[i].ID, Revision: past.file, List: past.confirmed,
			Entries: past.list.Entries, Addresses: past.list.Addresses,
		})
	}
}

// pendLost queues the events that say how a revision differs from the previous revision in
// names, if the journal says nothing about the revision.
func (s *Screener) pendLost(ctx context.Context, i int, past *current, names []string) error {
	at := slices.Index(names, past.file) + 1
	known, err := s.archive.knows(ctx, past.file)
	if known || err != nil || at == len(names) {
		return err
	}
	before, err := s.openRevision(ctx, i, names[at], new(current), s.now())
	if err != nil {
		return err
	}
	b := list.NewBuilder(before.list, past.accepted)
	for e, err := range past.list.All() {
		if err == nil {
			err = b.Add(e)
		}
		if err != nil {
			return err
		}
	}
	next := *past
	if err := s.build(b, &next); err != nil {
		return err
	}
	d, err := b.Compare(next.list, past.accepted)
	past.list.SetPast(next.list.Past())
	next.change, next.before = &d, before.file
	s.archive.pendChange(&next)
	return err
}

// confirmed returns had as another program that shares the store has confirmed it.
func (s *Screener) confirmed(ctx context.Context, had current) (current, error) {
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

// newer returns the names of revisions that are newer than the revision called known or, if
// that was deleted, newer than had.
func newer(names []string, known string, had *current) []string {
	if at := slices.Index(names, known); at >= 0 {
		return names[:at]
	}
	if had.list == nil || known == "" {
		return names
	}
	at := slices.IndexFunc(names, func(name string) bool {
		_, accepted, _, ok := revision.ParseName(name)
		return !ok || !accepted.After(had.accepted)
	})
	if at >= 0 {
		return names[:at]
	}
	return names
}

// newest opens the first of the names whose revision is usable, and returns nil if there
// is none. broken is the first one before it that cannot be opened although it was accepted, ""
// if there is none, and damage describes the faults of all before it. The error comes from
// reading the store.
func (s *Screener) newest(ctx context.Context, i int, had *current, names []string) (h *current, broken string, damage, err error) {
	for _, name := range names {
		past, err := s.openRevision(ctx, i, name, had, s.now())
		switch {
		case err == nil:
			return past, broken, damage, nil
		case ctx.Err() != nil:
			return nil, "", nil, err
		case errors.Is(err, errNotTaken):
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrVersion):
			if broken == "" {
				broken = name
			}
		default:
			return nil, "", nil, err
		}
		damage = errors.Join(damage, fmt.Errorf("%s: %w", name, err))
	}
	return nil, broken, damage, nil
}

// replaced reports whether had has replaced the revision of source i with this digest in the
// store.
func (s *Screener) replaced(i int, had *current, digest string) bool {
	names := s.sourceLocks[i].names
	at := slices.Index(names, had.file)
	return at >= 0 && slices.ContainsFunc(names[at+1:], func(name string) bool {
		_, _, d, _ := revision.ParseName(name)
		return d == digest
	})
}

// errNotTaken is the error for a stored list that would be refused from its source, too.
var errNotTaken = errors.New("it would be refused")

// openRevision opens a revision of source i, which follows the revision of had, at the time
// now.
func (s *Screener) openRevision(ctx context.Context, i int, name string, had *current, now time.Time) (*current, error) {
	check := func(e sources.Entry) error {
		if err := s.check(i, e); err != nil {
			return fmt.Errorf("%w: %w", errNotTaken, err)
		}
		return nil
	}
	if !s.archive.isShared() { // then other programs may have removed others
		had = new(current)
	}
	h, f, err := s.archive.open(ctx, name, had, now, check, s.building)
	if err != nil {
		return nil, err
	}
	if f.Repaired != nil {
		s.log.ErrorContext(ctx, "stored list damaged, and made again from another one and its changes", "source", s.infos[i].ID, "error", f.Repaired)
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
	for _, t := range times {
		h.age(t, now)
	}
	return &h, nil
}

// merge combines had, the list in memory, with past, the newest list in the store. It
// returns past, unless had is newer, because it was loaded while the store could not be read,
// is not a part of a list that past has whole, and may replace past: then it returns had with
// the first-seen times of past. If replicas share the store, it always returns past.
func (s *Screener) merge(ctx context.Context, i int, had, past current) (current, error) {
	past.err, past.storeErr = had.err, had.storeErr
	if s.archive.isShared() {
		past.err = nil // another program has loaded it
		return past, nil
	}
	if had.list == nil || had.stored || past.file == had.file || past.accepted.After(had.accepted) {
		return past, nil
	}
	next := had
	next.accepted = s.now().UTC()
	next.file, next.stored = revision.Name(s.infos[i].ID, next.accepted, next.revision.Digest), false
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
	c := s.compare(ctx, i, &past, &next, time.Time{})
	if err := c.count(b, &past, &next); err != nil {
		return had, err
	}
	if err := s.decide(ctx, i, c, &past, &next); err != nil {
		past.err = sourceError(s.infos[i].ID, err)
		return past, nil
	}
	next.most = journal.Most(past.most, next.list.Addresses)
	d, err := b.Compare(next.list, next.accepted)
	next.change, next.before = &d, past.file
	return next, err
}
