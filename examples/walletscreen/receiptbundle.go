package main

import (
	"context"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A bundle of receipts is a zip file: receiptsName has the receipts, and the other files make a
// store with their lists.
const (
	receiptsName = "receipts.jsonl"
	fileBlock    = 4 << 10 // of the disk, for each file
)

var maxBundle uint64 = 1 << 30 // bytes, unpacked

// tempStore returns a store in a new directory, which the caller removes.
func tempStore() (dir string, st store.Store, err error) {
	if dir, err = os.MkdirTemp("", "walletscreen-receipts-"); err == nil {
		st, err = store.Open(dir)
	}
	return dir, st, err
}

// bundledStore returns a function that returns a store of the bundled lists, and one that removes it.
func bundledStore() (open func(context.Context) (store.Store, error), remove func()) {
	var dir string
	var st store.Store
	open = func(ctx context.Context) (store.Store, error) {
		if st != nil {
			return st, nil
		}
		var err error
		dir, st, err = tempStore()
		if err != nil {
			return nil, err
		}
		s, err := screening.New(bundle.All(), &screening.Options{Store: st, Optional: idsOf(bundle.All())})
		if err == nil {
			_, err = s.Open(ctx)
		}
		return st, err
	}
	return open, func() { os.RemoveAll(dir) }
}

// copyLists copies the lists of a receipt from one store to another. The error wraps store.ErrNotFound if from does not have them.
func copyLists(ctx context.Context, to, from store.Store, r *receipt.Receipt) error {
	var ids []string
	for i := range r.Lists {
		ids = append(ids, r.Lists[i].Source)
	}
	found, err := journal.Find(ctx, from, r.Snapshot, ids)
	if err != nil {
		return err
	}
	log := journal.New(to, func() time.Time { return r.Time })
	if err := log.Follow(ctx); err != nil {
		return err
	}
	log.Begin(journal.Program{Answers: true, Sources: found.Lists, Scoring: r.ScoringVersion}, &found.Exceptions)
	for _, id := range found.Lists {
		held := found.Held[id]
		f, err := journal.Open(ctx, from, id, &held, nil)
		if err == nil {
			_, err = log.Put(ctx, f)
		}
		if err == nil {
			err = log.Append(ctx, &journal.Line{Type: journal.Accepted, Source: id, Held: &held}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
