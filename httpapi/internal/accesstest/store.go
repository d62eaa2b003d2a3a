// Package accesstest has a Store that fails on demand, and makes keys, for tests.
package accesstest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A Store is an [access.Store] in memory that fails while Down, and counts its calls.
type Store struct {
	access.Store
	Down  atomic.Bool
	Gone  atomic.Bool // like down, but Return and Account seem to work
	Deaf  atomic.Bool // Lease takes effect, but its answer is lost
	Calls atomic.Int64

	NoLease atomic.Bool // only Lease fails

	// Claim fails: 1 before it takes effect, 2 after it, 3 after it, and Unclaim too.
	Claims atomic.Int64

	ReturnedInVain atomic.Int64 // the sum of failed Returns
	Reads          atomic.Int64 // calls of Account

	mu   sync.Mutex
	hold chan struct{} // if not nil, calls wait for it
}

func New(down bool) *Store {
	s := &Store{Store: access.NewMemory()}
	s.Down.Store(down)
	return s
}

var errDown = errors.New("connection refused")

func (s *Store) fault(ctx context.Context) error {
	s.Calls.Add(1)
	return s.quietFault(ctx)
}

// quietFault is fault for calls that are not counted.
func (s *Store) quietFault(ctx context.Context) error {
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.Down.Load() || s.Gone.Load() {
		return errDown
	}
	return nil
}

// Stall makes calls wait until the function that it returns is called.
func (s *Store) Stall() (release func()) {
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
func (s *Store) Key(ctx context.Context, id string) (access.Key, error) {
	if err := s.fault(ctx); err != nil {
		return access.Key{}, err
	}
	return s.Store.Key(ctx, id)
}

// Touch implements [access.Store].
func (s *Store) Touch(ctx context.Context, at map[string]time.Time) error {
	if err := s.fault(ctx); err != nil {
		return err
	}
	return s.Store.Touch(ctx, at)
}

// Lease implements [access.Store].
func (s *Store) Lease(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
	if err := s.fault(ctx); err != nil {
		return 0, 0, err
	}
	if s.NoLease.Load() {
		return 0, 0, errDown
	}
	granted, leased, err := s.Store.Lease(ctx, id, m, n, limit)
	if s.Deaf.Load() {
		return 0, 0, errDown
	}
	return granted, leased, err
}

// Return implements [access.Store].
func (s *Store) Return(ctx context.Context, id string, m int, n int64) error {
	if s.Gone.Load() {
		return nil
	}
	if err := s.fault(ctx); err != nil {
		s.ReturnedInVain.Add(n)
		return err
	}
	return s.Store.Return(ctx, id, m, n)
}

// Account implements [access.Store].
func (s *Store) Account(ctx context.Context, id string, m int) (int64, time.Time, error) {
	s.Reads.Add(1)
	if s.Gone.Load() {
		return 0, time.Time{}, nil
	}
	if err := s.quietFault(ctx); err != nil {
		return 0, time.Time{}, err
	}
	return s.Store.Account(ctx, id, m)
}

// Claim implements [access.Store].
func (s *Store) Claim(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
	if err := s.fault(ctx); err != nil {
		return access.Claim{}, false, err
	}
	if s.Claims.Load() == 1 {
		return access.Claim{}, false, errDown
	}
	held, fresh, err := s.Store.Claim(ctx, c)
	if s.Claims.Load() > 1 && !c.Expires.IsZero() {
		return access.Claim{}, false, errDown
	}
	return held, fresh, err
}

// Unclaim implements [access.Store].
func (s *Store) Unclaim(ctx context.Context, c access.Claim) error {
	if err := s.fault(ctx); err != nil {
		return err
	}
	if s.Claims.Load() == 3 {
		return errDown
	}
	return s.Store.Unclaim(ctx, c)
}

// Issue stores a new key and returns its token.
func Issue(t testing.TB, s access.Store, k access.Key) string {
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

// Change changes the stored key with an id.
func Change(t testing.TB, s access.Store, id string, by func(*access.Key)) {
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
