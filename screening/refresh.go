package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// Refresh loads every source, side by side, checks each list, and swaps in all
// that were accepted as one snapshot. It returns when the last source is done;
// a source that fails does not empty another. [Screener.Run] swaps each list in
// as it comes.
//
// A list is refused, and the last good one kept, if its source returns an error
// or panics, if an entry is not valid (an unknown kind, an official kind from a
// community list, nothing that was listed), if it has no records, no digest, or more
// than 200 million entries, or if it has shrunk beyond Options.MaxShrink, which is
// [ErrShrunk]. A list of which only a part is held (see [sources.Revision]) is
// replaced by any that is whole; a part replaces nothing that is whole, and never
// counts as loaded. The error joins one [*LoadError] for each source whose list was
// not taken; the Report is right in any case.
//
// Of a source made by [sources.Seeded] of which nothing is held yet, Refresh loads the
// seed, and the list itself only if that is a part; the next Refresh loads the list.
//
// With Options.Store, what Open has not opened yet is opened and swapped in
// first, and what was accepted is saved before Refresh returns. A store that fails
// is no error of Refresh: it shows in [Screener.Sources].
//
// Concurrent calls wait for each other, and for what Run is loading; one whose
// context ends while it waits has done nothing.
func (s *Screener) Refresh(ctx context.Context) (Report, error) {
	return s.all(ctx, func(i int, had list) (list, SourceReport) { return s.refresh(ctx, i, had) })
}

// refresh loads source i. If nothing is held, and the source was made by
// sources.Seeded, that is its seed; but with a seed that is only a part it then
// asks for the whole.
func (s *Screener) refresh(ctx context.Context, i int, had list) (list, SourceReport) {
	seed, ok := sources.Seed(s.sources[i])
	if !ok || !had.revision.IsZero() {
		return s.load(ctx, i, s.sources[i], had)
	}
	part, first := s.load(ctx, i, seed, had)
	if first.Err != nil || part.revision.Completeness != sources.Partial {
		return part, first
	}
	next, report := s.load(ctx, i, s.sources[i], part)
	gone := make(map[sources.Entry]bool)
	for _, e := range report.Removed {
		gone[e.Identity()] = true
	}
	kept := slices.DeleteFunc(first.Added, func(e sources.Entry) bool { return gone[e.Identity()] })
	report.Added, report.Removed = append(kept, report.Added...), nil // against what was held before: nothing
	return next, report
}

// Open swaps in what is at hand without a network: of each source, the last good
// revision in Options.Store or the seed of a source made by [sources.Seeded],
// whichever is the newer. A program that must answer at once calls it before Run
// or Refresh, which refresh from there. A list that is held already is replaced
// by a newer one only.
//
// The age of a list is that of its last successful check, whichever program made
// it; of a list out of Options.IndexDir, whichever of those that keep it there. A
// source of which nothing is at hand is no error, and is not loaded afterwards. The
// error joins one [*LoadError] for each source of which something is at hand that
// could not be used, which in a store may be an old revision: a damaged one is set
// aside, and the one before it is opened.
func (s *Screener) Open(ctx context.Context) (Report, error) {
	report, err := s.all(ctx, func(i int, had list) (list, SourceReport) {
		if seed, ok := sources.Seed(s.sources[i]); ok {
			if next, report := s.load(ctx, i, seed, had); !report.Unchanged {
				return next, report
			}
		}
		return had, s.opened(i, had)
	})
	for _, st := range s.Sources() {
		if st.StoreErr != nil {
			err = errors.Join(err, st.StoreErr)
		}
	}
	return report, err
}

// opened returns the report of a list that came from no source just now, but may
// have come out of a store.
func (s *Screener) opened(i int, l list) SourceReport {
	return SourceReport{Source: s.infos[i].ID, Entries: l.count, Unchanged: !l.revision.IsZero(), opened: true}
}

// all has load make the next list of each source of that which is held, swaps
// them in, and saves what is new.
func (s *Screener) all(ctx context.Context, load func(i int, had list) (list, SourceReport)) (Report, error) {
	report := Report{Sources: make([]SourceReport, len(s.sources))}
	for i := range s.sources {
		if err := s.turns[i].take(ctx); err != nil {
			for j := range i {
				s.turns[j].give()
			}
			had := s.lists()
			for j, info := range s.infos {
				report.Sources[j] = SourceReport{Source: info.ID, Entries: had[j].count, Err: &LoadError{Source: info.ID, Err: err}}
			}
			report.before = s.snap.Load()
			report.to(report.before)
			return report, report.err()
		}
	}
	defer func() {
		for i := range s.sources {
			s.turns[i].give()
		}
	}()

	report.before = s.snap.Load()
	before := s.lists()
	had := s.each(before, func(i int, l list) list { return s.restore(ctx, i, l) })
	if !slices.EqualFunc(before, had, sameList) { // to be answered from while the sources are loaded
		s.hold(had)
	}
	next := s.each(had, func(i int, l list) list {
		l, report.Sources[i] = load(i, l)
		report.Sources[i].opened = had[i].segment != before[i].segment
		return l
	})
	s.hold(next)
	saved := s.each(next, func(i int, l list) list { return s.save(ctx, i, l) })
	s.record(ctx)
	s.hold(saved)
	report.to(s.snap.Load())
	if s.report != nil {
		s.telling.Lock()
		defer s.telling.Unlock()
		s.report(report)
	}
	return report, report.err()
}

// sameList reports whether a and b are the same revision with the same entries.
func sameList(a, b list) bool { return a.revision == b.revision && a.segment == b.segment }

// each returns what f makes of each list, side by side.
func (s *Screener) each(lists []list, f func(i int, l list) list) []list {
	next := make([]list, len(lists))
	var wg sync.WaitGroup
	for i, l := range lists {
		wg.Go(func() { next[i] = f(i, l) })
	}
	wg.Wait()
	return next
}

// one is all for source i alone, and returns whether its list was taken.
func (s *Screener) one(ctx context.Context, i int) bool {
	if s.turns[i].take(ctx) != nil {
		return false
	}
	defer s.turns[i].give()
	had := s.lists()[i]
	restored := s.restore(ctx, i, had)
	if !sameList(had, restored) {
		s.swapOne(i, restored, s.opened(i, restored))
	}
	next, report := s.refresh(ctx, i, restored)
	s.swapOne(i, next, report)
	saved := s.save(ctx, i, next)
	s.record(ctx)
	s.holdOne(i, saved)
	return report.Err == nil
}

// A turn is had by one at a time. It is a mutex for which one can stop waiting.
type turn chan struct{}

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }

// lists returns the lists that are held. Those of whose source the caller has the
// turn stay.
func (s *Screener) lists() []list {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// hold answers from these lists from now on. The caller has all turns.
func (s *Screener) hold(next []list) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = next
	s.swap()
}

// holdOne is hold for source i alone, whose turn the caller has. It returns the
// snapshots before and after, which differ in this list only.
func (s *Screener) holdOne(i int, next list) (before, after *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.Clone(s.held)
	s.held[i] = next
	return s.swap()
}

// swap answers from what is held from now on, and returns the snapshots before and
// after that. The caller has s.mu.
func (s *Screener) swap() (before, after *snapshot) {
	before, after = s.snap.Load(), s.snapshot(s.held)
	s.snap.Store(after)
	s.note(after)
	return before, after
}

// swapOne is holdOne of a list that may have other entries, of which Options.Report
// is told before another list is swapped in by it.
func (s *Screener) swapOne(i int, next list, what SourceReport) {
	s.telling.Lock()
	defer s.telling.Unlock()
	before, after := s.holdOne(i, next)
	s.tell([]SourceReport{what}, before, after)
}

// tell tells Options.Report what was done to these sources. The caller has
// s.telling since before that was done.
func (s *Screener) tell(what []SourceReport, before, after *snapshot) {
	if s.report != nil {
		r := Report{Sources: what, before: before}
		r.to(after)
		s.report(r)
	}
}

// load loads source i from src and returns the list to hold from now on.
func (s *Screener) load(ctx context.Context, i int, src sources.Source, had list) (list, SourceReport) {
	id := s.infos[i].ID
	report := SourceReport{Source: id, Entries: had.count}
	start := time.Now()
	next, err := s.loadList(ctx, i, src, had)
	switch {
	case errors.Is(err, sources.ErrUnchanged) && !had.revision.IsZero():
		had.revision, had.err = next.revision, nil
		if next.updated.After(had.updated) {
			had.updated = next.updated
		}
		report.Unchanged = true
		s.log.DebugContext(ctx, "list unchanged", "source", id, "entries", had.count, "took", time.Since(start))
		return had, report
	case errors.Is(err, errOlder):
		report.Unchanged = true
		s.log.DebugContext(ctx, "list at hand is older than the one held", "source", id, "held", had.updated, "at_hand", next.updated)
		return had, report
	case err != nil:
		had.err = &LoadError{Source: id, Err: err}
		report.Err = had.err
		s.log.WarnContext(ctx, "list not loaded, keeping the last good one", "source", id, "held", had.count, "last_updated", had.updated, "error", err)
		return had, report
	}
	report.Entries, report.Added, report.Removed = next.count, slices.Clip(next.added), next.gone
	next = s.shared(ctx, i, had, next)
	next.added, next.gone = nil, nil
	s.log.InfoContext(ctx, "list loaded", "source", id, "entries", next.count, "addresses", next.addresses(),
		"added", len(report.Added), "removed", len(report.Removed), "anomalies", next.anomalies.Total(),
		"published", next.revision.Published, "took", time.Since(start))
	return next, report
}

const (
	// maxEntries bounds what one list may hold in memory.
	maxEntries = 200_000_000
	// defaultTimeout bounds a load.
	defaultTimeout = time.Hour
)

// errOlder is why a list was not taken that was read before the one that is held.
var errOlder = errors.New("older than the list that is held")

// loadList loads source i from src and checks its list. With an error that is
// ErrUnchanged the revision and the time of the list are set.
func (s *Screener) loadList(ctx context.Context, i int, src sources.Source, had list) (next list, err error) {
	defer caught(&err) // of a callback
	info, limit := s.infos[i], s.schedules[i].Timeout
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", errTimeout, limit))
	defer cancel()
	now := time.Now().UTC()
	in := newIntake(had, now, s.accountsOnly)
	progress := func() {
		if s.progress != nil {
			s.progress(info.ID, in.count)
		}
	}
	progress()
	prev := had.revision
	if _, seeded := sources.Seed(src); prev.Completeness != sources.Whole && !seeded {
		prev = sources.Revision{} // the same list may be all there is: it must not pass for unchanged
	}
	rev, err := loadFrom(limited, src, prev, func(e sources.Entry) error {
		if err := s.check(info, e); err != nil {
			return err
		}
		if in.count == maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		if err := in.add(e); err != nil {
			return err
		}
		if in.count%1000 == 0 {
			progress()
		}
		return nil
	})
	if errors.Is(err, sources.ErrUnchanged) {
		rev, err = unchanged(had.revision, rev, err)
	}
	next.revision, next.updated = rev, rev.Checked.UTC()
	switch {
	case rev.Completeness == sources.Partial:
		next.updated = time.Time{}
	case rev.Checked.IsZero(), rev.Checked.After(time.Now()): // nothing was checked in the future
		next.updated = now
	}
	if err != nil {
		if ctx.Err() == nil && limited.Err() != nil && !errors.Is(err, errTimeout) {
			err = fmt.Errorf("%w: %w", context.Cause(limited), err)
		}
		return next, err
	}
	if rev.Digest == "" {
		return next, errors.New("no digest: the source returned no revision")
	}
	if rev.Records <= 0 {
		return next, errors.New("no records: an empty list is taken for a broken one")
	}
	if !had.revision.IsZero() && next.updated.Before(had.updated) && !rev.Checked.IsZero() {
		return next, errOlder
	}
	if rev.Completeness == sources.Partial && had.isLoaded() {
		return next, errors.New("a part of the list, while all of it is held")
	}
	progress()
	s.building(func(workers int) { err = in.finish(&next, workers) })
	if err != nil {
		return next, err
	}
	if rev.Completeness == had.revision.Completeness && rev.Digest == had.revision.Digest && next.count == had.count && next.segment.Digest == had.segment.Digest {
		return next, sources.ErrUnchanged // the source cannot tell, but we can
	}
	lost := had.addresses() - next.addresses()
	if had.isLoaded() && lost > 0 && (next.addresses() == 0 || lost > 50 && float64(lost) > s.maxShrink*float64(had.addresses())) {
		if s.allow == nil || !s.allow(info.ID, had.addresses(), next.addresses()) {
			return next, fmt.Errorf("%w: from %d to %d addresses", ErrShrunk, had.addresses(), next.addresses())
		}
		s.log.WarnContext(ctx, "list has shrunk beyond the limit, taken by the operator's override", "source", info.ID,
			"had", had.addresses(), "has", next.addresses(), "had_digest", had.revision.Digest, "has_digest", rev.Digest)
	}
	if next.accepted = now; !now.After(had.accepted) {
		next.accepted = had.accepted.Add(1) // the clock was put back
	}
	next.before = had.name()
	next.storeErr = had.storeErr
	s.building(func(int) { err = in.compare(&next) })
	if s.store != nil && had.segment == nil {
		next.whole = in.all()
	}
	return next, err
}

// unchanged returns the revision that is held with what may be new in the one that a
// source has returned with err, which is ErrUnchanged: the validators, and the time
// of the check. It is another error if the two are not of the same list.
func unchanged(held, rev sources.Revision, err error) (sources.Revision, error) {
	switch {
	case held.IsZero():
		return rev, err
	case rev.IsZero(): // it says nothing more
		held.Checked = time.Time{}
		return held, err
	case rev.Digest != held.Digest:
		return rev, fmt.Errorf("the source says that the list is unchanged, but names another one, %.80q", rev.Digest)
	}
	held.Checked, held.ETag, held.LastModified = rev.Checked, rev.ETag, rev.LastModified
	return held, err
}

// building calls f, which builds with so many goroutines: fewer than there are
// processors, with all that build at once. With all of them busy nobody would look
// whether there is a question.
func (s *Screener) building(f func(workers int)) {
	s.builders <- struct{}{}
	defer func() { <-s.builders }()
	f(min(2, cap(s.builders)))
}

// check returns an error if e may not be in a list of the given source.
func (s *Screener) check(info sources.Info, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.table.Version(), e.Kind)
	}
	if !info.MayEmit(e.Kind) {
		return fmt.Errorf("%s: a list of jurisdiction %s may not emit %s", nameOf(e), info.Jurisdiction, e.Kind)
	}
	return nil
}

// nameOf names an entry in an error: by its reference, and by what it lists.
func nameOf(e sources.Entry) string {
	if e.Ref == "" {
		return fmt.Sprintf("entry of %.128q", e.Text())
	}
	return fmt.Sprintf("entry %.64q of %.128q", e.Ref, e.Text())
}
