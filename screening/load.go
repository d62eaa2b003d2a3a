package screening

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A task tells update where to look for a list.
type task int

const (
	open   task = iota // use the store or a seed, whichever is newer
	live               // ask the source
	follow             // use the store
)

// update is the only path on which the Screener gets a list: learn what the store knows, judge what
// the source offers beside it, save it, append its line to the journal, and only then answer from it.
// If notify is true, it calls Options.Report for each swap of another list.
func (s *Screener) update(ctx context.Context, i int, t task, notify bool) SourceReport {
	locks := []chan struct{}{s.sourceLocks[i].loading, s.sourceLocks[i].lock}
	if t == follow {
		locks = locks[1:]
	}
	for _, lock := range locks {
		select {
		case lock <- struct{}{}:
			defer func() { <-lock }()
		case <-ctx.Done():
			return s.reported(i, SourceReport{}, sourceError(s.infos[i].ID, fmt.Errorf("waiting for another load: %w", ctx.Err())))
		}
	}
	had := s.list(i)
	next, failed := s.takeAll(ctx, i, had)
	opened := next.list != had.list || next.unsaved != had.unsaved
	if t == follow {
		report := SourceReport{Unchanged: !opened}
		if next.differs(&had) {
			s.publish(i, next, report, notify && opened)
		}
		return s.reported(i, report, failed)
	}
	if opened {
		s.publish(i, next, SourceReport{Unchanged: true}, notify)
	}
	var seeded SourceReport
	if t == live && next.list == nil && s.seed(i) != nil { // the list must be no less than its seed
		next, seeded = s.offered(ctx, i, open, next, failed, notify)
	}
	_, report := s.offered(ctx, i, t, next, failed, notify)
	if seeded.after != nil { // before, there was nothing
		after := cmp.Or(report.after, seeded.after)
		report.Unchanged, report.Added, report.Removed, report.before, report.after = false, after.Distinct(), 0, nil, after
	}
	return s.reported(i, report, report.Err)
}

// reported returns a report with the present state of source i, and with an error.
func (s *Screener) reported(i int, report SourceReport, err error) SourceReport {
	report.SourceStatus = s.Sources()[i]
	report.Err = err
	return report
}

// takeAll is take, again if another program has written meanwhile. What the journal does not say of a program that runs counts as a
// failure of the store.
func (s *Screener) takeAll(ctx context.Context, i int, had current) (next current, err error) {
	for range 100 {
		next = had // if the store panics
		err = bounded(ctx, func(ctx context.Context) (err error) { next, err = s.take(ctx, i, had); return err })
		if !errors.Is(err, store.ErrMoved) {
			break
		}
	}
	if ctx.Err() == nil {
		if s.setStore(i, err); err == nil && s.running.Load() {
			s.setStore(len(s.sources), bounded(ctx, s.book.Open))
			s.sayUnread(ctx, i, had.list != nil && next.list != had.list)
		}
	}
	return next, err
}

// sayUnread says in the journal that the store failed while another program accepted a list of source i, unless it did not.
func (s *Screener) sayUnread(ctx context.Context, i int, accepted bool) {
	s.mu.Lock()
	since := s.unread[i]
	s.unread[i] = time.Time{}
	s.mu.Unlock()
	if accepted && !since.IsZero() {
		s.note(ctx, &journal.Line{Type: journal.Gap, Source: s.infos[i].ID, From: since, Reason: "the store could not be read"})
	}
}

// offered asks source i, or its seed if t is open, for a list, and answers from the list that is to be held then. failed is
// why the store did not answer, or nil.
func (s *Screener) offered(ctx context.Context, i int, t task, had current, failed error, notify bool) (next current, report SourceReport) {
	id, lock, before := s.infos[i].ID, s.sourceLocks[i].lock, s.list(i)
	var o *offer
	var loadErr error
	if t == live {
		<-lock // while a source is slow, lists that other programs accept are swapped in
		o, loadErr = s.ask(ctx, i, &had)
		lock <- struct{}{}
	} else if seed := s.seed(i); seed != nil {
		o, loadErr = s.load(ctx, i, seed, sources.Revision{})
	}
	if is := s.list(i); is.differs(&before) {
		if had, failed = s.takeAll(ctx, i, is); o != nil {
			o.overtaken()
		}
	}
	next, report = had, SourceReport{Unchanged: had.list != nil}
	if o != nil && loadErr == nil {
		var reason error
		for range 100 {
			if next, report, reason, failed = s.consider(ctx, i, had, o, failed); !errors.Is(failed, store.ErrMoved) {
				break
			}
			had, failed = s.takeAll(ctx, i, had)
			o.overtaken()
		}
		if ctx.Err() == nil || failed == nil {
			s.setStore(i, failed)
		}
		loadErr = reason
	}
	if loadErr == nil && failed != nil && (t == live || !report.Unchanged) {
		loadErr = fmt.Errorf("store: %w", failed)
	}
	if loadErr != nil {
		report.Unchanged = false
		report.Err = sourceError(id, loadErr)
		next.err = report.Err
		s.opts.Logger.WarnContext(ctx, "list not loaded, keeping the last good one", "source", id, "last_updated", had.checked, "error", loadErr)
	}
	s.publish(i, next, report, notify && (t == live || next.list != had.list))
	if next.list != had.list {
		s.sayAnswering(ctx, i, &next, &report)
	}
	return next, report
}

// sayAnswering says in the journal that the program answers from next, and tidies the store if the report
// has a list that was saved.
func (s *Screener) sayAnswering(ctx context.Context, i int, next *current, report *SourceReport) {
	if s.opts.LoadOnly || !s.book.IsKept() {
		return
	}
	err := s.say(ctx, i, &journal.Line{Type: journal.Answering, Held: &next.held})
	if report.after != nil && (err == nil || errors.Is(err, store.ErrMoved)) {
		bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { s.book.Tidy(ctx, next.list.File()); return nil })
	}
}

// ask loads source i.
func (s *Screener) ask(ctx context.Context, i int, had *current) (o *offer, err error) {
	defer caught(&err)
	prev, now := had.revision(), s.now()
	asked := had.held.Asked
	history, _ := s.history(i, s.sources[i]) // load returns the error
	switch {
	case had.damaged != nil, // only a whole list shows that it is not older than the lost one
		prev.Completeness == sources.Partial && s.seed(i) == nil,                // the same list may be all there is: it is not unchanged
		had.list != nil && isFuture(had.list.LatestSeen, now),                   // its times must be corrected
		had.list != nil && (now.Sub(asked) >= askEvery || isFuture(asked, now)), // a validator may lie
		had.list != nil && had.held.History != digestOfHistory(history):         // it was dated by a program that knew another past
		prev = sources.Revision{}
	}
	conditional := !prev.IsZero() && prev.Completeness != sources.Partial
	if s.seed(i) != nil && prev.IsZero() {
		prev.Completeness = sources.Partial // or Seeded would load the seed
	}
	if o, err = s.load(ctx, i, s.sources[i], prev); err != nil {
		return nil, err
	}
	o.began = now
	if !conditional {
		o.asked = now
	}
	return o, nil
}

// askEvery is how often a list is asked for without conditions.
const askEvery = 24 * time.Hour

// load loads source i from src, which may be its seed.
func (s *Screener) load(ctx context.Context, i int, src sources.Source, prev sources.Revision) (o *offer, err error) {
	defer caught(&err) // panics of callbacks
	o, err = s.read(ctx, i, src, prev)
	if errors.Is(err, sources.ErrUnchanged) && prev.Digest != "" {
		o.unchanged = true
		o.rev, err = unchanged(prev, o.rev)
	}
	if err == nil {
		err = s.checkAllowed(src)
	}
	o.seed = src == s.seed(i)
	return o, err
}

// list returns the list of source i that is held.
func (s *Screener) list(i int) current { return s.snap.Load().held[i] }

// publish makes next the list of source i, and answers from it from now on. If notify is
// true, it calls Options.Report.
func (s *Screener) publish(i int, next current, report SourceReport, notify bool) {
	report.SourceStatus = next.status(s.infos[i], s.required[i])
	s.swap(func(snap *snapshot) { snap.held[i] = next }, notify, report)
}

// seed returns the seed of source i, or nil.
func (s *Screener) seed(i int) sources.Source {
	seed, _ := sources.Seed(s.sources[i])
	return seed
}

// read calls Load of src.
func (s *Screener) read(ctx context.Context, i int, src sources.Source, prev sources.Revision) (*offer, error) {
	o := new(offer)
	history, err := s.history(i, src)
	if err != nil {
		return o, err
	}
	o.History = history
	if s.opts.Bytes != nil {
		ctx = sources.WithProgress(ctx, func(read, total int64) { s.opts.Bytes(s.infos[i].ID, read, total) })
	}
	room := 0
	if l := s.list(i).list; l != nil {
		room = len(l.File().Lasts()) + 1<<10
	}
	w := stays.NewWriter(room)
	limit := cmp.Or(s.schedule(i).Timeout, defaultTimeout)
	rev, err := guarded(ctx, src, &s.sourceLocks[i].stuck, limit, prev, func(e sources.Entry) error {
		if err := s.check(i, &e); err != nil {
			return err
		}
		switch {
		case e.Until.IsZero():
		case isFuture(e.Until, s.now()): // it lasts
			e.Until = time.Time{}
		default:
			o.Ended = append(o.Ended, e)
			return nil
		}
		if o.N == list.MaxEntries {
			return fmt.Errorf("more than %d entries", list.MaxEntries)
		}
		o.N++
		return w.Add(&stays.Stay{Entry: e})
	})
	if err == nil {
		o.Entries, err = w.File(stays.Header{Source: s.infos[i].ID}, nil, nil)
	}
	o.rev = journal.Storable(rev)
	o.Checked, o.rev.Checked = o.rev.Checked, time.Time{}
	return o, err
}

// check returns an error if e may not be in the list of source i.
func (s *Screener) check(i int, e *sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.opts.Table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.opts.Table.Version(), e.Kind)
	}
	if !s.infos[i].MayEmit(e.Kind) {
		return fmt.Errorf("%s: a list of jurisdiction %s may not say %s", nameOf(e), s.infos[i].Jurisdiction, e.Kind)
	}
	return nil
}

// nameOf names an entry in an error: by its reference, and by what it lists.
func nameOf(e *sources.Entry) string {
	if e.Ref == "" {
		return fmt.Sprintf("entry of %.128q", e.Text())
	}
	return fmt.Sprintf("entry %.64q of %.128q", e.Ref, e.Text())
}

// unchanged returns the revision that is held with what may be new in rev, for a list that its source calls unchanged:
// the validators, and the provenance, if the publisher has now confirmed a list that came from elsewhere. It returns an
// error if the two are not of the same list.
func unchanged(held, rev sources.Revision) (sources.Revision, error) {
	switch {
	case rev.IsZero(): // it says nothing more
		return held, nil
	case rev.Digest != held.Digest:
		return rev, fmt.Errorf("the source says that the list is unchanged, but names another one, %.80q", rev.Digest)
	}
	held.Provenance, held.ETag, held.LastModified = rev.Provenance, rev.ETag, rev.LastModified
	return held, nil
}

// history returns the stays that src, or the seed of source i, knows.
func (s *Screener) history(i int, src sources.Source) ([]sources.Entry, error) {
	if all, err := sources.History(src); all != nil || err != nil {
		return all, err
	}
	return sources.History(s.sources[i])
}

// digestOfHistory returns a digest of the known past of a list; "" if none is known.
func digestOfHistory(history []sources.Entry) string {
	if len(history) == 0 {
		return ""
	}
	h := sha256.New()
	for _, e := range history {
		fmt.Fprintln(h, e.Text(), e.Asset, e.Kind, e.Ref, e.FirstSeen.Unix(), e.NotListedOn.Unix(), e.Until.Unix())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// building calls build when enough processors are idle: fewer goroutines build than there
// are processors, so that questions need not wait.
func (s *Screener) building(build func() error) error {
	s.builders <- struct{}{}
	defer func() { <-s.builders }()
	return build()
}
