// Package list holds one list in the form that answers questions.
//
// A [Builder] makes a [List] of entries and compares it with the list before it.
package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
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
	Anomalies    []sources.Anomaly     // the first hundred of each kind, in the order of the list
	Bytes        int                   // of memory that answers use
}

// AnomalyCount returns the number of anomalies.
func (f *Facts) AnomalyCount() (n int) {
	for _, c := range f.AnomalyKinds {
		n += c
	}
	return n
}

// Index returns the table of the keys under which the entries are filed, for look-ups.
func (l *List) Index() *index.Table { return l.entries.index }

// Listing returns the listing of a row of the Index, and the key under which it is filed.
func (l *List) Listing(row uint32) (*Listing, index.ID) { return l.entries.listing(row) }

// All returns the entries of l in their order, and repeats those that are repeated. Nothing follows
// an error.
func (l *List) All() iter.Seq2[sources.Entry, error] {
	if l == nil {
		return func(func(sources.Entry, error) bool) {}
	}
	return l.all.All()
}

// Missing returns the entries of l that other does not have, each once, in the order of l.
// Nothing follows an error.
func Missing(l, other *List) iter.Seq2[sources.Entry, error] {
	return missing(l, other, func(int) bool { return false })
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
		var t table                   // for filings
		seen := make(map[uint32]bool) // rows, if some are repeated
		for e, err := range l.all.Except(skip) {
			is := false // in other, or seen
			if err == nil {
				f := t.file(&e)
				if is = had.has(&e, f); !is && l.AnomalyKinds[sources.Duplicate] > 0 {
					row := own.find(&e, f).row
					is = seen[row]
					seen[row] = true
				}
			}
			if (err != nil || !is) && !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Write writes the entries of l.
func (l *List) Write(w *revision.Writer) error { return w.Entries(l.all) }

// Past returns the entries that l no longer has.
func (l *List) Past() *Past { return l.past }

// SetPast sets the entries that l, which is not in use yet, no longer has.
func (l *List) SetPast(p *Past) { l.past = p }
