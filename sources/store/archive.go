package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
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
	begun   bool // Append has appended, and a gap before that is noted
	answers bool // it has appended an Answering event, or the journal had one
	whole   bool // the file called wholeName exists
}

// confirmEvery is the interval at which checks that found nothing new are written to the journal.
const confirmEvery = time.Minute

// clockBack is how much earlier an event must be than the one before for the clock to have
// been put back.
const clockBack = time.Minute

// NewArchive returns the Archive of st. It reads nothing.
func NewArchive(st Store) *Archive { return &Archive{st: unwrap(st), journal: newJournal()} }

// read returns the journal as it is now. The caller must have locked a.mu.
func (a *Archive) read(ctx context.Context) (*journal, error) {
	return a.journal, a.journal.read(ctx, a.st)
}

// Revisions returns the names of the revisions of a source, the newest first. That is
// the order of the journal. A file that has no [Accepted] event, because a program was
// killed or the line was damaged, comes first if the time in its name is later than those
// of all that have one, and otherwise last.
func (a *Archive) Revisions(ctx context.Context, source string) ([]string, error) {
	names, err := a.st.Names(ctx)
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
	type revision struct {
		name, source string
		at           time.Time
		order        int
	}
	all := make([]revision, len(names))
	latest := make(map[string]time.Time) // in the names that the journal has, by source
	for i, name := range names {
		source, at, _, _ := ParseName(name)
		all[i] = revision{name, source, at, 0}
		if r := j.of(name); r != nil && r.order > 0 {
			if all[i].order = r.order; at.After(latest[source]) {
				latest[source] = at
			}
		}
	}
	for i := range all {
		if r := &all[i]; r.order == 0 && r.at.After(latest[r.source]) {
			r.order = math.MaxInt
		}
	}
	slices.SortFunc(all, func(a, b revision) int {
		return cmp.Or(cmp.Compare(b.order, a.order), b.at.Compare(a.at), cmp.Compare(a.name, b.name))
	})
	for i := range all {
		names[i] = all[i].name
	}
}

// accepts reports whether the journal has an Accepted event of the revision called name.
func (j *journal) accepts(name string) bool {
	r := j.of(name)
	return r != nil && r.order > 0
}

// Save writes the file of a revision and returns its name. write, which may be called
// more than once, writes the entries, removals and tables, whose numbers are in h, and
// need not close the writer. If the disk is full, Save deletes the revisions of all
// sources that need not be kept, and tries again; see [Retain].
//
// Saving a revision that exists replaces its file, by one with other tables for example.
func (a *Archive) Save(ctx context.Context, h revision.Header, write func(*revision.Writer) error) (string, error) {
	name := Name(h.Source, h.Accepted, h.Revision.Digest)
	if _, _, _, ok := ParseName(name); !ok || h.Accepted.IsZero() {
		return "", fmt.Errorf("revision of %.80q of %v: want the ID of a source, a time and a digest", h.Source, h.Accepted)
	}
	err := a.makeRoom(ctx, func() error {
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

// makeRoom calls write. If there is no room, it deletes all revisions that need not be kept,
// and calls write again.
func (a *Archive) makeRoom(ctx context.Context, write func() error) error {
	err := write()
	if !errors.Is(err, ErrFull) {
		return err
	}
	names, nerr := a.st.Names(ctx)
	if nerr != nil {
		return err
	}
	done := make(map[string]bool)
	for _, name := range names {
		if source, _, _, ok := ParseName(name); ok && !done[source] {
			done[source] = true
			a.retain(ctx, source)
		}
	}
	return write()
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
	old, err := a.old(ctx, names)
	if err != nil {
		return
	}
	for i := max(1, a.st.revisions); i < len(names); i++ {
		if slices.Contains(old, names[i]) && (a.st.within <= 0 || a.sinceAccepted(names[i-1]) > a.st.within) {
			a.st.Delete(ctx, names[i])
		}
	}
}

// savingTime bounds the time from the one in a revision's name until its Accepted
// event is written.
const savingTime = 10 * time.Minute

// old returns those of the given revisions that may be deleted, the newest first: all but
// the newest of each source, and those that another program may be saving.
func (a *Archive) old(ctx context.Context, names []string) (old []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	j.sort(names)
	passed := make(map[string]bool) // sources whose newest revision was passed
	for _, name := range names {
		source, accepted, _, _ := ParseName(name)
		if !j.accepts(name) && time.Since(accepted).Abs() < savingTime {
			continue
		}
		if passed[source] {
			old = append(old, name)
		}
		passed[source] = true
	}
	return old, nil
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

// Append appends events to the journal; their At is now if it is zero. It deletes
// revisions that need not be kept: of a source after an [Accepted] event, and of all sources
// if the disk is full.
//
// Append leaves out a second [Accepted] event of a revision, a [Confirmed] event that
// says nothing new within a minute of the one before, and an [Answering] event that says
// nothing new, unless the clock was put back since.
//
// After an error, append the same events again. If the program ends before that, the next
// Archive that appends notes a [Gap], as long as the Store still allowed to delete a file.
func (a *Archive) Append(ctx context.Context, events ...Event) error {
	err := a.append(ctx, events)
	a.setWhole(ctx, err == nil)
	return err
}

func (a *Archive) append(ctx context.Context, events []Event) error {
	lines, err := a.lines(ctx, events)
	if err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if len(lines) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.begun = true
			for _, e := range events {
				a.answers = a.answers || e.Type == Answering
			}
			a.answers = a.answers || len(a.journal.marks) > 0
		}
	}()
	if err = a.makeRoom(ctx, func() error { return a.st.Append(ctx, lines) }); err != nil {
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
	gap, err := a.begin(ctx, j, events)
	if err != nil {
		return nil, err
	}
	newest, ok := j.newestAnswer()
	ok = ok && gap == nil
	written := make(map[string]bool) // exceptions in lines
	for _, e := range slices.Concat(gap, events) {
		if e.At.IsZero() {
			e.At = time.Now()
		}
		list, text := true, ""
		switch e.Type {
		case Accepted:
			if j.accepts(e.Revision) {
				continue
			}
		case Confirmed:
			if !e.List.Checked.IsZero() {
				e.At = e.List.Checked
			}
			var news bool
			if list, news = j.compare(&e); !list && !news {
				continue
			}
		case Gap:
			ok = false
		case Answering:
			if ok && newest.At.Sub(e.At) < clockBack && newest.Digest == e.Digest && newest.Exceptions == e.Exceptions && maps.Equal(newest.Lists, e.Lists) {
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

// shared are the methods of a Store that replicas share, besides those of [Store].
type shared interface {
	Wait(ctx context.Context, from int64) (next int64, err error)
	Lead(ctx context.Context, source string) (bool, error)
	Resign(ctx context.Context, source string) error
	Lock(ctx context.Context, source string) (unlock func(), err error)
}

// IsShared reports whether the Store has the methods Wait, Lead, Resign and
// Lock of the Archive, as that of package pgstore has. Replicas that share a Store answer from its
// lists only: one of them loads a list, and the others learn of it by Wait. Of a Store
// that is not shared, these methods return an error that wraps [errors.ErrUnsupported].
func (a *Archive) IsShared() bool {
	_, ok := a.st.Store.(shared)
	return ok
}

var errNotShared = fmt.Errorf("the store has no methods for replicas: %w", errors.ErrUnsupported)

// Wait returns the end of the journal once it is not the position from.
func (a *Archive) Wait(ctx context.Context, from int64) (next int64, err error) {
	if s, ok := a.st.Store.(shared); ok {
		return s.Wait(ctx, from)
	}
	return from, errNotShared
}

// Lead reports whether this program should load a source from its publisher. At most one
// of several replicas leads; if it ends or resigns, another one that calls Lead does.
func (a *Archive) Lead(ctx context.Context, source string) (bool, error) {
	if s, ok := a.st.Store.(shared); ok {
		return s.Lead(ctx, source)
	}
	return false, errNotShared
}

// Resign gives up the lead of a source, if this program has it.
func (a *Archive) Resign(ctx context.Context, source string) error {
	if s, ok := a.st.Store.(shared); ok {
		return s.Resign(ctx, source)
	}
	return errNotShared
}

// Lock waits until no other program has the lock of a source. The program that has it
// saves a list and appends its [Accepted] event, so that lists follow each other.
func (a *Archive) Lock(ctx context.Context, source string) (unlock func(), err error) {
	if s, ok := a.st.Store.(shared); ok {
		return s.Lock(ctx, source)
	}
	return nil, errNotShared
}
