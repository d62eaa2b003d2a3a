package screening

import (
	"errors"
	"fmt"
)

var (
	// ErrNotLoaded: a required source has never been loaded, so no address can be
	// called clean. An error that wraps it names the sources; [Screener.Sources]
	// has the reason why the last load failed.
	ErrNotLoaded = errors.New("required list not loaded")
	// ErrStale: the last successful check of a required source is longer ago than
	// Options.MaxAge, or lies in the future; or the publisher's date of its list is longer
	// ago than Options.MaxPublished. [Screener.Sources] shows which.
	ErrStale = errors.New("required list too old")
)

var (
	errZeroAddress = errors.New("zero address")
	errLoadOnly    = errors.New("no answer from a program that only loads lists")
	errStuck       = errors.New("load did not return when its context ended")
)

// The reasons why a list is suspect; see Options.Accept.
var (
	// ErrShrunk: the list has lost more addresses than [Options].Accept says.
	ErrShrunk = errors.New("list has shrunk beyond the limit")
	// ErrEmptied: the list has lost all its addresses.
	ErrEmptied = errors.New("list has lost all its addresses")
	// ErrGrown: the list has grown more than ten times, and by 10,000 addresses.
	ErrGrown = errors.New("list has grown beyond the limit")
	// ErrOlder: the list was published before the list that is held.
	ErrOlder = errors.New("list was published before the one held")
	// ErrFuture: the list was published more than two days in the future.
	ErrFuture = errors.New("list was published in the future")
	// ErrCut: the list has lost entries at its end, and nothing else has changed. Its
	// format has no mark at the end that would show a download that was cut.
	ErrCut = errors.New("list has lost entries only at its end")
)

// sourceError names the source in an error about it.
func sourceError(id string, err error) error { return fmt.Errorf("source %s: %w", id, err) }
