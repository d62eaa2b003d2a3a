package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Log is the journal of a program. Without a Store it is the state alone, in memory, and never
// fails. Methods may be called concurrently.
type Log struct {
	st       store.Store // nil: none
	within   time.Duration
	readOnly bool // appended lines are kept in memory only
	now      func() time.Time

	Program string // the name of the program

	mu      sync.Mutex
	state   State
	damaged uint64    // how many lines after the last one are damaged
	answers *Program  // how the program answers
	except  *Excepted // which exceptions hold; nil: it answers nobody
	opened  bool      // the journal has an Opened line of the program
	said    bool      // the journal has the exceptions
	wrong   time.Time // since then it may have had others; zero: it had not
	since   time.Time // the last time that the Store went back, it was as at this time; zero: the gap is in the journal
	hiding  []Line    // of this program: those with From
}

// defaultRetention is how long lists are kept unless Retain says otherwise: ten years, as
// 31 CFR 501.601 wants.
const defaultRetention = (10*365 + 3) * 24 * time.Hour

// New returns the Log of st, which may be nil. It reads nothing.
func New(st store.Store, now func() time.Time) *Log {
	l := &Log{st: st, Program: rand.Text()[:8], now: now, state: newState()}
	if w, ok := st.(interface {
		Unwrap() (store.Store, time.Duration, bool)
	}); ok {
		l.st, l.within, l.readOnly = w.Unwrap()
	}
	l.within = cmp.Or(l.within, defaultRetention)
	l.state.Known = st == nil
	return l
}

// IsKept reports whether what l accepts is kept in a Store.
func (l *Log) IsKept() bool { return l.st != nil && !l.readOnly }

// Store returns the Store, if only to read; nil if there is none.
func (l *Log) Store() store.Store { return l.st }

// Begin says how the program answers. It is appended before the first line of the program.
func (l *Log) Begin(p Program, e *Excepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers, l.except, l.opened, l.said = &p, e, false, false
}

// Open appends the Opened line, unless it is in the journal, and which exceptions hold.
func (l *Log) Open(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open(ctx)
}

// Except appends which exceptions hold, now or before the next line.
func (l *Log) Except(ctx context.Context, e *Excepted) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.except, l.said = e, false
	return l.open(ctx)
}

func (l *Log) open(ctx context.Context) error {
	if !l.since.IsZero() && !l.readOnly {
		if err := l.append(ctx, &Line{Type: Gap, From: l.since, Reason: "the store is as it was at an earlier time"}); err != nil {
			return err
		}
		l.since = time.Time{}
	}
	if l.answers == nil || l.opened && l.said {
		return nil
	}
	line, opened := &Line{Type: Exceptions, Exceptions: l.except, From: l.wrong}, l.opened
	if !l.wrong.IsZero() {
		line.Reason = "exceptions could not be saved"
	}
	isAhead, err := false, error(nil)
	if !opened {
		if line.Type, line.Opened = Opened, l.answers; l.except != nil && *l.except == l.state.Exceptions {
			line.Exceptions = nil
		}
		if l.state.Number > 0 {
			isAhead, err = l.state.anyAhead(ctx, l.st, nil)
		}
	}
	if isAhead && (line.From.IsZero() || l.state.At.Before(line.From)) { // lines after the last one may be lost
		line.From, line.Reason = l.state.At, "files are ahead of the journal"
	}
	if err == nil {
		l.opened, l.said = true, true
		err = l.append(ctx, line)
	}
	if err == nil {
		l.wrong = time.Time{}
		return nil
	}
	l.opened, l.said = opened, false
	if l.wrong.IsZero() && l.except != nil && *l.except != l.state.Exceptions {
		l.wrong = l.now() // what holds is not what the journal says
	}
	return err
}

// State returns what holds. It does not change.
func (l *Log) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Clone()
}

// Seen reports whether a list with this digest of the document was ever accepted.
func (l *Log) Seen(source, digest string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.pasts[source].seen[digest]
}

// Follow learns what the Store knows. If the last line that is known here is no longer in it, the Store
// is as it was at an earlier time: Follow says so in the journal; if it cannot, Open and Append return the error.
func (l *Log) Follow(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.follow(ctx)
	if err == nil && !l.since.IsZero() {
		l.open(ctx)
	}
	return err
}

func (l *Log) follow(ctx context.Context) error {
	if l.st == nil {
		return nil
	}
	had, gap, wentBack := l.state, l.since, false
	back := func() {
		wentBack = true
		l.opened, l.said = false, false // the Store may not know this program any more
		l.state = newState()
		l.state.Known, l.state.Begun, l.state.Began, l.state.Back = had.Known, had.Begun, had.Began, had.Back+1
		l.since = had.At
	}
	damaged, err := since(ctx, l.st, had.Number, had.sum, back, func(line *Line) {
		if wentBack && line.At.Before(had.At) {
			l.since = line.At
		}
		l.state.add(line)
	})
	if err != nil {
		if wentBack { // it will be found again
			l.state, l.since = had, gap
		}
		return err
	}
	if s := &l.state; !s.Known {
		if s.Known, s.Begun, s.Began = true, s.Number, s.At; s.lost {
			s.Begun = 0 // any file may be
		}
	}
	l.damaged = damaged
	for i := range l.hiding {
		if h := &l.hiding[i]; wentBack && h.At.After(l.since) && h.From.Before(l.since) {
			l.since = h.From // that line is lost, too
		}
	}
	return nil
}

// Append appends a line, after the Opened line of the program. At is now. If another program has written
// meanwhile, Append learns that. If the list of the source is not base any more, by which the caller has judged, or if the
// Store has gone back, it returns an error that wraps [store.ErrMoved], and the caller must judge again. base may be nil.
func (l *Log) Append(ctx context.Context, e *Line, base *Held) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	back := l.state.Back
	if err := l.open(ctx); err != nil {
		return err
	}
	if is := l.state.Held[e.Source]; base != nil && !is.Is(base) || l.state.Back != back {
		return fmt.Errorf("the list of %s: %w", e.Source, store.ErrMoved)
	}
	return l.append(ctx, e)
}

func (l *Log) append(ctx context.Context, e *Line) error {
	before, back := l.state.Held[e.Source], l.state.Back
	skip := uint64(0)
	for range 1000 {
		e.Number, e.At, e.Program = l.state.Number+1+skip, l.now(), l.Program
		if l.st == nil || l.readOnly {
			number, sum := l.state.Number, l.state.sum
			l.state.add(e)
			l.state.Number, l.state.sum = number, sum
			return nil
		}
		if !l.state.Known {
			return errors.New("the journal was not read yet")
		}
		if e.After = ""; !l.state.lost || l.answers != nil && l.answers.Answers { // it is so because this program answers so
			e.After = l.state.after(e)
		}
		b, err := e.format()
		if err == nil {
			err = l.st.Append(ctx, e.Number, b)
		}
		if err == nil {
			if l.damaged = 0; !e.From.IsZero() {
				l.hiding = append(l.hiding, *e)
			}
			l.state.add(e)
			return nil
		}
		if !errors.Is(err, store.ErrMoved) {
			return fmt.Errorf("append to the journal: %w", err)
		}
		number := l.state.Number
		if ferr := l.follow(ctx); ferr != nil {
			return ferr
		}
		if is := l.state.Held[e.Source]; l.state.Back != back || !is.Is(&before) || is.Damaged != before.Damaged {
			return err
		}
		if skip = 0; l.state.Number == number { // a damaged line has the number
			skip = l.damaged
		}
	}
	return fmt.Errorf("append to the journal: %w, again and again", store.ErrMoved)
}

// Put saves a file.
func (l *Log) Put(ctx context.Context, f *stays.File) (name string, err error) {
	if !l.IsKept() {
		return "", nil
	}
	name, data, err := f.Bytes()
	if err != nil {
		return name, err
	}
	return name, l.st.Put(ctx, name, data)
}

// Names returns the names of the files of a source in a Store; those with the greatest numbers come first.
func Names(ctx context.Context, st store.Store, source string) (all []stays.Name, err error) {
	names, err := st.Names(ctx)
	for _, name := range names {
		if n, ok := stays.ParseName(name); ok && n.Source == source {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b stays.Name) int {
		return cmp.Or(cmp.Compare(b.After, a.After), cmp.Compare(b.Last, a.Last))
	})
	return all, err
}

// Load opens a file of a Store. The error wraps [store.ErrDamaged] or [store.ErrVersion] if the file is at
// fault.
func Load(ctx context.Context, st store.Store, n stays.Name) (*stays.File, error) {
	data, err := st.Open(ctx, n.String())
	if err != nil {
		return nil, err
	}
	f, err := stays.Parse(n.String(), data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n, err)
	}
	return f, nil
}

// Tidy deletes the files of earlier acceptances in the range of the given file, which has the list held, except
// the newest one, and files that need not be kept any more. Its failure does no harm.
func (l *Log) Tidy(ctx context.Context, held *stays.File) {
	if !l.IsKept() {
		return
	}
	names, _ := Names(ctx, l.st, held.Source)
	hasEarlier := false
	for _, n := range names {
		if n.First == held.First && n.Last < held.Last {
			if hasEarlier {
				l.st.Delete(ctx, n.String())
			}
			hasEarlier = true
		}
	}
	l.retain(ctx)
}

// retain deletes the files that need not be kept. Its failure does no harm.
func (l *Log) retain(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.within < 0 {
		return
	}
	names, _ := l.st.Names(ctx)
	for _, name := range names {
		n, ok := stays.ParseName(name)
		if ok && n.Last < l.state.Held[n.Source].N && l.state.sinceEnd(n.Source, n.Last) > l.within {
			l.st.Delete(ctx, name)
		}
	}
}

// Shared are the methods of a Store that replicas share, besides the methods of [store.Store];
// the Store of package pgstore has them.
type Shared interface {
	// Wait returns the number of the last line of the journal once it is not the given one.
	Wait(ctx context.Context, last uint64) (next uint64, err error)
	// Lead reports whether this program should load a source from its publisher. At most one
	// of several replicas leads; if it ends or resigns, another one that calls Lead does.
	Lead(ctx context.Context, source string) (bool, error)
	// Resign gives up the lead of a source, if this program has it.
	Resign(ctx context.Context, source string) error
}

// Shared returns the methods for replicas, nil if the Store does not have them.
func (l *Log) Shared() Shared {
	s, _ := l.st.(Shared)
	return s
}
