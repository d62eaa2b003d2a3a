package screening

import (
	"errors"
	"iter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// A Report says what a refresh did. The first one of a program compares with what the program
// before answered from last, as far as Options.Store knows that. It keeps the lists before and after the refresh in
// memory until it is dropped, so that a Book can compare the answers.
type Report struct {
	// Sources are the sources that it was about, in the order in which New got them.
	Sources []SourceReport

	before, after *snapshot // ageless
}

// A SourceReport says what a refresh did to one source.
type SourceReport struct {
	// SourceStatus is the state of the source after the refresh. Its Err is why the
	// list was not accepted: if the list was suspect, it wraps the reason, such as
	// [ErrShrunk].
	SourceStatus
	// Unchanged reports whether the list was verified to be the list held, or, if it was read
	// before, found to be older than the list held.
	Unchanged bool
	// Added is how many entries the list before did not have, and Removed how many
	// only the list before had, each counted once: entries are the same if
	// [sources.Entry.Canonical] is. The list before is the list that was accepted last, even if
	// it was opened from a store in this refresh; entries that come from the store are not Added.
	Added, Removed int

	before, after *list.List // to compare, if an entry was added or removed
}

// AllAdded returns the Added entries, in the order of the list. It compares the two lists
// entry by entry whenever it is iterated, and keeps no entries in memory. Nothing follows
// an error.
func (r SourceReport) AllAdded() iter.Seq2[sources.Entry, error] {
	return list.Missing(r.after, r.before)
}

// AllRemoved returns the Removed entries as AllAdded returns the Added ones.
func (r SourceReport) AllRemoved() iter.Seq2[sources.Entry, error] {
	return list.Missing(r.before, r.after)
}

// err joins the errors of the sources.
func (r *Report) err() error {
	var errs []error
	for _, s := range r.Sources {
		errs = append(errs, s.Err)
	}
	return errors.Join(errs...)
}

// Compare screens a against the lists before and after the refresh. before is the zero Result if
// there was no answer, because a required list was missing.
func (r Report) Compare(a address.Address) (before, after Result, err error) {
	if r.after == nil {
		return before, after, errors.New("screening: the Report is not that of a refresh")
	}
	if err = r.after.screen(&after, a); err == nil && r.before.notLoaded == nil {
		err = r.before.screen(&before, a)
	}
	if err != nil {
		return Result{}, Result{}, err
	}
	return before, after, nil
}
