package screening

import (
	"fmt"

	"github.com/walletscreen/walletscreen/sources"
)

// A Suspect is a list that was loaded without an error, but is not believed, because of
// how it differs from the list that is held. It is refused unless Options.Accept lets
// it in. A list is suspect if, compared with the list held,
//
//   - it lost more than Options.MaxShrink of the addresses, and more than 50 ([ErrShrunk]);
//   - it lost all addresses ([ErrEmptied]): perhaps the publisher changed the format;
//   - it has more than ten times the addresses, and 10,000 more ([ErrGrown]), unless the
//     list held is a part of the list, was assembled, or is a seed;
//   - it was published earlier ([ErrOlder]): perhaps a mirror is stale;
//   - it lost entries only at its end, in a format that cannot show that it was cut
//     ([ErrCut]); or it only lost entries, and the list held came in a format that
//     shows it. A list with more records than the one held was not cut.
//
// A list of the operator's own, of jurisdiction [sources.Operator], is never suspect.
type Suspect struct {
	// Source is the id of the source.
	Source string
	// Reason is why the list is suspect: one of the errors above.
	Reason error
	// Held is the state of the list that is held, and Came that of the list that would
	// replace it.
	Held, Came SourceStatus
}

// String describes s for an operator.
func (s Suspect) String() string {
	const day = "2006-01-02"
	switch s.Reason {
	case ErrOlder:
		return fmt.Sprintf("%v: it is of %s, the one held of %s", s.Reason, s.Came.Published.Format(day), s.Held.Published.Format(day))
	case ErrCut:
		return fmt.Sprintf("%v: from %d to %d entries; the download may have been cut", s.Reason, s.Held.Entries, s.Came.Entries)
	}
	return fmt.Sprintf("%v: from %d to %d addresses", s.Reason, s.Held.Addresses, s.Came.Addresses)
}

// A suspectError is the error about a Suspect.
type suspectError struct{ suspect Suspect }

func (e *suspectError) Error() string { return e.suspect.String() }
func (e *suspectError) Unwrap() error { return e.suspect.Reason }

// Limits of a plausible list.
const (
	defaultMaxShrink = 0.2
	minShrunk        = 50     // addresses that any list may lose
	maxGrowth        = 10     // times
	minGrown         = 10_000 // addresses that any list may gain
)

// suspicion returns why next is suspect in the place of had, or nil. cut reports whether
// it may be had without its end.
func suspicion(had, next *held, cut bool, info sources.Info, maxShrink float64) error {
	if !had.isLoaded() || info.Jurisdiction == sources.Operator {
		return nil
	}
	before, after := had.list.Addresses, next.list.Addresses
	lost := before - after
	published := had.revision.Published
	switch {
	case after == 0 && lost > 0:
		return ErrEmptied
	case lost > minShrunk && float64(lost) > maxShrink*float64(before):
		return ErrShrunk
	case !published.IsZero() && !next.revision.Published.IsZero() && next.revision.Published.Before(published):
		return ErrOlder
	case -lost > minGrown && after > maxGrowth*before && had.revision.Completeness == sources.Whole && !had.seed:
		return ErrGrown
	case cut && next.revision.Records <= had.revision.Records: // more, if an account was unfrozen: its list has one more event
		return ErrCut
	}
	return nil
}
