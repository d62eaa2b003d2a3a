package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Reader reads the lines of a journal as they are appended. The zero Reader begins at the first one.
type Reader struct{ last Line }

// Next calls each for the lines since the last call. If the Store is as it was at an earlier time, it calls reset,
// and begins again.
func (r *Reader) Next(ctx context.Context, st store.Store, reset func(), each func(*Line)) error {
	lines, _, found, err := read(ctx, unwrap(st), r.last.Number, r.last.Number, r.last.sum)
	if err == nil && r.last.Number > 0 && !found {
		r.last = Line{}
		reset()
		lines, _, _, err = read(ctx, unwrap(st), 0, 0, "")
	}
	if err != nil {
		return err
	}
	for i := range lines {
		if lines[i].Number > r.last.Number {
			each(&lines[i])
			r.last = lines[i]
		}
	}
	return nil
}

// Answered returns the snapshots that answered, the last one first; see [Snapshots].
func Answered(ctx context.Context, st store.Store, ids ...string) (all []Snapshot, err error) {
	err = Snapshots(ctx, st, ids, func(s *Snapshot) bool {
		c := *s
		c.State = s.State.Clone()
		all = append(all, c)
		return true
	})
	slices.Reverse(all)
	return all, err
}

// Find returns the snapshot of a digest that answered last; see [Snapshots].
func Find(ctx context.Context, st store.Store, digest string, ids []string) (found *Snapshot, err error) {
	err = Snapshots(ctx, st, ids, func(s *Snapshot) bool {
		if s.Digest == digest {
			found = &Snapshot{s.State.Clone(), s.Digest, s.Lists}
		}
		return true
	})
	if err == nil && found == nil {
		err = store.ErrNotFound
	}
	return found, err
}

// IsKept reports whether a Store has files that answer for all lists of s.
func (s *Snapshot) IsKept(ctx context.Context, st store.Store) (bool, error) {
	for _, id := range s.Lists {
		names, err := Covering(ctx, st, id, s.Held[id].N)
		if len(names) == 0 || err != nil {
			return false, err
		}
	}
	return true, nil
}

// SnapshotAt returns what answered at a time, of all lists.
func SnapshotAt(ctx context.Context, st store.Store, at time.Time) (*Snapshot, error) {
	s, err := At(ctx, st, at, time.Now().Add(time.Minute), nil)
	if err != nil {
		return nil, err
	}
	digest, lists := s.DigestOf(s.ids())
	return &Snapshot{s, digest, lists}, nil
}

// Entries returns the entries of a list that a source had, as the store has them. Nothing follows an error.
func Entries(ctx context.Context, st store.Store, source string, held *Held) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		f, err := Open(ctx, st, source, held)
		if err != nil {
			yield(sources.Entry{}, err)
			return
		}
		for e, err := range f.At(held.N) {
			if err == nil && !e.Until.IsZero() {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// IsAtFault reports whether a file, and not the Store, is the reason of err.
func IsAtFault(err error) bool {
	return errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrVersion) || errors.Is(err, store.ErrNotFound)
}

// Open opens a file that has a list that a source had. The digest proves it: another file may have another list of the same number,
// of a time that the journal does not know.
func Open(ctx context.Context, st store.Store, source string, held *Held) (*stays.File, error) {
	names, err := Covering(ctx, st, source, held.N)
	if err == nil {
		err = fmt.Errorf("list %d of %s: %w", held.N, source, store.ErrNotFound)
	}
	for _, name := range names {
		var f *stays.File
		var digest string
		if f, err = Load(ctx, st, name); err == nil {
			digest, err = f.Digest(held.N)
		}
		switch {
		case err == nil && digest == held.Digest:
			return f, nil
		case err == nil:
			err = fmt.Errorf("%s: %w: it has another list of that number", name, store.ErrDamaged)
		case !IsAtFault(err):
			return nil, err
		}
	}
	return nil, err
}
