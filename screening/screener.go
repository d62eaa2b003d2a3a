// Package screening answers whether an address is on a sanctions or risk list.
//
// [New] makes a Screener of some lists. [Screener.Run] keeps the lists fresh in the
// background; [Screener.Refresh] loads them once. [Screener.Screen] and
// [Screener.ScreenText] answer from memory: without I/O, without a lock, and without
// allocation when the address is clean.
//
//	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
//	_, err = s.Refresh(ctx)
//	r, err := s.ScreenText("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
//	r.Level // CRITICAL
//
// It fails closed. Until every required list has been loaded, a question is an error. A
// list that cannot be loaded, or that is not plausible, changes nothing: the last good one
// stays, and its age shows.
//
// [Screener.ScreenAll] screens many addresses, [Screener.SetExceptions] excludes some
// from scoring, and [OpenAt] answers from the lists of the past. Package book finds
// the addresses of yours whose verdict a refresh changed.
package screening

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// A Screener screens addresses against a fixed set of sources. All its methods may be
// called concurrently.
type Screener struct {
	*settings
	book        *journal.Log
	sourceLocks []sourceLock  // by source
	builders    chan struct{} // a semaphore: fewer goroutines build than there are processors

	snap     atomic.Pointer[snapshot] // answers questions; has the lists held, and the exceptions
	excepted atomic.Bool              // SetExceptions was called
	running  atomic.Bool              // Run or Refresh was called: the program takes part in the journal

	setting   sync.Mutex  // serializes SetExceptions, so that the journal has exceptions in the order in which they held
	mu        sync.Mutex  // serializes swaps with the reports about them; guards the following
	storeErrs []error     // why the last use of the store failed: for each source, and for all
	unread    []time.Time // by source: since when the store may have another list that could not be read; zero: it has not
}

// A sourceLock is the state of the loads of one source.
type sourceLock struct {
	loading chan struct{} // has room for one that loads the source
	lock    chan struct{} // has room for one that changes the list; guards the following
	back    int           // how often the store had gone back then
	known   journal.Held  // what the journal said then, by which offers are judged
	stuck   atomic.Int32  // loads that were left behind
}

// New returns a Screener of the given sources, at least one. It does no I/O and starts
// no goroutine; nothing is loaded until [Screener.Open], [Screener.Refresh] or
// [Screener.Run]. It returns an error if two sources have the same id, if the Info of
// one is not valid, or if an option is out of its range or names a source that is not
// given. opts may be nil; it is read here, and may be used again.
func New(srcs []sources.Source, opts *Options) (*Screener, error) {
	if opts == nil {
		opts = &Options{}
	}
	set, err := newSettings(srcs, opts)
	if err != nil {
		return nil, err
	}
	s := &Screener{
		settings:    set,
		sourceLocks: make([]sourceLock, len(srcs)),
		builders:    make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)),
		storeErrs:   make([]error, len(srcs)+1),
		unread:      make([]time.Time, len(srcs)),
	}
	s.book = journal.New(opts.Store, func() time.Time { return s.now() })
	for i := range s.sourceLocks {
		s.sourceLocks[i].loading, s.sourceLocks[i].lock = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	s.snap.Store(newSnapshot(set, make([]current, len(srcs)), nil, nil, nil))
	s.begin(0)
	return s, nil
}

// Screen screens a, on its chain, against all lists. It does no I/O, takes no
// lock, and does not allocate when a is clean, without a doubt.
//
// The error is [ErrNotLoaded] if a required source was never loaded, and [ErrStale] if one is too
// old under Options.MaxAge; the zero Address is an error, too. With an error, the Result is zero.
func (s *Screener) Screen(a address.Address) (r Result, err error) {
	err = s.snap.Load().screen(&r, a)
	return r, err
}

// ScreenText screens a text on chain c, a slug of [address.Chains], as
// [address.Interpret] reads it. The Result is about the account with the highest score
// among those that the text can mean, and its Doubts say why another one may be meant. A
// listed string that is not an address has the labels of that listing, by
// [score.Literal], and a Result without an Address.
//
// ScreenText does not allocate when the address is clean and in its normal form, or a
// correct address of an EVM chain in any letter case.
//
// ScreenText returns the errors of Screen, and a [*address.ParseError] if the text is not an
// address of the chain. If an account that it may mean is listed, the Result has those
// Labels, and the doubt [address.DoubtWrongChain] or [address.DoubtMalformed], beside the
// error, and if it was listed formerly, the Result says so, without a Level; with
// any other error, the Result is zero. The ParseError wraps [address.ErrSeveral] if the text
// pays several accounts and none is listed, or has several addresses in it: the Result is
// about the worst of them; screen each one that Interpret returns.
func (s *Screener) ScreenText(c address.Chain, text string) (r Result, err error) {
	err = s.snap.Load().screenText(&r, c, text)
	return r, err // inlined, so that r is the caller's own
}

// ScreenInput is [Screener.ScreenText] for a person, a cell of a table or a URL: chain is
// any name of a chain, a ticker, or "". It returns the Reading, too.
func (s *Screener) ScreenInput(chain, text string) (Result, address.Reading, error) {
	return s.snap.Load().screenInput(chain, text)
}

// ScreenAll screens many addresses: it yields, in the order of addresses, what Screen returns
// for each. If lists are refreshed during the call, later answers come from the new ones:
// [Result.Digest] tells.
//
// It screens in the caller's goroutine. Two goroutines, each with half of the addresses and a
// ScreenAll of its own, are twice as fast.
func (s *Screener) ScreenAll(addresses iter.Seq[address.Address]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for a := range addresses {
			if !yield(s.Screen(a)) {
				return
			}
		}
	}
}

// Sources returns the state of every source, in the order in which New got them. It
// does no I/O. The slice is the caller's own.
func (s *Screener) Sources() []SourceStatus {
	return slices.Clone(s.snap.Load().clean.Sources())
}

// Entries returns the entries of the source with this id, in their order, as they
// are when the iteration begins; none if it is not loaded or does not exist. An error, which
// means that the list is damaged, ends it.
func (s *Screener) Entries(source string) iter.Seq2[sources.Entry, error] {
	return s.snap.Load().list(source).All()
}

// list returns the list of the source with this id; nil if it is not loaded or does not exist.
func (snap *snapshot) list(source string) *list.List {
	for i, info := range snap.infos {
		if info.ID == source {
			return snap.held[i].list
		}
	}
	return nil
}

// Digest names the snapshot that answers questions now; see [Result.Digest].
func (s *Screener) Digest() string { return s.snap.Load().basis.digest }

// Anomalies returns the first hundred anomalies of each kind in the list of the source
// with this id, in the order of the list; SourceStatus.AnomalyKinds counts all. It returns
// nil for a source that is not loaded or does not exist. The result is the caller's own.
func (s *Screener) Anomalies(source string) []sources.Anomaly {
	if l := s.snap.Load().list(source); l != nil {
		return slices.Clone(l.Anomalies)
	}
	return nil
}

// Exceptions returns the exceptions that were set, including expired ones, with their
// times in UTC. The slice is the caller's own.
func (s *Screener) Exceptions() []Exception { return s.snap.Load().exceptions.list() }

// SetExceptions replaces all exceptions by the given ones, from the next question on:
// an answer uses all of the former or all of the new ones. They are not kept over a
// restart: a program that has exceptions sets them before it opens its lists. It may be
// called at any time.
//
// A list of the operator's own among the sources brings the accounts that it allows (see
// [sources.AllowedBy]), as it has them now: exceptions for all sources, unless there is such
// a one for the account in exceptions. So SetExceptions(ctx, nil) sets these alone. Until
// SetExceptions was called, a list that allows accounts is refused. A program that watches such a list calls SetExceptions again when the list has changed.
//
// The digest of the results covers the exceptions: without exceptions, it covers the lists alone.
// The order of exceptions does not matter. They are in the journal of Options.Store, for
// [OpenAt] and [OpenDigest]. If the store fails, that is an error: exceptions that are new do not hold then, and those
// that are taken back end. Options.Report is
// called with a [Report] of no sources; it is not called when an exception expires.
//
// Any other error comes from an own list, or says which exception is not valid, and then nothing has
// changed. It wraps [ErrDuplicateException], or says that an address is zero, a source does not
// exist, a Ref is without its Source, Reason or Author are blank, a text is longer than 4096
// bytes or not UTF-8, a time is not in the years 1 to 9999, an exception does not
// expire after it was created, or there are more than 100,000.
func (s *Screener) SetExceptions(ctx context.Context, exceptions []Exception) error {
	for i, e := range exceptions {
		if e.Source != "" && !s.has(e.Source) {
			return exceptionError(i+1, fieldError("source", fmt.Errorf("no source has the id %.80q: want one of %s", e.Source, strings.Join(s.ids(), ", "))))
		}
	}
	exceptions, err := s.withAllowed(exceptions)
	if err != nil {
		return err
	}
	set, err := newExceptionSet(exceptions)
	if err != nil {
		return err
	}
	s.excepted.Store(true)
	s.setting.Lock()
	defer s.setting.Unlock()
	had := s.snap.Load().exceptions
	if s.running.Load() {
		err = s.book.Except(ctx, set.excepted())
	}
	s.setStore(len(s.sources), err)
	if err != nil { // what makes answers stricter does not wait
		set = had.without(set)
		bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.book.Except(ctx, set.excepted()) }) // perhaps it can be said at once
	}
	s.swap(func(next *snapshot) { next.exceptions = set }, true)
	s.begin(0)
	if err != nil {
		return fmt.Errorf("the exceptions cannot be saved, so those that are new do not hold: store: %w", err)
	}
	s.opts.Logger.InfoContext(ctx, "exceptions set", "exceptions", len(exceptions))
	return nil
}

// begin says in the journal, before the next line, how this program answers.
func (s *Screener) begin(every time.Duration) {
	if s.running.Load() && every == 0 {
		return
	}
	p := journal.Program{Answers: !s.opts.LoadOnly, Every: every, Sources: s.ids(), Scoring: s.opts.Table.Version()}
	if s.opts.LoadOnly {
		s.book.Begin(p, nil)
		return
	}
	s.book.Begin(p, s.snap.Load().exceptions.excepted())
}

// setStore keeps why the last use of the store for source i failed, or, for the number of the sources, its use for all of
// them; nil if it did not. Every answer says so: while a list cannot be read there, which another program may have
// replaced, nothing else that works ends that.
func (s *Screener) setStore(i int, err error) {
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	s.mu.Lock()
	had := cmp.Or(s.storeErrs...)
	s.storeErrs[i] = err
	for j := range s.unread {
		if err != nil && (i == j || i == len(s.unread)) && s.unread[j].IsZero() {
			s.unread[j] = s.now()
		}
	}
	is := cmp.Or(s.storeErrs...)
	s.mu.Unlock()
	if (had == nil) == (is == nil) {
		return
	}
	if is != nil {
		s.opts.Logger.Error("the store fails: answers go on from the lists held", "error", is)
	}
	s.swap(func(*snapshot) {}, false)
}

// swap calls change with the lists held and the exceptions, and answers questions from what
// that leaves. If notify is true, it calls Options.Report with what the given sources report.
func (s *Screener) swap(change func(next *snapshot), notify bool, srcs ...SourceReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.snap.Load()
	next := &snapshot{held: slices.Clone(before.held), exceptions: before.exceptions}
	change(next)
	after := newSnapshot(s.settings, next.held, next.exceptions, cmp.Or(s.storeErrs...), before)
	s.snap.Store(after)
	if notify && s.opts.Report != nil {
		s.opts.Report(Report{Sources: srcs, before: before.ageless(), after: after.ageless()})
	}
}
