package access

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	blockShare   = 20                          // a block is this part of the rest of a quota,
	maxBlock     = 256                         // and at most this
	blockHold    = 5 * time.Second             // after which the rest of a block is returned; the time between two sweeps
	blockReturns = 2*blockHold + storePatience // after which no working process holds a block that it leased before
	fieldAge     = time.Second / 4             // how old a count in a header may be, and how long a response waits for a newer one
	unlimited    = math.MaxInt64               // the limit of a caller without one
)

// A quota is what this process knows of one caller in one month: a block that it has leased, and
// spends under mu.
type quota struct {
	account
	from, until time.Time          // of the month
	touched     time.Time          // when the quota was last asked for; under the lock of the Keyring
	refund      func(int)          // undoes a part of a charge
	calls       singleflight.Group // of the store: one at a time, so that leased and free agree
	asking      atomic.Bool        // a call is under way

	mu           sync.Mutex
	limit        int64     // under which the block was leased
	leased       int64     // by all processes, when the store was last asked; -1: unknown
	free         int64     // the rest of the block; negative: spent by a caller without a limit, and not leased yet
	spent        int64     // by this process
	read, filled time.Time // when leased was read, and the last block leased
	err          error     // of the last lease
	retry        time.Time // before which the store is not asked again after err
}

// quota returns the quota of a caller in the month of now.
func (r *Keyring) quota(id string, now time.Time) (*quota, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	t := now.UTC()
	at := account{id, t.Year()*12 + int(t.Month()) - 1}
	q := r.quotas[at]
	if q == nil {
		if err := checkID(id); err != nil {
			return nil, err
		}
		q = &quota{account: at, from: monthStart(at.month), until: monthStart(at.month + 1), leased: -1}
		q.refund = func(n int) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.free, q.spent = q.free+int64(n), q.spent-int64(n)
		}
		r.quotas[at] = q
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

// charge charges a caller with up to n screenings, in the month of the call. The error is an exhausted or
// an [httpapi.ErrUnavailable]; a caller without a limit gets none, and does not wait for the store.
func (r *Keyring) charge(ctx context.Context, c httpapi.Caller, n int) (granted int, refund func(int), err error) {
	limit := cmp.Or(max(c.Quota, 0), unlimited)
	q, err := r.quota(c.ID, time.Now())
	if err != nil && limit == unlimited {
		return n, func(int) {}, nil // it cannot be counted
	}
	for err == nil || errors.Is(err, httpapi.ErrExhausted) {
		k := int64(n)
		q.mu.Lock()
		switch {
		case limit == unlimited:
		case limit != q.limit:
			k, err = 0, nil // the block, or the call that has just ended, is of another limit
		case q.free < k && err == nil:
			k = 0 // until a block is leased
		default:
			k = max(0, min(k, q.free))
		}
		q.free, q.spent = q.free-k, q.spent+k
		if q.free < 0 && limit == unlimited && !q.asking.Load() {
			go r.reserve(context.Background(), q, limit, 1)
		}
		q.mu.Unlock()
		if k > 0 {
			return int(k), q.refund, nil
		}
		if err != nil { // none is left
			break
		}
		err = r.reserve(ctx, q, limit, n)
	}
	return 0, nil, err
}

// reserve leases a block, or n if that is more, and what was spent before it was leased. If the block
// is of another limit, or n is 0, it returns the block instead. A call of the store that failed may have
// taken effect, so it is not repeated.
func (r *Keyring) reserve(ctx context.Context, q *quota, limit int64, n int) error {
	return r.call(ctx, q, storePatience, func(ctx context.Context) error {
		q.mu.Lock()
		size, isSame := int64(n)-q.free, n > 0 && limit == q.limit
		failed := q.err != nil && !errors.Is(q.err, httpapi.ErrExhausted)
		waits := q.err != nil && (isSame || n > 0 && failed) && time.Now().Before(q.retry)
		switch {
		case waits, isSame && (size <= 0 || limit == unlimited && q.free >= 0):
			defer q.mu.Unlock() // another call has failed just now, or has leased it
			return q.err
		case !isSame && q.free > 0 && r.outage.down.Load(): // a return that fails may lose the block
			size = 0
		case !isSame && q.free > 0:
			size = -q.free
			q.free, q.leased = 0, max(-1, q.leased+size)
		case failed: // the last block may be lost already
			size = min(int64(n), 1) - min(0, q.free)
		case n > 0 && q.leased >= 0:
			size = max(size, min((limit-q.leased)/blockShare, maxBlock))
		}
		q.mu.Unlock()
		return r.lease(ctx, q, size, limit)
	})
}

// lease leases size screenings, or returns them if size is negative, and reads how many are leased.
func (r *Keyring) lease(ctx context.Context, q *quota, size, limit int64) error {
	at := time.Now()
	granted, leased, changed, err := r.store.Lease(ctx, q.id, q.month, size, limit)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err = r.outage.outcome(err); err == nil {
		q.leased, q.read = leased, at
	}
	if err == nil && size > 0 {
		r.leases.Add(1)
		q.limit, q.free, q.filled = limit, q.free+granted, at
		if soon := changed.Add(blockReturns); granted == 0 && leased > q.spent && soon.After(at) && soon.Before(q.until) {
			err = &exhausted{soon} // another process may hold a block
		} else if granted == 0 {
			err = &exhausted{q.until}
		}
	}
	if size != 0 {
		q.err, q.retry = err, time.Now().Add(refusalHolds)
	}
	return err
}

// Used implements [httpapi.Meter]: it returns what all processes have leased without what this one has
// free. If ask is false it reads that only if it was not read for a while, and waits a moment at most.
func (r *Keyring) Used(ctx context.Context, c httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	since, patience := time.Now(), storePatience
	q, err := r.quota(c.ID, since)
	if err != nil {
		return 0, from, until, err
	}
	if !ask {
		since, patience = since.Add(-fieldAge), fieldAge
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for err == nil && (q.leased < 0 || q.read.Before(since)) && (ask || !q.asking.Load()) {
		q.mu.Unlock()
		err = r.call(ctx, q, patience, func(ctx context.Context) error { return r.lease(ctx, q, 0, 0) })
		if errors.Is(err, httpapi.ErrExhausted) {
			err = nil // it was the call of a charge
		}
		q.mu.Lock()
	}
	if q.leased < 0 {
		err = cmp.Or(err, errUnread)
	} else if !ask {
		err = nil // slightly old is better than nothing
	}
	return q.leased - q.free, q.from, q.until, err
}
