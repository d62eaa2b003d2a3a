package screening

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
)

const (
	// leadEvery is how often Run asks whether this program leads a source.
	leadEvery = 3 * time.Second
	// followRetry is the time until a store that failed is asked again.
	followRetry = time.Second
)

// Refresh asks every source for its list now, side by side. Each list is checked, and
// swapped in as it arrives: a source that fails or is slow delays no other.
//
// A list is refused, and the last good one kept, if its source returns an error
// or panics, if an entry is not valid (an unknown kind, an official kind from a
// community list, nothing that was listed), if it has no records, no digest, or more
// than 200 million entries, or if it is suspect and Options.Accept does not accept it. A
// part of a list (see [sources.Revision]) replaces only another part, and never counts as
// loaded.
//
// Of a source made by [sources.Seeded], Refresh loads the live list. If nothing is held, it
// accepts the seed first, with which the live list is compared.
//
// Refresh returns when the last source is done, or when ctx ends. A source that does not
// return soon after its context has ended is left behind,
// and what it returns later is ignored.
//
// The error joins the errors of the sources whose list was not accepted; the Report is valid
// in any case. With Options.Store, a newer list that the store has is opened and swapped
// in first, and accepted lists are saved before Refresh returns. Until the store has answered
// once, nothing is accepted, because nothing is known with which a list could be compared. While
// the store fails, the lists held stay, what accepted lists add matches at once ([CaveatStore]),
// and the error says so.
//
// Of concurrent calls, and of Run, one at a time loads a source.
func (s *Screener) Refresh(ctx context.Context) (Report, error) {
	report := s.all(ctx, live)
	return report, report.err()
}

// Open swaps in the lists that are available without a network: of each source, the last good
// list in Options.Store or the seed of a source made by [sources.Seeded],
// whichever is newer; a seed that does not say when it was read, or published, is not. A program that must answer at once calls it before Run or
// Refresh. A list that is held already is replaced by a newer one only.
//
// If nothing is available of a source, that is not an error, and the source is not loaded
// afterwards. The error joins what could not be used, even if it is an old list in
// the store. If no file proves the list that the journal says was accepted last, an older one is opened; until the list is
// loaded from its source, it counts as a part of the list, and the seed is not used.
func (s *Screener) Open(ctx context.Context) (Report, error) {
	report := s.all(ctx, open)
	err := report.err()
	for _, st := range s.Sources() {
		if st.StoreErr != nil && !errors.Is(err, st.StoreErr) {
			err = errors.Join(err, st.StoreErr)
		}
	}
	return report, err
}

// all updates all sources, side by side.
func (s *Screener) all(ctx context.Context, t task) Report {
	before := s.snap.Load()
	reports := make([]SourceReport, len(s.sources))
	if t == live {
		s.running.Store(true)
	}
	if err := ctx.Err(); err != nil {
		for i, info := range s.infos {
			reports[i] = s.reported(i, SourceReport{}, sourceError(info.ID, err))
		}
		return Report{Sources: reports, before: before.ageless(), after: before.ageless()}
	}
	each := func(t task) {
		var wg sync.WaitGroup
		for i := range s.sources {
			wg.Go(func() { reports[i] = s.update(ctx, i, t, false) })
		}
		wg.Wait()
	}
	restarted := (*snapshot)(nil)
	holds := slices.ContainsFunc(before.held, func(h current) bool { return h.list != nil })
	if !holds && s.book.Store() != nil { // the first report compares with what the program before has answered from
		state, _ := s.look(ctx) // before this program says there that it begins
		each(follow)
		if restarted = s.answeredBefore(ctx, &state); restarted != nil {
			before = restarted
		}
	}
	each(t)
	if t == live && ctx.Err() == nil {
		if state := s.book.State(); s.book.IsKept() && s.now().Before(state.At) { // it was put back
			s.note(ctx, &journal.Line{Type: journal.Clock})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	after := s.snap.Load()
	r := Report{Sources: reports, before: before.ageless(), after: after.ageless()}
	if s.opts.Report != nil {
		s.opts.Report(r)
	}
	return r
}

// look learns what the store knows, and returns what holds.
func (s *Screener) look(ctx context.Context) (state journal.State, err error) {
	err = bounded(ctx, s.book.Follow)
	return s.book.State(), err
}

// answeredBefore returns the lists that the program before has answered from last, with the exceptions of the
// journal; nil if that is not known.
func (s *Screener) answeredBefore(ctx context.Context, state *journal.State) *snapshot {
	held := make(map[string]journal.Held)
	for _, info := range s.infos {
		if h := state.Answered[info.ID]; h.N > 0 && !h.Damaged {
			held[info.ID] = h
		}
	}
	if len(held) == 0 {
		return nil
	}
	var snap *snapshot
	err := bounded(ctx, func(ctx context.Context) (err error) {
		snap, err = s.openSnapshot(ctx, s.book.Store(), held, s.snap.Load().held, state.Exceptions, s.now())
		return err
	})
	if err != nil {
		s.opts.Logger.WarnContext(ctx, "it is not known what was reported before", "error", err)
		return nil
	}
	return snap
}

// Run keeps the lists fresh until ctx ends; then it returns ctx.Err(). It calls
// Open, loads each source at once, and then again whenever the given duration, or the
// duration of its Schedule, has passed since its last load began. Sources do not wait for
// each other. A source that failed is loaded again sooner; see [Schedule].
//
// It blocks: to run it in the background, call it in a goroutine. When it returns, no
// goroutine is left, unless a source ignores its context. Failures are logged, and shown
// by [Screener.Sources]; none ends Run. A duration that is not positive is an error.
//
// Lists that another program accepts in Options.Store are swapped in, as [Screener.Follow] does.
// If Options.Store is one that replicas share, one replica leads each source: its Run
// loads it. When it ends, its connection to the store breaks, or a load
// fails, another one leads some seconds later and loads the source at once. A replica that
// failed leads again when its next load is due, or when another one has loaded the list
// since. While the store fails, nothing is loaded.
func (s *Screener) Run(ctx context.Context, every time.Duration) error {
	if every <= 0 {
		return fmt.Errorf("screening: Run every %v: want a positive duration", every)
	}
	s.start(ctx)
	var wg sync.WaitGroup
	for i := range s.sources {
		wg.Go(func() { s.runOne(ctx, i, every) })
	}
	if s.book.Store() != nil {
		wg.Go(func() { s.follow(ctx) })
	}
	wg.Wait()
	return ctx.Err()
}

// start opens the lists, and says in the journal that the program begins.
func (s *Screener) start(ctx context.Context) {
	s.begin(quiet)
	s.running.Store(true)
	s.Open(ctx) // errors are logged there
}

// quiet is the longest time between two lines of a program that runs: see watchClock.
const quiet = 24 * time.Hour

// runOne loads source i on its schedule until ctx ends.
func (s *Screener) runOne(ctx context.Context, i int, every time.Duration) {
	sched := s.schedule(i)
	every = cmp.Or(sched.Every, every)
	retry := firstRetry
	if replicas := s.book.Shared(); replicas != nil {
		defer func() { // another one leads, even if the store stays open
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leadEvery)
			defer cancel()
			replicas.Resign(ctx, s.infos[i].ID)
		}()
	}
	for failed := false; ctx.Err() == nil; {
		leads, err := s.leads(ctx, i)
		if failed && err == nil && !leads { // no load will show that the store works again
			s.update(ctx, i, follow, true)
		}
		if failed = err != nil; !leads {
			pause(ctx, leadEvery)
			continue
		}
		start := time.Now()
		wait := every
		report := s.update(ctx, i, live, true)
		switch {
		case report.Err == nil:
			retry = firstRetry
		case sched.Retry > 0:
			wait = min(wait, sched.Retry)
		default:
			wait = min(wait, retry)
			retry = wait * 2
		}
		wait -= time.Since(start)
		if report.Err == nil || s.book.Shared() == nil {
			pause(ctx, wait)
		} else if s.resign(ctx, i, wait) {
			retry = firstRetry
		}
	}
}

// Follow keeps the lists as Options.Store has them until ctx ends; then it returns
// ctx.Err(). It is Run for a program that loads nothing itself, such as a replica
// without a network: it calls Open, and swaps in each list that another program accepts,
// usually within a second from a store that replicas share, and within some seconds from any
// other. Without Options.Store, Follow returns an error.
func (s *Screener) Follow(ctx context.Context) error {
	if s.book.Store() == nil {
		return errors.New("screening: Follow needs an Options.Store")
	}
	s.start(ctx)
	s.follow(ctx)
	return ctx.Err()
}

const (
	// lookEvery is how often a store that does not tell of changes is looked at.
	lookEvery = 3 * time.Second
	// clockEvery is how often the clock is compared with the time that has passed.
	clockEvery = time.Minute
)

// follow swaps in what the store has, whenever its journal grows, until ctx ends. Sources
// do not wait for each other.
func (s *Screener) follow(ctx context.Context) {
	var wg sync.WaitGroup
	grown := make([]chan struct{}, len(s.sources))
	for i := range grown {
		grown[i] = make(chan struct{}, 1)
		wg.Go(func() {
			for range grown[i] {
				for s.update(ctx, i, follow, true).Err != nil && ctx.Err() == nil {
					pause(ctx, followRetry)
				}
			}
		})
	}
	wg.Go(func() { s.watchClock(ctx) })
	at, back, failed := uint64(0), 0, false
	for looked := false; ctx.Err() == nil; looked = true {
		if looked && s.book.Shared() == nil {
			pause(ctx, lookEvery)
		}
		next, err := s.wait(ctx, at)
		if err != nil {
			if failed = true; ctx.Err() == nil {
				s.setStore(len(s.sources), err)
			}
			at = 0 // do not wait for another line once the store works again
			pause(ctx, followRetry)
			continue
		}
		now := s.book.State().Back
		if at == next && back == now && !failed {
			continue
		}
		at, back, failed = next, now, false // a store that went back may have as many lines again
		for _, c := range grown {
			select {
			case c <- struct{}{}:
			default: // it will look again
			}
		}
	}
	for _, c := range grown {
		close(c)
	}
	wg.Wait()
}

// wait returns the number of the journal's last line. If replicas share the store, it waits until that is not last.
func (s *Screener) wait(ctx context.Context, last uint64) (next uint64, err error) {
	defer caught(&err)
	if replicas := s.book.Shared(); replicas != nil {
		if next, err = replicas.Wait(ctx, last); err != nil {
			return last, err
		}
	}
	state, err := s.look(ctx)
	if s.book.Shared() == nil {
		next = state.Number
	}
	return next, err
}

// watchClock says in the journal when the clock was put forward or back, and, once a day, that
// the program runs.
func (s *Screener) watchClock(ctx context.Context) {
	start, wall, said := time.Now(), s.now(), time.Now()
	for ctx.Err() == nil {
		pause(ctx, clockEvery)
		passed, now := time.Since(start), s.now() // by a clock that is never put forward or back
		parted := (now.Round(0).Sub(wall.Round(0)) - passed).Abs() > time.Second
		if ctx.Err() == nil && (parted || time.Since(said) > quiet/2) {
			if s.append(ctx, &journal.Line{Type: journal.Clock}, nil) == nil {
				start, wall, said = time.Now(), now, time.Now()
			}
		}
	}
}

// pause waits until d has passed or ctx has ended.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// leads reports whether this program loads source i. While a shared store fails, no
// program does: a list that cannot be saved could not be answered from.
func (s *Screener) leads(ctx context.Context, i int) (leads bool, err error) {
	replicas := s.book.Shared()
	if replicas == nil {
		return true, nil
	}
	leads, err = replicas.Lead(ctx, s.infos[i].ID)
	if err != nil && ctx.Err() == nil {
		s.opts.Logger.WarnContext(ctx, "list not loaded: the store does not say whether this program leads", "source", s.infos[i].ID, "error", err)
	}
	if ctx.Err() == nil && err != nil {
		s.setStore(len(s.sources), err)
	}
	return leads && err == nil, err
}

// resign gives up the lead of source i, which this program could not load: another one may
// reach its publisher. It returns after a time, or, with true, once another program has
// loaded the list.
func (s *Screener) resign(ctx context.Context, i int, wait time.Duration) (loaded bool) {
	if err := s.book.Shared().Resign(ctx, s.infos[i].ID); err != nil && ctx.Err() == nil {
		s.opts.Logger.WarnContext(ctx, "the lead was not given up", "source", s.infos[i].ID, "error", err)
	}
	checked, until := s.list(i).checked, time.Now().Add(wait)
	for ctx.Err() == nil && time.Now().Before(until) && !loaded {
		pause(ctx, min(leadEvery, time.Until(until)))
		loaded = !s.list(i).checked.Equal(checked)
	}
	return loaded
}
