package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/walletscreen/walletscreen/httpapi"
)

const (
	maxKnown   = 1 << 16 // keys that are cached
	maxUnknown = 1 << 12 // ids without a key that are cached
	maxLookups = 16      // concurrent lookups of unknown ids
	touchEvery = time.Minute

	// A secret that does not match is a reason to read a key again, if it was read
	// longer ago than rereadAfter.
	rereadAfter = time.Second

	// grace is the extra time for which a key is admitted while the store fails.
	grace = 5 * time.Minute
)

// Authorize implements [httpapi.Authorizer]: it admits the bearer of an API key, by
// the header field Authorization.
func (r *Keyring) Authorize(req *http.Request) (httpapi.Caller, error) {
	token, err := bearer(req.Header)
	if err != nil {
		return httpapi.Caller{}, err
	}
	id, hash, ok := cutToken(token)
	read := unread
	for _, maxAge := range [...]time.Duration{r.maxAge, min(r.maxAge, rereadAfter)} { // the key may have been rotated since it was read
		if ok {
			if read, err = r.find(req.Context(), id, maxAge); err != nil {
				return httpapi.Caller{}, err
			}
		}
		now := time.Now()
		if read.key.admits(hash, now) {
			if micros := now.UnixMicro(); micros-read.touched.Load() >= time.Second.Microseconds() {
				r.touch(read, micros)
			}
			return read.caller, nil
		}
		if read.key.ID == "" {
			break
		}
	}
	return httpapi.Caller{}, httpapi.ErrUnauthorized
}

// admits reports whether k admits the bearer of the secret with a hash. The zero Key
// admits no caller, in the same time.
func (k *Key) admits(hash [sha256.Size]byte, now time.Time) bool {
	current := subtle.ConstantTimeCompare(hash[:], k.Secret[:])
	previous := subtle.ConstantTimeCompare(hash[:], k.Previous[:])
	if !now.Before(k.PreviousEnds) {
		previous = 0
	}
	expired := !k.Expires.IsZero() && !now.Before(k.Expires)
	revoked := !k.Revoked.IsZero() && !now.Before(k.Revoked)
	return current|previous == 1 && !expired && !revoked && k.Scopes != ""
}

// bearer returns the token of a request (RFC 6750, section 2.1). The error is
// [httpapi.ErrNoCredentials], or [httpapi.ErrUnauthorized] if there are several
// values: nobody should guess which one counts. Whether isToken holds is not checked.
// The scheme may be in any letter case (RFC 9110, section 11.1).
func bearer(header http.Header) (token string, err error) {
	values := header["Authorization"]
	if len(values) == 0 {
		return "", httpapi.ErrNoCredentials
	}
	if len(values) > 1 {
		return "", httpapi.ErrUnauthorized
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", httpapi.ErrNoCredentials
	}
	return token, nil
}

// cutToken returns the id and the hash of the secret of a token that NewKey or Rotate may
// have made. Other tokens cost one hash, too.
func cutToken(token string) (id string, hash [sha256.Size]byte, ok bool) {
	var secret [secretLen]byte
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	if at := len(rest) - secretLen - 1; ok && at > 0 && rest[at] == '_' {
		copy(secret[:], rest[at+1:])
		if id = rest[:at]; len(id) > maxID || strings.Trim(id, plainIDs) != "" {
			id, ok = unescapeID(id)
		}
	} else {
		ok = false
	}
	return id, sha256.Sum256(secret[:]), ok
}

// A keyCache holds what the store returned for key ids.
type keyCache struct {
	flights singleflight.Group
	lookups chan struct{} // semaphore: lookups of unknown ids

	mu      sync.RWMutex
	known   map[string]*reading  // keys that are stored
	unknown map[string]*reading  // ids that are not stored, or could not be looked up
	used    map[string]time.Time // when keys were last used, to be written
	timer   *time.Timer          // of the next time that used is written; nil if there is none
}

// A reading is what the store returned for an id.
type reading struct {
	key     Key // the zero Key if it is not stored
	caller  httpapi.Caller
	at      time.Time
	touched *atomic.Int64 // about when the key was last used, in Unix microseconds

	err   error // of a later call, which is not repeated until retry
	retry time.Time
}

// unread is the reading of an id that was never read.
var unread = new(reading)

// put stores a reading of an id. A full map forgets some of its ids.
func (c *keyCache) put(id string, read *reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	into, from, most := c.known, c.unknown, maxKnown
	if read.key.ID == "" {
		into, from, most = c.unknown, c.known, maxUnknown
	}
	delete(from, id)
	if into[id] == nil && len(into) >= most {
		for other := range into {
			if delete(into, other); len(into) <= most-most/8 {
				break
			}
		}
	}
	into[id] = read
}

// find returns the store's answer about an id, at most maxAge before now if the store
// works. A key in use is read again before that, for those that come later.
func (r *Keyring) find(ctx context.Context, id string, maxAge time.Duration) (*reading, error) {
	now := time.Now()
	r.keys.mu.RLock()
	last := cmp.Or(r.keys.known[id], r.keys.unknown[id], unread)
	r.keys.mu.RUnlock()
	age, found := now.Sub(last.at), last.key.ID != ""
	wait := now.Before(last.retry)
	if found && age > maxAge/2 && age <= maxAge+grace && !wait {
		r.read(id, last)
	}
	switch {
	case age <= maxAge, found && age <= maxAge+grace && (wait || r.outage.down.Load()): // good enough while the store fails
		return last, nil
	case wait:
		return nil, last.err
	}
	select {
	case done := <-r.read(id, last):
		if done.Err != nil {
			return nil, done.Err
		}
		return done.Val.(*reading), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", httpapi.ErrUnavailable, ctx.Err())
	}
}

// read reads a key from the store after a last reading, unless another goroutine does already.
func (r *Keyring) read(id string, last *reading) <-chan singleflight.Result {
	return r.keys.flights.DoChan(id, func() (any, error) {
		var read *reading
		err := r.run(func() error {
			key, err := r.ask(id, last.key.ID != "")
			now := time.Now()
			if errors.Is(err, ErrNoKey) {
				key, err = Key{}, nil
			}
			read = newReading(last, key, now)
			if err != nil {
				held := *last
				read, held.err, held.retry = &held, err, now.Add(refusalHolds)
			}
			r.keys.put(id, read)
			return err
		})
		return read, err
	})
}

// newReading returns a reading. The burst limit of the last one stays in use unless it was
// changed.
func newReading(last *reading, key Key, at time.Time) *reading {
	read := &reading{key: key, at: at, touched: last.touched, caller: httpapi.Caller{ID: key.ID, Scopes: key.Scopes, Quota: key.Quota}}
	if read.touched == nil {
		read.touched = new(atomic.Int64)
	}
	switch {
	case key.Rate == 0 || key.Burst == 0:
	case last.key.Rate == key.Rate && last.key.Burst == key.Burst:
		read.caller.Burst = last.caller.Burst
	default:
		read.caller.Burst = rate.NewLimiter(rate.Limit(key.Rate), key.Burst)
	}
	return read
}

// ask asks the store for a key, within its time limit. Keys that are not known to be stored
// are looked up a few at a time.
func (r *Keyring) ask(id string, known bool) (Key, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if !known {
		select {
		case r.keys.lookups <- struct{}{}:
			defer func() { <-r.keys.lookups }()
		case <-ctx.Done():
			return Key{}, fmt.Errorf("%w: too many unknown keys are being looked up", httpapi.ErrUnavailable)
		}
	}
	key, err := r.store.Key(ctx, id)
	return key, r.outage.outcome(err)
}

// touch records that a key was used.
func (r *Keyring) touch(read *reading, now int64) {
	read.touched.Store(now)
	c := &r.keys
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[read.key.ID] = time.UnixMicro(now)
	if c.timer == nil {
		c.timer = time.AfterFunc(touchEvery, func() { r.run(func() error { return r.writeUsed(context.Background()) }) })
	}
}

// writeUsed writes when keys were last used.
func (r *Keyring) writeUsed(ctx context.Context) error {
	c := &r.keys
	c.mu.Lock()
	at := c.used
	c.used, c.timer = make(map[string]time.Time), nil
	c.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := r.outage.outcome(r.store.Touch(ctx, at))
	if err != nil { // keep them for the next time
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(at, c.used)
		c.used = at
		return fmt.Errorf("writing when keys were last used: %w", err)
	}
	return nil
}
