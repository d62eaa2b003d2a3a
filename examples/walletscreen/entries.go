package main

import (
	"context"
	"errors"
	"iter"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// eachEntry calls add for the entries to export.
type eachEntry func(add func(held *screening.SourceStatus, e sources.Entry) error) error

// anyResult returns an answer from l, for what all answers have in common, or why there is none.
func anyResult(l screeningLists) (screening.Result, error) {
	return l.Screen(anyAddress)
}

// heldEntries calls add for the entries of the list that is held. It reads the store if the
// store has the list, or else the source.
func heldEntries(ctx context.Context, held screening.SourceStatus, src sources.Source, st store.Store, add func(sources.Entry) error) error {
	if held.Digest == "" {
		return nil // an optional list that was never loaded
	}
	if st != nil {
		var kept *journal.Held
		err := journal.Read(ctx, st, func(l *journal.Line, _ *journal.State) error {
			if l.Source == held.Info.ID && l.Held != nil && l.Held.Revision.Digest == held.Digest {
				kept = l.Held
			}
			return nil
		})
		if err != nil {
			return err
		}
		if kept != nil {
			return keptEntries(ctx, st, held.Info.ID, kept, add)
		}
	}
	r, err := src.Load(ctx, sources.Revision{}, add)
	if err == nil && r.Digest != held.Digest {
		err = errors.New("the list changed meanwhile; export it again")
	}
	return err
}

// keptEntries calls add for the entries of a list that a source had.
func keptEntries(ctx context.Context, st store.Store, id string, held *journal.Held, add func(sources.Entry) error) error {
	for e, err := range journal.Entries(ctx, st, id, held) {
		if err == nil {
			err = add(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errStop = errors.New("nobody wants more")

// sequence returns the values for which each calls its argument, and its error.
func sequence[T any](each func(func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		more := true
		err := each(func(v T) error {
			if more = yield(v, nil); !more {
				return errStop
			}
			return nil
		})
		if err != nil && more {
			var none T
			yield(none, err)
		}
	}
}

// anyAddress is screened to see whether there is an answer.
var anyAddress = address.MustParse("ethereum", "0x0000000000000000000000000000000000000000")
