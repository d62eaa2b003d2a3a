package access

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	leaseShare = 20   // a lease is this part of what is left,
	maxLease   = 256  // at most this,
	freeLease  = 4096 // and this for a caller without a limit
	lowWater   = 4    // the next lease is fetched when less than this part is left

	leaseIdle  = 5 * time.Second  // after which an unused lease is returned
	ledgerIdle = 10 * time.Minute // after which a caller does not count as active
)

// closedLow is the low of a closed ledger.
const closedLow = math.MaxInt64

// A ledger is what a process holds of the quota of one caller in one month.
type ledger struct {
	id         string
	holder     string // the name under which the store keeps answered
	month      int
	start, end time.Time // of the month

	free    atomic.Int64 // leased and not charged; negative: charged without a lease, by a caller without a limit
	low     atomic.Int64 // below it the next lease is fetched
	need    atomic.Int64 // the most that one waiting charge needs
	limit   atomic.Int64 // of the last charge; 0 is none
	leased  atomic.Int64 // by all processes, when the store was last asked; -1 is unknown
	touched atomic.Int64 // about when it was last charged
	refund  func(int)    // refunds a charge

	answered atomic.Int64 // screenings that this process charged and did not refund
	reported atomic.Int64 // the value of answered in the store; -1 is unknown
	others   atomic.Int64 // what the other processes have answered; -1 is unknown
	asked    atomic.Int64 // when others was read
	pause    atomic.Int64 // the instant before which Used does not wait for the store again

	asking       inflight     // reads others
	begun, ended atomic.Int64 // the number of the reading that has begun last, and of the last one that has succeeded

	leasing inflight
	closed  bool // guarded by leasing.mu: nothing more is leased
}

// ledger returns the ledger of a caller for the month of now. It notes a new limit.
func (r *Keyring) ledger(id string, limit int64, now time.Time) (*ledger, error) {
	recent := r.recent.of(id)
	l := recent.Load()
	if l == nil || l.id != id || l.low.Load() == closedLow || !l.has(now) {
		v, ok := r.ledgers.Load(id)
		if l, _ = v.(*ledger); !ok || !l.has(now) {
			return r.newLedger(l, id, limit, now)
		}
		recent.Store(l)
	}
	if limit >= 0 && l.limit.Load() != limit {
		r.setLimit(l, limit)
	}
	return l, nil
}

// has reports whether a time is in the month of l.
func (l *ledger) has(now time.Time) bool { return !now.Before(l.start) && now.Before(l.end) }

// newLedger replaces old, the ledger of an earlier month, or nil if there is none.
func (r *Keyring) newLedger(old *ledger, id string, limit int64, now time.Time) (*ledger, error) {
	if r.tasks.closed.Load() {
		return nil, errClosed
	}
	if err := CheckKeyID(id); err != nil {
		return nil, err
	}
	m := MonthOf(now)
	made := &ledger{id: id, holder: r.holders.of(r.replica, id), month: m, start: monthStart(m), end: monthStart(m + 1)}
	made.limit.Store(max(limit, 0))
	made.leased.Store(-1)
	made.others.Store(-1)
	made.touched.Store(r.at(now))
	made.refund = func(n int) { r.refund(made, int64(n)) }
	v := any(made)
	if old == nil {
		v, _ = r.ledgers.LoadOrStore(id, made)
	} else if r.ledgers.CompareAndSwap(id, old, made) { // the month is over
		r.tasks.start(func() { r.forget(context.Background(), old) })
	} else {
		return r.ledger(id, limit, now) // another request has replaced it
	}
	r.sweeper.arm(r)
	return v.(*ledger), nil
}

// setLimit notes that a caller has another limit, and returns what was leased beyond
// it.
func (r *Keyring) setLimit(l *ledger, limit int64) {
	l.leasing.mu.Lock()
	changed := l.limit.Swap(limit) != limit && !l.closed
	l.leasing.mu.Unlock()
	if !changed {
		return
	}
	l.leasing.forget()
	l.low.Store(0)
	if limit == 0 || l.leased.Load() <= limit {
		return
	}
	rest := l.drain()
	leaseAgain := func() (int64, error) {
		r.returnLease(context.Background(), l, rest)
		return r.fetch(l)
	}
	if !l.leasing.ahead(&r.tasks, 0, leaseAgain) { // else who needs a lease waits for both
		r.tasks.start(func() { r.returnLease(context.Background(), l, rest) })
	}
}

// reserve charges a caller with up to n screenings, and returns the ledger and how
// many are granted. The ledger is nil if the caller has no limit and cannot be
// counted. The error is an exhausted, that of the store or of ctx.
func (r *Keyring) reserve(ctx context.Context, c httpapi.Caller, n int64, now time.Time) (l *ledger, granted int64, err error) {
	limit := max(c.Quota, 0)
	for {
		l, err = r.ledger(c.ID, limit, now)
		if err != nil {
			if limit == 0 {
				return nil, n, nil
			}
			return nil, 0, err
		}
		at := r.at(now)
		if at-l.touched.Load() > int64(time.Second) {
			l.touched.Store(at)
		}
		if limit == 0 {
			if r.reserveFree(l, n, at) {
				return l, n, nil
			}
			continue // the ledger is closed
		}
		left, took := l.take(n - granted)
		if took > 0 {
			r.count(l, took)
		}
		granted += took
		if granted == n {
			if left < l.low.Load() {
				r.fetchAhead(l, at)
			}
			return l, n, nil
		}
		if err = r.wait(ctx, l, n-granted, at); err != nil {
			if granted > 0 && isExhausted(err) {
				return l, granted, nil
			}
			r.refund(l, granted)
			return nil, 0, err
		}
		now = time.Now()
		if !now.Before(l.end) { // the month has ended
			r.refund(l, granted)
			granted = 0
		}
	}
}

// reserveFree charges a caller without a limit. It returns false if l is closed.
func (r *Keyring) reserveFree(l *ledger, n, at int64) bool {
	if l.free.Add(-n) < l.low.Load() || l.free.Load() < 0 {
		if l.low.Load() == closedLow {
			l.free.Add(n) // a closed ledger is not read again
			return false
		}
		r.fetchAhead(l, at)
	}
	r.count(l, n)
	return true
}

// take takes up to n, and returns how many are left and how many it took.
func (l *ledger) take(n int64) (left, took int64) {
	for {
		free := l.free.Load()
		took = min(free, n)
		if took <= 0 {
			return free, 0
		}
		if l.free.CompareAndSwap(free, free-took) {
			return free - took, took
		}
	}
}

// drain takes the free rest, which is negative if it is owed.
func (l *ledger) drain() int64 { return l.free.Swap(0) }

// count counts n answered screenings.
func (r *Keyring) count(l *ledger, n int64) {
	l.answered.Add(n)
	if l.low.Load() == closedLow { // no other goroutine writes it
		r.tasks.start(func() { r.report(context.Background(), []*ledger{l}) })
	}
	r.reports.arm(r)
}

// refund undoes a charge.
func (r *Keyring) refund(l *ledger, n int64) {
	if n <= 0 {
		return
	}
	r.count(l, -n)
	l.free.Add(n)
	if l.low.Load() == closedLow { // no other goroutine returns it
		r.tasks.start(func() { r.returnLease(context.Background(), l, l.drain()) })
	}
}

// fetchAhead leases more, unless a lease is under way.
func (r *Keyring) fetchAhead(l *ledger, at int64) {
	l.leasing.ahead(&r.tasks, at, func() (int64, error) { return r.fetch(l) })
}

// wait leases n more, unless some are free by now, and waits for it. The error says
// why nothing was leased.
func (r *Keyring) wait(ctx context.Context, l *ledger, n, at int64) error {
	for {
		need := l.need.Load()
		if need >= n || l.need.CompareAndSwap(need, n) {
			break
		}
	}
	if l.free.Load() > 0 || l.low.Load() == closedLow {
		return nil
	}
	done, err := l.leasing.join(&r.tasks, at, func() (int64, error) { return r.fetch(l) })
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fetch leases the next part of l.
func (r *Keyring) fetch(l *ledger) (retry int64, err error) {
	limit := l.limit.Load()
	free := l.free.Load()
	n := max(1, l.size(limit)-free, l.need.Swap(0))
	if last := l.leasing.last(); last != nil && !isExhausted(last) { // that lease may be lost already
		n = max(1, 1-free)
	}
	bound := limit
	if bound == 0 {
		bound = math.MaxInt64
	}
	granted, leased, err := r.lease(context.Background(), l, n, bound)
	at := r.at(time.Now())
	if err != nil {
		return at + int64(refusalHolds), fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	l.leasing.mu.Lock()
	closed := l.closed
	l.leased.Store(leased)
	l.free.Add(granted)
	switch {
	case closed:
	case limit > 0 && leased >= limit:
		l.low.Store(0) // there is nothing more to fetch
	default:
		l.low.Store(l.size(limit) / lowWater)
	}
	l.leasing.mu.Unlock()
	if closed {
		r.returnLease(context.Background(), l, l.drain())
	}
	if granted == 0 {
		return at + int64(refusalHolds), r.exhausted(l, limit)
	}
	return 0, nil
}

// size returns how many screenings to lease, given what the limit is known to leave.
func (l *ledger) size(limit int64) int64 {
	leased := l.leased.Load()
	switch {
	case leased < 0:
		return 1
	case limit == 0:
		return freeLease
	}
	return max(1, min((limit-leased)/leaseShare, maxLease))
}

// lease calls Lease of the store, within its time limit.
func (r *Keyring) lease(ctx context.Context, l *ledger, n, limit int64) (granted, leased int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	granted, leased, err = r.store.Lease(ctx, l.id, l.month, n, limit)
	r.outage.report(err)
	if err == nil {
		r.reports.leases.Add(1)
	}
	return granted, leased, err
}

// returnLease returns to the store the rest that was free in l, or leases it if it is
// owed.
func (r *Keyring) returnLease(ctx context.Context, l *ledger, rest int64) error {
	switch {
	case rest == 0:
		return nil
	case rest < 0:
		_, _, err := r.lease(ctx, l, -rest, math.MaxInt64)
		if err != nil {
			l.free.Add(rest)
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := r.store.Return(ctx, l.id, l.month, rest) // it may have been done even if it failed, so rest is lost
	r.outage.report(err)
	if err == nil {
		l.leasing.mu.Lock()
		if leased := l.leased.Load(); leased >= rest {
			l.leased.Store(leased - rest)
		}
		l.leasing.mu.Unlock()
	}
	return err
}

// settle closes l, returns its free rest and writes its count.
func (r *Keyring) settle(ctx context.Context, l *ledger) error {
	l.leasing.mu.Lock()
	l.closed = true
	l.low.Store(closedLow)
	l.leasing.mu.Unlock()
	err := r.returnLease(ctx, l, l.drain())
	if err == nil && l.answered.Load() != l.reported.Load() {
		err = r.report(ctx, []*ledger{l})
	}
	return err
}

// forget settles a ledger that is no longer in use, and merges its count with those
// of processes that have ended.
func (r *Keyring) forget(ctx context.Context, l *ledger) error {
	if err := r.settle(ctx, l); err != nil {
		r.holders.keep(l.id)
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := r.store.Fold(ctx, l.holder, l.id)
	if err != nil { // it may have been done
		r.holders.keep(l.id)
	}
	return err
}

// holders names the rows in which the store keeps the counts of this process.
type holders struct {
	mu   sync.Mutex
	kept map[string]int // ids whose earlier rows may still exist, with their number
}

// of returns the name of the next row for an id.
func (h *holders) of(replica, id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := h.kept[id]; n > 0 {
		return replica + "-" + strconv.Itoa(n)
	}
	return replica
}

// keep makes sure that the next ledger of an id does not write over the row of the
// last one.
func (h *holders) keep(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept == nil {
		h.kept = make(map[string]int)
	}
	h.kept[id]++
}
