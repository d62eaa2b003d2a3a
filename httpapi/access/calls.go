package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

var (
	// errClosed is the error of calls after Close.
	errClosed = fmt.Errorf("%w: the Keyring is closed", httpapi.ErrUnavailable)
	// errUnread reports that no count was read.
	errUnread = fmt.Errorf("%w: the counts could not be read", httpapi.ErrUnavailable)
)

// An exhausted is the error of a quota that is used up. It is an [httpapi.ErrExhausted].
type exhausted struct{ until time.Time }

func (e *exhausted) Error() string { return "the quota is used up" }
func (e *exhausted) Unwrap() error { return httpapi.ErrExhausted }

// RetryAfter returns how long it takes until something may be granted again.
func (e *exhausted) RetryAfter() time.Duration { return time.Until(e.until) }

// call runs do, which calls the store about q, or waits for the call that is under way, until ctx
// ends or patience does. The call then goes on.
func (r *Keyring) call(ctx context.Context, q *quota, patience time.Duration, do func(context.Context) error) error {
	called := q.calls.DoChan("", func() (any, error) {
		return nil, r.run(func() error {
			q.asking.Store(true)
			defer q.asking.Store(false)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
			defer cancel()
			return do(ctx)
		})
	})
	err := context.DeadlineExceeded
	select {
	case done := <-called:
		return done.Err
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(patience):
	}
	return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
}

// run calls f, which Close waits for, unless r is closed.
func (r *Keyring) run(f func() error) error {
	if !r.running.TryAcquire(1) {
		return errClosed
	}
	defer r.running.Release(1)
	return f()
}

// An outage logs when the store begins to fail, and when it works again.
type outage struct {
	log      *slog.Logger
	down     atomic.Bool
	failures atomic.Int64
}

// outcome records the outcome of a call of the store, and returns it as an
// [httpapi.ErrUnavailable] if the store has failed.
func (o *outage) outcome(err error) error {
	failed := err != nil && !errors.Is(err, ErrNoKey) && !errors.Is(err, ErrConflict)
	if o.down.Load() != failed && o.down.Swap(failed) != failed {
		if failed {
			o.log.Error("the store of API keys and quotas fails", "error", err)
		} else {
			o.log.Warn("the store of API keys and quotas works again")
		}
	}
	if failed {
		o.failures.Add(1)
		err = fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	return err
}
