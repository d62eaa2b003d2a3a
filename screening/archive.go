package screening

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

const (
	// storeTimeout bounds each use of the store.
	storeTimeout = time.Minute
	// maxPending bounds the events that wait for a store that fails.
	maxPending = 1000
)

// An archive is Options.Store as a Screener uses it. A panic of the store is an error.
type archive struct {
	files    *journal.Journal
	replicas journal.Shared // nil: the store is not one that replicas share

	flushing sync.Mutex // serializes flush

	last  journal.Event // the last Answering event that was noted
	noted time.Time     // when it was noted

	mu      sync.Mutex       // guards the following
	pending []journal.Event  // not in the journal yet
	err     error            // why not
	shared  map[string]error // why Wait failed, under "", and Lead, by source
}

// newArchive returns the archive of st, nil for nil.
func newArchive(st store.Store) *archive {
	if st == nil {
		return nil
	}
	files := journal.New(st)
	return &archive{files: files, replicas: files.Shared(), shared: make(map[string]error)}
}

// isShared reports whether the store is one that replicas share. a may be nil.
func (a *archive) isShared() bool { return a != nil && a.replicas != nil }

// names returns the names of the revisions of a source, the newest first. The files of those in
// gone do not exist.
func (a *archive) names(ctx context.Context, source string) (names, gone []string, err error) {
	defer caught(&err)
	return a.files.Candidates(ctx, source)
}

// open opens a revision. Its list is built from its entries, with build, and check checks each of
// them. What the list no longer has is read from the journal; had,
// whose list comes earlier, saves reading all of it; its list may be nil.
func (a *archive) open(ctx context.Context, name string, had *current, now time.Time, check func(sources.Entry) error, build func(func() error) error) (h current, f *revision.File, err error) {
	defer caught(&err)
	start := time.Now()
	if f, err = a.files.Open(ctx, name); err != nil {
		return current{}, nil, err
	}
	rev, err := a.files.Latest(ctx, name, f.Revision)
	if err != nil {
		return current{}, nil, err
	}
	h = current{file: name, stored: true, confirmed: rev, revision: rev, accepted: f.Accepted.UTC(), remade: f.Repaired != nil}
	h.revision.Checked = time.Time{} // says when a Load checked it
	if rev.Digest == "" {
		return current{}, nil, fmt.Errorf("%w: no digest", store.ErrDamaged)
	}
	err = build(func() (err error) {
		h.list, err = list.Rebuild(f.List(), check, h.accepted)
		return err
	})
	if err == nil {
		h.most, err = a.files.MostOf(ctx, f.Source)
	}
	if err == nil {
		err = a.openPast(ctx, &h, had, now)
	}
	h.ready = time.Now()
	h.took = h.ready.Sub(start)
	return h, f, err
}

// openPast sets what the list of h no longer has at the time now.
func (a *archive) openPast(ctx context.Context, h, had *current, now time.Time) error {
	after, past := "", (*list.Past)(nil)
	if had.list != nil && had.stored {
		after, past = had.file, had.list.Past()
	}
	removed, err := a.files.Removed(ctx, h.file, after)
	if err == nil {
		past, err = past.With(removed, now)
	}
	h.list.SetPast(past)
	return err
}

// knows reports whether the journal says something of the revision called name.
func (a *archive) knows(ctx context.Context, name string) (known bool, err error) {
	defer caught(&err)
	return a.files.Knows(ctx, name)
}

// latest returns the Revision of the file called name as it was confirmed last.
func (a *archive) latest(ctx context.Context, name string, saved sources.Revision) (rev sources.Revision, err error) {
	defer caught(&err)
	return a.files.Latest(ctx, name, saved)
}

// accepted returns the event that the revision called name was accepted.
func (a *archive) accepted(ctx context.Context, name string) (e journal.Event, err error) {
	defer caught(&err)
	return a.files.Accepted(ctx, name)
}

// lastAnswering returns what the program before has answered from, if that is known.
func (a *archive) lastAnswering(ctx context.Context) (e journal.Event, ok bool, err error) {
	defer caught(&err)
	return a.files.LastAnswering(ctx)
}

// checks returns the times at which a revision was known to be the publisher's.
func (a *archive) checks(ctx context.Context, h *current) (times []time.Time, err error) {
	defer caught(&err)
	times, err = a.files.Checks(ctx, h.file)
	return append(times, h.confirmed.Checked), err
}

// save saves the file of h, whose list is of the given source. After an error, h is as it was,
// and is saved again.
func (a *archive) save(ctx context.Context, info sources.Info, h *current) (err error) {
	defer caught(&err)
	rev := h.revision
	rev.Checked = h.checked
	l := h.list
	_, err = a.files.Save(ctx, revision.Header{
		Source: info.ID, Name: info.Name, Revision: rev, Accepted: h.accepted, Entries: l.Entries,
	}, l.Write)
	if err != nil {
		return err
	}
	h.stored, h.remade, h.confirmed = true, false, rev
	return nil
}

// pend queues an event for flush.
func (a *archive) pend(e journal.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue(e)
}

// maxDelta is the maximum number of removals in an event.
const maxDelta = 50_000

// pendChange queues the events that say how h differs from the list before it, once.
func (a *archive) pendChange(h *current) {
	if h.change == nil {
		return
	}
	source, _, _, _ := revision.ParseName(h.file)
	e := journal.Event{Type: journal.Changed, At: h.accepted, Source: source, Revision: h.file, Delta: h.change.Delta}
	if !h.change.IsPart {
		e.Before = h.before
	}
	h.change = nil
	for {
		rest := e.Delta.Removed
		n := min(len(rest), maxDelta)
		if e.Delta.Removed = rest[:n]; n > 0 || e.Before != "" {
			a.pend(e)
		}
		if n == len(rest) {
			return
		}
		e.Before, e.Delta = "", revision.Delta{Removed: rest[n:]}
	}
}

// queue appends events to those that wait. If there are too many, the oldest are dropped, and
// a gap stands for what was answered from then. The caller must have locked a.mu.
func (a *archive) queue(events ...journal.Event) {
	a.pending = append(a.pending, events...)
	drop := max(0, len(a.pending)-maxPending)
	var gap journal.Event
	for i, e := range a.pending {
		switch {
		case e.Type == journal.Answering && i >= drop && gap.At.IsZero():
			gap.At = e.At // the first that is known again
		case e.Type == journal.Answering && i < drop, e.Type == journal.Gap && i < drop:
			if e.From.IsZero() {
				e.From = e.At
			}
			if gap.Type == "" || e.From.Before(gap.From) {
				gap.Type, gap.From = journal.Gap, e.From
			}
		}
	}
	a.pending = a.pending[drop:]
	if gap.Type != "" {
		if gap.At.Before(gap.From) { // the clock was put back, or nothing is known again
			gap.At = gap.From.Add(1)
		}
		a.pending = append([]journal.Event{gap}, a.pending...)
	}
}

// note queues the event that questions are answered from snap since now, unless the
// event before said the same. If the clock was put back since that event, it is repeated
// with its time by the clock of now. Calls of note must not overlap.
func (a *archive) note(snap *snapshot) {
	e := journal.Event{Type: journal.Answering, At: snap.now().UTC(), Digest: snap.origin.digest, Lists: make(map[string]string), Broken: make(map[string]string), LoadOnly: snap.loadOnly}
	for i, h := range snap.held {
		e.Lists[snap.infos[i].ID] = h.file
		if h.isBehind() {
			e.Broken[snap.infos[i].ID] = h.broken
		}
	}
	if len(snap.segments)+len(e.Broken) == 0 {
		return
	}
	if snap.exceptions != nil {
		e.Exceptions = snap.exceptions.text
	}
	same := sameAnswers(&e, &a.last)
	if same && !e.At.Before(a.last.At) {
		return
	}
	if same {
		e.At = e.At.Add(-time.Since(a.noted)) // monotonic
	}
	a.last, a.noted = e, time.Now()
	a.pend(e)
}

// repeat queues the last event of note again, for the case that a program that answers no
// questions has written since what it holds.
func (a *archive) repeat(now time.Time) {
	if e := a.last; e.Type != "" && !e.LoadOnly {
		e.At, e.Again = now, true
		a.pend(e)
	}
}

// sameAnswers reports whether two Answering events differ only in their times.
func sameAnswers(a, b *journal.Event) bool {
	return a.Digest == b.Digest && maps.Equal(a.Lists, b.Lists) && maps.Equal(a.Broken, b.Broken) && a.Exceptions == b.Exceptions
}

// flush writes the pending events. Those that the store does not take stay pending.
func (a *archive) flush(ctx context.Context) error {
	a.flushing.Lock()
	defer a.flushing.Unlock()
	a.mu.Lock()
	todo := a.pending
	a.pending = nil
	a.mu.Unlock()
	if len(todo) == 0 {
		return nil
	}
	err := a.append(ctx, todo)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err = err; err != nil {
		later := a.pending
		a.pending = todo
		a.queue(later...)
	}
	return err
}

func (a *archive) append(ctx context.Context, events []journal.Event) (err error) {
	defer caught(&err)
	return a.files.Append(ctx, events...)
}

// errNotWritten is why events are pending.
var errNotWritten = errors.New("journal")

// failure returns why events are pending, or why this replica does not follow the others or
// lead, or nil.
func (a *archive) failure() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return fmt.Errorf("store: %w: %w", errNotWritten, a.err)
	}
	for _, key := range slices.Sorted(maps.Keys(a.shared)) {
		return fmt.Errorf("store: %w", a.shared[key])
	}
	return nil
}

// setShared keeps the outcome of Wait, under "", or of Lead, by source. It reports whether
// that is news.
func (a *archive) setShared(key string, err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.shared[key]
	if err == nil {
		delete(a.shared, key)
	} else {
		a.shared[key] = err
	}
	return (before == nil) != (err == nil)
}

// lookEvery is how often a store that does not tell of changes is looked at.
const lookEvery = 3 * time.Second

// wait returns the end of the journal once it is not the position from.
func (a *archive) wait(ctx context.Context, from int64) (next int64, err error) {
	defer caught(&err)
	if a.replicas != nil {
		return a.replicas.Wait(ctx, from)
	}
	for {
		next, err = a.files.End(ctx)
		if err != nil || next != from {
			return next, err
		}
		if pause(ctx, lookEvery); ctx.Err() != nil {
			return from, ctx.Err()
		}
	}
}

func (a *archive) lead(ctx context.Context, source string) (leads bool, err error) {
	defer caught(&err)
	return a.replicas.Lead(ctx, source)
}

func (a *archive) resign(ctx context.Context, source string) (err error) {
	defer caught(&err)
	return a.replicas.Resign(ctx, source)
}

func (a *archive) lock(ctx context.Context, source string) (unlock func(), err error) {
	defer caught(&err)
	return a.replicas.Lock(ctx, source)
}
