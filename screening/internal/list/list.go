// Package list holds one list in the form that answers questions.
//
// A [Builder] makes a [List] of entries and compares it with the list before it. Its
// tables can be written to a file, and [Open] answers from them as they lie there. What
// must hold so that old tables can be read is versioned by [Rule].
package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// MaxEntries is the maximum number of entries in a list.
const MaxEntries = 200_000_000

// A List is one list: its entries, the entries that it no longer has, and the facts
// about them. It is never changed. A nil List has no entries.
type List struct {
	Facts
	entries *table
	past    *Past
	all     *revision.Entries // the entries in their order; nil: it is of a Past
	file    *revision.File    // the mapped file that has all that; nil: none
}

// Facts describe a list without a look at its tables.
type Facts struct {
	Digest       string                // SHA-256 over what the entries say, in any order, in hex
	Entries      int                   // repetitions included
	Addresses    int                   // distinct ones
	Chains       map[address.Chain]int // entries by chain
	Classes      map[string]int        // keys by class
	Kinds        []score.Kind          // of the entries
	LatestSeen   time.Time             // the latest FirstSeen of an entry
	AnomalyKinds map[string]int        // number of the anomalies of each kind
	Anomalies    []sources.Anomaly     `json:"-"` // the first hundred of each kind, in the order of the list
	Bytes        int                   // of memory that answers use
}

// AnomalyCount returns the number of anomalies.
func (f *Facts) AnomalyCount() (n int) {
	for _, c := range f.AnomalyKinds {
		n += c
	}
	return n
}

// Index returns the index of the keys under which the entries are filed, for look-ups.
func (l *List) Index() *index.Index { return l.entries.index }

// Listing returns the listing with this number, which is a value in the Index. An error
// means that the list is damaged, and nothing is known, least of all that an address is
// not listed.
func (l *List) Listing(n uint32) (*Listing, error) { return l.entries.listing(n) }

// IsMapped reports whether l is answered from a file.
func (l *List) IsMapped() bool { return l != nil && l.file != nil }

// Verify verifies the file from which l is answered, if there is one.
func (l *List) Verify() error {
	if !l.IsMapped() {
		return nil
	}
	return l.file.Verify()
}

// All returns the entries of l in their order, and repeats those that are repeated. Nothing follows
// an error.
func (l *List) All() iter.Seq2[sources.Entry, error] {
	if l == nil {
		return func(func(sources.Entry, error) bool) {}
	}
	return guarded(l.all.All())
}

// Missing returns the entries of l that other does not have, each once, in the order of l.
// Nothing follows an error.
func Missing(l, other *List) iter.Seq2[sources.Entry, error] {
	return guarded(missing(l, other, func(int) bool { return false }))
}

// guarded is seq, with an error in the place of a fault while it reads a mapped file.
func guarded[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		yielding := false
		err := mapfile.Guard(func() error {
			for v, err := range seq {
				yielding = true
				if !yield(v, err) {
					return nil
				}
				yielding = false
			}
			return nil
		})
		switch {
		case err == nil:
		case yielding:
			panic(err)
		default:
			var none T
			yield(none, err)
		}
	}
}

// missing is Missing, without the entries of l whose number is to be skipped.
func missing(l, other *List, skip func(i int) bool) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		if l == nil {
			return
		}
		own, had := finder{table: l.entries}, finder{}
		if other != nil {
			had.table = other.entries
		}
		var b tableBuilder              // for filings
		seen := make(map[location]bool) // if some are repeated
		for e, err := range l.all.Except(skip) {
			is := false // in other, or seen
			if err == nil {
				f := b.file(&e)
				is, err = had.has(&e, f)
				if err == nil && !is && l.AnomalyKinds[sources.Duplicate] > 0 {
					var first found
					first, err = own.find(&e, f)
					is = seen[first.where]
					seen[first.where] = true
				}
			}
			if (err != nil || !is) && !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Past returns the entries that l no longer has.
func (l *List) Past() *Past { return l.past }

// SetPast sets the entries that l, which is not in use yet, no longer has.
func (l *List) SetPast(p *Past) { l.past = p }
