// Package book finds the addresses of yours whose verdict a refresh changed.
//
// [New] makes a [Book] of addresses. [Book.Changed] returns the addresses that a
// screening.Report concerns, and [Book.ChangedOnce] does so over restarts.
package book

import (
	"errors"
	"iter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// A Book is a set of addresses, for example of all customers. It screens all of them after a
// refresh: a million in about half a second.
//
// A Book is never changed; to add addresses, make another one. Its methods may be called
// concurrently.
//
// A Book has addresses, not other texts: a listed string that is not an address concerns it
// only if the string can be read as one of them.
type Book struct {
	addresses []address.Address // each once
}

// A Change is an address of a Book whose verdict has changed.
type Change struct {
	// Address is the address as it was added to the Book.
	Address address.Address
	// Before is what Screen returned before the refresh, After what it returns
	// since. Before is the zero Result if there was no answer, because a required list
	// was missing.
	Before, After screening.Result
}

// New makes a Book of the given addresses, in any order; repetitions do no harm. An error in
// addresses ends it and is returned, so that no Book is made of a part of them. The zero
// Address is an error, too.
func New(addresses iter.Seq2[address.Address, error]) (*Book, error) {
	b := new(Book)
	seen := make(map[address.Address]bool)
	for a, err := range addresses {
		switch {
		case err != nil:
			return nil, err
		case !a.IsValid():
			return nil, errors.New("zero address")
		case !seen[a]:
			seen[a] = true
			b.addresses = append(b.addresses, a)
		}
	}
	return b, nil
}

// Changed returns the addresses of b whose verdict was changed by the refresh that r
// reports, each once. A verdict is the score, the level, the labels and the
// suppressed labels, apart from names and dates. Both verdicts are from the snapshots before
// and after that refresh, whatever was refreshed since, and however old the lists are.
//
// The refresh that loads the last required list turns errors into answers: its report
// changes all addresses that have a label. After a restart, it compares with what the program
// before answered from, if Options.Store has that; without a Store, see [Book.ChangedOnce].
//
// Nothing follows an error. It wraps [screening.ErrNotLoaded] if a required list was
// missing even after the refresh; nothing is lost then, because the report of the refresh
// that loads it covers everything. The zero Report is an error, too.
func (b *Book) Changed(r screening.Report) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for _, a := range b.addresses {
			before, after, err := r.Compare(a)
			if err != nil {
				yield(Change{}, err)
				return
			}
			if verdictOf(&before) != verdictOf(&after) && !yield(Change{a, before, after}, nil) {
				return
			}
		}
	}
}
