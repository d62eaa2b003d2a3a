package access

import (
	"context"
	"errors"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// An exhausted is the error of a quota that is used up. It is an
// [httpapi.ErrExhausted].
type exhausted struct{ until time.Time }

func (e *exhausted) Error() string { return "the quota is used up" }
func (e *exhausted) Unwrap() error { return httpapi.ErrExhausted }

// RetryAfter returns how long it takes until something may be granted again.
func (e *exhausted) RetryAfter() time.Duration { return time.Until(e.until) }

func isExhausted(err error) bool { return errors.Is(err, httpapi.ErrExhausted) }

// leaseReturns is the time after which every unused lease of a working process was
// returned.
const leaseReturns = 2*leaseIdle + storePatience

// exhausted returns the error for a ledger whose limit is leased out. Something will
// be granted again when the month ends; or soon, if another process holds a lease
// that it has not used, and has shown that it is alive.
func (r *Keyring) exhausted(l *ledger, limit int64) error {
	e := &exhausted{until: l.end}
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if r.report(ctx, []*ledger{l}) != nil {
		return e
	}
	leased, answered, changed, err := r.store.Account(ctx, l.id, l.month)
	if err != nil {
		return e
	}
	if answered < min(leased, limit) {
		if soon := changed.Add(leaseReturns); soon.After(time.Now()) && soon.Before(l.end) {
			e.until = soon
		}
	}
	return e
}
