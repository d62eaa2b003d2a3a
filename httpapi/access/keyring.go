package access

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A Keyring admits the API keys of a [Store], and counts and limits the screenings of
// each caller, together with all other processes that use the same Store. It is both
// an [httpapi.Authorizer] and an [httpapi.Meter]; as a Meter it serves callers of any
// Authorizer. Make one with [New], and [Keyring.Close] it after the last request. Its
// methods may be called concurrently. Its goroutines are those that call the store.
//
// # Keys
//
// A token names the id of its key; the secret is compared by its hash in constant
// time, also for unknown ids. Unknown, expired, revoked and malformed tokens, and
// keys without scopes, all return [httpapi.ErrUnauthorized].
//
// The store's record of a key is cached for some seconds, so a change takes effect
// everywhere within that time, and a new secret within one second. Keys in use are
// refreshed before that, and no request waits for it. While the store fails, keys
// that were read lately are admitted for some minutes more; others return
// [httpapi.ErrUnavailable].
//
// # Quotas
//
// The limit of a quota is never exceeded. A Keyring leases screenings from the store:
// up to a 20th of what the month has left for the caller, at least 1 and at most 256,
// or as many as a batch needs. A request waits for the store only when the lease is
// used up; the next one is fetched ahead. Near the limit leases are of 1, so the last
// screening is granted exactly once. A lease that stays unused for some seconds is
// returned. A process that is killed, or whose database hangs, costs each caller at
// most the lease that it held.
//
// Counts of answered screenings are exact. A Keyring writes its own some milliseconds
// after they change, at most a quarter of a second, and reads those of the other processes
// then. [Keyring.Used] waits for them if it is to ask and another process holds a lease: it
// counts all that was answered before, if the store answers within 50 milliseconds. The
// fields of a response, which do not ask, are up to a quarter of a second older.
//
// While the store fails, leased screenings are still granted, and then none. Callers
// without a limit are counted in the same way, but never wait and are never refused.
type Keyring struct {
	store         Store
	maxAge, grace time.Duration
	outage        outage
	epoch         time.Time // instants are counted from here, monotonically
	replica       string    // identifies this Keyring in the store
	tasks         tasks

	keys     keyCache
	claiming claiming
	ledgers  sync.Map // of *ledger by caller ID
	recent   recent[ledger]
	holders  holders
	reports  reports
	sweeper  sweeper
}

var (
	_ httpapi.Authorizer = (*Keyring)(nil)
	_ httpapi.Meter      = (*Keyring)(nil)
)

// Options configure [New]. A nil *Options and the zero value of each field mean the
// defaults.
type Options struct {
	// MaxAge is the time for which a key is cached: a revocation takes effect everywhere after
	// it. Zero or less means 5 seconds.
	MaxAge time.Duration

	// Grace is the extra time for which a key is admitted while the store fails. Zero means 5
	// minutes, less than zero none.
	Grace time.Duration

	// Logger receives a line when the store begins to fail, and when it works again.
	// Nil means no log.
	Logger *slog.Logger
}

// storePatience is the time limit of one call of the store.
const storePatience = 3 * time.Second

// New returns a Keyring over store. A nil opts means the defaults.
func New(store Store, opts *Options) *Keyring {
	if opts == nil {
		opts = &Options{}
	}
	r := &Keyring{store: store, maxAge: opts.MaxAge, grace: opts.Grace, epoch: time.Now(), replica: rand.Text()}
	r.outage.log = opts.Logger
	if r.maxAge <= 0 {
		r.maxAge = 5 * time.Second
	}
	if r.grace == 0 {
		r.grace = 5 * time.Minute
	}
	r.grace = max(r.grace, 0)
	r.keys.init()
	r.reports.writing = make(chan struct{}, 1)
	return r
}

// at returns now as an instant.
func (r *Keyring) at(now time.Time) int64 { return int64(now.Sub(r.epoch)) }

// Authorize implements [httpapi.Authorizer]: it admits the bearer of an API key, by
// the header field Authorization.
func (r *Keyring) Authorize(req *http.Request) (httpapi.Caller, error) {
	token, err := bearer(req.Header)
	if err != nil {
		return httpapi.Caller{}, err
	}
	return r.admit(req.Context(), token)
}

// admit returns the caller that presents a token.
func (r *Keyring) admit(ctx context.Context, token string) (httpapi.Caller, error) {
	id, secret, ok := cutToken(token)
	hash := hashSecret(secret)
	now := time.Now()
	read := &reading{}
	if ok {
		var err error
		if read, now, err = r.find(ctx, id, now, r.maxAge); err != nil {
			return httpapi.Caller{}, err
		}
	}
	admitted := read.key.admits(hash, now)
	if !admitted && read.key.ID != "" { // it may have been rotated since it was read
		var err error
		if read, now, err = r.find(ctx, id, now, min(r.maxAge, rereadAfter)); err != nil {
			return httpapi.Caller{}, err
		}
		admitted = read.key.admits(hash, now)
	}
	if !admitted {
		return httpapi.Caller{}, httpapi.ErrUnauthorized
	}
	r.touch(read.slot, now)
	c := read.caller
	c.At = now
	return c, nil
}

// Close returns unused leases, writes the counts of answered screenings and the times
// when keys were last used, and ends the goroutines of r. Call it after the last
// request: later charges are refused, and keys are admitted only while they are
// cached. The error is that of the store or of ctx; if there is one, some leases may
// be lost until the month ends. Closing again does nothing.
func (r *Keyring) Close(ctx context.Context) error {
	if !r.tasks.close() {
		return nil
	}
	r.sweeper.stop()
	r.reports.stop()
	r.keys.stop()
	waited := r.tasks.wait(ctx) // calls in flight return what they lease
	err := errors.Join(r.settleAll(ctx), r.writeTouched(ctx))
	if err == nil {
		err = waited
	}
	if err != nil {
		return fmt.Errorf("access: closing the Keyring: %w", err)
	}
	return nil
}

// Stats returns figures for metrics, without a call of the store: the number of
// callers that were charged in the last minutes, the screenings that this process
// holds as leases, and the number of leases and of failures of the store since New.
func (r *Keyring) Stats() (callers int, held, leases, failures int64) {
	at := r.at(time.Now())
	r.ledgers.Range(func(_, v any) bool {
		l := v.(*ledger)
		if time.Duration(at-l.touched.Load()) < ledgerIdle {
			callers++
		}
		held += max(0, l.free.Load())
		return true
	})
	return callers, held, r.reports.leases.Load(), r.outage.failures.Load()
}
