package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Report says what a refresh did, source by source, in the order in which New
// got them.
type Report struct {
	Sources []SourceReport
	// Digest names the snapshot that holds after the refresh.
	Digest string
}

// A SourceReport says what a refresh did to one source.
type SourceReport struct {
	Source string
	// Unchanged reports whether the list was verified to be the one held.
	Unchanged bool
	// Entries is the number of entries held after the refresh; Added and Removed
	// are how many of them are new, and how many of the former are gone.
	Entries, Added, Removed int
	// Err is why the list was not taken, a *LoadError, or nil.
	Err error
}

// Refresh loads every source, side by side, checks each list, and swaps in all
// that were accepted as one snapshot. It returns when the last source is done;
// a source that fails neither delays nor empties another.
//
// A list is refused, and the last good one kept, if its source returns an error,
// if an entry is not valid (an unknown kind, an official kind from a community
// list, nothing that was listed), if it has no records, or if it has shrunk
// beyond Options.MaxShrink. The error joins one [*LoadError] for each source
// whose list was not taken; the Report is right in any case.
//
// Concurrent calls wait for each other.
func (s *Screener) Refresh(ctx context.Context) (Report, error) {
	s.refresh.Lock()
	defer s.refresh.Unlock()

	next := make([]list, len(s.sources))
	report := Report{Sources: make([]SourceReport, len(s.sources))}
	var wg sync.WaitGroup
	for i := range s.sources {
		wg.Go(func() { next[i], report.Sources[i] = s.load(ctx, i) })
	}
	wg.Wait()

	held := s.held
	s.held = next
	snap, err := s.build(s.snap.Load())
	if err != nil {
		s.held = held // too large for an index; the last snapshot stays
		return report, err
	}
	s.snap.Store(snap)
	report.Digest = snap.digest
	var errs []error
	for _, r := range report.Sources {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	return report, errors.Join(errs...)
}

// load loads source i and returns the list to hold from now on.
func (s *Screener) load(ctx context.Context, i int) (list, SourceReport) {
	id, had := s.infos[i].ID, s.held[i]
	report := SourceReport{Source: id, Entries: len(had.entries)}
	start := time.Now()
	next, err := s.loadList(ctx, i)
	switch {
	case errors.Is(err, sources.ErrUnchanged) && !had.revision.IsZero():
		had.revision, had.updated, had.err = next.revision, next.updated, nil
		report.Unchanged = true
		s.log.InfoContext(ctx, "list unchanged", "source", id, "entries", len(had.entries), "took", time.Since(start))
		return had, report
	case err != nil:
		had.err = &LoadError{Source: id, Err: err}
		report.Err = had.err
		s.log.WarnContext(ctx, "list not loaded, keeping the last good one", "source", id, "held", len(had.entries), "last_updated", had.updated, "error", err)
		return had, report
	}
	report.Entries = len(next.entries)
	report.Added, report.Removed = compare(had.entries, next.entries)
	s.log.InfoContext(ctx, "list loaded", "source", id, "entries", len(next.entries), "addresses", next.addresses,
		"added", report.Added, "removed", report.Removed, "published", next.revision.Published, "took", time.Since(start))
	return next, report
}

// maxEntries bounds what one list may hold in memory.
const maxEntries = 200_000_000

// loadList loads source i and checks its list. With an error that is
// ErrUnchanged the revision and the time of the list are set.
func (s *Screener) loadList(ctx context.Context, i int) (next list, err error) {
	info, had := s.infos[i], s.held[i]
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p) // of a Source that is not ours
		}
	}()
	firstSeen := make(map[entryID]time.Time, len(had.entries))
	for _, e := range had.entries {
		firstSeen[idOf(e)] = e.FirstSeen
	}
	now := time.Now().UTC()
	rev, err := s.sources[i].Load(ctx, had.revision, func(e sources.Entry) error {
		if err := s.check(info, e); err != nil {
			return err
		}
		if len(next.entries) == maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		if t, ok := firstSeen[idOf(e)]; ok {
			e.FirstSeen = t
		} else if e.FirstSeen.IsZero() {
			e.FirstSeen = now
		}
		next.entries = append(next.entries, e)
		return nil
	})
	next.revision, next.updated = rev, rev.Checked.UTC()
	if rev.Checked.IsZero() {
		next.updated = now
	}
	if err != nil {
		return next, err
	}
	if rev.Digest == "" {
		return next, errors.New("no digest: the source returned no revision")
	}
	if rev.Records <= 0 {
		return next, errors.New("no records: an empty list is taken for a broken one")
	}
	next.addresses = countAddresses(next.entries)
	if lost := had.addresses - next.addresses; lost > 50 && float64(lost) > s.maxShrink*float64(had.addresses) {
		if s.allow == nil || !s.allow(info.ID, had.addresses, next.addresses) {
			return next, fmt.Errorf("%w: from %d to %d addresses", ErrShrunk, had.addresses, next.addresses)
		}
		s.log.WarnContext(ctx, "list has shrunk beyond the limit, taken by the operator's override",
			"source", info.ID, "had", had.addresses, "has", next.addresses)
	}
	return next, nil
}

// check returns an error if e may not be in a list of the given source.
func (s *Screener) check(info sources.Info, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("entry %.64q: scoring %s does not know the kind %.64q", e.Ref, s.table.Version(), e.Kind)
	}
	if e.Kind.Official() && info.Jurisdiction == sources.Community {
		return fmt.Errorf("entry %.64q: a community list may not say %s", e.Ref, e.Kind)
	}
	return nil
}

// An entryID is what makes an entry the same one in two revisions of a list.
type entryID struct {
	address address.Address
	listed  string
	asset   string
	kind    score.Kind
	ref     string
}

func idOf(e sources.Entry) entryID {
	return entryID{e.Address, e.Text(), e.Asset, e.Kind, e.Ref}
}

// compare returns how many entries of next are not in had, and how many of had
// are not in next.
func compare(had, next []sources.Entry) (added, removed int) {
	ids := make(map[entryID]bool, len(had)) // to whether next has it as well
	for _, e := range had {
		ids[idOf(e)] = false
	}
	fresh := make(map[entryID]bool)
	for _, e := range next {
		if _, ok := ids[idOf(e)]; ok {
			ids[idOf(e)] = true
		} else {
			fresh[idOf(e)] = true
		}
	}
	for _, kept := range ids {
		if !kept {
			removed++
		}
	}
	return len(fresh), removed
}

// countAddresses returns the number of distinct addresses: strings in their
// normal form, or as listed where they are no address.
func countAddresses(entries []sources.Entry) int {
	texts := make([]string, len(entries))
	for i, e := range entries {
		if texts[i] = e.Address.Normalized(); texts[i] == "" {
			texts[i] = literalKey(e.Listed)
		}
	}
	slices.Sort(texts)
	return len(slices.Compact(texts))
}
