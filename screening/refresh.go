package screening

import (
	"context"
	"errors"
	"sync"
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
// Of a source made by [sources.Seeded], Refresh loads the live list. Only if that
// fails, and nothing is held, it answers from the seed.
//
// Refresh returns when the last source is done, or when ctx ends. A source that does not
// return soon after its context has ended is left behind: its error wraps [ErrStuck],
// and what it returns later is ignored.
//
// The error joins the errors of the sources whose list was not accepted; the Report is valid
// in any case. With Options.Store, a newer list that the store has is opened and swapped
// in first, and accepted lists are saved before Refresh returns. A store that
// fails is not an error of Refresh: [Screener.Sources] shows it.
//
// Of concurrent calls, and of Run, one at a time loads a source.
func (s *Screener) Refresh(ctx context.Context) (Report, error) {
	report := s.all(ctx, live)
	return report, report.err()
}

// Open swaps in the lists that are available without a network: of each source, the last good
// revision in Options.Store or the seed of a source made by [sources.Seeded],
// whichever is newer. A program that must answer at once calls it before Run or
// Refresh. A list that is held already is replaced by a newer one only.
//
// If nothing is available of a source, that is not an error, and the source is not loaded
// afterwards. The error joins what could not be used, even if it is an old revision in
// the store: a damaged one is set aside, and the previous revision is opened.
func (s *Screener) Open(ctx context.Context) (Report, error) {
	report := s.all(ctx, open)
	err := report.err()
	for _, st := range s.Sources() {
		err = errors.Join(err, st.StoreErr)
	}
	return report, err
}

// all updates all sources, side by side.
func (s *Screener) all(ctx context.Context, t task) Report {
	before := s.snap.Load()
	reports := make([]SourceReport, len(s.sources))
	if err := ctx.Err(); err != nil {
		for i, st := range s.Sources() {
			st.Err = sourceError(st.Info.ID, err)
			reports[i] = SourceReport{SourceStatus: st}
		}
		return Report{Sources: reports, Digest: before.origin.digest, before: before, after: before}
	}
	var wg sync.WaitGroup
	for i := range s.sources {
		wg.Go(func() { reports[i] = s.update(ctx, i, t, false) })
	}
	wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	after := s.snap.Load()
	r := Report{Sources: reports, Digest: after.origin.digest, before: before, after: after}
	if s.report != nil {
		s.report(r)
	}
	return r
}
