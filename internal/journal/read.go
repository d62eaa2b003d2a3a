package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// read calls each for the lines from a number on, each once. It returns how many lines at the end are damaged.
func read(ctx context.Context, st store.Store, from uint64, each func(*Line) error) (damaged uint64, err error) {
	last := max(from, 1) - 1
	err = st.Read(ctx, from, func(b []byte) error {
		l, ok := parse(b)
		if !ok {
			damaged++
			return nil
		}
		if damaged = 0; l.Number <= last {
			return nil
		}
		l.lost = l.Number != last+1
		last = l.Number
		return each(&l)
	})
	return damaged, err
}

// since calls each for the lines after the one with a number and a sum, and returns how many lines at the end are damaged. If the
// Store does not have that line any more, it is as it was at an earlier time: then since calls reset, and each for all lines.
func since(ctx context.Context, st store.Store, number uint64, sum string, reset func(), each func(*Line)) (damaged uint64, err error) {
	if number > 0 {
		var lines []Line
		back := true
		damaged, err = read(ctx, st, number, func(l *Line) error {
			if l.Number > number {
				lines = append(lines, *l)
			}
			back = back && (l.Number != number || l.sum != sum)
			return nil
		})
		if err != nil {
			return 0, err
		}
		if !back {
			for i := range lines {
				each(&lines[i])
			}
			return damaged, nil
		}
		reset()
	}
	return read(ctx, st, 0, func(l *Line) error { each(l); return nil }) // they may be millions
}

// A Reader reads the lines of a journal as they are appended. The zero Reader begins at the first one.
type Reader struct{ last Line }

// Next calls each for the lines since the last call. If the Store is as it was at an earlier time, it calls reset,
// and begins again.
func (r *Reader) Next(ctx context.Context, st store.Store, reset func(), each func(*Line)) error {
	begin := func() {
		r.last = Line{}
		reset()
	}
	_, err := since(ctx, st, r.last.Number, r.last.sum, begin, func(l *Line) {
		each(l)
		r.last = *l
	})
	return err
}

// Answered returns the snapshots that answered, the last one first; see [Snapshots].
func Answered(ctx context.Context, st store.Store, ids ...string) (all []Snapshot, err error) {
	err = Snapshots(ctx, st, ids, func(s *Snapshot) { all = append(all, Snapshot{s.State.Clone(), s.Digest, s.Lists}) })
	slices.Reverse(all)
	return all, err
}

// Find returns the snapshot of a digest that answered last; see [Snapshots].
func Find(ctx context.Context, st store.Store, digest string, ids []string) (found *Snapshot, err error) {
	err = Snapshots(ctx, st, ids, func(s *Snapshot) {
		if s.Digest == digest {
			found = &Snapshot{s.State.Clone(), s.Digest, s.Lists}
		}
	})
	if err == nil && found == nil {
		err = store.ErrNotFound
	}
	return found, err
}

// Entries returns the entries of a list that a source had, as the store has them. Nothing follows an error.
func Entries(ctx context.Context, st store.Store, source string, held *Held) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		f, err := Open(ctx, st, source, held, nil)
		if err != nil {
			yield(sources.Entry{}, err)
			return
		}
		f.Entries()(yield)
	}
}

// ErrNotTaken is wrapped by errors about an intact file whose list is refused, as it would be from its source.
var ErrNotTaken = errors.New("it would be refused")

// IsAtFault reports whether a file, and not the Store, is the reason of err.
func IsAtFault(err error) bool {
	return errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrVersion) || errors.Is(err, store.ErrNotFound) || errors.Is(err, ErrNotTaken)
}

// Open opens a list that a source had, as it was then. Any file that answers for its acceptance will do, because the digest in the
// journal proves it: another file may have another list of the same number, of a time that the journal does not know.
// digestOf, which may be nil, returns the digest of the file that it is given.
func Open(ctx context.Context, st store.Store, source string, held *Held, digestOf func(*stays.File) (string, error)) (*stays.File, error) {
	if digestOf == nil {
		digestOf = (*stays.File).Digest
	}
	var all error
	for range 2 { // a file may be replaced meanwhile
		all = nil
		names, err := Names(ctx, st, source)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !name.Has(source, held.N) {
				continue
			}
			f, err := Load(ctx, st, name)
			if err == nil {
				f, err = f.Cut(held.N, held.Revision)
			}
			digest := ""
			if err == nil {
				digest, err = digestOf(f)
			}
			switch {
			case err == nil && digest == held.Digest:
				return f, nil
			case err == nil:
				err = fmt.Errorf("%s: %w: it has another list of that number", name, store.ErrDamaged)
			case !IsAtFault(err):
				return nil, err
			}
			all = errors.Join(all, err)
		}
		if all != nil && !errors.Is(all, store.ErrNotFound) {
			break
		}
	}
	if all == nil {
		all = fmt.Errorf("list %d of %s: %w", held.N, source, store.ErrNotFound)
	}
	return nil, all
}
