package screening

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// check returns an error if e may not be in the list of source i.
func (s *Screener) check(i int, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.table.Version(), e.Kind)
	}
	if !s.infos[i].MayEmit(e.Kind) {
		return fmt.Errorf("%s: a list of jurisdiction %s may not say %s", nameOf(e), s.infos[i].Jurisdiction, e.Kind)
	}
	return nil
}

// nameOf names an entry in an error: by its reference, and by what it lists.
func nameOf(e sources.Entry) string {
	if e.Ref == "" {
		return fmt.Sprintf("entry of %.128q", e.Text())
	}
	return fmt.Sprintf("entry %.64q of %.128q", e.Ref, e.Text())
}

// checkPlausible returns an error if next, which b has built, is suspect in the place of had,
// and the operator does not accept it. older reports whether next is a copy from before had was
// checked.
func (s *Screener) checkPlausible(ctx context.Context, i int, b *list.Builder, had, next *current, older bool) error {
	if s.infos[i].Jurisdiction == sources.Operator {
		return nil
	}
	broken := s.broken(ctx, had)
	if had.list == nil && !next.seed && s.seed(i) != nil { // Open was not called
		if seeded, _, err := s.loadList(ctx, i, s.seed(i), current{}, sources.Revision{}); err == nil {
			had = &seeded
		}
	}
	var reason error
	var lost int
	if had.list != nil {
		var err error
		if lost, err = s.lost(b, had, next); err != nil {
			return err
		}
		reason = suspicion(had, next, lost, next.revision.OpenEnded && b.IsCut(next.list), older, s.now())
	}
	next.most = journal.Most(had.most, next.list.Addresses)
	if n := had.most - next.list.Addresses; reason == nil && n >= minShrunk && next.list.Addresses*2 < had.most {
		reason, lost = ErrShrunk, n
	}
	held, came := had.status(s.infos[i], s.required[i]), next.status(s.infos[i], s.required[i])
	if reason == nil && !next.seed && isAhead(came.Published, s.now()) {
		reason = ErrFuture
	}
	if published := broken.List.Published; published.After(held.Published) && !isAhead(published, s.now()) {
		held.Published = published
		if reason == nil && !came.Published.IsZero() && came.Published.Before(published) {
			reason = ErrOlder
		}
	}
	if n := broken.Addresses - came.Addresses; n > s.mayLose(broken.Addresses) {
		held.Addresses = broken.Addresses
		if reason == nil {
			reason, lost = ErrShrunk, n
		}
	}
	if reason == nil {
		return nil
	}
	suspect := &suspectError{reason, lost, held, came}
	if s.accept == nil || !s.accept(s.infos[i].ID, suspect, held, came) {
		return fmt.Errorf("suspect, not accepted: %w", suspect)
	}
	s.log.WarnContext(ctx, "suspect list accepted by the operator", "source", s.infos[i].ID, "reason", suspect,
		"held_digest", had.revision.Digest, "digest", next.revision.Digest)
	return nil
}

// lost returns how many addresses of had the list of next, which b has built, lacks, if they are too
// many.
func (s *Screener) lost(b *list.Builder, had, next *current) (lost int, err error) {
	limit := s.mayLose(had.list.Addresses)
	if had.seed || had.revision.Provenance != "" { // a bundled list may be years old, so that most of it has changed
		lost = had.list.Addresses - next.list.Addresses
	} else if lost, err = b.Lost(next.list, limit); err != nil {
		return 0, err
	}
	if lost <= limit {
		lost = 0
	}
	return lost, nil
}

// mayLose returns how many of its addresses a list may lose.
func (s *Screener) mayLose(addresses int) int {
	return max(minShrunk-1, int(s.maxShrink*float64(addresses)))
}

// broken returns the event that the list was accepted in whose place had is held, if that list
// cannot be opened and the journal knows it.
func (s *Screener) broken(ctx context.Context, had *current) journal.Event {
	if !had.isBehind() {
		return journal.Event{}
	}
	e, err := s.archive.accepted(ctx, had.broken)
	if err != nil {
		s.log.WarnContext(ctx, "it is not known which list is broken", "file", had.broken, "error", err)
	}
	return e
}

// maxAhead is by how much the publisher's date of a list may lie in the future.
const maxAhead = 48 * time.Hour

// isAhead reports whether a publisher's date lies in the future at the time now, so that it says
// nothing about the age of a list.
func isAhead(published, now time.Time) bool { return published.After(now.Add(maxAhead)) }

// A suspectError is why a list is suspect: reason is one of the errors that
// Options.Accept names.
type suspectError struct {
	reason     error
	lost       int // addresses, if they are too many
	held, came SourceStatus
}

func (e *suspectError) Error() string {
	const day = "2006-01-02"
	switch e.reason {
	case ErrOlder:
		came, held := e.came.Published, e.held.Published
		if came.IsZero() || held.IsZero() {
			came, held = e.came.LastUpdated, e.held.LastUpdated
		}
		return fmt.Sprintf("%v: it is of %s, the one held of %s", e.reason, came.Format(day), held.Format(day))
	case ErrFuture:
		return fmt.Sprintf("%v: it is of %s", e.reason, e.came.Published.Format(day))
	case ErrCut:
		return fmt.Sprintf("%v: from %d to %d entries; the download may have been cut", e.reason, e.held.Entries, e.came.Entries)
	}
	text := fmt.Sprintf("%v: from %d to %d addresses", e.reason, e.held.Addresses, e.came.Addresses)
	if e.reason == ErrShrunk {
		text += fmt.Sprintf(", and %d are lost", e.lost)
	}
	return text
}

func (e *suspectError) Unwrap() error { return e.reason }

// Limits of a plausible list.
const (
	defaultMaxShrink = 0.2
	minShrunk        = 3      // addresses; fewer are lost in the ordinary course
	maxGrowth        = 10     // times
	minGrown         = 10_000 // addresses that any list may gain
)

// suspicion returns why next is suspect in the place of had, or nil. lost is how many addresses
// it lost, if they are too many. cut reports whether it may lack its end, and older whether it
// is a copy from before had was checked.
func suspicion(had, next *current, lost int, cut, older bool, now time.Time) error {
	before, after := had.list.Addresses, next.list.Addresses
	was, is := had.revision.Published, next.revision.Published
	if !was.IsZero() && !is.IsZero() && !isAhead(was, now) {
		older = is.Before(was)
	}
	switch {
	case after == 0 && before > 0:
		return ErrEmptied
	case lost > 0:
		return ErrShrunk
	case older:
		return ErrOlder
	case after-before > minGrown && after > maxGrowth*before && had.revision.Completeness == sources.Whole && !had.seed:
		return ErrGrown
	case cut && had.isLoaded() && next.revision.Records <= had.revision.Records: // more, if an account was unfrozen: its list has one more event
		return ErrCut
	}
	return nil
}
