package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// NewMemory returns an empty [Store] in memory, for tests, and for one process whose
// keys and quotas need not survive it. It keeps the totals of the two newest months
// of a caller.
func NewMemory() Store {
	return &memory{keys: make(map[string]Key), accounts: make(map[account]*totals), claims: make(map[string]map[[sha256.Size]byte]Claim)}
}

// A memory is a Store in memory.
type memory struct {
	mu       sync.Mutex
	keys     map[string]Key
	accounts map[account]*totals
	claims   map[string]map[[sha256.Size]byte]Claim // by key id and token
	tidied   time.Time                              // when expired claims were deleted
}

// An account identifies the counts of a caller.
type account struct {
	id    string
	month int
}

// totals are the counts of a caller in a month.
type totals struct {
	leased  int64
	changed time.Time
}

// Limits of claims: how many of one key are kept, and for how long expired ones are.
const (
	maxClaims  = 100_000
	tidyClaims = time.Hour
)

// lock locks s, unless ctx has ended.
func (s *memory) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	return nil
}

// Key implements [Store].
func (s *memory) Key(ctx context.Context, id string) (Key, error) {
	if err := s.lock(ctx); err != nil {
		return Key{}, err
	}
	defer s.mu.Unlock()
	k, ok := s.keys[id]
	if !ok {
		return Key{}, fmt.Errorf("access: key %.80q: %w", id, ErrNoKey)
	}
	return k, nil
}

// Keys implements [Store].
func (s *memory) Keys(ctx context.Context) ([]Key, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.keys), func(a, b Key) int { return strings.Compare(a.ID, b.ID) }), nil
}

// PutKey implements [Store].
func (s *memory) PutKey(ctx context.Context, k Key) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	k, err := k.Normal()
	if err != nil {
		return err
	}
	old := s.keys[k.ID] // zero, with Version 0, if there is none
	if old.Version != k.Version {
		return fmt.Errorf("access: key %s: %w: the stored version is %d, not %d", k.ID, ErrConflict, old.Version, k.Version)
	}
	if k.LastUsed.Before(old.LastUsed) {
		k.LastUsed = old.LastUsed
	}
	k.Version++
	s.keys[k.ID] = k
	return nil
}

// Touch implements [Store].
func (s *memory) Touch(ctx context.Context, at map[string]time.Time) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for id, t := range at {
		if k, ok := s.keys[id]; ok && instant(t).After(k.LastUsed) {
			k.LastUsed = instant(t)
			s.keys[id] = k
		}
	}
	return nil
}

// totals returns the counts of a caller in a month. It drops older months.
func (s *memory) totals(id string, m int) *totals {
	at := account{id, m}
	if s.accounts[at] == nil {
		maps.DeleteFunc(s.accounts, func(old account, _ *totals) bool { return old.id == id && old.month < m-1 })
		s.accounts[at] = &totals{}
	}
	return s.accounts[at]
}

// Lease implements [Store].
func (s *memory) Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, changed time.Time, err error) {
	if err := s.lock(ctx); err != nil {
		return 0, 0, time.Time{}, err
	}
	defer s.mu.Unlock()
	t := s.totals(id, m)
	if granted = max(0, min(n, limit-t.leased)); granted > 0 || n < 0 && t.leased > 0 {
		t.leased = max(0, t.leased+granted+min(n, 0))
		t.changed = instant(time.Now())
	}
	return granted, t.leased, t.changed, nil
}

// Claim implements [Store].
func (s *memory) Claim(ctx context.Context, c Claim) (held Claim, err error) {
	if err := s.lock(ctx); err != nil {
		return Claim{}, err
	}
	defer s.mu.Unlock()
	now := time.Now()
	c.Expires, c.Repeats = instant(c.Expires), 0
	if held, ok := s.claims[c.KeyID][c.Token]; ok && held.Expires.After(now) {
		held.Repeats++
		s.claims[c.KeyID][c.Token] = held
		return held, nil
	}
	if c.Expires.After(now) {
		s.tidy(c.KeyID, now)
		if s.claims[c.KeyID] == nil {
			s.claims[c.KeyID] = make(map[[sha256.Size]byte]Claim)
		}
		s.claims[c.KeyID][c.Token] = c
	}
	return c, nil
}

// tidy deletes expired claims from time to time, and the oldest ones of a key that has too many.
func (s *memory) tidy(id string, now time.Time) {
	if now.Sub(s.tidied) >= tidyClaims {
		s.tidied = now
		maps.DeleteFunc(s.claims, func(_ string, its map[[sha256.Size]byte]Claim) bool {
			maps.DeleteFunc(its, func(_ [sha256.Size]byte, c Claim) bool { return !c.Expires.After(now) })
			return len(its) == 0
		})
	}
	if its := s.claims[id]; len(its) >= maxClaims+maxClaims/8 { // many at once, because they are sorted
		byAge := slices.SortedFunc(maps.Values(its), func(a, b Claim) int { return a.Expires.Compare(b.Expires) })
		for _, c := range byAge[:len(byAge)-maxClaims] {
			delete(its, c.Token)
		}
	}
}

// Unclaim implements [Store].
func (s *memory) Unclaim(ctx context.Context, c Claim) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	held := s.claims[c.KeyID][c.Token]
	c.Expires, c.Repeats = instant(c.Expires), held.Repeats
	switch {
	case held != c:
	case held.Repeats > 0:
		return fmt.Errorf("access: claim of %s: %w", c.KeyID, ErrConflict)
	default:
		delete(s.claims[c.KeyID], c.Token)
	}
	return nil
}

// Close implements [Store].
func (s *memory) Close() error { return nil }
