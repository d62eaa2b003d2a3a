package access

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	reportEvery   = time.Second / 4      // the longest time between a change of counts and its write
	reportShare   = 3                    // a write is followed by a pause of this many times its duration,
	reportPause   = 5 * time.Millisecond // at least
	fieldPatience = time.Second / 4      // the longest wait for the store by a field of a header
	othersHold    = time.Second / 4      // counts of other processes are read again after it
)

// reports writes the counts of answered screenings.
type reports struct {
	armed  atomic.Bool // whether timer is set
	leases atomic.Int64

	mu      sync.Mutex
	timer   *time.Timer
	writing chan struct{} // semaphore: one write at a time, so that each is the newest
	last    time.Time     // of the last write
	next    atomic.Int64  // the instant before which there is no other write
}

// arm sets the timer of the next write.
func (p *reports) arm(r *Keyring) {
	if p.armed.Load() || !p.armed.CompareAndSwap(false, true) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.tasks.closed.Load() {
		p.timer = time.AfterFunc(min(reportEvery, max(time.Millisecond, time.Duration(p.next.Load()-r.at(time.Now())))), func() {
			p.armed.Store(false)
			r.tasks.start(func() { r.reportChanged(context.Background()) })
		})
	}
}

func (p *reports) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}

// reportChanged writes the counts that have changed.
func (r *Keyring) reportChanged(ctx context.Context) {
	type row struct {
		month  int
		holder string
	}
	changed := make(map[row][]*ledger)
	r.ledgers.Range(func(_, v any) bool {
		if l := v.(*ledger); l.answered.Load() != l.reported.Load() {
			at := row{l.month, l.holder}
			changed[at] = append(changed[at], l)
		}
		return true
	})
	for _, ledgers := range changed {
		if r.report(ctx, ledgers) != nil {
			r.reports.arm(r) // try again
			return
		}
	}
}

// report writes the counts of ledgers of one month and holder, and reads those of
// the other processes.
func (r *Keyring) report(ctx context.Context, ledgers []*ledger) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	p := &r.reports
	select {
	case p.writing <- struct{}{}:
		defer func() { <-p.writing }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(p.last) {
		now = p.last.Add(time.Microsecond)
	}
	p.last = now
	counts := make(map[string]int64, len(ledgers))
	for _, l := range ledgers {
		counts[l.id] = l.answered.Load()
	}
	begun := time.Now()
	others, err := r.store.Answered(ctx, ledgers[0].holder, ledgers[0].month, now, counts)
	ended := time.Now()
	p.next.Store(r.at(ended.Add(max(reportPause, reportShare*ended.Sub(begun)))))
	if err != nil {
		for _, l := range ledgers {
			l.reported.Store(-1) // it may have been done
		}
		p.next.Store(r.at(ended.Add(reportEvery)))
		if ctx.Err() != context.Canceled { // else the client has gone
			r.outage.report(err)
		}
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	r.outage.report(nil)
	at := r.at(time.Now())
	for _, l := range ledgers {
		l.reported.Store(counts[l.id])
		l.others.Store(others[l.id])
		l.asked.Store(at)
	}
	return nil
}

// Used implements [httpapi.Meter].
func (r *Keyring) Used(ctx context.Context, c httpapi.Caller, ask bool) (used int64, from, until time.Time, err error) {
	now := askedAt(c)
	l, err := r.ledger(c.ID, -1, now)
	if err != nil {
		m := MonthOf(now)
		return 0, monthStart(m), monthStart(m + 1), err
	}
	at := r.at(now)
	switch {
	case ask:
		err = r.askOthers(ctx, l, c.Quota > 0, at)
	case at < l.pause.Load():
		err = l.unknown()
	case l.others.Load() < 0 || at-l.asked.Load() > int64(othersHold):
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fieldPatience)
		defer cancel()
		if err = r.report(ctx, []*ledger{l}); err != nil {
			l.pause.Store(r.at(time.Now()) + int64(refusalHolds))
			if l.others.Load() >= 0 {
				err = nil // slightly old, and better than nothing
			}
		}
	}
	if err != nil {
		return 0, l.start, l.end, err
	}
	return l.answered.Load() + max(0, l.others.Load()), l.start, l.end, nil
}

// askOthers reads what the other processes have answered before the call. All that ask at
// once share one reading.
func (r *Keyring) askOthers(ctx context.Context, l *ledger, limited bool, at int64) error {
	for begun := l.begun.Load(); l.ended.Load() <= begun; { // one that has begun may have read already
		done, err := l.asking.join(&r.tasks, at, func() (int64, error) { return 0, r.readOthers(l, limited) })
		if err != nil {
			return err
		}
		select {
		case <-done:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
		}
		if err := l.asking.last(); err != nil {
			return err
		}
	}
	return nil
}

// readOthers reads what the other processes have answered. If one of them holds a lease,
// it may have answered something that it has not written yet: then readOthers reads again
// once it must have. A caller without a limit may be answered before there is a lease.
func (r *Keyring) readOthers(l *ledger, limited bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	n := l.begun.Add(1)
	held, err := r.readAccount(ctx, l)
	if err == nil && (held || !limited) {
		select {
		case <-time.After(reportEvery):
		case <-ctx.Done():
		}
		_, err = r.readAccount(ctx, l)
	}
	if err == nil {
		l.ended.Store(n)
	}
	return err
}

// readAccount reads what the other processes have answered and written, and reports
// whether one of them may hold a lease.
func (r *Keyring) readAccount(ctx context.Context, l *ledger) (held bool, err error) {
	if l.reported.Load() < 0 { // what the store has of l is in doubt
		if err := r.report(ctx, []*ledger{l}); err != nil {
			return false, err
		}
	}
	select {
	case r.reports.writing <- struct{}{}: // so that the count of l in the store stays the same
		defer func() { <-r.reports.writing }()
	case <-ctx.Done():
		return false, fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
	}
	reported := l.reported.Load()
	if reported < 0 {
		return false, errUnknown
	}
	leased, answered, changed, err := r.store.Account(ctx, l.id, l.month)
	r.outage.report(err)
	if err != nil {
		return false, fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	others := answered - reported
	l.others.Store(others)
	l.asked.Store(r.at(time.Now()))
	// What is charged moves from free to answered, and is in neither for a moment, not in both.
	ours := l.answered.Load() + l.free.Load()
	return leased-ours > others && time.Since(changed) < leaseReturns, nil
}

// errUnknown is the error of counts that could not be read a moment ago.
var errUnknown = fmt.Errorf("%w: the counts could not be read", httpapi.ErrUnavailable)

// unknown returns an error if the counts of the other processes were never read.
func (l *ledger) unknown() error {
	if l.others.Load() < 0 {
		return errUnknown
	}
	return nil
}

// A sweeper returns unused leases from time to time.
type sweeper struct {
	mu    sync.Mutex
	timer *time.Timer
}

// arm schedules the next sweep.
func (s *sweeper) arm(r *Keyring) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil && !r.tasks.closed.Load() {
		s.timer = time.AfterFunc(leaseIdle, func() { r.tasks.start(r.sweep) })
	}
}

func (s *sweeper) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// sweep returns what callers leave unused, and settles ledgers of past months.
func (r *Keyring) sweep() {
	now := time.Now()
	at := r.at(now)
	again := false
	r.ledgers.Range(func(id, v any) bool {
		l := v.(*ledger)
		idle := time.Duration(at - l.touched.Load())
		over := !now.Before(l.end)
		var err error
		switch {
		case r.outage.down.Load() && !r.reachable(l): // what cannot be returned is kept
			err = httpapi.ErrUnavailable
		case idle >= ledgerIdle, over && idle >= leaseIdle:
			if r.ledgers.CompareAndDelete(id, l) {
				err = r.forget(context.Background(), l)
			}
		case idle >= leaseIdle && !l.leasing.running.Load():
			err = r.returnLease(context.Background(), l, l.drain())
		}
		again = true
		return err == nil && !r.tasks.closed.Load()
	})
	r.sweeper.mu.Lock()
	r.sweeper.timer = nil
	r.sweeper.mu.Unlock()
	if again {
		r.sweeper.arm(r)
	}
}

// reachable reports whether the store works again.
func (r *Keyring) reachable(l *ledger) bool {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	_, _, _, err := r.store.Account(ctx, l.id, l.month)
	r.outage.report(err)
	return err == nil
}

// settleAll forgets all ledgers.
func (r *Keyring) settleAll(ctx context.Context) error {
	todo := make(chan *ledger)
	var mu sync.Mutex
	var failed int
	var cause error
	var settlers sync.WaitGroup
	for range 8 {
		settlers.Go(func() {
			for l := range todo {
				if err := r.forget(ctx, l); err != nil {
					mu.Lock()
					failed, cause = failed+1, err
					mu.Unlock()
				}
			}
		})
	}
	r.ledgers.Range(func(id, v any) bool {
		r.ledgers.Delete(id)
		todo <- v.(*ledger)
		return true
	})
	close(todo)
	settlers.Wait()
	if failed > 0 {
		return fmt.Errorf("returning the leases of %d callers: %w", failed, cause)
	}
	return nil
}
