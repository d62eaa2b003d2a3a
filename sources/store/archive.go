package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// An Archive reads and writes the revisions and the journal of a [Store]. A revision is
// named by its file, see [Name]. Methods may be called concurrently.
type Archive struct {
	st retained

	mu      sync.Mutex
	journal *journal
}

// confirmEvery is how often a check that found nothing new is written to the journal.
const confirmEvery = time.Minute

// NewArchive returns the Archive of st. It reads nothing.
func NewArchive(st Store) *Archive { return &Archive{st: unwrap(st), journal: newJournal()} }

// read returns the journal as it is now. The caller must have locked a.mu.
func (a *Archive) read(ctx context.Context) (*journal, error) {
	return a.journal, a.journal.read(ctx, a.st)
}

// Revisions returns the names of the revisions of a source, the newest first. That is
// the order of the journal; files that it does not mention follow, by the time in their
// name.
func (a *Archive) Revisions(ctx context.Context, source string) ([]string, error) {
	names, err := a.st.List(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		of, _, _, ok := ParseName(name)
		return !ok || of != source
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	j.sort(names)
	return names, nil
}

// sort sorts names of revisions, the newest first.
func (j *journal) sort(names []string) {
	order := func(name string) int {
		if r := j.of(name); r != nil {
			return r.order
		}
		return 0
	}
	slices.SortFunc(names, func(a, b string) int {
		_, at, _, _ := ParseName(a)
		_, bt, _, _ := ParseName(b)
		return cmp.Or(cmp.Compare(order(b), order(a)), bt.Compare(at), cmp.Compare(a, b))
	})
}

// Save writes the file of a revision and returns its name. write, which may be called
// more than once, writes the entries, removals and tables, whose numbers are in h, and
// need not close the writer. While the disk is full, Save deletes old revisions of any
// source, the oldest first.
//
// Until Append has written an [Accepted] event for it, the revision counts as older
// than those with one. Saving a revision that exists replaces its file, by one with
// other tables for example.
func (a *Archive) Save(ctx context.Context, h revision.Header, write func(*revision.Writer) error) (string, error) {
	name := Name(h.Source, h.Accepted, h.Revision.Digest)
	if _, _, _, ok := ParseName(name); !ok || h.Accepted.IsZero() {
		return "", fmt.Errorf("revision of %.80q of %v: want the ID of a source, a time and a digest", h.Source, h.Accepted)
	}
	err := a.makeRoom(ctx, name, func() error {
		return a.st.Put(ctx, name, func(to io.Writer) error {
			w, err := revision.NewWriter(to, h)
			if err == nil {
				err = write(w)
			}
			if err == nil {
				err = w.Close()
			}
			return err
		})
	})
	if err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	return name, nil
}

// makeRoom calls write, and again after it has deleted an old revision, until there is
// room for what write writes.
func (a *Archive) makeRoom(ctx context.Context, except string, write func() error) error {
	for {
		err := write()
		if !errors.Is(err, ErrFull) || !a.deleteOldest(ctx, except) {
			return err
		}
	}
}

// deleteOldest deletes the oldest revision of all that are not the newest of their
// source. It reports false if there is none.
func (a *Archive) deleteOldest(ctx context.Context, except string) bool {
	names, err := a.st.List(ctx)
	if err != nil {
		return false
	}
	a.mu.Lock()
	j, err := a.read(ctx)
	if err == nil {
		j.sort(names)
	}
	a.mu.Unlock()
	if err != nil {
		return false
	}
	newest := make(map[string]bool) // sources whose newest revision was passed
	var old []string
	for _, name := range names {
		source, _, _, _ := ParseName(name)
		if newest[source] && name != except {
			old = append(old, name)
		}
		newest[source] = true
	}
	for _, name := range slices.Backward(old) {
		if a.st.Delete(ctx, name) == nil {
			return true
		}
	}
	return false
}

// retain deletes the revisions of a source that need not be kept. Those that cannot be
// deleted stay.
func (a *Archive) retain(ctx context.Context, source string) {
	if a.st.revisions < 0 {
		return
	}
	names, err := a.Revisions(ctx, source)
	if err != nil {
		return
	}
	for i := max(1, a.st.revisions); i < len(names); i++ {
		_, until, _, _ := ParseName(names[i-1]) // it was in use until then
		if a.st.within <= 0 || time.Since(until) > a.st.within {
			a.st.Delete(ctx, names[i])
		}
	}
}

// Open opens a revision and verifies every byte of it. The error wraps [ErrNotFound],
// [ErrDamaged] if the file is damaged and was set aside, or [ErrVersion].
func (a *Archive) Open(ctx context.Context, name string) (*revision.File, error) {
	data, release, err := a.st.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %.200s: %w", name, err)
	}
	f, err := revision.Parse(data, release)
	if err == nil {
		if is := Name(f.Source, f.Accepted, f.Revision.Digest); is != name {
			f.Close()
			err = fmt.Errorf("%w: it is %s", ErrDamaged, is)
		}
	}
	if err == nil {
		return f, nil
	}
	err = fmt.Errorf("open %s: %w", name, err)
	if !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	if serr := a.st.SetAside(ctx, name); serr != nil {
		return nil, fmt.Errorf("%w; it could not be set aside: %w", err, serr)
	}
	return nil, fmt.Errorf("%w; the file was set aside", err)
}

// Append appends events to the journal; their At is now if it is zero. It deletes old
// revisions of a source after an [Accepted] event, and of any source while the disk is
// full.
//
// Append leaves out a [Confirmed] event that says nothing new within a minute of the
// one before, and an [Answering] event that says nothing new.
func (a *Archive) Append(ctx context.Context, events ...Event) error {
	lines, err := a.lines(ctx, events)
	if err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if len(lines) == 0 {
		return nil
	}
	if err := a.makeRoom(ctx, "", func() error { return a.st.Append(ctx, lines) }); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	for _, e := range events {
		if e.Type == Accepted {
			a.retain(ctx, e.Source)
		}
	}
	return nil
}

// lines returns the lines of those events that say something new.
func (a *Archive) lines(ctx context.Context, events []Event) (lines []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	newest, ok := j.newestAnswer()
	written := make(map[string]bool) // exceptions in lines
	for _, e := range events {
		if e.At.IsZero() {
			e.At = time.Now()
		}
		list, text := true, ""
		switch e.Type {
		case Confirmed:
			if !e.List.Checked.IsZero() {
				e.At = e.List.Checked
			}
			var news bool
			if list, news = j.compare(&e); !list && !news {
				continue
			}
		case Answering:
			if ok && newest.Digest == e.Digest && newest.Exceptions == e.Exceptions && maps.Equal(newest.Lists, e.Lists) {
				continue
			}
			newest, ok = e, true
			if text = digestOf(e.Exceptions); text != "" && !written[text] && j.texts[text] == nil {
				if lines, err = appendLine(lines, &Event{Type: Exceptions, At: e.At, Exceptions: e.Exceptions}, false, ""); err != nil {
					return nil, err
				}
			}
		}
		if !utf8.ValidString(e.Exceptions) {
			return nil, errors.New("the exceptions are not UTF-8")
		}
		if e.Exceptions != "" {
			written[digestOf(e.Exceptions)] = true
		}
		if lines, err = appendLine(lines, &e, list, text); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// compare compares a Confirmed event to what the journal says of the revision. list
// reports whether more than its Checked has changed, or that cannot be told by e.At, and
// news whether it is not within a minute of the last check.
func (j *journal) compare(e *Event) (list, news bool) {
	r := j.of(e.Revision)
	if r == nil {
		return true, true
	}
	last, checked := r.latest(sources.Revision{}), e.List.Checked
	since := storable(e.List).Checked.Sub(last.Checked)
	news = since >= confirmEvery || since <= -confirmEvery
	last.Checked = storable(e.List).Checked
	return checked.IsZero() || storable(e.List) != last, news
}

// latest returns saved as the journal changes it.
func (r *known) latest(saved sources.Revision) sources.Revision {
	l := line{json: r.list}
	if p, ok := l.parsePayload(); ok && p.List != nil {
		saved = p.list()
	}
	if n := len(r.checks); n > 0 {
		saved.Checked = time.Unix(0, r.checks[n-1]).UTC()
	}
	return saved
}

// Read calls each for the events of the journal from a position on, 0 for all, and
// returns the position after them. It skips damaged lines; if there are any, it
// returns an error that wraps [ErrDamaged] once it has read everything else.
func (a *Archive) Read(ctx context.Context, from int64, each func(Event)) (next int64, err error) {
	damaged := 0
	for {
		lines, next, err := a.st.Read(ctx, from)
		if err != nil {
			return from, err
		}
		if next == from {
			break
		}
		events, skipped, err := a.events(ctx, lines)
		if err != nil {
			return from, err
		}
		damaged += skipped
		for _, e := range events {
			each(e)
		}
		from = next
	}
	if damaged > 0 {
		err = fmt.Errorf("%w: %d lines of the journal were skipped", ErrDamaged, damaged)
	}
	return from, err
}

// events returns the events of lines, and how many lines are damaged.
func (a *Archive) events(ctx context.Context, lines []byte) (events []Event, damaged int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx) // for what the lines refer to
	if err != nil {
		return nil, 0, err
	}
	for text := range bytes.Lines(lines) {
		if text = bytes.TrimSuffix(text, []byte("\n")); len(text) == 0 {
			continue
		}
		l, ok := parseLine(text)
		var e Event
		if ok {
			e, ok = j.event(&l)
		}
		if !ok {
			damaged++
			continue
		}
		events = append(events, e)
	}
	return events, damaged, nil
}

// Latest returns saved, which is the Revision in the file called name, as it was
// confirmed last: with the validators and the Checked of then.
func (a *Archive) Latest(ctx context.Context, name string, saved sources.Revision) (sources.Revision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if r := j.of(name); err == nil && r != nil {
		saved = r.latest(saved)
	}
	return saved, err
}

// Checks returns the times at which the revision called name was known to be the
// publisher's, in the order of the journal: first the Checked with which it was
// accepted, then those of its confirmations.
func (a *Archive) Checks(ctx context.Context, name string) ([]time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	r := j.of(name)
	if err != nil || r == nil {
		return nil, err
	}
	var checks []time.Time
	accepted := line{json: r.accepted}
	if p, _ := accepted.parsePayload(); !p.list().Checked.IsZero() {
		checks = append(checks, p.list().Checked)
	}
	for _, at := range r.checks {
		checks = append(checks, time.Unix(0, at).UTC())
	}
	return checks, nil
}

// Answering returns what questions were answered from at a time: the last [Answering]
// event, in the order of the journal, that is not later than at and for which accept
// returns true. The error wraps [ErrNotFound] if there is none, and [ErrDamaged] if a
// later one may have been lost: because a line is damaged, because there is a file that
// the journal does not mention, or because it ends with a revision that was accepted.
func (a *Archive) Answering(ctx context.Context, at time.Time, accept func(Event) bool) (Event, error) {
	for try := 0; ; try++ {
		e, unfinished, err := a.answering(ctx, at, accept)
		// A program that is saving a revision finishes soon.
		if !unfinished || try == 10 {
			return e, err
		}
		select {
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answering is Answering. It reports with an error whether that is about the last events
// of the journal.
func (a *Archive) answering(ctx context.Context, at time.Time, accept func(Event) bool) (found Event, unfinished bool, err error) {
	names, err := a.st.List(ctx)
	if err != nil {
		return Event{}, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return Event{}, false, err
	}
	i := len(j.marks) - 1
	for ; i >= 0; i-- {
		m := &j.marks[i]
		if m.answer == nil || m.at > nanos(at) {
			continue
		}
		e, ok := j.answer(m)
		if !ok {
			return Event{}, false, fmt.Errorf("%w: the journal does not have the exceptions of %v", ErrDamaged, time.Unix(0, m.at).UTC())
		}
		if accept(e) {
			found = e
			break
		}
	}
	if j.damagedAfter(i, nanos(at)) {
		return Event{}, false, fmt.Errorf("%w: a line of the journal that may be about %v cannot be read", ErrDamaged, at)
	}
	if found.Type == "" {
		return Event{}, false, fmt.Errorf("what was answered from at %v: %w", at, ErrNotFound)
	}
	for source, name := range found.Lists {
		ref, err := reference(name)
		if n, ok := j.newest[source]; ok && err == nil && n.ref != ref && n.marks == len(j.marks) && n.at <= nanos(at) {
			return Event{}, true, fmt.Errorf("%w: the journal ends with a revision of %s that was accepted", ErrDamaged, source)
		}
	}
	for _, name := range names {
		source, accepted, _, _ := ParseName(name)
		_, held, _, ok := ParseName(found.Lists[source])
		if r := j.of(name); ok && (r == nil || r.order == 0) && accepted.After(held) && !accepted.After(at) {
			return Event{}, true, fmt.Errorf("%w: the journal does not mention %s", ErrDamaged, name)
		}
	}
	return found, false, nil
}

// Answerings returns all [Answering] events, the last one first. If lines that may be
// such events are damaged, it returns an error that wraps [ErrDamaged], and the others.
func (a *Archive) Answerings(ctx context.Context) ([]Event, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	var events []Event
	damaged := 0
	for i := range slices.Backward(j.marks) {
		m := &j.marks[i]
		if m.answer != nil {
			if e, ok := j.answer(m); ok {
				events = append(events, e)
				continue
			}
		}
		damaged++
	}
	if damaged > 0 {
		err = fmt.Errorf("%w: %d lines of the journal cannot be read", ErrDamaged, damaged)
	}
	return events, err
}

// pollEvery is how often Wait asks a Store that does not report changes.
const pollEvery = time.Second

// Wait returns nil once the journal may have grown beyond the position from, and
// ctx.Err() when ctx has ended. It asks the Store every second, unless the Store has a
// method Wait(context.Context, int64) error, which it calls.
func (a *Archive) Wait(ctx context.Context, from int64) error {
	if w, ok := a.st.Store.(interface {
		Wait(ctx context.Context, from int64) error
	}); ok {
		return w.Wait(ctx, from)
	}
	for {
		_, next, err := a.st.Read(ctx, from)
		if err != nil || next != from {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}
