package access

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/rule"
)

const (
	blockShare   = 20                          // a block is this part of the rest of a quota,
	maxBlock     = 256                         // and at most this
	blockHold    = 5 * time.Second             // after which the rest of a block is returned; the time between two sweeps
	blockReturns = 2*blockHold + storePatience // after which no working process holds a block that it leased before
	quotaIdle    = 10 * time.Minute            // after which a caller is forgotten
	fieldAge     = time.Second / 4             // how old a count in a header may be, and how long a response waits for a newer one
	debtPause    = 10 * time.Millisecond       // in which what a caller without a limit was granted is gathered
)

// A quota is what this process knows of the use of one caller in one month.
type quota struct {
	account
	from, until time.Time     // of the month
	calls       chan struct{} // semaphore: one call of the store at a time, so that leased and free agree

	mu     sync.Mutex
	limit  int64 // under which free was leased; 0 is none
	leased int64 // by all processes, when the store was last asked; -1: unknown
	free   int64 // leased and not spent; negative: spent and not leased, by a caller without a limit
	spent  int64 // by this process
	paying bool  // a goroutine leases the screenings spent without a limit
	closed bool  // no longer in quotas

	read, filled, touched time.Time // when leased was read, the last block leased, and q last charged
	retry, pause          time.Time // before which the store is not asked again for a block, or for a count in a header
	err                   error     // of the last call, until retry
}

// quota returns the quota of a caller for the month of now.
func (r *Keyring) quota(id string, now time.Time) (*quota, error) {
	at := account{id, rule.Month(now)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	q := r.quotas[at]
	if q == nil {
		if err := rule.CheckID(id); err != nil {
			return nil, err
		}
		q = &quota{account: at, from: rule.MonthStart(at.month), until: rule.MonthStart(at.month + 1), calls: make(chan struct{}, 1), leased: -1, touched: now}
		r.quotas[at] = q
		r.armSweep()
	}
	return q, nil
}

// charge charges a caller with up to n screenings, and returns how many are granted and how
// to refund some. A caller without a limit never waits. The error is an exhausted, or an
// [httpapi.ErrUnavailable].
func (r *Keyring) charge(ctx context.Context, c httpapi.Caller, n int) (granted int, refund func(int), err error) {
	limit := max(c.Quota, 0)
	for last := (*quota)(nil); ; {
		q, err := r.quota(c.ID, time.Now())
		if err != nil && limit == 0 {
			return n, func(int) {}, nil // it cannot be counted
		}
		if last != nil && q != last { // the month has ended
			r.refund(last, granted)
			granted = 0
		}
		if err != nil {
			return 0, nil, err
		}
		last = q
		granted += r.spend(q, limit, n-granted)
		if granted < n {
			err = r.reserve(ctx, q, limit, n-granted)
		}
		switch {
		case granted == n, granted > 0 && errors.Is(err, httpapi.ErrExhausted):
			return granted, func(k int) { r.refund(q, k) }, nil
		case err != nil:
			r.refund(q, granted)
			return 0, nil, err
		}
	}
}

// spend takes up to n screenings of the block, or any number without a limit.
func (r *Keyring) spend(q *quota, limit int64, n int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.touched = time.Now()
	took := int64(n)
	switch {
	case q.closed, limit > 0 && limit != q.limit:
		return 0
	case limit > 0:
		took = max(0, min(took, q.free))
	}
	q.free, q.spent = q.free-took, q.spent+took
	if q.free < 0 && !q.paying && !q.touched.Before(q.retry) {
		q.paying = r.tasks.start(func() { r.pay(q) })
	}
	return int(took)
}

// refund undoes a part of a charge.
func (r *Keyring) refund(q *quota, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free, q.spent = q.free+int64(n), q.spent-int64(n)
	if q.closed {
		r.tasks.start(func() { r.settle(context.Background(), q) })
	}
}

// reserve leases a block, or n if that is more, unless another goroutine has just done so.
func (r *Keyring) reserve(ctx context.Context, q *quota, limit int64, n int) error {
	return r.call(ctx, q, func(ctx context.Context) error {
		q.mu.Lock()
		now, size, same, enough, held := time.Now(), int64(n), limit == q.limit, q.free > 0, q.err
		switch {
		case held != nil && !errors.Is(held, httpapi.ErrExhausted):
			size = 1 // the last block may be lost already
		case q.leased >= 0:
			size = max(size, min((limit-q.leased)/blockShare, maxBlock))
		}
		wait := same && now.Before(q.retry)
		closed := q.closed
		q.mu.Unlock()
		switch {
		case closed, same && enough:
			return nil
		case wait:
			return held
		}
		if err := r.giveBack(ctx, q); err != nil { // of another limit, or owed
			return q.hold(err, now)
		}
		granted, leased, err := r.store.Lease(ctx, q.id, q.month, size, limit)
		if err = r.outage.outcome(err); err != nil {
			return q.hold(err, now)
		}
		r.leases.Add(1)
		q.mu.Lock()
		q.free, q.leased, q.read, q.filled, q.err = q.free+granted, leased, now, now, nil
		q.limit, q.retry = limit, time.Time{}
		q.mu.Unlock()
		if granted == 0 {
			return q.hold(r.exhausted(ctx, q), now)
		}
		return nil
	})
}

// hold keeps err as the answer to calls in the next moments, and returns it.
func (q *quota) hold(err error, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err, q.retry = err, now.Add(refusalHolds)
	return err
}

// giveBack returns the block to the store, or leases the screenings spent without a limit. It is a
// part of a call. A failed return may have taken effect, so it is not repeated.
func (r *Keyring) giveBack(ctx context.Context, q *quota) error {
	q.mu.Lock()
	n := q.free
	if n > 0 {
		q.free, q.leased = 0, max(-1, q.leased-n)
	}
	q.mu.Unlock()
	switch {
	case n > 0:
		return r.outage.outcome(r.store.Return(ctx, q.id, q.month, n))
	case n == 0:
		return nil
	}
	_, leased, err := r.store.Lease(ctx, q.id, q.month, -n, math.MaxInt64)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.free, q.leased, q.read = q.free-n, leased, time.Now()
	}
	return r.outage.outcome(err)
}

// settle returns the block of q to the store, or leases the screenings spent without a limit.
// While the store fails, the block is kept. A quota that is settled and idle is forgotten.
func (r *Keyring) settle(ctx context.Context, q *quota) error {
	return r.call(ctx, q, func(ctx context.Context) error {
		q.mu.Lock()
		holds := q.free != 0
		q.mu.Unlock()
		if holds && r.outage.down.Load() {
			if _, _, err := r.store.Account(ctx, q.id, q.month); err != nil {
				return r.outage.outcome(err)
			}
		}
		err := r.giveBack(ctx, q)
		r.mu.Lock()
		defer r.mu.Unlock()
		q.mu.Lock()
		defer q.mu.Unlock()
		if err != nil {
			q.err, q.retry = err, time.Now().Add(refusalHolds)
		} else if (r.closed || q.idle(time.Now())) && q.free == 0 {
			q.closed = true
			delete(r.quotas, q.account)
		}
		return err
	})
}

// idle reports whether q is not in use, or its month over. The caller holds mu.
func (q *quota) idle(now time.Time) bool {
	return now.Sub(q.touched) >= quotaIdle || !now.Before(q.until)
}

// pay leases what a caller without a limit spends, until nothing is owed or the store fails.
func (r *Keyring) pay(q *quota) {
	for {
		err := r.settle(context.Background(), q)
		q.mu.Lock()
		q.paying = err == nil && q.free < 0
		owes := q.paying
		q.mu.Unlock()
		if !owes {
			return
		}
		time.Sleep(debtPause)
	}
}

// sweep returns the blocks that are held for long, and forgets idle callers.
func (r *Keyring) sweep() {
	for _, q := range r.active() {
		q.mu.Lock()
		now := time.Now()
		due := q.idle(now) || now.Sub(q.filled) >= blockHold && q.free != 0
		q.mu.Unlock()
		if due && r.settle(context.Background(), q) != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweeper = nil
	if len(r.quotas) > 0 {
		r.armSweep()
	}
}

// An exhausted is the error of a quota that is used up. It is an [httpapi.ErrExhausted].
type exhausted struct{ until time.Time }

func (e *exhausted) Error() string { return "the quota is used up" }
func (e *exhausted) Unwrap() error { return httpapi.ErrExhausted }

// RetryAfter returns how long it takes until something may be granted again.
func (e *exhausted) RetryAfter() time.Duration { return time.Until(e.until) }

// exhausted returns the error for a quota that is leased out. Something will be granted
// again when the month ends; or soon, if another process may hold a block that it will
// return. It is a part of a call.
func (r *Keyring) exhausted(ctx context.Context, q *quota) error {
	_, changed, err := r.store.Account(ctx, q.id, q.month)
	q.mu.Lock()
	defer q.mu.Unlock()
	if soon := changed.Add(blockReturns); err == nil && q.leased > q.spent && soon.After(time.Now()) && soon.Before(q.until) {
		return &exhausted{soon}
	}
	return &exhausted{q.until}
}

// Used implements [httpapi.Meter]. It returns what all processes have leased without what
// this one has free. If ask is true it reads that after the call, else only if it was not
// read for a while.
func (r *Keyring) Used(ctx context.Context, c httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	now := time.Now()
	q, err := r.quota(c.ID, now)
	if err != nil {
		m := rule.Month(now)
		return 0, rule.MonthStart(m), rule.MonthStart(m + 1), err
	}
	since := now
	if !ask {
		since = now.Add(-fieldAge)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), fieldAge)
		defer cancel()
	}
	known := func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.leased >= 0 && !q.read.Before(since) || !ask && now.Before(q.pause)
	}
	if !known() {
		err = r.call(ctx, q, func(ctx context.Context) error {
			if known() {
				return nil
			}
			at := time.Now()
			leased, _, err := r.store.Account(ctx, q.id, q.month)
			if err = r.outage.outcome(err); err == nil {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.leased, q.read = leased, at
			}
			return err
		})
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.pause = time.Now().Add(refusalHolds)
	}
	switch {
	case err != nil && ask:
		return 0, q.from, q.until, err
	case q.leased < 0:
		return 0, q.from, q.until, fmt.Errorf("%w: the counts could not be read", httpapi.ErrUnavailable)
	}
	return q.leased - q.free, q.from, q.until, nil // slightly old is better than nothing
}
