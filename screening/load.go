package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// A task tells update where to look for a list.
type task int

const (
	open   task = iota // use the store or a seed, whichever is newer
	live               // ask the source
	stored             // use the store
)

// update is the only path on which the Screener gets a list: restore what the store has,
// load and check the list, build it, swap it in, save it, and note that in the journal.
// If notify is true, it calls Options.Report for each swap of another list.
func (s *Screener) update(ctx context.Context, i int, t task, notify bool) SourceReport {
	ld := &s.sourceLocks[i]
	if err := ld.lock.acquire(ctx); err != nil {
		report := SourceReport{SourceStatus: s.Sources()[i]}
		report.Err = sourceError(s.infos[i].ID, fmt.Errorf("waiting for another load: %w", err))
		return report
	}
	defer ld.lock.release()
	had := s.list(i)
	restored, storeErr := s.restore(ctx, i, had)
	if s.archive != nil {
		s.archive.pendChange(&restored)
	}
	opened := restored.list != had.list
	if t == stored && !opened && storeErr == nil && had.storeErr == nil && restored.checked.Equal(had.checked) {
		return SourceReport{SourceStatus: s.Sources()[i], Unchanged: true}
	}
	if opened {
		s.publish(i, restored, SourceReport{Unchanged: true}, notify)
	}
	next, report := restored, SourceReport{Unchanged: restored.list != nil}
	switch {
	case t == stored, storeErr != nil && !ld.asked: // nothing is accepted that cannot be compared with what is held
		report.Err = storeErr
	case t == live:
		next, report = s.loadLive(ctx, i, restored)
	case s.seed(i) != nil:
		if n, r := s.load(ctx, i, s.seed(i), restored, sources.Revision{}); !r.Unchanged {
			next, report = n, r
		}
	}
	if next.list != nil && !next.stored && t != stored && s.archive.isShared() {
		next, report = s.share(ctx, i, restored, next, report)
	}
	if s.archive != nil {
		s.archive.pendChange(&next)
	}
	s.publish(i, next, report, notify && (t == live || !report.Unchanged))
	saved := next
	if s.archive != nil {
		s.flush(ctx) // now: a large list takes long to save
	}
	if t != stored {
		saved = s.save(ctx, i, next, &report)
	}
	if s.archive != nil {
		s.flush(ctx)
	}
	s.publish(i, saved, report, false)
	loadErr := report.Err
	report.SourceStatus = s.Sources()[i]
	report.Err = loadErr
	return report
}

// list returns the list of source i that is held.
func (s *Screener) list(i int) current {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[i]
}

// publish makes next the list of source i, and answers from it from now on. If notify is
// true, it calls Options.Report.
func (s *Screener) publish(i int, next current, report SourceReport, notify bool) {
	report.SourceStatus = next.status(s.infos[i], s.required[i])
	s.swap(func() {
		s.held = slices.Clone(s.held)
		s.held[i] = next
	}, notify, report)
}

// seed returns the seed of source i, or nil.
func (s *Screener) seed(i int) sources.Source {
	seed, _ := sources.Seed(s.sources[i])
	return seed
}

// loadLive loads source i. If that fails and nothing is held, it loads its seed, if it
// has one, and reports the failure nevertheless.
func (s *Screener) loadLive(ctx context.Context, i int, had current) (current, SourceReport) {
	prev := had.revision
	switch {
	case had.isBehind(): // only all of it shows that it is not older than the one that is lost
		prev = sources.Revision{}
		if s.seed(i) != nil {
			prev.Completeness = sources.Partial
		}
	case s.seed(i) != nil && prev.IsZero():
		prev.Completeness = sources.Partial // or Seeded would load the seed
	case prev.Completeness == sources.Partial && s.seed(i) == nil:
		prev = sources.Revision{} // the same list may be all there is: it is not unchanged
	case had.list != nil && isFuture(had.list.LatestSeen, s.now()):
		prev = sources.Revision{} // its times must be corrected
	case s.lacksHistory(i, had):
		prev = sources.Revision{}
		if s.seed(i) != nil {
			prev.Completeness = sources.Partial
		}
	}
	next, report := s.load(ctx, i, s.sources[i], had, prev)
	if report.Err == nil {
		s.sourceLocks[i].dated = true
	}
	if report.Err == nil || next.list != nil || s.seed(i) == nil {
		return next, report
	}
	seeded, fromSeed := s.load(ctx, i, s.seed(i), next, sources.Revision{})
	if fromSeed.Err != nil {
		return next, report
	}
	seeded.err, fromSeed.Err = report.Err, report.Err
	return seeded, fromSeed
}

// lacksHistory reports whether the list of had, which was opened from the store, does not say
// what its source knows of the past: it was saved by a program that did not know that.
func (s *Screener) lacksHistory(i int, had current) bool {
	if had.list == nil || s.sourceLocks[i].dated {
		return false
	}
	history, err := s.history(i, s.sources[i])
	if err != nil || history == nil {
		return false // load returns the error
	}
	b := list.NewBuilder(had.list, s.now())
	b.Follow(time.Time{}, history)
	lacks, err := b.Lacks(had.list.All())
	return lacks && err == nil
}

// load loads source i from src, which may be its seed, and returns the list to hold from
// now on.
func (s *Screener) load(ctx context.Context, i int, src sources.Source, had current, prev sources.Revision) (current, SourceReport) {
	id, start := s.infos[i].ID, time.Now()
	next, report, err := s.loadList(ctx, i, src, had, prev)
	switch {
	case (err == errSame || errors.Is(err, sources.ErrUnchanged)) && !had.revision.IsZero():
		had.revision, had.err = next.revision, nil
		had.age(next.checked, s.now())
		s.log.DebugContext(ctx, "list unchanged", "source", id, "entries", had.list.Entries, "took", time.Since(start))
		return had, SourceReport{Unchanged: true}
	case err == errRead, err == errReplaced:
		s.log.DebugContext(ctx, "list ignored", "reason", err, "source", id, "held", had.checked, "read", next.checked)
		return had, SourceReport{Unchanged: true}
	case err != nil:
		had.err = sourceError(id, err)
		report.Err = had.err
		s.log.WarnContext(ctx, "list not loaded, keeping the last good one", "source", id, "last_updated", had.checked, "error", err)
		if s.archive != nil && next.list != nil {
			s.refuse(i, &next, err)
		}
		return had, report
	}
	s.log.InfoContext(ctx, "list loaded", "source", id, "entries", next.list.Entries, "addresses", next.list.Addresses,
		"added", report.Added, "removed", report.Removed, "anomalies", next.list.AnomalyCount(),
		"completeness", next.revision.Completeness, "published", next.revision.Published, "took", time.Since(start))
	return next, report
}

// refuse notes in the journal that a list was refused.
func (s *Screener) refuse(i int, h *current, reason error) {
	s.archive.pend(journal.Event{
		Type: journal.Refused, At: s.now(), Source: s.infos[i].ID, Reason: reason.Error(),
		List: h.revision, Entries: h.list.Entries, Addresses: h.list.Addresses,
	})
}

// loadList loads source i from src, checks the list and builds it. Along with an error
// it returns the facts of the list: with ErrUnchanged, its revision and when it
// was checked; if it was refused, all of it.
func (s *Screener) loadList(ctx context.Context, i int, src sources.Source, had current, prev sources.Revision) (next current, report SourceReport, err error) {
	defer caught(&err) // panics of callbacks
	now := s.now().UTC()
	b := list.NewBuilder(had.list, now)
	history, err := s.history(i, src)
	if err != nil {
		return next, report, err
	}
	absent := time.Time{}
	if had.isLoaded() {
		absent = had.checked
	}
	b.Follow(absent, history)
	rev, err := s.read(ctx, i, src, prev, b)
	if errors.Is(err, sources.ErrUnchanged) {
		rev, err = unchanged(had.revision, rev, err)
	}
	checked := rev.Checked
	rev.Checked = time.Time{}
	next = current{revision: rev, accepted: now, file: revision.Name(s.infos[i].ID, now, rev.Digest), storeErr: had.storeErr, seed: src == s.seed(i)}
	if next.seed {
		next.broken = had.broken
	}
	c := s.compare(ctx, i, &had, &next, checked)
	if checked.IsZero() || checked.After(now) {
		checked = now
	}
	next.age(checked, now)
	if err == nil {
		err = s.checkAllowed(src)
	}
	if err == nil {
		err = judge(c, nil).reason
	}
	if err != nil {
		return next, report, err
	}
	s.progressOf(i, b.Len())
	if c.same, err = b.IsSame(); err == nil {
		err = judge(c, nil).reason
	}
	if err == nil {
		err = s.build(b, &next)
	}
	if err != nil {
		return next, report, err
	}
	beside := &had
	if had.list == nil && !next.seed && s.seed(i) != nil { // Open was not called
		if seeded, _, err := s.loadList(ctx, i, s.seed(i), current{}, sources.Revision{}); err == nil {
			beside = &seeded
			lost := c.held.later // on which the seed says nothing
			c = s.compare(ctx, i, beside, &next, c.offered.read)
			c.held.later = lost
		}
	}
	if err = c.count(b, beside, &next); err == nil {
		err = s.decide(ctx, i, c, beside, &next)
	}
	if err != nil {
		return next, report, err
	}
	next.most = journal.Most(beside.most, next.list.Addresses)
	var d list.Diff
	err = s.building(func() (err error) {
		d, err = b.Compare(next.list, checked)
		return err
	})
	if s.archive != nil {
		next.change, next.before = &d, had.file
	}
	report.Added, report.Removed = d.Added, d.Removed
	report.before, report.after = had.list, next.list
	return next, report, err
}

// read calls Load of src and adds the entries to b.
func (s *Screener) read(ctx context.Context, i int, src sources.Source, prev sources.Revision, b *list.Builder) (sources.Revision, error) {
	limited, progressed, stop := whileProgress(ctx, s.schedules[i].Timeout)
	defer stop()
	bytes := sources.Progress(ctx)
	if s.bytes != nil {
		bytes = func(read, total int64) { s.bytes(s.infos[i].ID, read, total) }
	}
	limited = sources.WithProgress(limited, func(read, total int64) {
		progressed()
		bytes(read, total)
	})
	s.progressOf(i, 0)
	rev, err := guard{src, &s.sourceLocks[i].stuck}.load(limited, prev, func(e sources.Entry) error {
		progressed()
		if err := s.check(i, e); err != nil {
			return err
		}
		if !e.Until.IsZero() {
			b.End(e)
			return nil
		}
		if b.Len() == list.MaxEntries {
			return fmt.Errorf("more than %d entries", list.MaxEntries)
		}
		if err := b.Add(e); err != nil {
			return err
		}
		if b.Len()%1000 == 0 {
			s.progressOf(i, b.Len())
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && limited.Err() != nil && !errors.Is(err, errTimeout) {
		err = fmt.Errorf("%w: %w", context.Cause(limited), err)
	}
	return rev, err
}

var errTimeout = errors.New("time limit")

// maxTimeouts is how many time limits a load may take if it makes progress.
const maxTimeouts = 24

// whileProgress returns a context that ends when progressed was not called for as long as limit, or
// soon afterwards.
func whileProgress(ctx context.Context, limit time.Duration) (limited context.Context, progressed, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	var moved atomic.Bool
	var timer atomic.Pointer[time.Timer]
	begin := time.Now()
	var check func()
	check = func() {
		if moved.Swap(false) && time.Since(begin) < maxTimeouts*limit {
			timer.Store(time.AfterFunc(limit, check))
			return
		}
		cancel(fmt.Errorf("%w of %v without progress: %w", errTimeout, limit, context.DeadlineExceeded))
	}
	timer.Store(time.AfterFunc(limit, check))
	return limited, func() {
			if !moved.Load() {
				moved.Store(true)
			}
		}, func() {
			timer.Load().Stop()
			cancel(nil)
		}
}

// progressOf calls Options.Progress.
func (s *Screener) progressOf(i, entries int) {
	if s.progress != nil {
		s.progress(s.infos[i].ID, entries)
	}
}

// unchanged returns the revision that is held with what may be new in rev, which a
// source returned with err, an ErrUnchanged: the validators, the time of the check, and
// the provenance, if the publisher has now confirmed a list that came from elsewhere.
// It returns another error if the two are not of the same list.
func unchanged(held, rev sources.Revision, err error) (sources.Revision, error) {
	switch {
	case held.IsZero():
		return rev, err
	case rev.IsZero(): // it says nothing more
		return held, err
	case rev.Digest != held.Digest:
		return rev, fmt.Errorf("the source says that the list is unchanged, but names another one, %.80q", rev.Digest)
	}
	held.Checked, held.Provenance, held.ETag, held.LastModified = rev.Checked, rev.Provenance, rev.ETag, rev.LastModified
	return held, err
}

// history returns the stays that src, or the seed of source i, knows.
func (s *Screener) history(i int, src sources.Source) ([]sources.Entry, error) {
	if all, err := sources.History(src); all != nil || err != nil {
		return all, err
	}
	return sources.History(s.sources[i])
}

// build builds the list of next.
func (s *Screener) build(b *list.Builder, next *current) error {
	start := time.Now()
	err := s.building(func() (err error) {
		next.list, err = b.Build()
		return err
	})
	next.ready = time.Now()
	next.took = next.ready.Sub(start)
	return err
}

// building calls build when enough processors are idle: fewer goroutines build than there
// are processors, so that questions need not wait.
func (s *Screener) building(build func() error) error {
	s.builders <- struct{}{}
	defer func() { <-s.builders }()
	return build()
}
