package screening

import (
	"fmt"

	"github.com/walletscreen/walletscreen/sources"
)

// A suspectError is why a list is suspect: reason is one of the errors that
// Options.Accept names.
type suspectError struct {
	reason     error
	held, came SourceStatus
}

func (e *suspectError) Error() string {
	const day = "2006-01-02"
	switch e.reason {
	case ErrOlder:
		return fmt.Sprintf("%v: it is of %s, the one held of %s", e.reason, e.came.Published.Format(day), e.held.Published.Format(day))
	case ErrCut:
		return fmt.Sprintf("%v: from %d to %d entries; the download may have been cut", e.reason, e.held.Entries, e.came.Entries)
	}
	return fmt.Sprintf("%v: from %d to %d addresses", e.reason, e.held.Addresses, e.came.Addresses)
}

func (e *suspectError) Unwrap() error { return e.reason }

// Limits of a plausible list.
const (
	defaultMaxShrink = 0.2
	minShrunk        = 3      // addresses; fewer are lost in the ordinary course
	maxGrowth        = 10     // times
	minGrown         = 10_000 // addresses that any list may gain
)

// suspicion returns why next is suspect in the place of had, or nil. cut reports whether
// it may lack its end.
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
	case lost >= minShrunk && float64(lost) > maxShrink*float64(before):
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
