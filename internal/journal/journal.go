// Package journal reads and writes the revisions of lists in a [store.Store], and the journal
// of what happened to them. Begin with [New].
package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Journal reads and writes the revisions and the journal of a [store.Store]. A revision is
// named by its file, see [revision.Name]. Methods may be called concurrently.
type Journal struct {
	st     store.Store
	within time.Duration // how long revisions are kept; negative: forever

	mu      sync.Mutex
	memory  *memory
	begun   bool // Append has appended, and a gap before that is noted
	answers bool // it has appended an Answering event, or the journal had one
	whole   bool // the file called revision.WholeName exists
}

// confirmEvery is the interval at which checks that found nothing new are written to the journal.
const confirmEvery = time.Minute

// New returns the Journal of st. It reads nothing.
func New(st store.Store) *Journal {
	j := &Journal{st: st, memory: newMemory()}
	if r, ok := st.(interface {
		Unwrap() (store.Store, time.Duration)
	}); ok {
		j.st, j.within = r.Unwrap()
	}
	if j.within == 0 {
		j.within = defaultRetention
	}
	return j
}

// defaultRetention is how long revisions are kept unless Retain says otherwise: ten years, as
// 31 CFR 501.601 wants.
const defaultRetention = (10*365 + 3) * 24 * time.Hour

// read returns the journal as it is now. The caller must have locked a.mu.
func (a *Journal) read(ctx context.Context) (*memory, error) {
	return a.memory, a.memory.read(ctx, a.st)
}

// End returns the position of the end of the journal.
func (a *Journal) End(ctx context.Context) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	return j.next, err
}

// Revisions returns the names of the files of a source, the newest first. That is
// the order of the journal. A file that has no [Accepted] event, because a program was
// killed or the line was damaged, comes first if the time in its name is later than the times of
// all that have one, and otherwise last.
func (a *Journal) Revisions(ctx context.Context, source string) ([]string, error) {
	names, gone, err := a.Candidates(ctx, source)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(gone, name) }), err
}

// Candidates returns the names of the revisions of a source, in the order of Revisions. Those that
// may be the newest are among them even if their file is gone, because it was set aside for
// example: the one accepted last, and the one that was broken when questions were answered last.
func (a *Journal) Candidates(ctx context.Context, source string) (names, gone []string, err error) {
	names, err = a.st.Names(ctx)
	if err != nil {
		return nil, nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		of, _, _, ok := revision.ParseName(name)
		return !ok || of != source
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{j.acceptedLast(source), j.brokenLast(source)} {
		if name != "" && !slices.Contains(names, name) {
			names, gone = append(names, name), append(gone, name)
		}
	}
	j.sort(names)
	return names, gone, nil
}

// sort sorts names of revisions, the newest first.
func (j *memory) sort(names []string) {
	type candidate struct {
		name, source string
		at           time.Time
		order        int
	}
	all := make([]candidate, len(names))
	latest := make(map[string]time.Time) // in the names that the journal has, by source
	for i, name := range names {
		source, at, _, _ := revision.ParseName(name)
		all[i] = candidate{name, source, at, 0}
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
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.order, a.order), b.at.Compare(a.at), cmp.Compare(a.name, b.name))
	})
	for i := range all {
		names[i] = all[i].name
	}
}

// accepts reports whether the journal has an Accepted event of the revision called name.
func (j *memory) accepts(name string) bool {
	r := j.of(name)
	return r != nil && r.order > 0
}

// Save writes the file of a revision and returns its name. write, which may be called
// more than once, writes the entries, whose number is in h, and the tables, and
// need not close the writer. If the disk is full, Save deletes the revisions of all
// sources that need not be kept, and tries again; see [store.Retain].
//
// Saving a revision that exists replaces its file, by one with other tables for example.
func (a *Journal) Save(ctx context.Context, h revision.Header, write func(*revision.Writer) error) (string, error) {
	name := revision.Name(h.Source, h.Accepted, h.Revision.Digest)
	if _, _, _, ok := revision.ParseName(name); !ok || h.Accepted.IsZero() {
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
func (a *Journal) makeRoom(ctx context.Context, write func() error) error {
	err := write()
	if !errors.Is(err, store.ErrFull) {
		return err
	}
	names, nerr := a.st.Names(ctx)
	if nerr != nil {
		return err
	}
	done := make(map[string]bool)
	for _, name := range names {
		if source, _, _, ok := revision.ParseName(name); ok && !done[source] {
			done[source] = true
			a.retain(ctx, source)
		}
	}
	return write()
}

// retain deletes the revisions of a source that need not be kept. Those that cannot be
// deleted stay. A revision needs no file if it is implied by a newer one.
func (a *Journal) retain(ctx context.Context, source string) {
	names, err := a.Revisions(ctx, source)
	if err != nil {
		return
	}
	old, err := a.old(ctx, names)
	if err != nil {
		return
	}
	var full time.Time // of the last revision that stays
	for i := len(names) - 1; i > 0; i-- {
		name := names[i]
		_, at, _, _ := revision.ParseName(name)
		expired := a.within > 0 && a.sinceAccepted(names[i-1]) > a.within
		implied := i >= minFull && at.Sub(full).Abs() < fullEvery && a.isImplied(name, names[:i])
		if slices.Contains(old, name) && (expired || implied) {
			a.st.Delete(ctx, name)
		} else {
			full = at
		}
	}
}

// A revision is kept as a file if it is one of the minFull newest of its source, or the first
// after fullEvery, so that a damaged line of the journal loses little.
const (
	minFull   = 2
	fullEvery = 90 * 24 * time.Hour
)

// savingTime bounds how long after the time in a revision's name its Accepted event is written.
const savingTime = 10 * time.Minute

// old returns the given revisions that may be deleted, the newest first: all except the newest of
// each source and the revisions that another program may be saving.
func (a *Journal) old(ctx context.Context, names []string) (old []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	j.sort(names)
	passed := make(map[string]bool) // sources whose newest revision was passed
	for _, name := range names {
		source, accepted, _, _ := revision.ParseName(name)
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

// Open opens a revision and verifies its every byte. If its file is damaged, it is set aside.
// A file that is damaged, or does not exist, is made again from that of another revision and the
// changes between the two, without tables. The error wraps [store.ErrNotFound],
// [store.ErrDamaged], or [store.ErrVersion].
func (a *Journal) Open(ctx context.Context, name string) (*revision.File, error) {
	f, err := a.open(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return a.remake(ctx, name, err)
	}
	if damage := err; errors.Is(err, store.ErrDamaged) {
		if f, err = a.remake(ctx, name, damage); err == nil {
			f.Repaired = damage
		}
	}
	return f, err
}

// open opens the file of a revision.
func (a *Journal) open(ctx context.Context, name string) (*revision.File, error) {
	data, err := a.st.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %.200s: %w", name, err)
	}
	f, err := revision.Parse(data)
	if err == nil {
		if is := revision.Name(f.Source, f.Accepted, f.Revision.Digest); is != name {
			err = fmt.Errorf("%w: it is %s", store.ErrDamaged, is)
		}
	}
	if err == nil {
		return f, nil
	}
	err = fmt.Errorf("open %s: %w", name, err)
	if !errors.Is(err, store.ErrDamaged) {
		return nil, err
	}
	if serr := a.st.SetAside(ctx, name); serr != nil {
		return nil, fmt.Errorf("%w; it could not be set aside: %w", err, serr)
	}
	return nil, fmt.Errorf("%w; the file was set aside", err)
}

// Read calls each for the events of the journal from a position on, 0 for all, and
// returns the position after them. It skips damaged lines; if there are any, it
// returns an error that wraps [store.ErrDamaged] once it has read everything else.
func (a *Journal) Read(ctx context.Context, from int64, each func(Event)) (next int64, err error) {
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
		err = fmt.Errorf("%w: %d lines of the journal were skipped", store.ErrDamaged, damaged)
	}
	return from, err
}

// events returns the events of lines, and how many lines are damaged.
func (a *Journal) events(ctx context.Context, lines []byte) (events []Event, damaged int, err error) {
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
