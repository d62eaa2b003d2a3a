package screening

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	// storeTimeout bounds each turn to the store.
	storeTimeout = time.Minute
	// confirmEvery is how often a check that finds nothing new is written down.
	confirmEvery = time.Minute
	// maxUnrecorded bounds the snapshots that wait for a store that fails.
	maxUnrecorded = 1000
)

// restore opens the last good revision of source i in the store, unless that was
// done already, and returns the list to hold: out of Options.IndexDir, if it is there.
// As long as the store could not be asked, nothing is saved: it may know when entries
// were first seen.
func (s *Screener) restore(ctx context.Context, i int, had list) list {
	if s.store == nil || s.restored[i] {
		return had
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	id := s.infos[i].ID
	past, damage, err := s.lastGood(ctx, i, had.revision.IsZero())
	if err != nil {
		had.storeErr = &LoadError{Source: id, Err: fmt.Errorf("store: %w", err)}
		s.log.WarnContext(ctx, "store not opened", "source", id, "error", err)
		return had
	}
	s.restored[i] = true
	had.storeErr = nil
	if damage != nil {
		had.storeErr = &LoadError{Source: id, Err: fmt.Errorf("store: %w", damage)}
		s.log.ErrorContext(ctx, "stored list not usable", "source", id, "error", damage)
	}
	if past == nil {
		return had
	}
	if had.isLoaded() || past.revision.Completeness == sources.Partial && !had.revision.IsZero() { // from a source, while the store could not be asked
		next, err := s.withPast(had, *past)
		if err != nil {
			had.storeErr = &LoadError{Source: id, Err: err}
			return had
		}
		return next
	}
	past.err, past.storeErr = had.err, had.storeErr
	what := "list opened from the store"
	if past.segment.mapped {
		what = "list opened from its index"
	}
	s.log.InfoContext(ctx, what, "source", id, "entries", past.count,
		"last_updated", past.updated, "digest", past.revision.Digest, "took", time.Since(start))
	return *past
}

// lastGood returns the newest revision of source i in the store that is not
// damaged, nil if there is none, and what was wrong with those that are newer.
// The newest may be taken out of Options.IndexDir, if indexed says so. The error is why
// the store could not be asked.
func (s *Screener) lastGood(ctx context.Context, i int, indexed bool) (past *list, damage, err error) {
	id := s.infos[i].ID
	revisions, err := s.store.Revisions(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	for n, r := range revisions {
		if n == 0 && indexed {
			if past := s.openIndex(ctx, i, r); past != nil {
				return past, nil, nil
			}
		}
		l, err := s.store.Load(ctx, id, r)
		if errors.Is(err, sources.ErrDamaged) || errors.Is(err, sources.ErrNotStored) {
			damage = errors.Join(damage, err)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if past, err = s.past(i, l); err == nil {
			return past, damage, nil
		}
		damage = errors.Join(damage, fmt.Errorf("revision %s of %v: %w", r.Digest, r.Accepted, err))
	}
	return nil, damage, nil
}

// past returns l as a list to hold, if it is one that would be taken.
func (s *Screener) past(i int, l *sources.List) (*list, error) {
	if l.Revision.Digest == "" || l.Revision.Records <= 0 {
		return nil, errors.New("no digest, or no records")
	}
	for _, e := range l.Entries {
		if err := s.check(s.infos[i], e); err != nil {
			return nil, err
		}
	}
	past := &list{}
	if err := s.take(newIntake(list{}, l.Accepted.UTC(), s.accountsOnly), l.Entries, past); err != nil {
		return nil, err
	}
	if len(l.Removed) > 0 {
		b := newSegmentBuilder(s.accountsOnly, len(l.Removed))
		for i, r := range l.Removed {
			b.remove(r.Entry, r.At)
			pace.Step(i)
		}
		var err error
		if past.removed, err = b.build(); err != nil {
			return nil, err
		}
	}
	past.isFrom(l.Accepted, l.Revision)
	return past, nil
}

// isFrom sets what l has of a store: when it was accepted, and as which revision it
// was saved, or confirmed.
func (l *list) isFrom(accepted time.Time, rev sources.Revision) {
	l.stored, l.accepted, l.confirmed, l.revision = true, accepted, rev, rev
	l.updated = rev.Checked.UTC()
	if now := time.Now().UTC(); l.updated.After(now) {
		l.updated = now // the clock was put back
	}
	if rev.Completeness == sources.Partial {
		l.updated = time.Time{}
	}
	l.revision.Checked = time.Time{} // says when a Load has seen it
}

// take sets what l is to hold of its entries.
func (s *Screener) take(in *intake, entries []sources.Entry, l *list) (err error) {
	if in.held.seg == nil { // all are new
		in.added.entries = make([]sources.Entry, 0, len(entries))
	}
	s.building(func(workers int) {
		for _, e := range entries {
			if err = in.add(e); err != nil {
				return
			}
		}
		err = in.finish(l, workers)
	})
	return err
}

// withPast returns l with what the store knows of the past of its entries.
func (s *Screener) withPast(l, past list) (list, error) {
	entries, err := l.all()
	if err != nil {
		return l, err
	}
	in := newIntake(past, l.accepted, s.accountsOnly)
	next := l
	if err := s.take(in, entries, &next); err != nil {
		return l, err
	}
	if !l.accepted.After(past.accepted) {
		next.accepted = past.accepted.Add(1)
	}
	if err := in.compare(&next); err != nil {
		return l, err
	}
	next.added, next.gone, next.whole, next.stored = nil, nil, nil, false
	return next, nil
}

// save keeps the list of source i in the store, or that it was confirmed, and then in
// Options.IndexDir, and returns it with what became of that. It finishes what it has
// begun even if ctx ends.
func (s *Screener) save(ctx context.Context, i int, l list) list {
	l = s.saveStored(ctx, i, l)
	l.whole = nil
	return s.index(ctx, i, l)
}

// saveStored is save in the store alone.
func (s *Screener) saveStored(ctx context.Context, i int, l list) list {
	if s.store == nil || !s.restored[i] || l.revision.IsZero() {
		return l
	}
	id, rev := s.infos[i].ID, l.revision
	rev.Checked = l.updated
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	err := error(sources.ErrNotStored)
	if l.stored {
		same := l.confirmed
		if same.Checked = rev.Checked; same == rev && rev.Checked.Sub(l.confirmed.Checked) < confirmEvery {
			return l
		}
		err = s.store.Confirm(ctx, id, rev)
	}
	if errors.Is(err, sources.ErrNotStored) {
		var entries []sources.Entry
		var removed []sources.Removal
		if entries, err = l.all(); err == nil {
			removed, err = l.removed.removals()
		}
		if err == nil {
			err = s.store.Save(ctx, &sources.List{Info: s.infos[i], Revision: rev, Accepted: l.accepted, Entries: entries, Removed: removed})
		}
	}
	if err != nil {
		l.storeErr = &LoadError{Source: id, Err: fmt.Errorf("store: %w", err)}
		s.log.ErrorContext(ctx, "list not saved, and lost with the next restart", "source", id, "error", err)
		return l
	}
	l.stored, l.confirmed, l.storeErr = true, rev, nil
	return l
}

// note remembers that questions are answered from snap since now, until record
// tells the store. The caller has s.mu.
func (s *Screener) note(snap *snapshot) {
	if s.store == nil || len(snap.segments) == 0 {
		return
	}
	next := sources.Snapshot{Digest: snap.digest, Since: time.Now().UTC().Round(0), Lists: make(map[string]sources.Stored)}
	for i, l := range snap.lists {
		next.Lists[s.infos[i].ID] = sources.Stored{Digest: l.revision.Digest, Accepted: l.accepted.Round(0)}
	}
	if snap.exceptions != nil {
		next.Exceptions = snap.exceptions.text
	}
	if sameSnapshot(&next, &s.noted) {
		return
	}
	if !next.Since.After(s.noted.Since) {
		next.Since = s.noted.Since.Add(1) // the clock was put back
	}
	s.noted = next
	if s.unrecorded = append(s.unrecorded, next); len(s.unrecorded) > maxUnrecorded {
		s.unrecorded = s.unrecorded[1:]
	}
}

// record tells the store of the snapshots that were noted. Those of which it cannot
// be told wait for the next time, and that shows in the snapshots made from now on.
func (s *Screener) record(ctx context.Context) {
	s.recording.Lock()
	defer s.recording.Unlock()
	s.mu.Lock()
	todo := s.unrecorded
	s.unrecorded = nil
	s.mu.Unlock()
	if len(todo) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if !s.recorded && s.isNewest(ctx, &todo[0]) { // we have started again
		todo = todo[1:]
	}
	var err error
	for len(todo) > 0 {
		if err = s.store.SaveSnapshot(ctx, &todo[0]); err != nil {
			err = fmt.Errorf("store: snapshot of %v: %w", todo[0].Since, err)
			s.log.ErrorContext(ctx, "snapshot not saved", "digest", todo[0].Digest, "error", err)
			break
		}
		todo = todo[1:]
	}
	s.recorded = err == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordErr = err
	s.unrecorded = append(todo, s.unrecorded...)
}

// isNewest reports whether snap is what the store was told last.
func (s *Screener) isNewest(ctx context.Context, snap *sources.Snapshot) bool {
	names, err := s.store.Snapshots(ctx)
	if err != nil || len(names) == 0 || names[0].Digest != snap.Digest {
		return false
	}
	newest, err := s.store.LoadSnapshot(ctx, names[0])
	return err == nil && sameSnapshot(newest, snap)
}

// sameSnapshot reports whether a and b say the same, but for the time.
func sameSnapshot(a, b *sources.Snapshot) bool {
	return a.Digest == b.Digest && maps.Equal(a.Lists, b.Lists) && a.Exceptions == b.Exceptions
}
