// Package list holds one list in the form that answers questions.
//
// [Build] opens a [List] of a file of stays, and [Next] makes the List that follows it.
package list

import (
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
)

// The maximum number of entries in a list that is offered, and of one address that differ in more than their dates.
const (
	MaxEntries = 200_000_000
	maxAlike   = 1000 // an answer has a label for each, and each is compared with the others
)

// A List is one list: its entries, the entries that it no longer has, and the facts
// about them. It is never changed. A nil List has no entries.
type List struct {
	Digest       string            // SHA-256 over what the entries say, in any order, in hex
	Entries      int               // repetitions included
	Addresses    int               // distinct ones
	Scripts      bool              // an entry has the account of a script
	LatestSeen   time.Time         // the latest FirstSeen of an entry
	AnomalyKinds map[string]int    // number of the anomalies of each kind
	Anomalies    []sources.Anomaly // the first hundred of each kind, in the order of the list
	Bytes        int               // of memory that answers use

	entries  *table
	stays    int         // how many of the rows of entries are stays; the others are further keys of them
	past     *List       // the entries that it no longer has; nil: there are none
	followed int         // how many stays there are in past that another one of the same entry follows
	file     *stays.File // has all stays, in their order; nil: it is of a past
}

// Distinct returns the number of entries, each once.
func (l *List) Distinct() int { return l.Entries - l.AnomalyKinds[sources.Duplicate] }

// Index returns the table of the keys under which the entries are found, for look-ups.
func (l *List) Index() *index.Table { return l.entries.index }

// Listing returns the listing of a row of the Index that is found under k.
func (l *List) Listing(row uint32, k *index.ID) *Listing { return l.entries.listing(row, k) }

// File returns the file of l.
func (l *List) File() *stays.File { return l.file }

// All returns the entries of l in their order, and repeats those that are repeated. Nothing follows
// an error.
func (l *List) All() iter.Seq2[sources.Entry, error] {
	if l == nil {
		return func(func(sources.Entry, error) bool) {}
	}
	return l.file.Entries()
}

// Past returns the entries that l no longer has, for look-ups; nil if there are none. Their listings have an Until.
func (l *List) Past() *List {
	if l == nil {
		return nil
	}
	return l.past
}

// view returns the view of the entries of l.
func (l *List) view() view {
	if l == nil || l.entries == nil {
		return view{}
	}
	return view{l.entries, stays.NewReader(l.entries.section)}
}
