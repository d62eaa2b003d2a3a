package access

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
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
	unlimited    = math.MaxInt64               // the limit of a caller without one
)

// A quota is what this process knows of the use of one caller in one month.
type quota struct {
	account
	from, until time.Time     // of the month
	calls       chan struct{} // semaphore: one call of the store at a time, so that leased and free agree
	touched     time.Time     // when the quota was last asked for; under the lock of the Keyring

	refund func(int) // undo, as one value for all charges

	mu     sync.Mutex
	limit  int64 // under which free was leased
	leased int64 // by all processes, when the store was last asked; -1: unknown
	free   int64 // leased and not spent; negative: owed by a caller without a limit, who was granted more than was leased
	spent  int64 // by this process
	owing  bool  // a lease of the screenings that are owed begins in a moment

	read, filled time.Time // when leased was read, and the last block leased
	err          error     // of the last lease
	retry        time.Time // before which the store is not asked again for a block
}

// quota returns the quota of a caller in the month of now.
func (r *Keyring) quota(id string, now time.Time) (*quota, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if now.Before(r.from) || !now.Before(r.until) {
		r.month = rule.Month(now)
		r.from, r.until = rule.MonthStart(r.month), rule.MonthStart(r.month+1)
	}
	q := r.quotas[account{id, r.month}]
	if q == nil {
		if err := rule.CheckID(id); err != nil {
			return nil, err
		}
		q = &quota{account: account{id, r.month}, from: r.from, until: r.until, calls: make(chan struct{}, 1), leased: -1}
		q.refund = q.undo
		r.quotas[q.account] = q
		r.armSweep()
	}
	q.touched = now
	return q, nil
}

// Charge implements [httpapi.Meter].
func (r *Keyring) Charge(req *http.Request, c httpapi.Caller, n int, body []byte) (granted int, refund func(int), err error) {
	if len(req.Header["Idempotency-Key"]) > 0 {
		return r.chargeOnce(req, c, n, body)
	}
	return r.charge(req.Context(), c, n)
}

// charge charges a caller with up to n screenings, in the month of the call, and returns how many
// are granted and how to refund some. The error is an exhausted, or an [httpapi.ErrUnavailable];
// a caller without a limit gets none.
func (r *Keyring) charge(ctx context.Context, c httpapi.Caller, n int) (granted int, refund func(int), err error) {
	limit := min(c.Quota, unlimited-1)
	if limit <= 0 {
		limit = unlimited
	}
	q, err := r.quota(c.ID, time.Now())
	switch {
	case err != nil && limit == unlimited:
		return n, func(int) {}, nil // it cannot be counted
	case err != nil:
		return 0, nil, err
	}
	for granted < n {
		q.mu.Lock()
		if limit == q.limit {
			took := max(0, min(int64(n-granted), q.free))
			q.free, q.spent = q.free-took, q.spent+took
			granted += int(took)
		}
		q.mu.Unlock()
		switch {
		case granted == n:
		case limit == unlimited: // nobody waits for the store
			r.owe(q, n-granted)
			granted = n
		default:
			err = r.reserve(ctx, q, limit, n-granted)
			if granted > 0 && errors.Is(err, httpapi.ErrExhausted) {
				return granted, q.refund, nil
			}
			if err != nil {
				q.refund(granted)
				return 0, nil, err
			}
		}
	}
	return granted, q.refund, nil
}

// owe grants n screenings that are not leased yet, and leases them soon. While the store fails, that is
// left to a sweep.
func (r *Keyring) owe(q *quota, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free, q.spent = q.free-int64(n), q.spent+int64(n)
	if !q.owing && !time.Now().Before(q.retry) {
		q.owing = true
		time.AfterFunc(debtPause, func() { r.reserve(context.Background(), q, unlimited, 0) })
	}
}

// undo undoes a part of a charge.
func (q *quota) undo(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free, q.spent = q.free+int64(n), q.spent-int64(n)
}

// reserve leases a block, or n if that is more, unless another goroutine has just done so. Before,
// it returns the block of another limit; with n = 0 it returns any block and leases none. It
// leases the screenings that are owed, too. A call of the store that failed may have taken effect, so it is not repeated.
func (r *Keyring) reserve(ctx context.Context, q *quota, limit int64, n int) error {
	return r.call(ctx, q, func(ctx context.Context) (err error) {
		now, size := time.Now(), int64(n)
		q.mu.Lock()
		back, held := max(0, q.free), q.err
		switch same := limit == q.limit && n > 0; {
		case same && back > 0:
			q.mu.Unlock()
			return nil
		case same && now.Before(q.retry):
			q.mu.Unlock()
			return held
		case held != nil && !errors.Is(held, httpapi.ErrExhausted):
			size = min(size, 1) // the last block may be lost already
		case n > 0 && q.leased >= 0:
			size = max(size, min((limit-q.leased)/blockShare, maxBlock))
		}
		size -= min(0, q.free)
		q.owing = false
		q.free, q.leased = q.free-back, max(-1, q.leased-back)
		q.mu.Unlock()

		var granted, leased int64
		var changed time.Time
		if back > 0 {
			err = r.store.Return(ctx, q.id, q.month, back)
		}
		if size > 0 && err == nil {
			r.leases.Add(1)
			if granted, leased, err = r.store.Lease(ctx, q.id, q.month, size, limit); err == nil && granted == 0 {
				_, changed, _ = r.store.Account(ctx, q.id, q.month)
			}
		}
		err = r.outage.outcome(err)
		q.mu.Lock()
		defer q.mu.Unlock()
		if size > 0 && err == nil {
			q.limit, q.free, q.leased, q.read, q.filled = limit, q.free+granted, leased, now, now
			if granted == 0 {
				err = q.exhausted(changed)
			}
		}
		if q.err, q.retry = err, now; err != nil {
			q.retry = now.Add(refusalHolds)
		}
		return err
	})
}

// An exhausted is the error of a quota that is used up. It is an [httpapi.ErrExhausted].
type exhausted struct{ until time.Time }

func (e *exhausted) Error() string { return "the quota is used up" }
func (e *exhausted) Unwrap() error { return httpapi.ErrExhausted }

// RetryAfter returns how long it takes until something may be granted again.
func (e *exhausted) RetryAfter() time.Duration { return time.Until(e.until) }

// exhausted returns the error for a quota that is leased out, and was changed then. Something will
// be granted again when the month ends; or soon, if another process may hold a block that it will
// return. The caller holds mu.
func (q *quota) exhausted(changed time.Time) error {
	if soon := changed.Add(blockReturns); q.leased > q.spent && soon.After(time.Now()) && soon.Before(q.until) {
		return &exhausted{soon}
	}
	return &exhausted{q.until}
}

// Used implements [httpapi.Meter]. It returns what all processes have leased without what
// this one has free. If ask is true it reads that after the call, else only if it was not
// read for a while, and waits a moment at most.
func (r *Keyring) Used(ctx context.Context, c httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	since := time.Now()
	q, err := r.quota(c.ID, since)
	if err != nil {
		return 0, from, until, err
	}
	if ask {
		err = r.count(ctx, q, since)
	} else if since = since.Add(-fieldAge); !q.isRead(since) && len(q.calls) == 0 {
		brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), fieldAge)
		defer cancel()
		r.count(brief, q, since) // slightly old is better than nothing
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.leased < 0 && err == nil {
		err = fmt.Errorf("%w: the counts could not be read", httpapi.ErrUnavailable)
	}
	return q.leased - q.free, q.from, q.until, err
}

// count reads leased, unless it was read since a time.
func (r *Keyring) count(ctx context.Context, q *quota, since time.Time) error {
	return r.call(ctx, q, func(ctx context.Context) error {
		if q.isRead(since) {
			return nil
		}
		at := time.Now()
		leased, _, err := r.store.Account(ctx, q.id, q.month)
		if err = r.outage.outcome(err); err != nil {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.leased, q.read = leased, at
		return nil
	})
}

// isRead reports whether leased was read since a time.
func (q *quota) isRead(since time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.leased >= 0 && !q.read.Before(since)
}
