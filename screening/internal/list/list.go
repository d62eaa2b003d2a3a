// Package list holds one list in the form that answers questions.
//
// [Build] makes a [List] of an acceptance of a file of stays, and [Dates] say since when an entry is
// listed.
package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
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
	past    *List       // the entries that it no longer has; nil: none
	file    *stays.File // has the entries in their order; nil: it is of a past
	n       uint32      // the acceptance of it
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

// Index returns the table of the keys under which the entries are filed, for look-ups.
func (l *List) Index() *index.Table { return l.entries.index }

// Listing returns the listing of a row of the Index, and the key under which it is filed.
func (l *List) Listing(row uint32) (*Listing, index.ID) { return l.entries.listing(row) }

// All returns the entries of l in their order, and repeats those that are repeated. Nothing follows
// an error.
func (l *List) All() iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		if l == nil {
			return
		}
		for e, err := range l.file.At(l.n) {
			if err == nil && !e.Until.IsZero() {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Past returns the entries that l no longer has, for look-ups; nil if there are none. Their listings have
// an Until.
func (l *List) Past() *List { return l.past }
