package screening_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A memory is a Store that loses all when the program ends.
type memory struct {
	files   map[string][]byte
	journal []byte
}

func (m *memory) Put(_ context.Context, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		m.files[name] = b.Bytes()
	}
	return err
}

func (m *memory) Open(_ context.Context, name string) ([]byte, error) {
	if data, ok := m.files[name]; ok {
		return data, nil
	}
	return nil, store.ErrNotFound
}

func (m *memory) Names(context.Context) ([]string, error) {
	return slices.Collect(maps.Keys(m.files)), nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	if _, ok := m.files[name]; !ok {
		return store.ErrNotFound
	}
	delete(m.files, name)
	return nil
}

func (m *memory) SetAside(ctx context.Context, name string) error { return m.Delete(ctx, name) }

func (m *memory) Append(_ context.Context, lines []byte) error {
	m.journal = append(m.journal, lines...)
	return nil
}

func (m *memory) Read(_ context.Context, from int64) ([]byte, int64, error) {
	return m.journal[from:], int64(len(m.journal)), nil
}

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
	return u.call(ctx, true, func() error {
		if err := u.Store.Put(ctx, name, write); err != nil {
			return err
		}
		return u.Store.Put(ctx, name, write)
	})
}

func (u *unreliableStore) Open(ctx context.Context, name string) (data []byte, err error) {
	err = u.call(ctx, false, func() (err error) {
		data, err = u.Store.Open(ctx, name)
		return err
	})
	return data, err
}

func (u *unreliableStore) Names(ctx context.Context) (names []string, err error) {
	err = u.call(ctx, false, func() (err error) { names, err = u.Store.Names(ctx); return err })
	return names, err
}

func (u *unreliableStore) Delete(ctx context.Context, name string) error {
	return u.call(ctx, false, func() error { return u.Store.Delete(ctx, name) })
}

func (u *unreliableStore) SetAside(ctx context.Context, name string) error {
	return u.call(ctx, false, func() error { return u.Store.SetAside(ctx, name) })
}

func (u *unreliableStore) Append(ctx context.Context, lines []byte) error {
	return u.call(ctx, true, func() error { return u.Store.Append(ctx, lines) })
}

func (u *unreliableStore) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	next = from
	err = u.call(ctx, false, func() (err error) { lines, next, err = u.Store.Read(ctx, from); return err })
	return lines, next, err
}

// A sharedUnreliable is an unreliableStore that replicas share.
type sharedUnreliable struct{ *unreliableStore }

func (u sharedUnreliable) Wait(ctx context.Context, from int64) (int64, error) {
	<-ctx.Done()
	return from, ctx.Err()
}

func (u sharedUnreliable) Lead(ctx context.Context, _ string) (bool, error) {
	return true, u.call(ctx, false, func() error { return nil })
}

func (u sharedUnreliable) Resign(ctx context.Context, _ string) error {
	return u.call(ctx, false, func() error { return nil })
}

func (u sharedUnreliable) Lock(ctx context.Context, _ string) (func(), error) {
	return func() {}, u.call(ctx, false, func() error { return nil })
}

// TestStoreFailsOnce lets one call of a store fail, each in turn, before or after its work
// is done, and compares the past with what was answered.
func TestStoreFailsOnce(t *testing.T) {
	for _, shared := range []bool{false, true} {
		for _, done := range []bool{false, true} {
			for n := 1; tryFault(t, unreliableStore{fails: n, done: done}, shared, 1); n++ {
			}
		}
	}
}

// TestStoreSlow lets one call of a store take two minutes, each in turn, before or after its work
// is done, and compares the past with what was answered. The long test also does so with a
// store that replicas share.
func TestStoreSlow(t *testing.T) {
	for shared := range longtest.N(1, 2) {
		for _, done := range []bool{false, true} {
			for n := 1; tryFault(t, unreliableStore{fails: n, done: done, slow: true}, shared == 1, 1); n++ {
			}
		}
	}
}

// TestStoreFull lets a store be full from one of its calls on, each in turn, until the
// program is restarted.
func TestStoreFull(t *testing.T) {
	for _, shared := range []bool{false, true} {
		for n := 1; tryFault(t, unreliableStore{fails: n, full: true}, shared, 100); n++ {
		}
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
		st.Store = &memory{files: make(map[string][]byte)}
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
				if _, err := s.Refresh(ctx); err != nil && !shared {
					t.Fatal(err)
				} else if err != nil && !s.Sources()[0].Loaded() {
					continue // there is nothing to ask
				}
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
			p, err := screening.OpenAt(ctx, used, m.at, []sources.Source{src}, nil)
			if err == nil {
				err = m.same(t, p)
			} else if lost--; lost >= 0 && isLost(err) {
				continue
			}
			if err != nil {
				t.Errorf("fault %+v, shared %v, moment %d: %v", fault, shared, i, err)
			}
			p, err = screening.OpenDigest(ctx, used, m.digest, []sources.Source{src}, nil)
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

// TestManyPending sets exceptions more often than events can wait for a journal that
// cannot be written. Those that are dropped are a gap.
func TestManyPending(t *testing.T) {
	const changes = 1300
	synctest.Test(t, func(t *testing.T) {
		st := &unreliableStore{Store: &memory{files: make(map[string][]byte)}}
		src := &flaky{info: ofac, load: numbered(1, 1)}
		s := newScreener(t, &screening.Options{Store: st}, src)
		refresh(t, s)
		st.dark = true
		digests := make(map[time.Time]string)
		for i := range changes {
			time.Sleep(time.Minute)
			e := screening.Exception{Address: address.MustParse("ethereum", clean), Reason: fmt.Sprint(i), Author: "test"}
			if err := s.SetExceptions(ctx, []screening.Exception{e}); err != nil {
				t.Fatal(err)
			}
			if i%20 == 0 {
				digests[time.Now()] = s.Digest()
			}
		}
		time.Sleep(time.Minute)
		st.dark = false
		refresh(t, s)
		gaps := 0
		for at, want := range digests {
			past, err := screening.OpenAt(ctx, st, at, []sources.Source{src}, nil)
			switch {
			case errors.Is(err, store.ErrGap):
				gaps++
			case err != nil:
				t.Fatal(err)
			default:
				if r, err := past.ScreenText("ethereum", clean); err != nil || r.Digest() != want {
					t.Errorf("at %v: %v, %s, want %s", at, err, r.Digest(), want)
				}
			}
		}
		if gaps == 0 || gaps > len(digests)/3 {
			t.Errorf("%d of %d instants are in a gap", gaps, len(digests))
		}
	})
}

// TestStrictJournal gives no answer while the journal cannot be written.
func TestStrictJournal(t *testing.T) {
	if _, err := screening.New([]sources.Source{staticOf(nil)}, &screening.Options{StrictJournal: true}); err == nil {
		t.Error("a strict journal without a Store")
	}
	st := &faultyStore{Store: openStore(t, t.TempDir())}
	src := &flaky{info: ofac, load: numbered(1, 1)}
	s := newScreener(t, &screening.Options{Store: st, StrictJournal: true}, src)
	refresh(t, s)
	ask := func(want error) {
		t.Helper()
		if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%v, want %v", err, want)
		}
	}
	ask(nil)
	full := errors.New("disk full")
	st.append = full
	src.load = numbered(2, 2)
	refresh(t, s)
	ask(screening.ErrJournal)
	ask(full)
	st.append = nil
	refresh(t, s)
	ask(nil)
}
