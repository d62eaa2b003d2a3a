package access

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// armSweep schedules the next sweep. The caller holds mu.
func (r *Keyring) armSweep() {
	if r.sweeper == nil && !r.tasks.closed.Load() {
		r.sweeper = time.AfterFunc(blockHold, func() { r.tasks.start(r.sweep) })
	}
}

// sweep returns the blocks that are held for long, and forgets idle callers.
func (r *Keyring) sweep() {
	for _, q := range r.active() {
		q.mu.Lock()
		now := time.Now()
		idle := now.Sub(q.touched) >= quotaIdle || !now.Before(q.end)
		if idle || now.Sub(q.filled) >= blockHold {
			q.drain()
		}
		rest := q.surplus
		q.mu.Unlock()
		if rest != 0 && r.outage.down.Load() && r.refresh(context.Background(), q, now, storePatience) != nil {
			q.mu.Lock()
			q.free, q.surplus = q.free+q.surplus, 0 // what cannot be returned is kept
			q.mu.Unlock()
			break
		}
		var err error
		if idle {
			r.mu.Lock()
			if r.quotas[q.id] == q {
				delete(r.quotas, q.id)
			}
			r.mu.Unlock()
			err = r.settle(context.Background(), q)
		} else if rest != 0 {
			err = r.call(context.Background(), q, func(ctx context.Context) error { return r.giveBack(ctx, q) })
		}
		if err != nil || r.tasks.closed.Load() {
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

// active returns all quotas.
func (r *Keyring) active() (all []*quota) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.quotas {
		all = append(all, q)
	}
	return all
}

// settleAll forgets all callers and returns their blocks.
func (r *Keyring) settleAll(ctx context.Context) error {
	todo := make(chan *quota)
	var mu sync.Mutex
	var failed int
	var cause error
	var settlers sync.WaitGroup
	for range 8 {
		settlers.Go(func() {
			for q := range todo {
				if err := r.settle(ctx, q); err != nil {
					mu.Lock()
					failed, cause = failed+1, err
					mu.Unlock()
				}
			}
		})
	}
	for _, q := range r.active() {
		todo <- q
	}
	close(todo)
	settlers.Wait()
	r.mu.Lock()
	clear(r.quotas)
	r.mu.Unlock()
	if failed > 0 {
		return fmt.Errorf("returning the blocks of %d callers: %w", failed, cause)
	}
	return nil
}
