package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

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
// The store's record of a key is cached for five seconds, so a change takes effect
// everywhere within that time, and a new secret within one second. Keys in use are
// refreshed before that, and no request waits for it. While the store fails, keys
// that were read lately are admitted for five minutes more; others return
// [httpapi.ErrUnavailable].
//
// # Quotas
//
// The limit of a quota is never exceeded. A Keyring leases screenings from the store in
// blocks: up to a 20th of what the month has left for the caller, at least 1 and at most
// 256, or as many as a batch needs. A request waits for the store only when the block is
// used up. Near the limit blocks are of 1, so the last
// screening is granted exactly once. The rest of a block is returned after ten seconds at
// the latest. A process that is killed, or whose database hangs, costs each caller at most
// the block that it held.
//
// A request is counted in the month in which it is charged. [Keyring.Used] counts what all
// processes have leased, without what this one has left of its block. So it is exact for one
// process, and may run ahead by the blocks that other processes hold. A call that asks reads the
// store; the fields of a response, which do not ask, may be a quarter of a second older.
//
// While the store fails, leased screenings are still granted, and then none. Callers
// without a limit are never refused: what they are granted then is counted when the store
// works again.
type Keyring struct {
	store  Store
	maxAge time.Duration // of a cached key: a revocation takes effect everywhere after it
	outage outage

	running *semaphore.Weighted // goroutines that call the store; Close takes the whole

	keys     keyCache
	claiming sync.Map // of semaphores, by claimKey: requests with an Idempotency-Key that are being charged
	leases   atomic.Int64

	mu      sync.Mutex
	closed  bool
	quotas  map[account]*quota
	sweeper *time.Timer // of the next sweep; nil if there is nothing to sweep
}

var (
	_ httpapi.Authorizer = (*Keyring)(nil)
	_ httpapi.Meter      = (*Keyring)(nil)
)

// New returns a Keyring over store. The logger receives a line when the store begins to fail, and when it
// works again; nil means no log.
func New(store Store, logger *slog.Logger) *Keyring {
	r := &Keyring{store: store, maxAge: 5 * time.Second, running: semaphore.NewWeighted(math.MaxInt64), quotas: make(map[account]*quota)}
	r.outage.log = cmp.Or(logger, slog.New(slog.DiscardHandler))
	r.keys = keyCache{lookups: make(chan struct{}, maxLookups), known: make(map[string]*reading), unknown: make(map[string]*reading), used: make(map[string]time.Time)}
	return r
}

// Close returns the blocks of all callers, writes when keys were last used, and ends the
// goroutines of r. Call it after the last request: later charges are refused, and keys are
// admitted only while they are cached. The error is from the store or ctx; if there is
// one, some blocks may be lost until the month ends. Closing again does nothing.
func (r *Keyring) Close(ctx context.Context) error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	if r.sweeper != nil {
		r.sweeper.Stop()
	}
	r.mu.Unlock()
	if again {
		return nil
	}
	failed := 0
	for _, q := range r.active() {
		if ctx.Err() != nil || r.settle(ctx, q) != nil {
			failed++
		}
	}
	err := r.writeUsed(ctx)
	if failed > 0 {
		err = errors.Join(fmt.Errorf("%w: the blocks of %d callers could not be returned", httpapi.ErrUnavailable, failed), err)
	}
	idle := make(chan error, 1)
	go func() { idle <- r.running.Acquire(context.Background(), math.MaxInt64) }() // from then on, none begins
	select {
	case <-idle: // those that ran have ended
	case <-ctx.Done():
		err = cmp.Or(err, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("access: closing the Keyring: %w", err)
	}
	return nil
}

// armSweep schedules the next sweep. The caller holds mu.
func (r *Keyring) armSweep() {
	if r.sweeper == nil && !r.closed {
		r.sweeper = time.AfterFunc(blockHold, func() { r.run(r.sweep) })
	}
}

// sweep returns the blocks that are held for long, leases what was spent beyond them, and
// forgets idle callers. While the store fails, blocks are kept.
func (r *Keyring) sweep() (err error) {
	for _, q := range r.active() {
		q.mu.Lock()
		due := q.free != 0 && time.Since(q.filled) >= blockHold
		q.mu.Unlock()
		if due {
			err = r.settle(context.Background(), q)
		}
		if err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.quotas, func(_ account, q *quota) bool {
		return q.rest() == 0 && time.Since(q.touched) >= quotaIdle
	})
	r.sweeper = nil
	if len(r.quotas) > 0 {
		r.armSweep()
	}
	return err
}

// quotaIdle is the time after which a caller is forgotten.
const quotaIdle = 10 * time.Minute

// active returns all quotas.
func (r *Keyring) active() []*quota {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.quotas))
}

// settle returns the block of a caller, or leases what was spent beyond it. A caller that goes on may spend more.
func (r *Keyring) settle(ctx context.Context, q *quota) (err error) {
	for n := 0; n < 3 && err == nil && q.rest() != 0; n++ {
		err = r.reserve(ctx, q, unlimited, 0)
	}
	return err
}

// rest returns the rest of the block, or what was spent beyond it, as a negative number.
func (q *quota) rest() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free
}

// Stats returns figures for metrics, without a call of the store: the number of
// callers in the last minutes, the screenings that this process holds in blocks, and the number
// of blocks and of failures of the store since New.
func (r *Keyring) Stats() (callers int, held, blocks, failures int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.quotas {
		if time.Since(q.touched) < quotaIdle {
			callers++
		}
		held += max(0, q.rest())
	}
	return callers, held, r.leases.Load(), r.outage.failures.Load()
}
