package access

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// tasks are the goroutines of a Keyring, which Close waits for.
type tasks struct {
	mu     sync.Mutex
	closed atomic.Bool
	wg     sync.WaitGroup
}

// start runs f in a goroutine, unless t is closed.
func (t *tasks) start(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed.Load() {
		return false
	}
	t.wg.Go(f)
	return true
}

// close refuses new goroutines, and reports whether it is the first call.
func (t *tasks) close() (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.closed.Swap(true)
}

// wait waits for the running goroutines, or until ctx ends.
func (t *tasks) wait(ctx context.Context) error {
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

// An inflight makes one call of the store at a time: everyone who needs its outcome
// waits for the same call. After a failure it makes no call for a while.
type inflight struct {
	mu    sync.Mutex
	done  chan struct{} // closed when the call in flight ends; nil if there is none
	err   error         // of the last call
	retry time.Time     // before which no call is made
}

// errClosed is the error of calls after Close.
var errClosed = fmt.Errorf("%w: the Keyring is closed", httpapi.ErrUnavailable)

// start returns the channel of the call in flight, which it starts if there is none;
// or the error of the last call, if it is too early for another one. call returns
// its error, and with one the time before which there is no other call.
func (f *inflight) start(t *tasks, now time.Time, call func() (retry time.Time, err error)) (<-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.done != nil:
		return f.done, nil
	case now.Before(f.retry):
		return nil, f.err
	}
	run := func() {
		retry, err := call()
		f.mu.Lock()
		defer f.mu.Unlock()
		close(f.done)
		f.done, f.err, f.retry = nil, err, retry
	}
	if !t.start(run) {
		return nil, errClosed
	}
	f.done = make(chan struct{})
	return f.done, nil
}

// wait waits until the call that start returns has ended.
func (f *inflight) wait(ctx context.Context, t *tasks, now time.Time, call func() (retry time.Time, err error)) error {
	done, err := f.start(t, now, call)
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
	}
}

// state reports whether a call is in flight, until when no other one is made, and the error
// of the last one.
func (f *inflight) state() (busy bool, retry time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done != nil, f.retry, f.err
}

// forget makes the next call possible at once.
func (f *inflight) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.retry = nil, time.Time{}
}

// An outage logs when the store begins to fail, and when it works again.
type outage struct {
	log      *slog.Logger // nil for none
	down     atomic.Bool
	failures atomic.Int64

	mu    sync.Mutex
	since time.Time
}

// report records the outcome of a call of the store.
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
