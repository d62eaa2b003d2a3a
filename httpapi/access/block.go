package access

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	blockShare = 20  // a block is this part of the rest of a quota,
	maxBlock   = 256 // and at most this
	lowWater   = 4   // the next block is fetched when less than this part of one is left

	blockHold = 5 * time.Second  // after which the rest of a block is returned; looked at as often
	quotaIdle = 10 * time.Minute // after which a caller does not count as active
)

// blockReturns is the time after which no working process holds a block that it leased
// before.
const blockReturns = 2*blockHold + storePatience

// owedPause is the pause between two leases of what a caller without a limit was granted.
const owedPause = 10 * time.Millisecond

// call makes calls of the store about q, within its time limit, when no others are under
// way. An error is an [httpapi.ErrUnavailable].
func (r *Keyring) call(ctx context.Context, q *quota, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
	}
	err := do(ctx)
	if err == nil || ctx.Err() != context.Canceled { // else the client has gone
		r.outage.report(err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	return nil
}

// refresh reads what all processes have leased, unless another goroutine has done so since
// a time when its turn comes.
func (r *Keyring) refresh(ctx context.Context, q *quota, since time.Time, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.call(ctx, q, func(ctx context.Context) error {
		q.mu.Lock()
		known := q.leased >= 0 && !q.asked.Before(since)
		q.mu.Unlock()
		if known {
			return nil
		}
		at := time.Now()
		leased, _, err := r.store.Account(ctx, q.id, q.month)
		if err != nil {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.leased, q.asked = leased, at
		return nil
	})
}

// lease leases the next block of q, or what a caller without a limit owes. If it fails, it
// returns the time before which not to try again.
func (r *Keyring) lease(q *quota) (retry time.Time, err error) {
	for owes := true; owes && err == nil; {
		if err = r.leaseOnce(q); err != nil {
			return time.Now().Add(refusalHolds), err
		}
		q.mu.Lock()
		closed := q.closed
		owes = q.free < 0 && !closed
		q.mu.Unlock()
		switch {
		case closed:
			r.settle(context.Background(), q)
		case owes:
			time.Sleep(owedPause)
		}
	}
	return time.Time{}, nil
}

// leaseOnce makes one call for lease. The error is an exhausted, or from the store.
func (r *Keyring) leaseOnce(q *quota) error {
	var refused error
	err := r.call(context.Background(), q, func(ctx context.Context) error {
		if err := r.giveBack(ctx, q); err != nil {
			return err
		}
		q.mu.Lock()
		limit, n := q.limit, max(q.block(), q.need)-q.free
		if _, _, last := q.leasing.state(); last != nil && !isExhausted(last) { // that block may be lost already
			n = min(n, max(1, 1-q.free))
		}
		q.need = 0
		q.mu.Unlock()
		if n <= 0 {
			return nil // some was refunded
		}
		if limit == 0 {
			limit = math.MaxInt64
		}
		at := time.Now()
		granted, leased, err := r.store.Lease(ctx, q.id, q.month, n, limit)
		if err != nil {
			return err
		}
		r.leases.Add(1)
		q.mu.Lock()
		q.free += granted
		q.leased, q.asked, q.filled = leased, at, at
		q.mu.Unlock()
		if granted == 0 {
			refused = r.exhausted(ctx, q)
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	return err
}

// giveBack returns surplus to the store, or leases it if it is owed. It is a part of a
// call.
func (r *Keyring) giveBack(ctx context.Context, q *quota) error {
	q.mu.Lock()
	n := q.surplus
	q.surplus = 0
	if n > 0 && q.leased >= 0 {
		q.leased = max(0, q.leased-n)
	}
	q.mu.Unlock()
	switch {
	case n > 0:
		return r.store.Return(ctx, q.id, q.month, n) // it may have been done even if it failed, so it is lost
	case n == 0:
		return nil
	}
	_, leased, err := r.store.Lease(ctx, q.id, q.month, -n, math.MaxInt64)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.surplus += n
	} else {
		q.leased = leased
	}
	return err
}

// settle closes q and returns its free rest.
func (r *Keyring) settle(ctx context.Context, q *quota) error {
	q.mu.Lock()
	q.closed = true
	q.drain()
	rest := q.surplus
	q.mu.Unlock()
	if rest == 0 {
		return nil
	}
	return r.call(ctx, q, func(ctx context.Context) error { return r.giveBack(ctx, q) })
}

// An exhausted is the error of a quota that is used up. It is an
// [httpapi.ErrExhausted].
type exhausted struct{ until time.Time }

func (e *exhausted) Error() string { return "the quota is used up" }
func (e *exhausted) Unwrap() error { return httpapi.ErrExhausted }

// RetryAfter returns how long it takes until something may be granted again.
func (e *exhausted) RetryAfter() time.Duration { return time.Until(e.until) }

func isExhausted(err error) bool { return errors.Is(err, httpapi.ErrExhausted) }

// exhausted returns the error for a quota that is leased out. Something will be granted
// again when the month ends; or soon, if another process may hold a block that it will
// return. It is a part of a call.
func (r *Keyring) exhausted(ctx context.Context, q *quota) error {
	e := &exhausted{until: q.end}
	_, changed, err := r.store.Account(ctx, q.id, q.month)
	q.mu.Lock()
	defer q.mu.Unlock()
	if soon := changed.Add(blockReturns); err == nil && q.leased > q.charged && soon.After(time.Now()) && soon.Before(q.end) {
		e.until = soon
	}
	return e
}
