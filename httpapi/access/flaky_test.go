package access_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A flakyStore is an [access.Store] in memory that fails on demand, and counts its calls.
type flakyStore struct {
	access.Store
	Down  atomic.Bool  // all calls fail
	Calls atomic.Int64 // without Reads
	Reads atomic.Int64 // calls of Lease that lease nothing

	ReturnedInVain atomic.Int64 // what was returned by calls that failed

	mu    sync.Mutex
	fails func(call string, done bool) bool
	hold  chan struct{} // if not nil, calls wait for it
}

func newFlaky(down bool) *flakyStore {
	s := &flakyStore{Store: access.NewMemory()}
	s.Down.Store(down)
	return s
}

// Fail makes calls fail for which fails reports true: before they take effect, or after
// that, if done is true. A call is the name of the method, but Look for a Claim that only
// looks, and Read for a Lease of nothing.
func (s *flakyStore) Fail(fails func(call string, done bool) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = fails
}

var errDown = errors.New("connection refused")

// do makes a call.
func (s *flakyStore) do(ctx context.Context, call string, f func() error) error {
	if call == "Read" {
		s.Reads.Add(1)
	} else {
		s.Calls.Add(1)
	}
	s.mu.Lock()
	hold, fails := s.hold, s.fails
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.Down.Load() || fails != nil && fails(call, false) {
		return errDown
	}
	err := f()
	if err == nil && fails != nil && fails(call, true) {
		return errDown
	}
	return err
}

// Stall makes calls wait until the function that it returns is called.
func (s *flakyStore) Stall() (release func()) {
	hold := make(chan struct{})
	s.mu.Lock()
	s.hold = hold
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.hold = nil
		s.mu.Unlock()
		close(hold)
	}
}

// Key implements [access.Store].
func (s *flakyStore) Key(ctx context.Context, id string) (k access.Key, err error) {
	err = s.do(ctx, "Key", func() (err error) { k, err = s.Store.Key(ctx, id); return err })
	return k, err
}

// Touch implements [access.Store].
func (s *flakyStore) Touch(ctx context.Context, at map[string]time.Time) error {
	return s.do(ctx, "Touch", func() error { return s.Store.Touch(ctx, at) })
}

// Lease implements [access.Store].
func (s *flakyStore) Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, changed time.Time, err error) {
	call := "Lease"
	if n == 0 {
		call = "Read"
	}
	err = s.do(ctx, call, func() (err error) {
		granted, leased, changed, err = s.Store.Lease(ctx, id, m, n, limit)
		return err
	})
	if err != nil && n < 0 {
		s.ReturnedInVain.Add(-n)
	}
	return granted, leased, changed, err
}

// Claim implements [access.Store].
func (s *flakyStore) Claim(ctx context.Context, c access.Claim) (held access.Claim, err error) {
	call := "Claim"
	if c.Expires.IsZero() {
		call = "Look"
	}
	err = s.do(ctx, call, func() (err error) { held, err = s.Store.Claim(ctx, c); return err })
	return held, err
}

// Unclaim implements [access.Store].
func (s *flakyStore) Unclaim(ctx context.Context, c access.Claim) error {
	return s.do(ctx, "Unclaim", func() error { return s.Store.Unclaim(ctx, c) })
}

// issue stores a new key and returns its token.
func issue(t testing.TB, s access.Store, k access.Key) string {
	t.Helper()
	token, k, err := access.NewKey(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutKey(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return token
}

// change changes the stored key with an id.
func change(t testing.TB, s access.Store, id string, by func(*access.Key)) {
	t.Helper()
	k, err := s.Key(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	by(&k)
	if err := s.PutKey(t.Context(), k); err != nil {
		t.Fatal(err)
	}
}
