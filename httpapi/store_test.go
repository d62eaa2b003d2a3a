package httpapi_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A hookedStore is an access.Store in memory that calls a hook before each call takes effect, and after
// that, with the name of the method, but Look for a Claim that only looks. An error of the hook is the
// error of the call.
type hookedStore struct {
	access.Store
	hook atomic.Pointer[func(call string, done bool) error]
}

func newStore() *hookedStore { return &hookedStore{Store: access.NewMemory()} }

// failWhen makes the calls fail for which fails reports true.
func (s *hookedStore) failWhen(fails func(call string, done bool) bool) {
	hook := func(call string, done bool) error {
		if fails(call, done) {
			return errors.New("connection refused")
		}
		return nil
	}
	s.hook.Store(&hook)
}

// fail makes all calls fail.
func (s *hookedStore) fail() { s.failWhen(func(string, bool) bool { return true }) }

// stall makes calls wait until the function that it returns is called.
func (s *hookedStore) stall() (release func()) {
	released := make(chan struct{})
	s.failWhen(func(string, bool) bool { <-released; return false })
	return func() { close(released) }
}

func (s *hookedStore) do(call string, f func() error) error {
	hook := func(string, bool) error { return nil }
	if set := s.hook.Load(); set != nil {
		hook = *set
	}
	if err := hook(call, false); err != nil {
		return err
	}
	return errors.Join(f(), hook(call, true))
}

func (s *hookedStore) Key(ctx context.Context, id string) (k access.Key, err error) {
	err = s.do("Key", func() (err error) { k, err = s.Store.Key(ctx, id); return err })
	return k, err
}

func (s *hookedStore) Touch(ctx context.Context, at map[string]time.Time) error {
	return s.do("Touch", func() error { return s.Store.Touch(ctx, at) })
}

func (s *hookedStore) Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, changed time.Time, err error) {
	err = s.do("Lease", func() (err error) {
		granted, leased, changed, err = s.Store.Lease(ctx, id, m, n, limit)
		return err
	})
	return granted, leased, changed, err
}

func (s *hookedStore) Claim(ctx context.Context, c access.Claim) (held access.Claim, err error) {
	call := "Claim"
	if c.Expires.IsZero() {
		call = "Look"
	}
	err = s.do(call, func() (err error) { held, err = s.Store.Claim(ctx, c); return err })
	return held, err
}

func (s *hookedStore) Unclaim(ctx context.Context, c access.Claim) error {
	return s.do("Unclaim", func() error { return s.Store.Unclaim(ctx, c) })
}

// issue stores a new key and returns its token.
func issue(t testing.TB, s access.Store, k access.Key) string {
	t.Helper()
	token, k, err := access.NewKey(k)
	if err == nil {
		err = s.PutKey(t.Context(), k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return token
}
