package screening

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

var (
	errEnded   = errors.New("the source ended its goroutine")
	errLate    = errors.New("an entry after the end of the list")
	errTimeout = errors.New("time limit")
)

const (
	// grace is the time a source may take to return when its context has ended.
	grace = 250 * time.Millisecond
	// maxStuck is the maximum number of loads of a source that may be stuck at the same time.
	maxStuck = 3
	// maxTimeouts is how many time limits a load may take if it makes progress.
	maxTimeouts = 24
)

// guarded calls the Load of a Source that is not ours. Whatever that does, a list
// that is not whole is an error: it may panic, end its goroutine, ignore its context,
// call add from several goroutines or after it returned, and ignore the errors of add. Its context ends soon
// after there was no progress for as long as limit. If Load does not return soon then, guarded returns
// without it. stuck counts the loads that have not returned.
func guarded(ctx context.Context, src sources.Source, stuck *atomic.Int32, limit time.Duration, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if n := stuck.Load(); n >= maxStuck {
		return sources.Revision{}, fmt.Errorf("%w: %d earlier loads are still running, no other is begun", errStuck, n)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var moved atomic.Bool // since the last tick
	bytes := sources.Progress(ctx)
	watched := sources.WithProgress(ctx, func(read, total int64) {
		moved.Store(true)
		bytes(read, total)
	})
	var mu sync.Mutex // guards add and refused
	var refused error // the first error of add
	locked := func(e sources.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if moved.Store(true); refused == nil {
			refused = add(e)
		}
		return refused
	}
	type outcome struct {
		rev sources.Revision
		err error
	}
	done := make(chan outcome, 1)
	stuck.Add(1)
	go func() {
		o := outcome{err: errEnded}
		defer func() {
			stuck.Add(-1)
			done <- o
		}()
		defer caught(&o.err)
		o.rev, o.err = src.Load(watched, prev, locked)
	}()
	var o outcome
	ticker, begin := time.NewTicker(limit), time.Now()
	defer ticker.Stop()
	ended, isDone := ctx.Done(), false
	var leave <-chan time.Time
	for !isDone {
		select {
		case o = <-done:
			isDone = true
		case <-ticker.C:
			if !moved.Swap(false) || time.Since(begin) >= maxTimeouts*limit {
				cancel(fmt.Errorf("%w of %v without progress: %w", errTimeout, limit, context.DeadlineExceeded))
			}
		case <-ended:
			ended, leave = nil, time.After(grace)
		case <-leave:
			o.err, isDone = errStuck, true
		}
	}
	if cause := context.Cause(ctx); o.err != nil && errors.Is(cause, errTimeout) || errors.Is(o.err, errStuck) {
		o.err = fmt.Errorf("%w: %w", cause, o.err)
	}
	mu.Lock()
	defer mu.Unlock()
	if refused != nil && (o.err == nil || errors.Is(o.err, sources.ErrUnchanged)) {
		o.err = refused
	}
	refused = errLate
	return o.rev, o.err
}

// caught turns a panic into an error. It is deferred.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
