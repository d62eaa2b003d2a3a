package access

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A keyCache holds what the store returned for key ids.
type keyCache struct {
	lookups chan struct{} // semaphore: lookups of unknown ids

	mu      sync.RWMutex
	known   map[string]*slot     // keys that are stored
	unknown map[string]*slot     // ids that are not stored, or were not looked up yet
	used    map[string]time.Time // when keys were last used, to be written
	timer   *time.Timer          // of the next time that used is written; nil if there is none
}

const (
	maxKnown   = 1 << 16 // keys that are cached
	maxUnknown = 1 << 12 // ids without a key that are cached
	maxLookups = 16      // concurrent lookups of unknown ids
	touchEvery = time.Minute

	// A secret that does not match is a reason to read a key again, if it was read
	// longer ago than rereadAfter.
	rereadAfter = time.Second

	refusalHolds = time.Second // before the next call of the store after a failure
)

func (c *keyCache) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
}

// A slot holds the key of one id, as far as it is known.
type slot struct {
	id       string
	fetching inflight
	reading  atomic.Pointer[reading] // the last one, or nil
	touched  atomic.Int64            // about when the key was last used, in Unix microseconds
}

// A reading is what the store returned for an id.
type reading struct {
	slot   *slot
	key    Key // the zero Key if it is not stored
	caller httpapi.Caller
	found  bool
	at     time.Time
}

// find returns the store's answer about an id, at most maxAge before now if the store
// works. It also returns the current time, which is later than now if find had to
// wait.
func (r *Keyring) find(ctx context.Context, id string, now time.Time, maxAge time.Duration) (*reading, time.Time, error) {
	for {
		r.keys.mu.RLock()
		s := r.keys.known[id]
		r.keys.mu.RUnlock()
		if s == nil {
			s = r.keys.slot(id)
		}
		last := s.reading.Load()
		if last != nil {
			age := now.Sub(last.at)
			fresh := age <= maxAge
			if !fresh && last.found && age <= maxAge+grace {
				_, retry, _ := s.fetching.state()
				fresh = r.outage.down.Load() || now.Before(retry) // good enough while the store fails
			}
			if fresh && last.found && age > maxAge/2 {
				s.fetching.start(&r.tasks, now, func() (time.Time, error) { return r.read(s) }) // for those that come later
			}
			if fresh {
				return last, now, nil
			}
		}
		if err := s.fetching.wait(ctx, &r.tasks, now, func() (time.Time, error) { return r.read(s) }); err != nil {
			return nil, now, err
		}
		now = time.Now()
		if read := s.reading.Load(); read != last { // however long ago that was by now
			return read, now, nil
		}
	}
}

// slot returns the slot of an id, which it makes if there is none.
func (c *keyCache) slot(id string) *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[id]; s != nil {
		return s
	}
	if s := c.unknown[id]; s != nil {
		return s
	}
	if len(c.unknown) >= maxUnknown {
		c.forgetUnknown()
	}
	s := &slot{id: id}
	c.unknown[id] = s
	return s
}

// touch records that the key of s was used.
func (r *Keyring) touch(s *slot, now time.Time) {
	s.touched.Store(now.UnixMicro())
	c := &r.keys
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[s.id] = now
	if c.timer == nil && !r.tasks.closed.Load() {
		c.timer = time.AfterFunc(touchEvery, func() { r.tasks.start(func() { r.writeUsed(context.Background()) }) })
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
	err := r.store.Touch(ctx, at)
	r.outage.report(err)
	if err != nil { // keep them for the next time
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, t := range at {
			if len(c.used) < maxKnown && c.used[id].Before(t) {
				c.used[id] = t
			}
		}
		return fmt.Errorf("writing when keys were last used: %w", err)
	}
	return nil
}

// forgetUnknown forgets half of the unknown ids, of those that are not being looked
// up.
func (c *keyCache) forgetUnknown() {
	for id, s := range c.unknown {
		if busy, _, _ := s.fetching.state(); !busy {
			delete(c.unknown, id)
		}
		if len(c.unknown) <= maxUnknown/2 {
			return
		}
	}
}

// read reads the key of s from the store.
func (r *Keyring) read(s *slot) (retry time.Time, err error) {
	key, err := r.ask(s)
	now := time.Now()
	found := err == nil
	if !found && !errors.Is(err, ErrNoKey) {
		return now.Add(refusalHolds), fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	s.reading.Store(newReading(s, key, found, now))
	r.keys.file(s, found)
	return time.Time{}, nil
}

// newReading returns a reading. The burst limit of the last one stays in use unless
// it was changed.
func newReading(s *slot, key Key, found bool, at time.Time) *reading {
	read := &reading{slot: s, key: key, found: found, at: at}
	read.caller = httpapi.Caller{ID: key.ID, Scopes: key.Scopes, Quota: key.Quota}
	if key.Rate > 0 && key.Burst > 0 {
		if last := s.reading.Load(); last != nil && last.key.Rate == key.Rate && last.key.Burst == key.Burst {
			read.caller.Burst = last.caller.Burst
		} else {
			read.caller.Burst = rate.NewLimiter(rate.Limit(key.Rate), key.Burst)
		}
	}
	return read
}

// ask asks the store for the key of s, within its time limit.
func (r *Keyring) ask(s *slot) (Key, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if last := s.reading.Load(); last == nil || !last.found {
		select {
		case r.keys.lookups <- struct{}{}:
			defer func() { <-r.keys.lookups }()
		case <-ctx.Done():
			return Key{}, errors.New("too many unknown keys are being looked up")
		}
	}
	key, err := r.store.Key(ctx, s.id)
	if err == nil || errors.Is(err, ErrNoKey) {
		r.outage.report(nil)
	} else {
		r.outage.report(err)
	}
	return key, err
}

// file moves s between known and unknown.
func (c *keyCache) file(s *slot, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !found {
		if c.known[s.id] == s {
			delete(c.known, s.id)
		}
		return // it is in unknown, or will be at the next request
	}
	delete(c.unknown, s.id)
	if c.known[s.id] == nil {
		c.known[s.id] = s
	}
	if len(c.known) <= maxKnown {
		return
	}
	for id := range c.known { // forget some
		delete(c.known, id)
		if len(c.known) <= maxKnown-maxKnown/8 {
			return
		}
	}
}
