package screening

import "errors"

var (
	// ErrNotLoaded: a required source has never been loaded, so no address can be
	// called clean. An error that wraps it names the sources; [Screener.Sources] tells
	// why the last load has failed, if there was one.
	ErrNotLoaded = errors.New("required list not loaded")
	// ErrStale: a required source is older than Options.MaxAge; [Screener.Sources]
	// tells which.
	ErrStale = errors.New("required list too old")
	// ErrZeroAddress: the address is the zero Address, which is none.
	ErrZeroAddress = errors.New("zero address")
	// ErrShrunk: a list has lost more addresses than Options.MaxShrink allows, or
	// all of them, and was refused.
	ErrShrunk = errors.New("list has shrunk beyond the limit")
	// ErrBookDamaged: a file is not that of a Book, or not as it was written; or the
	// Book was closed.
	ErrBookDamaged = errors.New("book is damaged")
	// ErrBookOutdated: a Book was written by a version of this module that reads
	// addresses differently, and must be made anew.
	ErrBookOutdated = errors.New("book was written by another version")

	errTimeout = errors.New("time limit")
)

// A LoadError says that a source could not be loaded, or that its list was
// refused. The last good list stays.
type LoadError struct {
	Source string // its id
	Err    error  // why; it wraps what the source or the store has returned, or ErrShrunk
}

// Error names the source, and says what Err does.
func (e *LoadError) Error() string { return "source " + e.Source + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *LoadError) Unwrap() error { return e.Err }
