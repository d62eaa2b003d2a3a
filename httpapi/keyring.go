package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// A Keyring is an [Authorizer] over the keys of a [Store]. Make one with
// [NewKeyring], and [Keyring.Close] it in the end.
//
// A key is looked up by the id in its token, and the secret compared by its hash
// in constant time; for an id that is not stored, too. What is unknown, expired,
// revoked, without any scope, or no token of ours, is ErrUnauthorized alike.
//
// What the store says of an id is good for some seconds, so whatever is changed
// there is known here after that, and a new secret within one second. A key that is
// in use is read again before, and no request waits for it. While the store fails, the keys that were read lately
// are let in still, for some minutes; others are ErrUnavailable. How many ids are
// remembered is bounded, and so is how many that are unknown are looked up at
// once.
//
// When a key was used last is written once in a minute for all keys, and by Close.
// The goroutines of a Keyring are those that ask the store; Close waits for them.
type Keyring struct {
	store         Store
	maxAge, grace time.Duration
	outage        outage
	epoch         time.Time // what instants are counted from, monotonically
	known         sync.Map  // of *slot by id: keys that are stored
	n             atomic.Int64
	lookups       chan struct{} // holds one for each lookup of an id that is not known
	usedTimer     atomic.Bool   // whether timer is set

	mu      sync.Mutex
	unknown map[string]*slot     // ids that are not stored, or not looked up yet
	lost    map[string]time.Time // when keys were used last that are not in known any more
	timer   *time.Timer
	closed  bool
	work    sync.WaitGroup
}

var _ Authorizer = (*Keyring)(nil)

// KeyringOptions are what NewKeyring can be told. A nil *KeyringOptions, and the
// zero value of each field, mean the defaults.
type KeyringOptions struct {
	// MaxAge is how long what the store says of a key is good: a revocation is in
	// force everywhere after it. Zero, or less, means 5 seconds.
	MaxAge time.Duration

	// Grace is how much longer it is good while the store fails. Zero means 5
	// minutes, less than that none.
	Grace time.Duration

	// Logger is told when the store begins to fail, and when it works again. Nil
	// means no log.
	Logger *slog.Logger
}

const (
	maxKnown   = 1 << 16 // keys that are remembered,
	maxUnknown = 1 << 12 // and ids that are no keys
	maxLookups = 16      // of unknown ids at once
	usedEvery  = time.Minute

	// rereadAfter is the age of what is known of a key from which on a secret that
	// is none of its is a reason to read it again.
	rereadAfter = time.Second
)

// NewKeyring returns a Keyring over store. A nil opts means the defaults.
func NewKeyring(store Store, opts *KeyringOptions) *Keyring {
	if opts == nil {
		opts = &KeyringOptions{}
	}
	r := &Keyring{
		store: store, maxAge: opts.MaxAge, grace: opts.Grace, outage: outage{log: opts.Logger, of: "API keys"}, epoch: time.Now(),
		lookups: make(chan struct{}, maxLookups), unknown: make(map[string]*slot), lost: make(map[string]time.Time),
	}
	if r.maxAge <= 0 {
		r.maxAge = 5 * time.Second
	}
	if r.grace == 0 {
		r.grace = 5 * time.Minute
	}
	r.grace = max(r.grace, 0)
	return r
}

// A slot is what is known of one id.
type slot struct {
	id      string
	reading atomic.Pointer[reading] // the last one; nil if there is none
	retry   atomic.Int64            // until when the store is not asked again
	used    atomic.Int64            // about when the key was let in last, in Unix microseconds
	written atomic.Int64            // what of it was written

	mu     sync.Mutex
	flight chan struct{} // closed when the store has answered; nil if it is not asked
	flying atomic.Bool   // flight is not nil
	err    error         // of the last flight
}

// A reading is what the store has said of an id.
type reading struct {
	slot  *slot
	key   Key // the zero Key if it is not stored
	found bool
	at    int64
}

// Authorize implements [Authorizer].
func (r *Keyring) Authorize(ctx context.Context, token string) (Grant, error) {
	grant, _, err := r.authorize(ctx, token)
	return grant, err
}

// authorize is Authorize, and returns when the key was let in, which spares the
// caller a look at the clock.
func (r *Keyring) authorize(ctx context.Context, token string) (Grant, time.Time, error) {
	id, secret, ok := cutToken(token)
	hash := hashSecret(secret)
	now := time.Now()
	read := &reading{}
	if ok {
		var err error
		if read, now, err = r.find(ctx, id, now, r.maxAge); err != nil {
			return Grant{}, now, err
		}
	}
	admitted := read.key.admits(hash, now)
	if !admitted && read.key.ID != "" { // it may have been rotated since it was read
		var err error
		if read, now, err = r.find(ctx, id, now, min(r.maxAge, rereadAfter)); err != nil {
			return Grant{}, now, err
		}
		admitted = read.key.admits(hash, now)
	}
	if !admitted {
		return Grant{}, now, ErrUnauthorized
	}
	r.use(read.slot, now)
	return read.key.grant(), now, nil
}

// find returns what the store has said of an id, at most maxAge before now if it
// works, and the time by then, which is later than now if it had to be asked.
func (r *Keyring) find(ctx context.Context, id string, now time.Time, maxAge time.Duration) (*reading, time.Time, error) {
	for {
		s := r.slot(id)
		at := int64(now.Sub(r.epoch))
		last := s.reading.Load()
		age := time.Duration(0)
		if last != nil {
			age = time.Duration(at - last.at)
		}
		switch {
		case last == nil:
		case age <= maxAge/2, age <= maxAge && !last.found:
			return last, now, nil
		case age <= maxAge:
			r.refresh(s, at)
			return last, now, nil
		case last.found && age <= maxAge+r.grace && (r.outage.down.Load() || at < s.retry.Load()):
			r.refresh(s, at)
			return last, now, nil
		}
		flight, err := r.ask(s, at)
		if err != nil {
			return nil, now, err
		}
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, now, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		}
		now = time.Now()
		if read := s.reading.Load(); read != last { // however long ago that was by now
			return read, now, nil
		}
	}
}

// slot returns the slot of an id.
func (r *Keyring) slot(id string) *slot {
	if v, ok := r.known.Load(id); ok {
		return v.(*slot)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.known.Load(id); ok {
		return v.(*slot)
	}
	if s, ok := r.unknown[id]; ok {
		return s
	}
	if len(r.unknown) >= maxUnknown {
		r.forgetUnknown()
	}
	s := &slot{id: id}
	r.unknown[id] = s
	return s
}

// forgetUnknown makes room among the unknown ids: of those that are not being
// looked up, half go, whichever.
func (r *Keyring) forgetUnknown() {
	for id, s := range r.unknown {
		if !s.flying.Load() {
			delete(r.unknown, id)
		}
		if len(r.unknown) <= maxUnknown/2 {
			return
		}
	}
}

// refresh has s read again, if nobody does already.
func (r *Keyring) refresh(s *slot, at int64) {
	if s.flying.Load() || at < s.retry.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight == nil {
		r.launch(s)
	}
}

// ask has s read again, and returns what to wait for, or why there is no use.
func (r *Keyring) ask(s *slot, at int64) (flight <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.flight != nil:
	case at < s.retry.Load() && s.err != nil:
		return nil, s.err
	case !r.launch(s):
		return nil, fmt.Errorf("%w: the Keyring is closed", ErrUnavailable)
	}
	return s.flight, nil
}

// launch starts a flight of s, whose mu is held.
func (r *Keyring) launch(s *slot) bool {
	s.flight = make(chan struct{})
	s.flying.Store(true)
	if r.start(func() { r.fly(s) }) {
		return true
	}
	s.flight = nil
	s.flying.Store(false)
	return false
}

// fly reads s from the store.
func (r *Keyring) fly(s *slot) {
	key, err := r.read(s)
	at := int64(time.Since(r.epoch))
	found := err == nil
	if found || errors.Is(err, ErrNoKey) {
		err = nil
		s.reading.Store(&reading{s, key, found, at})
		r.file(s, found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.retry.Store(0)
	if err != nil {
		s.err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		s.retry.Store(at + int64(refusalHolds))
	}
	close(s.flight)
	s.flight = nil
	s.flying.Store(false)
}

// read asks the store for the key of s, within its time.
func (r *Keyring) read(s *slot) (Key, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	if last := s.reading.Load(); last == nil || !last.found {
		select {
		case r.lookups <- struct{}{}:
			defer func() { <-r.lookups }()
		case <-ctx.Done():
			return Key{}, errors.New("too many unknown keys are looked up")
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

// file puts s where it belongs.
func (r *Keyring) file(s *slot, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !found {
		if r.known.CompareAndDelete(s.id, s) {
			r.n.Add(-1)
		}
		return // it is in unknown, or will be when somebody asks
	}
	delete(r.unknown, s.id)
	if _, loaded := r.known.LoadOrStore(s.id, s); loaded || r.n.Add(1) <= maxKnown {
		return
	}
	r.known.Range(func(id, v any) bool { // some go, whichever
		r.known.Delete(id)
		if t := v.(*slot).unwritten(); !t.IsZero() {
			r.lost[v.(*slot).id] = t
		}
		return r.n.Add(-1) > maxKnown-maxKnown/8
	})
}

// use notes that the key of s was let in.
func (r *Keyring) use(s *slot, now time.Time) {
	if t := now.UnixMicro(); t-s.used.Load() >= time.Second.Microseconds() {
		s.used.Store(t)
	}
	if !r.usedTimer.Load() && r.usedTimer.CompareAndSwap(false, true) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.closed {
			r.timer = time.AfterFunc(usedEvery, func() {
				r.usedTimer.Store(false)
				r.start(func() { r.writeUsed(context.Background()) })
			})
		}
	}
}

// unwritten returns when the key of s was let in last, and takes it as written;
// zero if it was already.
func (s *slot) unwritten() time.Time {
	t := s.used.Load()
	if s.written.Swap(t) == t {
		return time.Time{}
	}
	return time.UnixMicro(t)
}

// writeUsed writes when keys were let in last.
func (r *Keyring) writeUsed(ctx context.Context) error {
	r.mu.Lock()
	at := r.lost
	r.lost = make(map[string]time.Time)
	r.mu.Unlock()
	r.known.Range(func(_, v any) bool {
		if t := v.(*slot).unwritten(); !t.IsZero() {
			at[v.(*slot).id] = t
		}
		return true
	})
	if len(at) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := r.store.Used(ctx, at)
	r.outage.report(err)
	if err != nil { // next time, then
		r.mu.Lock()
		defer r.mu.Unlock()
		for id, t := range at {
			if len(r.lost) < maxKnown && r.lost[id].Before(t) {
				r.lost[id] = t
			}
		}
	}
	return err
}

// start runs f in a goroutine that Close waits for, unless r is closed.
func (r *Keyring) start(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.work.Go(f)
	return true
}

// Close writes when keys were used last, and ends the goroutines of r. After it,
// keys are let in only as long as what was read of them is good. The error is that
// of the store, or of ctx.
func (r *Keyring) Close(ctx context.Context) error {
	r.mu.Lock()
	first := !r.closed
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	if !first {
		return nil
	}
	idle := make(chan struct{})
	go func() {
		r.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := r.writeUsed(ctx); err != nil {
		return fmt.Errorf("httpapi: when keys were used last could not be written: %w", err)
	}
	return nil
}
