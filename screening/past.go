package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Past answers from the lists as they were at an instant of the past. It cannot be
// refreshed. All its methods may be called concurrently.
type Past struct {
	snap    *snapshot
	unknown error // of Reconstruct: why an address without a label is not clean
}

// decided returns r, or the error of p.unknown if r has no label.
func (p *Past) decided(r Result, err error) (Result, error) {
	if err == nil && p.unknown != nil && len(r.Labels) == 0 {
		return Result{}, p.unknown
	}
	return r, err
}

// OpenAt opens in st the lists that were answered from at the instant at, by a
// program that had any of the given sources. Only the Info of the sources is used; nothing is loaded
// from them. Of the options, which may be nil, Optional, Table, MaxAge and MaxPublished are
// used: give it those that held then.
//
// The exceptions are those that were set at that time, and had not expired.
//
// A source that was not loaded then is not loaded in the Past, which is
// [ErrNotLoaded] if it is required. Everything else that keeps the Past from being what
// it was is an error, and no list stands in for another. The error wraps
// [store.ErrNotFound] if nothing is kept of that time, or if a list that was used is
// not kept any more, [store.ErrDamaged] if it is damaged, and [store.ErrGap] if it is
// not known what answered then: the store failed, lines of the journal are lost, a program was killed
// before it knew, nobody is known to have answered, the clock was put back, or the time is yet to come.
//
// If the clock was put back, an instant may have come twice: then the later one counts.
// Several programs that use one store should have the same sources and exceptions, as replicas do: of
// programs with others, the program that changed its lists, or its exceptions, last counts. When a program
// ended is not known, so the exceptions that it set are not told from those that still hold.
func OpenAt(ctx context.Context, st store.Store, at time.Time, srcs []sources.Source, opts *Options) (*Past, error) {
	s, err := newPast(st, srcs, opts)
	if err != nil {
		return nil, err
	}
	at = at.UTC()
	found, err := journal.At(ctx, st, at, s.now().Add(list.Skew), s.ids())
	if err == nil && found.Lists == nil {
		err = fmt.Errorf("nothing is kept of these lists: %w", store.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("screening: the lists of %v: %w", at, err)
	}
	return s.openPast(ctx, st, &found.State, at)
}

// OpenDigest opens in st the lists whose digest a [Result] has, as of the last time
// that questions began to be answered from them. srcs must have every source that was
// loaded, because the digest covers all. Otherwise it is like [OpenAt].
func OpenDigest(ctx context.Context, st store.Store, digest string, srcs []sources.Source, opts *Options) (*Past, error) {
	s, err := newPast(st, srcs, opts)
	if err != nil {
		return nil, err
	}
	found, err := journal.Find(ctx, st, digest, s.ids())
	if err != nil {
		return nil, fmt.Errorf("screening: the lists of digest %.80q: %w", digest, err)
	}
	for id := range found.Held { // the program that answered did not have it
		if !slices.Contains(found.Lists, id) {
			delete(found.Held, id)
		}
	}
	if other := slices.DeleteFunc(found.Lists, s.has); len(other) > 0 {
		return nil, fmt.Errorf("screening: the lists of digest %s are also of sources that are not given: %s", digest, strings.Join(other, ", "))
	}
	return s.openPast(ctx, st, &found.State, found.At)
}

// newPast returns a Screener that loads nothing, to open lists of st.
func newPast(st store.Store, srcs []sources.Source, opts *Options) (*Screener, error) {
	if st == nil {
		return nil, errors.New("screening: the past is in a Store, and none is given")
	}
	if opts == nil {
		opts = &Options{}
	}
	return New(srcs, &Options{Optional: opts.Optional, Table: opts.Table, MaxAge: opts.MaxAge, MaxPublished: opts.MaxPublished})
}

// openPast opens the lists that held after a line of the journal, as of the given time.
func (s *Screener) openPast(ctx context.Context, st store.Store, state *journal.State, at time.Time) (*Past, error) {
	snap, err := s.openSnapshot(ctx, st, state.Held, nil, state.Exceptions, at)
	if err != nil {
		return nil, err
	}
	snap.answerAs(at)
	return &Past{snap: snap}, nil
}

// At returns the instant that p answers for, in UTC.
func (p *Past) At() time.Time { return p.snap.basis.now() }

// Screen is [Screener.Screen] of the lists of that time. Whether one was too old under
// Options.MaxAge is decided as of that time.
func (p *Past) Screen(a address.Address) (r Result, err error) {
	err = p.snap.screen(&r, a)
	return p.decided(r, err)
}

// ScreenText is [Screener.ScreenText] of the lists of that time.
func (p *Past) ScreenText(c address.Chain, text string) (r Result, err error) {
	err = p.snap.screenText(&r, c, text)
	return p.decided(r, err)
}

// ScreenInput is [Screener.ScreenInput] of the lists of that time.
func (p *Past) ScreenInput(chain, text string) (Result, address.Reading, error) {
	r, reading, err := p.snap.screenInput(chain, text)
	r, err = p.decided(r, err)
	return r, reading, err
}

// Sources is [Screener.Sources] of that time. A LastUpdated may be a minute too early: of
// checks that follow within a minute, only the first is kept. It does not say what
// failed then.
func (p *Past) Sources() []SourceStatus { return slices.Clone(p.snap.basis.status) }

// Exceptions is [Screener.Exceptions] of that time.
func (p *Past) Exceptions() []Exception { return p.snap.exceptions.list() }
