package screening_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// An unreliableStore fails at one of its calls, or from then on until it is mended. Its
// Put calls write twice, as a Put that tries again does.
type unreliableStore struct {
	store.Store
	calls int
	fails int  // the number of the call that fails, counted from 1
	done  bool // the call that fails does its work first
	full  bool // from that call on, nothing can be written
}

var errUnreliable = errors.New("unreliable")

// call counts a call, and calls do unless the call fails.
func (u *unreliableStore) call(writes bool, do func() error) error {
	u.calls++
	switch {
	case u.full && writes && u.calls >= u.fails:
		return store.ErrFull
	case u.full || u.calls != u.fails:
		return do()
	case u.done:
		if err := do(); err != nil {
			return err
		}
	}
	return errUnreliable
}

func (u *unreliableStore) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	return u.call(true, func() error {
		if err := u.Store.Put(ctx, name, write); err != nil {
			return err
		}
		return u.Store.Put(ctx, name, write)
	})
}

func (u *unreliableStore) Open(ctx context.Context, name string) (data []byte, release func() error, err error) {
	err = u.call(false, func() (err error) {
		data, release, err = u.Store.Open(ctx, name)
		return err
	})
	if err != nil && release != nil {
		release()
	}
	return data, release, err
}

func (u *unreliableStore) Names(ctx context.Context) (names []string, err error) {
	err = u.call(false, func() (err error) { names, err = u.Store.Names(ctx); return err })
	return names, err
}

func (u *unreliableStore) Delete(ctx context.Context, name string) error {
	return u.call(false, func() error { return u.Store.Delete(ctx, name) })
}

func (u *unreliableStore) SetAside(ctx context.Context, name string) error {
	return u.call(false, func() error { return u.Store.SetAside(ctx, name) })
}

func (u *unreliableStore) Append(ctx context.Context, lines []byte) error {
	return u.call(true, func() error { return u.Store.Append(ctx, lines) })
}

func (u *unreliableStore) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	next = from
	err = u.call(false, func() (err error) { lines, next, err = u.Store.Read(ctx, from); return err })
	return lines, next, err
}

// TestStoreFailsOnce lets one call of a store fail, each in turn, before or after its work
// is done, and compares the past with what was answered.
func TestStoreFailsOnce(t *testing.T) {
	for _, done := range []bool{false, true} {
		for n := 1; tryFault(t, unreliableStore{fails: n, done: done}, 1); n++ {
		}
	}
}

// tryFault runs two programs, one after the other, on a store that has the given fault. For
// up to lost moments, the past may be an error. It reports false if there were too few calls
// for the fault to occur.
func tryFault(t *testing.T, fault unreliableStore, lost int) bool {
	dir := t.TempDir()
	reached := false
	synctest.Test(t, func(t *testing.T) {
		st := fault
		st.Store = openStore(t, dir)
		src := &flaky{info: ofac}
		var moments []moment
		for run := range 2 {
			s := newScreener(t, &screening.Options{Store: &st}, src)
			s.Open(ctx) // what fails here is tried again
			for i, n := range []int{1, 2, 2, 3} {
				time.Sleep(time.Hour)
				src.load = numbered(n+3*run, n, n+1)
				refresh(t, s)
				if i == 2 {
					err := s.SetExceptions(ctx, []screening.Exception{{
						Address: address.MustParse("ethereum", clean), Reason: fmt.Sprint(run), Author: "test", Created: time.Now(),
					}})
					if err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				moments = append(moments, momentOf(t, s))
			}
			reached = st.calls >= fault.fails
			if fault.full {
				st.full, st.fails = false, 0
			}
			time.Sleep(time.Hour)
		}
		st.fails = 0
		for i, m := range moments {
			p, err := screening.OpenAt(ctx, &st, m.at, []sources.Source{src}, nil)
			if err == nil {
				err = m.same(t, p)
			} else if lost--; lost >= 0 && isLost(err) {
				continue
			}
			if err != nil {
				t.Errorf("fault %+v, moment %d: %v", fault, i, err)
			}
			p, err = screening.OpenDigest(ctx, &st, m.digest, []sources.Source{src}, nil)
			if err != nil {
				t.Errorf("fault %+v, moment %d: OpenDigest: %v", fault, i, err)
			} else if got := momentOf(t, p); got.digest != m.digest || got.listed != m.listed {
				t.Errorf("fault %+v, moment %d: OpenDigest opens %s, want %s", fault, i, got.listed, m.listed)
			}
		}
	})
	return reached
}

// isLost reports whether err says that the past is not known.
func isLost(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged)
}
