package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Quota holds keys to the number of screenings that they are granted for each
// calendar month in UTC, together with all other processes that have one over the
// same [Store]. Make one with [NewQuota], give it to one handler or to several,
// and [Quota.Close] it after them.
//
// It leases what it grants from the store, some at a time: up to a 20th of what
// the month still has for the key, at least 1 and at most 256. So a screening
// waits for the store only when the lease of its key is used up, which a busy one
// seldom meets, as the next part is fetched ahead; and near the limit, where
// leases are of 1, the last one is granted exactly once. What a key leaves unused
// for some seconds goes back, for another process to lease. A process that is
// killed takes with it what it held: for each key one lease, and what it was
// about to answer. Never is more granted than the limit.
//
// While the store fails, what is leased is still granted, and then nothing. Of a
// lease whose answer was lost nothing is granted, as nobody knows of it; after one,
// no more than one screening at a time is asked for until the store answers. Keys
// without a limit are counted in the same way, but never wait and never are
// refused; a process that is killed forgets up to 4096 of their screenings.
//
// Methods may be called concurrently. The goroutines of a Quota are those that
// ask the store, as a rule at most one for each key; Close waits for them.
type Quota struct {
	store   Store
	outage  outage
	epoch   time.Time // what instants are counted from, monotonically
	ledgers sync.Map  // of *ledger by key id

	leases, failures atomic.Int64

	mu     sync.Mutex
	timer  *time.Timer // that calls sweep, or nil
	closed atomic.Bool
	work   sync.WaitGroup
}

// QuotaOptions are what NewQuota can be told. A nil *QuotaOptions, and the zero
// value of each field, mean the defaults.
type QuotaOptions struct {
	// Logger is told when the store begins to fail, and when it works again. Nil
	// means no log.
	Logger *slog.Logger
}

const (
	leaseShare = 20   // a lease is this part of what is left,
	maxLease   = 256  // but not more,
	freeLease  = 4096 // and this of a key without a limit
	lowWater   = 4    // fetched ahead when less than this part of a lease is left

	storePatience = 3 * time.Second  // with one call of the store,
	fieldPatience = time.Second / 4  // and with one that only RateLimit waits for
	refusalHolds  = time.Second      // before the store is asked again after a refusal
	leaseIdle     = 5 * time.Second  // after which what is left of a lease goes back
	ledgerIdle    = 10 * time.Minute // after which a key is forgotten
)

// closedLow is the low of a ledger that is closed.
const closedLow = math.MaxInt64

// errExhausted is that of a key whose quota is used up.
var errExhausted = errors.New("the quota is used up")

// NewQuota returns a Quota over store. A nil opts means the defaults.
func NewQuota(store Store, opts *QuotaOptions) *Quota {
	if opts == nil {
		opts = &QuotaOptions{}
	}
	return &Quota{store: store, outage: outage{log: opts.Logger, of: "quotas"}, epoch: time.Now()}
}

// A ledger is what a process holds of the quota of one key in one month.
type ledger struct {
	id         string
	month      Month
	start, end time.Time // of the month

	free    atomic.Int64 // leased, and not granted; below 0: granted without a lease, for want of a limit
	low     atomic.Int64 // below it the next part is fetched
	limit   atomic.Int64 // under which was leased last; 0 is none
	leased  atomic.Int64 // by all processes, as the store has told last; -1 is not known
	touched atomic.Int64 // about when it was asked for last, counted from epoch
	retry   atomic.Int64 // until when the store is not asked again

	policy atomic.Pointer[policy] // the last one that was asked for

	// changes is odd while free and leased are changed together.
	changes atomic.Int64

	mu      sync.Mutex
	flight  chan struct{} // closed when the store has answered; nil if it is not asked
	flying  atomic.Bool   // flight is not nil
	refusal error         // why the last flight has brought nothing
	closed  bool          // nothing is leased into it any more
}

// at returns now as ledgers count it.
func (q *Quota) at(now time.Time) int64 { return int64(now.Sub(q.epoch)) }

// ledger returns the ledger of a key id for the month of now. A limit that has
// changed is noted in it.
func (q *Quota) ledger(id string, limit int64, now time.Time) (*ledger, error) {
	v, ok := q.ledgers.Load(id)
	if ok {
		if l := v.(*ledger); !now.Before(l.start) && now.Before(l.end) {
			if l.limit.Load() != limit {
				q.setLimit(l, limit)
			}
			return l, nil
		}
	}
	if q.closed.Load() {
		return nil, fmt.Errorf("%w: the Quota is closed", ErrUnavailable)
	}
	if err := CheckKeyID(id); err != nil {
		return nil, err
	}
	m := MonthOf(now)
	made := &ledger{id: id, month: m, start: m.Start(), end: (m + 1).Start()}
	made.limit.Store(limit)
	made.leased.Store(-1)
	made.touched.Store(q.at(now))
	if !ok {
		v, _ = q.ledgers.LoadOrStore(id, made)
	} else if q.ledgers.CompareAndSwap(id, v, made) { // the month is over
		old := v.(*ledger)
		q.start(func() { q.settle(context.Background(), old) })
		v = made
	} else {
		return q.ledger(id, limit, now) // somebody else has noticed, too
	}
	q.arm()
	return v.(*ledger), nil
}

// setLimit notes that a key was granted another limit, and gives back what was
// leased beyond that.
func (q *Quota) setLimit(l *ledger, limit int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit.Swap(limit) == limit || l.closed {
		return
	}
	l.refusal = nil
	l.retry.Store(0)
	l.low.Store(0)
	if limit == 0 || l.leased.Load() <= limit {
		return
	}
	rest := l.takeAll()
	if l.flight == nil {
		q.launch(l, rest) // whoever asks waits for what comes of it
	} else {
		q.start(func() { q.giveBack(context.Background(), l, rest) })
	}
}

// reserve grants one screening, and returns the ledger that it was taken from;
// nil if it is not counted. The error is errExhausted, or wraps ErrUnavailable or
// ErrInvalid, or is that of ctx.
func (q *Quota) reserve(ctx context.Context, g *Grant, now time.Time) (*ledger, error) {
	limit := max(g.Quota, 0)
	for {
		l, err := q.ledger(g.KeyID, limit, now)
		if err != nil {
			if limit == 0 {
				return nil, nil
			}
			return nil, err
		}
		at := q.at(now)
		if at-l.touched.Load() > int64(time.Second) {
			l.touched.Store(at)
		}
		if left, ok := l.take(limit == 0); ok {
			if left >= l.low.Load() && (limit > 0 || left >= 0) {
				return l, nil
			}
			if q.fetchAhead(l, at) || limit > 0 {
				return l, nil
			}
			l.release() // a closed ledger is read no more
			continue
		}
		flight, err := q.ask(l, at)
		if err != nil {
			return nil, err
		}
		if flight != nil {
			select {
			case <-flight:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		now = time.Now()
	}
}

// take takes one, and returns how many are left; or none if none is free, unless
// it is to be taken nevertheless.
func (l *ledger) take(unlimited bool) (left int64, ok bool) {
	if unlimited {
		return l.free.Add(-1), true
	}
	for {
		free := l.free.Load()
		if free <= 0 {
			return 0, false
		}
		if l.free.CompareAndSwap(free, free-1) {
			return free - 1, true
		}
	}
}

// release gives back what reserve has taken.
func (l *ledger) release() {
	if l != nil {
		l.free.Add(1)
	}
}

// takeAll takes what is free; below 0 if it is owed.
func (l *ledger) takeAll() int64 { return l.free.Swap(0) }

// fetchAhead has more leased, if nobody does already. It returns false if l is
// closed.
func (q *Quota) fetchAhead(l *ledger, at int64) bool {
	if l.low.Load() == closedLow {
		return false
	}
	if l.flying.Load() || at < l.retry.Load() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if l.flight == nil && at >= l.retry.Load() {
		q.launch(l, 0)
	}
	return true
}

// ask has more leased, unless something came in the meantime, and returns what
// to wait for, or why there is no use.
func (q *Quota) ask(l *ledger, at int64) (flight <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed, l.free.Load() > 0:
		return nil, nil
	case l.flight != nil:
		return l.flight, nil
	case at < l.retry.Load() && l.refusal != nil:
		return nil, l.refusal
	case !q.launch(l, 0):
		return nil, fmt.Errorf("%w: the Quota is closed", ErrUnavailable)
	}
	return l.flight, nil
}

// launch starts a flight of l, whose mu is held, which first gives back rest.
func (q *Quota) launch(l *ledger, rest int64) bool {
	l.flight = make(chan struct{})
	l.flying.Store(true)
	if q.start(func() { q.fly(l, rest) }) {
		return true
	}
	l.free.Add(rest)
	l.flight = nil
	l.flying.Store(false)
	return false
}

// fly gives back rest, and leases the next part of l.
func (q *Quota) fly(l *ledger, rest int64) {
	q.giveBack(context.Background(), l, rest)
	limit := l.limit.Load()
	l.mu.Lock()
	careful := errors.Is(l.refusal, ErrUnavailable) // what was leased then may be lost already
	l.mu.Unlock()
	n := max(1, l.size(limit)-l.free.Load())
	if careful {
		n = max(1, 1-l.free.Load())
	}
	bound := limit
	if bound == 0 {
		bound = math.MaxInt64
	}
	granted, leased, err := q.lease(context.Background(), l, n, bound)

	l.mu.Lock()
	at := q.at(time.Now())
	l.refusal = nil
	l.retry.Store(0)
	switch {
	case err != nil:
		l.refusal = fmt.Errorf("%w: %w", ErrUnavailable, err)
		l.retry.Store(at + int64(refusalHolds))
	case granted == 0:
		l.refusal = errExhausted
		l.retry.Store(at + int64(refusalHolds))
	}
	if err == nil {
		l.changes.Add(1)
		l.leased.Store(leased)
		l.free.Add(granted)
		l.changes.Add(1)
		switch {
		case l.closed:
		case limit > 0 && leased >= limit:
			l.low.Store(0) // there is nothing more to fetch
		default:
			l.low.Store(l.size(limit) / lowWater)
		}
	}
	late := l.closed
	close(l.flight)
	l.flight = nil
	l.flying.Store(false)
	l.mu.Unlock()
	if late {
		q.giveBack(context.Background(), l, l.takeAll())
	}
}

// size returns how many are to be held of what a limit leaves, as far as that is
// known.
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

// lease is Lease of the store, within its time.
func (q *Quota) lease(ctx context.Context, l *ledger, n, limit int64) (granted, leased int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	granted, leased, err = q.store.Lease(ctx, l.id, l.month, n, limit)
	q.report(err)
	if err == nil {
		q.leases.Add(1)
	}
	return granted, leased, err
}

// report notes how a call of the store went.
func (q *Quota) report(err error) {
	if err != nil {
		q.failures.Add(1)
	}
	q.outage.report(err)
}

// giveBack returns to the store the rest that was free in l, or leases it if it
// is owed.
func (q *Quota) giveBack(ctx context.Context, l *ledger, rest int64) error {
	switch {
	case rest == 0:
		return nil
	case rest < 0:
		_, _, err := q.lease(ctx, l, -rest, math.MaxInt64)
		if err != nil {
			l.free.Add(rest)
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := q.store.Return(ctx, l.id, l.month, rest) // if it failed it may have been done, so rest is lost
	q.report(err)
	if err == nil {
		l.mu.Lock()
		if leased := l.leased.Load(); leased >= rest {
			l.leased.Store(leased - rest)
		}
		l.mu.Unlock()
	}
	return err
}

// settle closes l and gives back what is free in it.
func (q *Quota) settle(ctx context.Context, l *ledger) error {
	l.mu.Lock()
	l.closed = true
	l.low.Store(closedLow) // whoever takes on credit from now on comes to know
	l.mu.Unlock()
	return q.giveBack(ctx, l, l.takeAll())
}

// start runs f in a goroutine that Close waits for, unless q is closed.
func (q *Quota) start(f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed.Load() {
		return false
	}
	q.work.Go(f)
	return true
}

// arm has sweep called in a while.
func (q *Quota) arm() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer == nil && !q.closed.Load() {
		q.timer = time.AfterFunc(leaseIdle, func() { q.start(q.sweep) })
	}
}

// sweep gives back what keys leave unused, and forgets keys that ask for nothing.
func (q *Quota) sweep() {
	at := q.at(time.Now())
	some := false
	q.ledgers.Range(func(id, v any) bool {
		l := v.(*ledger)
		idle := time.Duration(at - l.touched.Load())
		var err error
		switch {
		case q.outage.down.Load() && !q.reachable(l): // what cannot be given back is kept
			err = ErrUnavailable
		case idle >= ledgerIdle:
			if q.ledgers.CompareAndDelete(id, l) {
				err = q.settle(context.Background(), l)
			}
		case idle >= leaseIdle && !l.flying.Load():
			err = q.giveBack(context.Background(), l, l.takeAll())
		}
		some = true
		return err == nil && !q.closed.Load()
	})
	q.mu.Lock()
	q.timer = nil
	q.mu.Unlock()
	if some {
		q.arm()
	}
}

// reachable reports whether the store works again.
func (q *Quota) reachable(l *ledger) bool {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	_, err := q.store.Leased(ctx, l.id, l.month)
	q.report(err)
	return err == nil
}

// Close gives back what is leased and not used, and ends the goroutines of q. It
// is called after the last request was answered: whatever comes later is refused.
// The error tells that something could not be given back, before ctx has ended
// or the store has failed; for the keys concerned it is lost until the month
// ends.
func (q *Quota) Close(ctx context.Context) error {
	q.mu.Lock()
	first := !q.closed.Swap(true)
	if q.timer != nil {
		q.timer.Stop()
	}
	q.mu.Unlock()
	if !first {
		return nil
	}
	idle := make(chan struct{})
	go func() {
		q.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done(): // what is in flight gives back what it brings
	}
	todo := make(chan *ledger)
	var mu sync.Mutex
	var failed int
	var cause error
	var settlers sync.WaitGroup
	for range 8 {
		settlers.Go(func() {
			for l := range todo {
				if err := q.settle(ctx, l); err != nil {
					mu.Lock()
					failed, cause = failed+1, err
					mu.Unlock()
				}
			}
		})
	}
	q.ledgers.Range(func(id, v any) bool {
		q.ledgers.Delete(id)
		todo <- v.(*ledger)
		return true
	})
	close(todo)
	settlers.Wait()
	if failed > 0 {
		return fmt.Errorf("httpapi: the leases of %d keys could not be given back: %w", failed, cause)
	}
	return nil
}

// A Usage is what a key has used of its quota.
type Usage struct {
	// Month is the one that the figures are about.
	Month Month

	// Limit is what is granted for the month, or 0 if there is no limit.
	Limit int64

	// Used is what was screened in the month, and Remaining what is left of Limit.
	// What other processes hold and have not granted yet counts as used; once
	// nobody asks, it has gone back in ten seconds, and both are exact.
	Used, Remaining int64

	// Resets is when the next month begins.
	Resets time.Time
}

// Usage returns what the key of g has used in this month; of g it needs KeyID and
// Quota. It asks the store; the error wraps [ErrUnavailable] if that fails, and
// [ErrInvalid] if the id is none.
func (q *Quota) Usage(ctx context.Context, g Grant) (Usage, error) {
	m := MonthOf(time.Now())
	u := Usage{Month: m, Limit: max(g.Quota, 0), Resets: (m + 1).Start()}
	if err := CheckKeyID(g.KeyID); err != nil {
		return Usage{}, err
	}
	var l *ledger
	var free int64
	if v, ok := q.ledgers.Load(g.KeyID); ok && v.(*ledger).month == m {
		l = v.(*ledger)
		free = l.free.Load()
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	leased, err := q.store.Leased(ctx, g.KeyID, m)
	if err != nil {
		if ctx.Err() != context.Canceled { // else the caller is gone
			q.report(err)
		}
		return Usage{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	q.report(nil)
	u.Used = max(0, leased-free)
	u.Remaining = max(0, u.Limit-u.Used)
	return u, nil
}

// left returns what is left of the quota of g, whose ledger is l, as far as is
// known here, and asks the store if nothing is. What other processes have leased
// since the store was asked last is not in it.
func (q *Quota) left(ctx context.Context, l *ledger, g *Grant, now time.Time) (n int64, ok bool) {
	if l.leased.Load() >= 0 {
		return l.left(), true
	}
	if q.at(now) < l.retry.Load() {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fieldPatience)
	defer cancel()
	u, err := q.Usage(ctx, *g)
	l.mu.Lock()
	switch {
	case err != nil:
		l.refusal = err
		l.retry.Store(q.at(time.Now()) + int64(refusalHolds))
	case l.leased.Load() < 0:
		l.leased.Store(u.Used)
	}
	l.mu.Unlock()
	if err != nil {
		return 0, false
	}
	return l.left(), true
}

// left returns what is left of the limit, as far as is known here.
func (l *ledger) left() int64 {
	sum := func() int64 { return max(0, l.limit.Load()-l.leased.Load()) + max(0, l.free.Load()) }
	if before := l.changes.Load(); before%2 == 0 {
		if n := sum(); before == l.changes.Load() {
			return n
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return sum()
}

// QuotaStats are figures of a [Quota], for metrics.
type QuotaStats struct {
	Keys     int   // that have asked for something in the last minutes
	Held     int64 // leased by this process, and not granted
	Leases   int64 // that the store has answered, since NewQuota
	Failures int64 // of the store, since NewQuota
}

// Stats returns the figures of q. It does not ask the store.
func (q *Quota) Stats() QuotaStats {
	s := QuotaStats{Leases: q.leases.Load(), Failures: q.failures.Load()}
	q.ledgers.Range(func(_, v any) bool {
		s.Keys++
		s.Held += max(0, v.(*ledger).free.Load())
		return true
	})
	return s
}
