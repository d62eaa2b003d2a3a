package access

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	usedHold      = time.Second / 4 // the age up to which a field of a header shows the use by others
	fieldPatience = time.Second / 4 // the longest wait for the store by a field of a header
)

// A quota is what a process knows of the use of one caller in one month.
type quota struct {
	id         string
	month      int
	start, end time.Time // of the month

	turn    chan struct{} // semaphore: one call of the store at a time, so that leased and free agree
	leasing inflight

	mu      sync.Mutex
	limit   int64 // of the last charge; 0 is none
	leased  int64 // by all processes, when the store was last asked; -1 is unknown
	free    int64 // leased and not charged; negative: charged and not leased, by a caller without a limit
	surplus int64 // of free, to be returned
	need    int64 // the most that one waiting charge lacks
	charged int64 // by this process
	closed  bool  // the month is over, or the Keyring is closed

	asked   time.Time // when leased was read
	filled  time.Time // when the last block was leased
	touched time.Time // when it was last charged
	pause   time.Time // before which a field of a header does not wait again
}

// quota returns the quota of a caller for the month of now. It notes a new limit; a
// negative one is none.
func (r *Keyring) quota(id string, limit int64, now time.Time) (*quota, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.quotas[id]
	if q == nil || now.Before(q.start) || !now.Before(q.end) {
		if r.tasks.closed.Load() {
			return nil, errClosed
		}
		if err := CheckKeyID(id); err != nil {
			return nil, err
		}
		if old := q; old != nil { // the month is over
			r.tasks.start(func() { r.settle(context.Background(), old) })
		}
		m := MonthOf(now)
		q = &quota{id: id, month: m, start: monthStart(m), end: monthStart(m + 1), turn: make(chan struct{}, 1), leased: -1, touched: now}
		r.quotas[id] = q
		r.armSweep()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if limit >= 0 && limit != q.limit { // what was leased under another one is returned before more is leased
		q.limit = limit
		q.drain()
		q.leasing.forget()
	}
	return q, nil
}

// drain marks the free screenings as surplus. The caller holds mu.
func (q *quota) drain() { q.surplus, q.free = q.surplus+q.free, 0 }

// Charge implements [httpapi.Meter].
func (r *Keyring) Charge(req *http.Request, c httpapi.Caller, n int, body []byte) (granted int, refund func(int), err error) {
	ctx, now := req.Context(), time.Now()
	if len(req.Header["Idempotency-Key"]) == 0 {
		return r.charge(ctx, c, n, now)
	}
	key, err := idempotencyKey(req.Header)
	if err != nil {
		return 0, nil, err
	}
	return r.chargeOnce(ctx, c, n, newClaim(c.ID, req.URL.Path, key, body, now), now)
}

// charge charges a caller with up to n screenings, and returns how many are granted and how
// to refund some. A caller without a limit that cannot be counted is not charged. The error
// is an exhausted, from the store or from ctx.
func (r *Keyring) charge(ctx context.Context, c httpapi.Caller, n int, now time.Time) (granted int, refund func(int), err error) {
	limit := max(c.Quota, 0)
	for {
		q, err := r.quota(c.ID, limit, now)
		switch {
		case err != nil && limit == 0:
			return n, func(int) {}, nil
		case err != nil:
			return 0, nil, err
		}
		refund = func(k int) { r.refund(q, int64(k)) }
		took, low := q.take(int64(n-granted), now)
		granted += int(took)
		if low {
			q.leasing.start(&r.tasks, now, func() (time.Time, error) { return r.lease(q) })
		}
		if granted == n {
			return n, refund, nil
		}
		if err := r.wait(ctx, q, now); err != nil {
			if granted > 0 && isExhausted(err) {
				return granted, refund, nil
			}
			refund(granted)
			return 0, nil, err
		}
		now = time.Now()
		if !now.Before(q.end) { // the month has ended
			refund(granted)
			granted = 0
		}
	}
}

// take charges up to n, and reports whether to lease the next block ahead.
func (q *quota) take(n int64, now time.Time) (took int64, low bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, false
	}
	q.touched = now
	took = n
	if q.limit > 0 {
		took = max(0, min(n, q.free))
	}
	q.free -= took
	q.charged += took
	if took < n {
		q.need = max(q.need, n-took)
		return took, false
	}
	return took, q.free < q.block()/lowWater && (q.limit == 0 || q.leased < q.limit)
}

// block returns the size of the next block. A caller without a limit needs none: what was
// charged is leased afterwards. The caller holds mu.
func (q *quota) block() int64 {
	switch {
	case q.limit == 0:
		return 0
	case q.leased < 0:
		return 1
	}
	return max(1, min((q.limit-q.leased)/blockShare, maxBlock))
}

// wait waits until the next block is leased, unless something is free by now. The error
// says why none is.
func (r *Keyring) wait(ctx context.Context, q *quota, now time.Time) error {
	q.mu.Lock()
	enough := q.free > 0 || q.closed
	q.mu.Unlock()
	if enough {
		return nil
	}
	return q.leasing.wait(ctx, &r.tasks, now, func() (time.Time, error) { return r.lease(q) })
}

// refund undoes a charge.
func (r *Keyring) refund(q *quota, n int64) {
	if n <= 0 {
		return
	}
	q.mu.Lock()
	q.free += n
	q.charged -= n
	closed := q.closed
	q.mu.Unlock()
	if closed { // no other goroutine returns it
		r.tasks.start(func() { r.settle(context.Background(), q) })
	}
}

// errUnknown is the error of counts that could not be read a moment ago.
var errUnknown = fmt.Errorf("%w: the counts could not be read", httpapi.ErrUnavailable)

// Used implements [httpapi.Meter]. It returns what all processes have leased without what
// this one has free. If ask is true it reads that after the call, else only if it was not
// read for a while.
func (r *Keyring) Used(ctx context.Context, c httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	now := time.Now()
	q, err := r.quota(c.ID, -1, now)
	if err != nil {
		m := MonthOf(now)
		return 0, monthStart(m), monthStart(m + 1), err
	}
	since, patience := now, storePatience
	if !ask {
		since, patience = now.Add(-usedHold), fieldPatience
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if (q.leased < 0 || q.asked.Before(since)) && (ask || !now.Before(q.pause)) {
		q.mu.Unlock()
		if !ask {
			ctx = context.WithoutCancel(ctx)
		}
		err = r.refresh(ctx, q, since, patience)
		q.mu.Lock()
		if err != nil {
			q.pause = time.Now().Add(refusalHolds)
		}
	}
	switch {
	case err != nil && ask:
		return 0, q.start, q.end, err
	case q.leased < 0:
		return 0, q.start, q.end, errUnknown
	}
	return q.leased - q.free - q.surplus, q.start, q.end, nil // slightly old is better than nothing
}
