package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	maxBundle    = 1 << 30 // bytes, unpacked
)

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
		all, ids := bundle.All(), []string{}
		for _, s := range all {
			ids = append(ids, s.Info().ID)
		}
		var err error
		dir, st, err = tempStore()
		if err != nil {
			return nil, err
		}
		s, err := screening.New(all, &screening.Options{Store: st, Optional: ids})
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
		f, err := journal.Open(ctx, from, id, held.N)
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

// bundle writes receipts and their lists to a file.
func (r *receiptCall) bundle(ctx context.Context, args []string) (err error) {
	if len(args) != 1 || r.out == "" {
		return errors.New("want a FILE of receipts, and -out, the file to write")
	}
	text, err := readAtMost(args[0], maxBundle)
	if err != nil {
		return err
	}
	dir, to, err := tempStore()
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	bundled, remove := bundledStore()
	defer remove()
	from := []func(context.Context) (store.Store, error){bundled}
	if r.lists.wantStore() == nil {
		from = append(from, func(ctx context.Context) (store.Store, error) { return r.openStore(ctx, &r.lists, false) })
	}
	n, done := 0, make(map[string]bool)
	err = eachReceipt(bytes.NewReader(text), func(_ int, data []byte) error {
		n++
		v, err := receipt.Verify(ctx, data, nil)
		if err != nil || done[v.Receipt.Snapshot] {
			return err
		}
		done[v.Receipt.Snapshot] = true
		for _, open := range slices.Backward(from) {
			var st store.Store
			if st, err = open(ctx); err == nil {
				err = copyLists(ctx, to, st, v.Receipt)
			}
			if !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		return fmt.Errorf("its lists are not kept in -data or -db, and are not the bundled ones: %w", err)
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, receiptsName), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := errors.Join(z.AddFS(os.DirFS(dir)), z.Close()); err != nil {
		return err
	}
	if err := writeNew(r.out, b.String(), 0o600); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	_, err = fmt.Fprintf(r.stdout, "%s  %s, with all lists\n", r.out, count(int64(n), "receipt"))
	return err
}

// openReceipts returns the receipts of a file, and a function that returns a store with lists: the lists of a
// bundle, or the bundled ones. remove removes it.
func (r *receiptCall) openReceipts(f *os.File) (in io.Reader, copied func(context.Context) (store.Store, error), remove func(), err error) {
	magic := make([]byte, 4)
	if n, _ := f.ReadAt(magic, 0); n < 4 || string(magic) != "PK\x03\x04" {
		copied, remove = bundledStore()
		return f, copied, remove, nil
	}
	dir, st, err := tempStore()
	remove = func() { os.RemoveAll(dir) }
	if err != nil {
		return nil, nil, remove, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, remove, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, nil, remove, err
	}
	size := uint64(0) // a file that is larger than it says is an error
	for _, file := range z.File {
		size += min(file.UncompressedSize64, maxBundle+1)
	}
	if size > maxBundle {
		return nil, nil, remove, fmt.Errorf("larger than %d bytes", maxBundle)
	}
	var text []byte
	if err = os.CopyFS(dir, z); err == nil {
		text, err = os.ReadFile(filepath.Join(dir, receiptsName))
	}
	return bytes.NewReader(text), func(context.Context) (store.Store, error) { return st, nil }, remove, err
}
