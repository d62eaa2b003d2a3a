package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	// storePatience is the time limit of one call of the store.
	storePatience = 3 * time.Second

	// refusalHolds is the time between two calls of the store after a failure.
	refusalHolds = time.Second
)

// errClosed is the error of calls after Close.
var errClosed = fmt.Errorf("%w: the Keyring is closed", httpapi.ErrUnavailable)

// call runs do, which calls the store about q, when no other call about q is under way. It
// waits for that until ctx ends, or for the time limit of a call; do then goes on.
func (r *Keyring) call(ctx context.Context, q *quota, do func(context.Context) error) error {
	wait, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	select {
	case q.calls <- struct{}{}:
	case <-wait.Done():
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, wait.Err())
	}
	done := make(chan error, 1)
	started := r.tasks.start(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
		defer cancel()
		err := do(ctx)
		<-q.calls
		done <- err
	})
	if !started {
		<-q.calls
		return errClosed
	}
	select {
	case err := <-done:
		return err
	case <-wait.Done():
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, wait.Err())
	}
}

// tasks are the goroutines of a Keyring, which Close waits for.
type tasks struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// enter counts a goroutine, which calls leave when it ends, unless t is closed.
func (t *tasks) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.wg.Add(1)
	}
	return !t.closed
}

func (t *tasks) leave() { t.wg.Done() }

// start runs f in a goroutine, unless t is closed.
func (t *tasks) start(f func()) bool {
	entered := t.enter()
	if entered {
		go func() {
			defer t.leave()
			f()
		}()
	}
	return entered
}

// close refuses new goroutines, and waits for those that run, or until ctx ends.
func (t *tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		t.wg.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An outage logs when the store begins to fail, and when it works again.
type outage struct {
	log      *slog.Logger // nil for none
	down     atomic.Bool
	failures atomic.Int64

	mu    sync.Mutex
	since time.Time
}

// outcome records the outcome of a call of the store, and returns it as an
// [httpapi.ErrUnavailable] if the store has failed.
func (o *outage) outcome(err error) error {
	switch {
	case errors.Is(err, ErrInvalid): // it was not asked
		return err
	case errors.Is(err, ErrNoKey), errors.Is(err, ErrConflict):
		o.report(nil)
		return err
	}
	o.report(err)
	if err != nil {
		err = fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	return err
}

// report records whether a call of the store has failed.
func (o *outage) report(err error) {
	if err != nil {
		o.failures.Add(1)
	} else if !o.down.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down.Swap(err != nil) == (err != nil) {
		return
	}
	now := time.Now()
	switch {
	case o.log == nil:
	case err != nil:
		o.log.LogAttrs(context.Background(), slog.LevelError, "the store of API keys and quotas fails", slog.String("error", err.Error()))
	default:
		o.log.LogAttrs(context.Background(), slog.LevelWarn, "the store of API keys and quotas works again", slog.Duration("after", now.Sub(o.since)))
	}
	o.since = now
}
