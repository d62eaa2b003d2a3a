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
package screening

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
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

	// MaxAge makes staleness an error: if a required source was last updated
	// longer ago, Screen returns ErrStale. Zero means that age is only shown.
	MaxAge time.Duration

	// MaxShrink is the share of its addresses, between 0 and 1, that a list may
	// lose in one refresh; a list that loses more, and more than 50 addresses, is
	// refused. Zero means 0.2.
	MaxShrink float64

	// AllowShrink is asked before a list is refused because it has shrunk, with
	// the numbers of addresses that it had and has now; if it returns true, the
	// list is taken, and that is logged as a warning. Nil refuses.
	AllowShrink func(source string, had, has int) bool

	// Logger is told of every refresh. Nil means no log. It is never given an
	// address that was screened.
	Logger *slog.Logger
}

// A Screener screens addresses against a fixed set of sources. All its methods
// may be called concurrently.
type Screener struct {
	sources   []sources.Source
	infos     []sources.Info
	required  []bool
	table     *score.Table
	maxAge    time.Duration
	maxShrink float64
	allow     func(string, int, int) bool
	log       *slog.Logger

	refresh sync.Mutex // held by Refresh; guards held
	held    []list     // by source, as last accepted
	snap    atomic.Pointer[snapshot]
}

// A list is one source as it was last accepted, and what became of the last
// attempt to load it. It is never changed, only replaced.
type list struct {
	entries   []sources.Entry
	addresses int              // distinct ones
	revision  sources.Revision // zero: never loaded
	updated   time.Time        // last successful check
	err       error            // of the last load; nil if it succeeded
}

// New returns a Screener of the given sources, at least one. It does no I/O and
// starts no goroutine; nothing is loaded until [Screener.Refresh] or
// [Screener.Run]. It returns an error if two sources have the same id, if the
// Info of one is not valid, or if an option is out of its range.
func New(srcs []sources.Source, opts *Options) (*Screener, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Screener{
		sources:   slices.Clone(srcs),
		table:     opts.Table,
		maxAge:    opts.MaxAge,
		maxShrink: opts.MaxShrink,
		allow:     opts.AllowShrink,
		log:       opts.Logger,
		held:      make([]list, len(srcs)),
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
	if !(s.maxShrink > 0 && s.maxShrink <= 1) || s.maxAge < 0 {
		return nil, errors.New("screening: MaxShrink must be between 0 and 1, and MaxAge not negative")
	}
	for _, src := range srcs {
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
			return nil, fmt.Errorf("screening: the optional source %q is not among the sources", id)
		}
	}
	snap, err := s.build(nil)
	if err != nil {
		return nil, err
	}
	s.snap.Store(snap)
	return s, nil
}

// Screen screens a, on its chain, against all lists. It does no I/O, takes no
// lock, and does not allocate when a is clean.
//
// The error is [ErrZeroAddress] for the zero Address, [ErrNotLoaded] if a
// required source was never loaded, and [ErrStale] if one is too old under
// Options.MaxAge. The Result is zero then: no error is ever an answer.
func (s *Screener) Screen(a address.Address) (Result, error) {
	snap := s.snap.Load()
	if err := snap.ready(s.maxAge); err != nil {
		return Result{}, err
	}
	if !a.IsValid() {
		return Result{}, ErrZeroAddress
	}
	labels, err := snap.match(a)
	if err != nil {
		return Result{}, err
	}
	return snap.result(a, labels), nil
}

// ScreenText reads text as an address of chain c, as [address.Normalize] does,
// and screens it. A text that is no address, but is the very string that a list
// prints, has the labels of that listing by [score.Literal], and a Result
// without an Address.
//
// The errors are those of Screen, and a [*address.ParseError] if text is neither
// an address nor listed.
func (s *Screener) ScreenText(c address.Chain, text string) (Result, error) {
	a, err := address.Normalize(c, text)
	if err == nil {
		return s.Screen(a)
	}
	snap := s.snap.Load()
	if snap.ready(s.maxAge) == nil && !errors.Is(err, address.ErrChain) {
		if labels := snap.matchLiteral(text); len(labels) > 0 {
			return snap.result(address.Address{}, labels), nil
		}
	}
	return Result{}, err
}

// Sources returns the state of every source, in the order in which New got
// them. The slice is the caller's own.
func (s *Screener) Sources() []SourceStatus {
	return slices.Clone(s.snap.Load().status)
}

// Run refreshes the lists at once, and then each time the given duration has
// passed since the last refresh began, until ctx ends; then it returns ctx.Err().
// It blocks: the caller writes "go" if it wants to. Failures are logged, and
// otherwise show in [Screener.Sources]; none ends Run. A duration that is not
// positive is an error.
func (s *Screener) Run(ctx context.Context, every time.Duration) error {
	if every <= 0 {
		return fmt.Errorf("screening: Run every %v: want a positive duration", every)
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		s.Refresh(ctx) // each failure is logged there
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
