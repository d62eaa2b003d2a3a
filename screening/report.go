package screening

import (
	"errors"
	"iter"
	"slices"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// A Report says what a refresh did: source by source, in the order in which New got
// them, of those that it was about. It holds what is needed to answer as before the
// refresh and as after it, which is as much memory as the lists that have changed,
// until it is dropped.
type Report struct {
	// Sources are those that it was about.
	Sources []SourceReport
	// Digest names the snapshot that holds after the refresh.
	Digest string

	before, after *snapshot
}

// A SourceReport says what a refresh did to one source.
type SourceReport struct {
	// Source is its id.
	Source string
	// Unchanged reports whether the list was verified to be the one held, or, of
	// one that was read before, found to be older than that.
	Unchanged bool
	// Entries is the number of entries held after the refresh.
	Entries int
	// Added are those that the list has and the one before did not have, Removed
	// those that it had and has no more, each once: entries are the same if
	// [sources.Entry.Identity] is. The list before is the one that was accepted
	// last, be it that it came out of a store in this very refresh; what comes out
	// of a store was not added by that. Added is in the order of the list, with those
	// first that a seed had already; Removed in none. They may be used for other things
	// too, and must not be changed.
	Added, Removed []sources.Entry
	// Err is why the list was not taken, a *LoadError, or nil.
	Err error

	opened bool // another list came out of a store first, to which Added and Removed refer
}

// to sets the snapshot after the refresh.
func (r *Report) to(after *snapshot) { r.after, r.Digest = after, after.digest }

// err joins the errors of the sources.
func (r *Report) err() error {
	var errs []error
	for _, s := range r.Sources {
		if s.Err != nil {
			errs = append(errs, s.Err)
		}
	}
	return errors.Join(errs...)
}

// keys returns the keys under which a question about any address looks whose
// verdict r may have changed, and others: those of every entry that was added or
// removed; of all entries of a list that was not there before, or was replaced out
// of a store; of every account that has other exceptions; and of all that is listed
// if there were no answers before. A key may come twice. After an error there is
// nothing more.
func (r *Report) keys() iter.Seq2[index.Key, error] {
	return func(yield func(index.Key, error) bool) {
		var keys []index.Key
		for i, after := range r.after.lists {
			before := r.before.lists[i]
			var of SourceReport
			for _, s := range r.Sources {
				if s.Source == r.after.status[i].Info.ID {
					of = s
				}
			}
			if r.before.notLoaded != nil || of.opened {
				for _, seg := range []*segment{before.segment, after.segment} {
					for k, err := range seg.probes() {
						if !yield(k, err) || err != nil {
							return
						}
					}
				}
				continue
			}
			for _, entries := range [][]sources.Entry{of.Added, of.Removed} {
				for _, e := range entries {
					keys = appendFilings(keys[:0], e, false)
					for _, k := range keys {
						if !yield(k, nil) {
							return
						}
					}
				}
			}
		}
		for _, a := range r.before.exceptions.differ(r.after.exceptions) {
			keys = appendProbes(keys[:0], a, false)
			for _, k := range keys {
				if !yield(k, nil) {
					return
				}
			}
		}
	}
}

// screen returns what r has changed for a, and whether that is anything.
func (r *Report) screen(a address.Address) (c Change, changed bool, err error) {
	labels, err := r.after.labels(a)
	if err != nil {
		return Change{}, false, err
	}
	c = Change{Address: a, After: r.after.result(a, labels)}
	if r.before.notLoaded != nil {
		return c, len(labels) > 0, nil
	}
	if labels, err = r.before.labels(a); err != nil {
		return Change{}, false, err
	}
	c.Before = r.before.result(a, labels)
	return c, !sameVerdict(c.Before, c.After), nil
}

// sameVerdict reports whether two results about one address say the same.
func sameVerdict(a, b Result) bool {
	same := func(l, m Label) bool {
		l.Name, l.AddedAt = m.Name, m.AddedAt
		return l == m
	}
	return a.Score == b.Score && a.Level == b.Level && slices.EqualFunc(a.Labels, b.Labels, same) &&
		slices.EqualFunc(a.Suppressed, b.Suppressed, func(l, m Suppressed) bool { return same(l.Label, m.Label) })
}
