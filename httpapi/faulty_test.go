package httpapi_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A faultyStore is a Store in memory that is out of reach while it is down, and
// counts what it is asked for.
type faultyStore struct {
	*httpapi.Memory
	down  atomic.Bool
	gone  atomic.Bool // as down, but Return and Leased seem to work
	deaf  atomic.Bool // the Leases are done, but the answers are lost
	calls atomic.Int64

	noLease atomic.Bool // Lease fails, and nothing else

	// Claims fail: 1 before they are made, 2 after it, 3 after it and Unclaims, too.
	claims atomic.Int64

	returnedInVain atomic.Int64 // what Return was given while the store was down

	mu   sync.Mutex
	hold chan struct{} // not nil: Lease and Key wait for it
}

func newFaultyStore(down bool) *faultyStore {
	s := &faultyStore{Memory: httpapi.NewMemory()}
	s.down.Store(down)
	return s
}

var errDown = errors.New("connection refused")

func (s *faultyStore) fault(ctx context.Context) error {
	s.calls.Add(1)
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
	if s.down.Load() || s.gone.Load() {
		return errDown
	}
	return nil
}

// stall makes calls wait until the function that it returns is called.
func (s *faultyStore) stall() (release func()) {
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

func (s *faultyStore) Key(ctx context.Context, id string) (httpapi.Key, error) {
	if err := s.fault(ctx); err != nil {
		return httpapi.Key{}, err
	}
	return s.Memory.Key(ctx, id)
}

func (s *faultyStore) Used(ctx context.Context, at map[string]time.Time) error {
	if err := s.fault(ctx); err != nil {
		return err
	}
	return s.Memory.Used(ctx, at)
}

func (s *faultyStore) Lease(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
	if err := s.fault(ctx); err != nil {
		return 0, 0, err
	}
	if s.noLease.Load() {
		return 0, 0, errDown
	}
	granted, leased, err := s.Memory.Lease(ctx, id, m, n, limit)
	if s.deaf.Load() {
		return 0, 0, errDown
	}
	return granted, leased, err
}

func (s *faultyStore) Return(ctx context.Context, id string, m httpapi.Month, n int64) error {
	if s.gone.Load() {
		return nil
	}
	if err := s.fault(ctx); err != nil {
		s.returnedInVain.Add(n)
		return err
	}
	return s.Memory.Return(ctx, id, m, n)
}

func (s *faultyStore) Leased(ctx context.Context, id string, m httpapi.Month) (int64, error) {
	if s.gone.Load() {
		return 0, nil
	}
	if err := s.fault(ctx); err != nil {
		return 0, err
	}
	return s.Memory.Leased(ctx, id, m)
}

func (s *faultyStore) Claim(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
	if err := s.fault(ctx); err != nil {
		return httpapi.Claim{}, false, err
	}
	if s.claims.Load() == 1 {
		return httpapi.Claim{}, false, errDown
	}
	held, fresh, err := s.Memory.Claim(ctx, c)
	if s.claims.Load() > 1 {
		return httpapi.Claim{}, false, errDown
	}
	return held, fresh, err
}

func (s *faultyStore) Unclaim(ctx context.Context, c httpapi.Claim) error {
	if err := s.fault(ctx); err != nil {
		return err
	}
	if s.claims.Load() == 3 {
		return errDown
	}
	return s.Memory.Unclaim(ctx, c)
}
