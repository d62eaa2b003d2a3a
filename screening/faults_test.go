package screening_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
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
	slow  bool // that call does not fail: it takes two minutes, or until its context ends
	full  bool // from that call on, nothing can be written
	dark  bool // all calls fail
}

var errUnreliable = errors.New("unreliable")

// call counts a call, and calls do unless the call fails.
func (u *unreliableStore) call(ctx context.Context, writes bool, do func() error) error {
	u.calls++
	switch {
	case u.slow && u.calls == u.fails:
		if u.done {
			if err := do(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Minute):
		}
		if u.done {
			return nil
		}
		return do()
	case u.slow:
		return do()
	case u.dark:
		return errUnreliable
	case u.full && writes && u.calls >= u.fails:
		return errUnreliable
	case u.full || u.calls != u.fails:
		return do()
	case u.done:
		if err := do(); err != nil {
			return err
		}
	}
	return errUnreliable
}

func (u *unreliableStore) Put(ctx context.Context, name string, data []byte) error {
	return u.call(ctx, true, func() error {
		if err := u.Store.Put(ctx, name, data); err != nil {
			return err
		}
		return u.Store.Put(ctx, name, data)
	})
}

func (u *unreliableStore) Open(ctx context.Context, name string) (data []byte, err error) {
	err = u.call(ctx, false, func() (err error) { data, err = u.Store.Open(ctx, name); return err })
	return data, err
}

func (u *unreliableStore) Names(ctx context.Context) (names []string, err error) {
	err = u.call(ctx, false, func() (err error) { names, err = u.Store.Names(ctx); return err })
	return names, err
}

func (u *unreliableStore) Delete(ctx context.Context, name string) error {
	return u.call(ctx, false, func() error { return u.Store.Delete(ctx, name) })
}

func (u *unreliableStore) Append(ctx context.Context, number uint64, line []byte) error {
	return u.call(ctx, true, func() error { return u.Store.Append(ctx, number, line) })
}

func (u *unreliableStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	return u.call(ctx, false, func() error { return u.Store.Read(ctx, from, each) })
}

// A sharedUnreliable is an unreliableStore that replicas share.
type sharedUnreliable struct{ *unreliableStore }

func (u sharedUnreliable) Wait(ctx context.Context, from uint64) (uint64, error) {
	<-ctx.Done()
	return from, ctx.Err()
}

func (u sharedUnreliable) Lead(ctx context.Context, _ string) (bool, error) {
	return true, u.call(ctx, false, func() error { return nil })
}

func (u sharedUnreliable) Resign(ctx context.Context, _ string) error {
	return u.call(ctx, false, func() error { return nil })
}

// TestStoreFailsOnce lets one call of a store fail, each in turn, before or after its work
// is done, and compares the past with what was answered.
func TestStoreFailsOnce(t *testing.T) {
	for _, shared := range []bool{false, true} {
		for _, done := range []bool{false, true} {
			tryFaults(t, unreliableStore{done: done}, shared, 1)
		}
	}
}

// TestStoreSlow lets one call of a store take two minutes, each in turn, before or after its work
// is done, and compares the past with what was answered. The long test also does so with a
// store that replicas share.
func TestStoreSlow(t *testing.T) {
	for shared := range longtest.N(1, 2) {
		for _, done := range []bool{false, true} {
			tryFaults(t, unreliableStore{done: done, slow: true}, shared == 1, 1)
		}
	}
}

// TestStoreFull lets a store be full from one of its calls on, each in turn, until the
// program is restarted.
func TestStoreFull(t *testing.T) {
	for _, shared := range []bool{false, true} {
		tryFaults(t, unreliableStore{full: true}, shared, 100)
	}
}

// tryFaults calls tryFault with a fault of each call of the store. The short test lets every third
// call fail, and other ones if it is done, or shared.
func tryFaults(t *testing.T, fault unreliableStore, shared bool, lost int) {
	step := longtest.N(3, 1)
	if fault.fails = 1; step > 1 && fault.done {
		fault.fails++
	}
	if step > 1 && shared {
		fault.fails++
	}
	for tryFault(t, fault, shared, lost) {
		fault.fails += step
	}
}

// tryFault runs two programs, one after the other, on a store that has the given fault. For
// up to lost moments, the past may be an error. It reports false if there were too few calls
// for the fault to occur. In a store that replicas share, a list that cannot be saved is not
// accepted.
func tryFault(t *testing.T, fault unreliableStore, shared bool, lost int) bool {
	reached := false
	synctest.Test(t, func(t *testing.T) {
		st := fault
		st.Store = new(storetest.Memory)
		var used store.Store = &st
		if shared {
			used = sharedUnreliable{&st}
		}
		src := &flaky{info: ofac}
		var moments []moment
		for run := range 2 {
			s := newScreener(t, &screening.Options{Store: used}, src)
			s.Open(ctx) // what fails here is tried again
			for i, n := range []int{1, 2, 2} {
				time.Sleep(time.Hour)
				src.load = numbered(n+3*run, n, n+1)
				if _, err := s.Refresh(ctx); err != nil && !s.Sources()[0].Loaded() {
					continue // there is nothing to ask
				}
				if i == 2 {
					err := s.SetExceptions(ctx, []screening.Exception{{
						Address: address.MustParse("ethereum", clean), Reason: fmt.Sprint(run), Author: "test", Created: time.Now(),
					}})
					if err != nil && !isLost(err) && !errors.Is(err, errUnreliable) && !errors.Is(err, context.DeadlineExceeded) {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				m := momentOf(t, s)
				m.unsaved = s.Sources()[0].StoreErr != nil
				moments = append(moments, m)
			}
			reached = st.calls >= fault.fails
			if fault.full {
				st.full, st.fails = false, 0
			}
			time.Sleep(time.Hour)
		}
		st.fails = 0
		for i, m := range moments {
			p, err := screening.OpenAt(ctx, used, m.at, []sources.Source{src}, nil)
			if err == nil {
				err = m.same(t, p)
				if got := momentOf(t, p); got.listed == m.listed && got.digest == m.digest {
					err = nil // it was not sure of a check
				}
			} else if lost--; isLost(err) && (lost >= 0 || m.unsaved) {
				continue
			}
			if m.unsaved && fault.full {
				continue // the program ended before it could say what matched beside the list held
			}
			if err != nil {
				t.Errorf("fault %+v, shared %v, moment %d: %v", fault, shared, i, err)
			}
			p, err = screening.OpenDigest(ctx, used, m.digest, []sources.Source{src}, nil)
			if m.unsaved && errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				t.Errorf("fault %+v, shared %v, moment %d: OpenDigest: %v", fault, shared, i, err)
			} else if got := momentOf(t, p); got.digest != m.digest || got.listed != m.listed {
				t.Errorf("fault %+v, shared %v, moment %d: OpenDigest opens %s, want %s", fault, shared, i, got.listed, m.listed)
			}
		}
	})
	return reached
}

// isLost reports whether err says that the past is not known.
func isLost(err error) bool {
	return errors.Is(err, store.ErrGap) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged)
}
