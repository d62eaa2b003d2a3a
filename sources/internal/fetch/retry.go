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
	Now   bool          // repeat at once; does not count as an attempt
	Wait  time.Duration // the least wait before the next attempt
}

// maxWait is the longest wait that a server may ask for. retry gives up if one asks
// for more.
const maxWait = 2 * time.Minute

// retry calls try until it returns nil, a final failure, or the last of the attempts
// has failed. Zero attempts mean 4. It waits between attempts: about backoff, which
// zero sets to two seconds, and twice as long each time. The error wraps ctx.Err() or
// the error of the last failure.
func retry(ctx context.Context, attempts int, backoff time.Duration, try func() *failure) error {
	if attempts == 0 {
		attempts = 4
	}
	if backoff == 0 {
		backoff = 2 * time.Second
	}
	for attempt := 1; ; {
		f := try()
		if f == nil {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Final {
			return f.Err
		}
		if f.Now {
			continue
		}
		wait := backoff<<min(attempt-1, 8)/2 + rand.N(backoff<<min(attempt-1, 8))
		wait = max(min(wait, maxWait), f.Wait)
		if attempt >= attempts || wait > maxWait {
			return f.Err
		}
		attempt++
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w, after: %w", ctx.Err(), f.Err)
		}
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
