package screening

import (
	"context"
	"fmt"
	"slices"

	"github.com/walletscreen/walletscreen/sources"
)

// A checkedStore is a Store that is not ours, of which nothing is believed that can
// be checked: the names it gives are brought into order, what is not what was asked
// for is damaged, and a panic is an error.
type checkedStore struct{ sources.Store }

// checked returns st as a checkedStore, nil for nil.
func checked(st sources.Store) sources.Store {
	if st == nil {
		return nil
	}
	return checkedStore{st}
}

// caught makes a panic of a Store an error. It is deferred.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}

func (c checkedStore) Save(ctx context.Context, l *sources.List) (err error) {
	defer caught(&err)
	return c.Store.Save(ctx, l)
}

func (c checkedStore) Confirm(ctx context.Context, source string, rev sources.Revision) (err error) {
	defer caught(&err)
	return c.Store.Confirm(ctx, source, rev)
}

func (c checkedStore) SaveSnapshot(ctx context.Context, s *sources.Snapshot) (err error) {
	defer caught(&err)
	return c.Store.SaveSnapshot(ctx, s)
}

func (c checkedStore) Revisions(ctx context.Context, source string) (names []sources.Stored, err error) {
	defer caught(&err)
	names, err = c.Store.Revisions(ctx, source)
	return newestFirst(names), err
}

func (c checkedStore) Snapshots(ctx context.Context) (names []sources.Stored, err error) {
	defer caught(&err)
	names, err = c.Store.Snapshots(ctx)
	return newestFirst(names), err
}

func newestFirst(names []sources.Stored) []sources.Stored {
	newer := func(a, b sources.Stored) int { return b.Accepted.Compare(a.Accepted) }
	if !slices.IsSortedFunc(names, newer) {
		names = slices.Clone(names)
		slices.SortStableFunc(names, newer)
	}
	return names
}

func (c checkedStore) Load(ctx context.Context, source string, s sources.Stored) (l *sources.List, err error) {
	defer caught(&err)
	if l, err = c.Store.Load(ctx, source, s); err != nil {
		return nil, err
	}
	if l == nil || l.Info.ID != source || l.Revision.Digest != s.Digest || !l.Accepted.Equal(s.Accepted) {
		return nil, fmt.Errorf("%w: it is another one", sources.ErrDamaged)
	}
	return l, nil
}

func (c checkedStore) LoadSnapshot(ctx context.Context, s sources.Stored) (snap *sources.Snapshot, err error) {
	defer caught(&err)
	if snap, err = c.Store.LoadSnapshot(ctx, s); err != nil {
		return nil, err
	}
	if snap == nil || snap.Digest != s.Digest || !snap.Since.Equal(s.Accepted) {
		return nil, fmt.Errorf("%w: it is another one", sources.ErrDamaged)
	}
	return snap, nil
}
