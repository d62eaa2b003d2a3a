package screening

import "errors"

var (
	// ErrNotLoaded: a required source has never been loaded, so no address can be
	// called clean. An error that wraps it names the sources.
	ErrNotLoaded = errors.New("required list not loaded")
	// ErrStale: a required source is older than Options.MaxAge.
	ErrStale = errors.New("required list too old")
	// ErrZeroAddress: the address is the zero Address, which is none.
	ErrZeroAddress = errors.New("zero address")
	// ErrShrunk: a list has lost more addresses than Options.MaxShrink allows,
	// and was refused.
	ErrShrunk = errors.New("list has shrunk beyond the limit")

	errTimeout = errors.New("time limit")
)

// A LoadError says that a source could not be loaded, or that its list was
// refused. The last good list stays.
type LoadError struct {
	Source string // its id
	Err    error
}

func (e *LoadError) Error() string { return "source " + e.Source + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *LoadError) Unwrap() error { return e.Err }
