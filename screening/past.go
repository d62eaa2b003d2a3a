package screening

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// A Past answers from the lists as they stood at an instant of the past. It cannot
// be refreshed, and reads nothing any more once it is open. All its methods may be
// called concurrently.
type Past struct {
	s  *Screener // without a store, and with a MaxAge that was judged when it was opened
	at time.Time
}

// OpenAt opens in st the lists that were answered from at the instant at, by a
// program that had any of the given sources; of a time to come, those that were
// answered from last. What is wanted of the sources is their
// Info alone; nothing is loaded from them. The options are those of [New]: Optional,
// Table, NoKeyMatch and MaxAge are heeded, so give it those that held then. opts may
// be nil.
//
// The exceptions are those that were set then, and those of them count that had not
// expired by then.
//
// A source that was not loaded then is not loaded in the Past, which is
// [ErrNotLoaded] if it is required. All else that keeps the Past from being what
// held is an error, and nothing is answered from a list that stands in for another.
// The error wraps [sources.ErrNotStored] if nothing is kept of that time, or if a
// list that was held is not kept any more, and [sources.ErrDamaged] if what is kept
// is damaged; where that is a list, it wraps a [*LoadError] that names the source.
//
// A Past is as of what st knows. Several programs that save in it should have the
// same sources, as replicas have: of programs with different ones, the one that
// changed its lists last by then is the one that is opened.
func OpenAt(ctx context.Context, st sources.Store, at time.Time, srcs []sources.Source, opts *Options) (*Past, error) {
	s, err := newPast(st, srcs, opts)
	if err != nil {
		return nil, err
	}
	st, at = checked(st), at.UTC().Round(0)
	names, err := st.Snapshots(ctx)
	if err != nil {
		return nil, fmt.Errorf("screening: %w", err)
	}
	for _, name := range names {
		if name.Accepted.After(at) {
			continue
		}
		held, err := st.LoadSnapshot(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("screening: what held at %v: %w", at, err)
		}
		for _, info := range s.infos {
			if _, ok := held.Lists[info.ID]; ok {
				return s.open(ctx, st, held, at)
			}
		}
	}
	return nil, fmt.Errorf("screening: what held at %v: %w", at, sources.ErrNotStored)
}

// OpenDigest opens in st the lists whose digest a [Result] carries, as of the last
// time that questions began to be answered from them. It is like [OpenAt] in all
// else; but srcs must have every source that was loaded, or else the digest would
// be another.
func OpenDigest(ctx context.Context, st sources.Store, digest string, srcs []sources.Source, opts *Options) (*Past, error) {
	s, err := newPast(st, srcs, opts)
	if err != nil {
		return nil, err
	}
	st = checked(st)
	names, err := st.Snapshots(ctx)
	if err != nil {
		return nil, fmt.Errorf("screening: %w", err)
	}
	var errs []error
	for _, name := range names {
		if name.Digest != digest {
			continue
		}
		held, err := st.LoadSnapshot(ctx, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other := s.others(held); len(other) > 0 {
			return nil, fmt.Errorf("screening: the lists of digest %s are also of sources that are not given: %s", digest, strings.Join(other, ", "))
		}
		p, err := s.open(ctx, st, held, held.Since)
		if err == nil {
			return p, nil
		}
		errs = append(errs, err)
	}
	if errs == nil {
		errs = []error{sources.ErrNotStored}
	}
	return nil, fmt.Errorf("screening: the lists of digest %.80q: %w", digest, errors.Join(errs...))
}

// newPast returns a Screener that has nothing but lists, those of st.
func newPast(st sources.Store, srcs []sources.Source, opts *Options) (*Screener, error) {
	if st == nil {
		return nil, errors.New("screening: the past is in a Store, and there is none")
	}
	if opts == nil {
		opts = &Options{}
	}
	return New(srcs, &Options{Optional: opts.Optional, Table: opts.Table, NoKeyMatch: opts.NoKeyMatch, MaxAge: opts.MaxAge})
}

// others returns the sources of lists that are held, and that s does not have.
func (s *Screener) others(held *sources.Snapshot) []string {
	var ids []string
	for id, name := range held.Lists {
		given := slices.ContainsFunc(s.infos, func(i sources.Info) bool { return i.ID == id })
		if name != (sources.Stored{}) && !given {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// open loads what was held into s, and returns it as of the given time.
func (s *Screener) open(ctx context.Context, st sources.Store, held *sources.Snapshot, at time.Time) (*Past, error) {
	errs := make([]error, len(s.infos))
	lists := s.each(s.held, func(i int, l list) list {
		id := s.infos[i].ID
		name := held.Lists[id]
		if name == (sources.Stored{}) {
			return l
		}
		past, err := s.openList(ctx, st, i, name, at)
		if err != nil {
			errs[i] = &LoadError{Source: id, Err: fmt.Errorf("revision %s of %v: %w", name.Digest, name.Accepted, err)}
			return l
		}
		return past
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	exceptions, err := ReadExceptions(strings.NewReader(held.Exceptions))
	if err == nil {
		s.exceptions, err = newExceptionSet(exceptions)
	}
	if err != nil {
		return nil, fmt.Errorf("screening: %w: the exceptions of %v: %w", sources.ErrDamaged, held.Since, err)
	}
	snap := s.snapshot(lists)
	snap.at = at
	if len(s.others(held)) == 0 && snap.digest != held.Digest {
		return nil, fmt.Errorf("screening: %w: the lists of %v have the digest %s, and should have %s",
			sources.ErrDamaged, held.Since, snap.digest, held.Digest)
	}
	if snap.notLoaded == nil && s.maxAge > 0 && at.Sub(snap.oldest) > s.maxAge {
		snap.notLoaded = ErrStale
	}
	s.maxAge = 0
	s.held = lists
	s.snap.Store(snap)
	return &Past{s, at}, nil
}

// openList loads a revision of source i, as it stood at the given time.
func (s *Screener) openList(ctx context.Context, st sources.Store, i int, name sources.Stored, at time.Time) (list, error) {
	l, err := st.Load(ctx, s.infos[i].ID, name)
	if err != nil {
		return list{}, err
	}
	past, err := s.past(i, l)
	if err != nil {
		return list{}, err
	}
	if past.revision.Completeness == sources.Partial {
		return *past, nil
	}
	past.updated = l.Accepted
	for _, t := range l.Checks {
		if !t.After(at) {
			past.updated = t
		}
	}
	return *past, nil
}

// At returns the instant of which p is, in UTC.
func (p *Past) At() time.Time { return p.at }

// Screen is [Screener.Screen] of the lists of then; whether one was too old under
// Options.MaxAge is told as of then.
func (p *Past) Screen(a address.Address) (Result, error) { return p.s.Screen(a) }

// ScreenText is [Screener.ScreenText] of the lists of then.
func (p *Past) ScreenText(c address.Chain, text string) (Result, error) {
	return p.s.ScreenText(c, text)
}

// ScreenAll is [Screener.ScreenAll] of the lists of then.
func (p *Past) ScreenAll(addresses iter.Seq[address.Address], workers int) iter.Seq2[Result, error] {
	return p.s.ScreenAll(addresses, workers)
}

// Sources is [Screener.Sources] of then. A LastUpdated is that of then, to the
// minute: a check that came less than a minute after another may not have been
// kept. What failed then is not told.
func (p *Past) Sources() []SourceStatus { return p.s.Sources() }

// Exceptions is [Screener.Exceptions] of then.
func (p *Past) Exceptions() []Exception { return p.s.Exceptions() }

// Anomalies is [Screener.Anomalies] of the lists of then.
func (p *Past) Anomalies(source string) sources.Anomalies { return p.s.Anomalies(source) }
