package fetch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// A failure says how an attempt failed.
type failure struct {
	Err   error
	Final bool          // another attempt would not help
	Now   bool          // repeat at once
	Wait  time.Duration // the least wait before the next attempt
}

// maxWait is the longest wait between two attempts, and the longest that a server may ask for.
const maxWait = 2 * time.Minute

// pause waits before the next attempt: about r.Backoff after the first one, and twice as long each time. If
// there is no next attempt, it returns an error, which wraps ctx.Err() or the error of f.
func (r *Request) pause(ctx context.Context, f *failure, attempt int) error {
	wait := r.Backoff << min(attempt-1, 8)
	wait = max(min(wait/2+rand.N(wait), maxWait), f.Wait)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case f.Now:
		return nil
	case f.Final, attempt >= r.Attempts, wait > maxWait:
		return f.Err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w, after: %w", ctx.Err(), f.Err)
	}
}

// retryAfter returns the wait that the field Retry-After asks for, in seconds
// or as a date, and zero if there is none.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseUint(v, 10, 32); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
