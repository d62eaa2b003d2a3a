// Package screening answers whether an address is on a list.
//
// A [Screener] holds lists and the answer to any question about them in memory.
// [Screener.Refresh] loads the lists, checks them, and swaps all of them in at
// once; [Screener.Screen] reads what was swapped in, without I/O, without a
// lock, and without allocation when the address is clean.
//
//	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
//	_, err = s.Refresh(ctx)
//	r, err := s.ScreenText("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
//	r.Level // CRITICAL
//
// It fails closed. As long as a list that is not optional has never been
// loaded, Screen returns [ErrNotLoaded]: an answer of [score.CleanNoMatch] means
// that every such list was read to its end and does not have the address. A list
// that fails to load, or that has shrunk beyond belief, changes nothing: the
// last good one stays, and its age shows.
//
// A list that changes is a [Report]. Whoever has screened many addresses before
// keeps them in a [Book], which tells of each Report what it changes for them.
//
// An operator who has decided that a listing is not to count says so with an
// [Exception]: an address of which nothing else is listed is clean then, and
// [Result.Suppressed] still shows what was found. With Options.Store, [OpenAt] and
// [OpenDigest] ask the lists of the past, as they were answered from.
package screening

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// Options are what New can be told. A nil *Options, and the zero value of each
// field, mean the defaults.
type Options struct {
	// Optional are the ids of the sources that need not be loaded for an answer.
	// All others are required.
	Optional []string

	// Table is the scoring. Nil means score.Latest(); whoever must not change
	// with an upgrade of this module pins a version with score.Lookup.
	Table *score.Table

	// NoKeyMatch leaves out what is found by [score.Key]: other accounts that the same
	// key or script controls. It saves memory on lists of some kinds, of Bitcoin
	// addresses for example half of it, and makes answers weaker.
	NoKeyMatch bool

	// MaxAge makes staleness an error: if a required source was last updated
	// longer ago, Screen returns ErrStale. Zero means that age is only shown; a
	// negative one is an error of New.
	MaxAge time.Duration

	// MaxShrink is the share of its addresses, above 0 and up to 1, that a list may
	// lose in one refresh; a list that loses more, and more than 50 addresses, is
	// refused with ErrShrunk. Zero means 0.2. A list that loses all of its addresses, however few,
	// is refused whatever the share: its publisher may have begun to write them otherwise.
	MaxShrink float64

	// AllowShrink is asked before a list is refused because it has shrunk, with
	// the numbers of addresses that it had and has now; if it returns true, the
	// list is taken, and that is logged as a warning. It may be called concurrently,
	// for several sources. Nil refuses.
	AllowShrink func(source string, had, has int) bool

	// Store keeps the lists that were accepted, so that they survive a restart, and
	// so that OpenAt and OpenDigest can answer as of then. Package store has one in
	// a directory. Nil keeps them in memory only.
	Store sources.Store

	// IndexDir is a directory in which the lists are kept once more, as files that are
	// answered from as they are, mapped into memory: a program that starts again
	// answers within milliseconds, even from long lists, and processes that use
	// the same directory share the memory. It is made if it is not there. It needs a
	// Store, which stays the truth: the directory is a cache, and may be deleted at any
	// time. Empty means none; then the lists are read from the Store at each start.
	//
	// When a list has been saved in the Store, its index is written, and from then on
	// answered from in the place of the memory in which it was built. Each source has
	//
	//	OFAC_SDN.json           which revision it is, and what is in the following
	//	OFAC_SDN-….index        the list; and another one, what it had and has no more
	//
	// or OFAC_SDN.accounts.json with NoKeyMatch. They are written aside, flushed to the
	// disk and renamed; but for the first they are never changed, and go some minutes
	// after that has ceased to name them, with the next list. A file in use must not be
	// changed or cut: that could end the program. Several programs may use one
	// directory, all with the same Store. One that loads a list which another, with the
	// same list before it, has accepted and kept takes that, with the times at which its
	// entries were first seen.
	//
	// Open takes a list from here if it is the newest in the Store, was written by this
	// version of the module, has only kinds that Table knows, and if the checksums of its
	// files are right, which takes some milliseconds for a million addresses. Otherwise it
	// is read from the Store. What is damaged is logged, as is what cannot be written;
	// neither is an error.
	//
	// A checksum tells what is damaged, not what is forged: whoever can write into the
	// directory can change what is on a list. It is made readable and writable by its
	// owner alone.
	IndexDir string

	// Schedule says, by the id of a source, how often Run loads it and how long
	// a load may take, where that is not as for the others.
	Schedule map[string]Schedule

	// Progress is told, while a list is loaded, how many of its entries have come:
	// 0 when the load begins, then each further thousand, and the number of all
	// at the end of the list. It is called from several goroutines, and must not
	// take long. A source that reads its whole list before it adds the first entry
	// tells of the bytes of the download by a Progress in its own Options.
	Progress func(source string, entries int)

	// Report is told what Open, Refresh, Run and SetExceptions have done, once it
	// holds: Open and Refresh give it what they return, unless their context ended
	// before they had begun, and Run a Report of one source
	// whenever it has opened or loaded a list, or failed to. A [Book] that is asked
	// about each of them misses nothing: each Report begins where the one before it
	// ended, or, if exceptions were set while lists were loaded, before that. It is
	// called by one goroutine at a time, and Run swaps in no list until it has
	// returned, so it should not take long; and it must call none of these four.
	Report func(Report)

	// Logger is told of every refresh. Nil means no log. It is never given an
	// address that was screened.
	Logger *slog.Logger
}

// A Schedule is when a source is loaded. The zero value of each field means the
// default.
type Schedule struct {
	// Every is how often Run loads the source, from the beginning of one load to that
	// of the next; zero means as often as Run was told.
	Every time.Duration
	// Retry is after how long Run loads a source again that has failed, counted in
	// the same way, if that is sooner; zero means when its time has come.
	Retry time.Duration
	// Timeout bounds one load; zero means an hour. It ends the context of the load:
	// a source that does not heed it is waited for.
	Timeout time.Duration
}

// A Screener screens addresses against a fixed set of sources. All its methods
// may be called concurrently.
type Screener struct {
	sources      []sources.Source
	infos        []sources.Info
	required     []bool
	table        *score.Table
	accountsOnly bool
	maxAge       time.Duration
	maxShrink    float64
	allow        func(string, int, int) bool
	log          *slog.Logger

	store     sources.Store
	indexes   *indexDir // nil: none
	schedules []Schedule
	progress  func(string, int)
	report    func(Report)

	builders chan struct{} // had by each goroutine that builds; fewer than there are processors
	turns    []turn        // by source: had by whoever loads it
	restored []bool        // by source: the store was asked; the turn guards it

	telling sync.Mutex // had by who calls report, and swaps without having all turns

	mu   sync.Mutex // guards held, which is replaced and never changed, and the following
	held []list     // by source, as last accepted; the turn of a source guards its own
	snap atomic.Pointer[snapshot]

	exceptions *exceptionSet // nil: none

	recording  sync.Mutex         // had by whoever tells the store of snapshots; guards recorded
	recorded   bool               // the store was told, and all of it
	noted      sources.Snapshot   // the last that the store is to be told of
	unrecorded []sources.Snapshot // of which it was not told yet
	recordErr  error              // why not
}

// A list is one source as it was last accepted, and what became of the last
// attempt to load it. It is never changed, only replaced.
type list struct {
	segment   *segment // nil: never loaded
	count     int      // of entries, repetitions too
	removed   *segment // what it had and has no more; nil: nothing
	anomalies sources.Anomalies
	revision  sources.Revision // zero: never loaded
	updated   time.Time        // last successful check; zero of a part
	accepted  time.Time        // when the entries were taken
	before    sources.Stored   // the list in whose place they were, as the store has it; zero: none, or not known
	err       error            // of the last load; nil if it succeeded

	added, gone []sources.Entry // against the list before
	whole       []sources.Entry // all of them, if they are at hand, until they are saved

	stored    bool             // the store has it
	confirmed sources.Revision // as the store has it
	indexed   sources.Revision // as Options.IndexDir has it; zero: it does not
	storeErr  error            // why the store does not have it, or what is wrong there
}

// isLoaded reports whether l is a list, and not only a part of one.
func (l list) isLoaded() bool {
	return !l.revision.IsZero() && l.revision.Completeness != sources.Partial
}

// name returns how the store names l, zero if that does not have it.
func (l list) name() sources.Stored {
	if !l.stored {
		return sources.Stored{}
	}
	return sources.Stored{Digest: l.revision.Digest, Accepted: l.accepted.UTC().Round(0)}
}

// addresses returns the number of distinct addresses in l.
func (l list) addresses() int {
	if l.segment == nil {
		return 0
	}
	return l.segment.Addresses
}

// all returns the entries of l. They must not be changed.
func (l list) all() ([]sources.Entry, error) {
	if l.whole != nil {
		return l.whole, nil
	}
	return l.segment.all()
}

// New returns a Screener of the given sources, at least one. It does no I/O and
// starts no goroutine; nothing is loaded until [Screener.Open], [Screener.Refresh]
// or [Screener.Run]. It returns an error if two sources have the same id, if the
// Info of one is not valid, if an option is out of its range or names a source that
// is not given, or if there is an IndexDir without a Store. opts may be nil; what it
// has is read here, and its slices and maps may be used again.
func New(srcs []sources.Source, opts *Options) (*Screener, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Screener{
		sources:      slices.Clone(srcs),
		table:        opts.Table,
		accountsOnly: opts.NoKeyMatch,
		maxAge:       opts.MaxAge,
		maxShrink:    opts.MaxShrink,
		allow:        opts.AllowShrink,
		log:          opts.Logger,
		store:        checked(opts.Store),
		progress:     opts.Progress,
		report:       opts.Report,
		schedules:    make([]Schedule, len(srcs)),
		turns:        make([]turn, len(srcs)),
		builders:     make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)),
		restored:     make([]bool, len(srcs)),
		held:         make([]list, len(srcs)),
	}
	if len(srcs) == 0 {
		return nil, errors.New("screening: no sources: without a list every address would be clean")
	}
	if s.table == nil {
		s.table = score.Latest()
	}
	if s.maxShrink == 0 {
		s.maxShrink = 0.2
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if opts.IndexDir != "" {
		if opts.Store == nil {
			return nil, errors.New("screening: IndexDir needs a Store")
		}
		s.indexes = newIndexDir(opts.IndexDir, s.accountsOnly)
	}
	if !(s.maxShrink > 0 && s.maxShrink <= 1) || s.maxAge < 0 {
		return nil, errors.New("screening: MaxShrink must be between 0 and 1, and MaxAge not negative")
	}
	for _, src := range srcs {
		if src == nil {
			return nil, errors.New("screening: a source is nil")
		}
		info := src.Info()
		if err := info.Validate(); err != nil {
			return nil, fmt.Errorf("screening: %w", err)
		}
		if slices.ContainsFunc(s.infos, func(i sources.Info) bool { return i.ID == info.ID }) {
			return nil, fmt.Errorf("screening: two sources have the id %s", info.ID)
		}
		s.infos = append(s.infos, info)
		s.required = append(s.required, !slices.Contains(opts.Optional, info.ID))
	}
	for _, id := range opts.Optional {
		if !slices.ContainsFunc(s.infos, func(i sources.Info) bool { return i.ID == id }) {
			return nil, fmt.Errorf("screening: the optional source %q is not among the sources: want one of %s", id, strings.Join(s.ids(), ", "))
		}
	}
	for id := range opts.Schedule {
		if !slices.ContainsFunc(s.infos, func(i sources.Info) bool { return i.ID == id }) {
			return nil, fmt.Errorf("screening: the scheduled source %q is not among the sources: want one of %s", id, strings.Join(s.ids(), ", "))
		}
	}
	for i, info := range s.infos {
		sched := opts.Schedule[info.ID]
		if sched.Every < 0 || sched.Retry < 0 || sched.Timeout < 0 {
			return nil, fmt.Errorf("screening: the schedule of %s has a negative duration", info.ID)
		}
		if sched.Timeout == 0 {
			sched.Timeout = defaultTimeout
		}
		s.schedules[i], s.turns[i] = sched, make(turn, 1)
	}
	if !slices.Contains(s.required, true) {
		s.maxAge = 0 // it is about those
	}
	s.snap.Store(s.snapshot(s.held))
	return s, nil
}

// Screen screens a, on its chain, against all lists. It does no I/O, takes no
// lock, and does not allocate when a is clean.
//
// The error is [ErrZeroAddress] for the zero Address, [ErrNotLoaded] if a
// required source was never loaded, and [ErrStale] if one is too old under
// Options.MaxAge. Any other error says that what is held is damaged, as a file in
// Options.IndexDir may be that was changed while it was in use. The Result is zero
// then: no error is ever an answer.
func (s *Screener) Screen(a address.Address) (r Result, err error) {
	err = s.screen(&r, a)
	return r, err
}

// screen is Screen into r, which is zero: a Result is so large that each copy of
// one would cost as much as the look-up.
func (s *Screener) screen(r *Result, a address.Address) error {
	snap := s.snap.Load()
	if err := snap.ready(s.maxAge); err != nil {
		return err
	}
	if !a.IsValid() {
		return ErrZeroAddress
	}
	*r = snap.clean // before the look-up: what was just written takes long to be copied
	r.Address = a
	if !snap.hit(a) {
		return nil
	}
	labels, err := snap.labels(a)
	if err != nil {
		*r = Result{}
		return err
	}
	*r = snap.result(a, labels)
	return nil
}

// ScreenText reads text as an address of chain c, as [address.Normalize] does,
// and screens it. c is a slug of [address.Chains]; [address.ParseChain] makes one of
// what somebody has typed. A text that is no address, but is the very string that a list
// prints, has the labels of that listing by [score.Literal], and a Result
// without an Address. So has one that is an address, but in a spelling that did not
// tell it when the list was read, as an URI may be; it is screened as both.
//
// The errors are those of Screen, and a [*address.ParseError] if text is neither
// an address nor listed, or if it is no address and cannot be looked for, because
// c is none or a list is not loaded.
func (s *Screener) ScreenText(c address.Chain, text string) (r Result, err error) {
	snap := s.snap.Load()
	r = snap.clean // early, as in screen
	a, words, ok := c.Identify(text)
	if !ok || snap.accountsOnly || snap.ready(s.maxAge) != nil {
		return s.screenText(c, text)
	}
	r.Address = a
	w0, w1, w2, _ := identity.Load(words)
	i := 0 // as in hit, whose call would take a third as long again
	if snap.shared > 0 && !snap.filter.MayHaveWords(uint16(identity.KeccakHash), w0, w1, w2, 0, 20) {
		i = snap.shared
	}
	for ; i < len(snap.segments); i++ {
		if _, hit := snap.segments[i].LookupWords(uint16(identity.KeccakHash), w0, w1, w2, 0, 20); hit {
			return s.screenText(c, text)
		}
	}
	return r, nil
}

// screenText is ScreenText without haste.
func (s *Screener) screenText(c address.Chain, text string) (r Result, err error) {
	a, err := address.Normalize(c, text)
	if err != nil {
		return s.screenLiteral(text, err)
	}
	if err = s.screen(&r, a); err != nil || isSpelledAs(text, a.Normalized()) {
		return r, err
	}
	return r.snap.alsoLiteral(r, text)
}

// screenLiteral screens a text that is no address, because of err.
func (s *Screener) screenLiteral(text string, err error) (Result, error) {
	snap := s.snap.Load()
	if snap.ready(s.maxAge) != nil || errors.Is(err, address.ErrChain) {
		return Result{}, err
	}
	labels, bad := snap.literal(text)
	if bad != nil {
		return Result{}, bad
	}
	if len(labels) > 0 {
		return snap.result(address.Address{}, labels), nil
	}
	return Result{}, err
}

// Sources returns the state of every source, in the order in which New got
// them. It does no I/O. The slice is the caller's own.
func (s *Screener) Sources() []SourceStatus {
	return slices.Clone(s.snap.Load().status)
}

// Anomalies returns what is odd in the list of the source that has this id: what
// decodes to nothing, stands under a wrong ticker, or is there twice. It is empty
// for a source that is not loaded or not there. The answer is the caller's own.
func (s *Screener) Anomalies(source string) sources.Anomalies {
	snap := s.snap.Load()
	for i, info := range s.infos {
		if info.ID == source {
			a := snap.lists[i].anomalies
			return sources.Anomalies{Counts: maps.Clone(a.Counts), First: slices.Clone(a.First)}
		}
	}
	return sources.Anomalies{}
}

// Run keeps the lists fresh until ctx ends; then it returns ctx.Err(). It calls
// Open, loads each source at once, and then again each time the given duration, or
// that of its Schedule, has passed since its last load began. Sources do not wait
// for each other: each list is checked as Refresh does, and swapped in and saved
// when it has come.
//
// It blocks: the caller writes "go" if it wants to, and no goroutine is left when
// it returns. Failures are logged, and otherwise show in [Screener.Sources]; none
// ends Run. A duration that is not positive is an error.
func (s *Screener) Run(ctx context.Context, every time.Duration) error {
	if every <= 0 {
		return fmt.Errorf("screening: Run every %v: want a positive duration", every)
	}
	s.Open(ctx) // each failure is logged there
	var wg sync.WaitGroup
	for i := range s.sources {
		wg.Go(func() { s.keep(ctx, i, every) })
	}
	wg.Wait()
	return ctx.Err()
}

// keep loads source i on its schedule until ctx ends.
func (s *Screener) keep(ctx context.Context, i int, every time.Duration) {
	sched := s.schedules[i]
	if sched.Every > 0 {
		every = sched.Every
	}
	for ctx.Err() == nil {
		start := time.Now()
		ok := s.one(ctx, i)
		wait := every
		if !ok && sched.Retry > 0 {
			wait = min(wait, sched.Retry)
		}
		timer := time.NewTimer(wait - time.Since(start))
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}
