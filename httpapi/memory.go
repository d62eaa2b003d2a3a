package httpapi

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

// A Memory is a [Store] in memory: for tests, and for one process whose keys and
// quotas need not outlast it. Make one with [NewMemory].
type Memory struct {
	mu     sync.Mutex
	keys   map[string]Key
	leased map[account]int64
	claims map[claimKey]Claim
	order  []Claim // as they were made, some of them deleted since
}

// An account is what a quota is counted in.
type account struct {
	id    string
	month Month
}

// A claimKey is what a claim is found by.
type claimKey struct {
	id    string
	token [sha256.Size]byte
}

// maxClaims bounds how many claims a Memory holds. Beyond it the oldest are
// dropped, and a call that is repeated after that is counted again.
const maxClaims = 1 << 18

var _ Store = (*Memory)(nil)

// NewMemory returns a Memory that holds nothing. It keeps the totals of the two
// newest months, and 262,144 claims: beyond that it drops the oldest, and a call
// that is repeated after that is counted again.
func NewMemory() *Memory {
	return &Memory{keys: make(map[string]Key), leased: make(map[account]int64), claims: make(map[claimKey]Claim)}
}

// Key implements [Store].
func (s *Memory) Key(ctx context.Context, id string) (Key, error) {
	if err := ctx.Err(); err != nil {
		return Key{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.keys[id]
	if !ok {
		return Key{}, fmt.Errorf("httpapi: key %.80q: %w", id, ErrNoKey)
	}
	return k, nil
}

// Keys implements [Store].
func (s *Memory) Keys(ctx context.Context) ([]Key, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.keys), func(a, b Key) int { return strings.Compare(a.ID, b.ID) }), nil
}

// PutKey implements [Store].
func (s *Memory) PutKey(ctx context.Context, k Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k, err := k.Normal()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.keys[k.ID] // zero, with Version 0, if there is none
	if old.Version != k.Version {
		return fmt.Errorf("httpapi: key %s: %w: version %d, not %d", k.ID, ErrConflict, old.Version, k.Version)
	}
	if k.LastUsed.Before(old.LastUsed) {
		k.LastUsed = old.LastUsed
	}
	k.Version++
	s.keys[k.ID] = k
	return nil
}

// Used implements [Store].
func (s *Memory) Used(ctx context.Context, at map[string]time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range at {
		if k, ok := s.keys[id]; ok && instant(t).After(k.LastUsed) {
			k.LastUsed = instant(t)
			s.keys[id] = k
		}
	}
	return nil
}

// checkAmounts returns the error of an id or of amounts that are invalid.
func checkAmounts(id string, amounts ...int64) error {
	for _, n := range amounts {
		if n < 0 {
			return fmt.Errorf("httpapi: key %.80q: %w: the amount %d", id, ErrInvalid, n)
		}
	}
	return CheckKeyID(id)
}

// Lease implements [Store].
func (s *Memory) Lease(ctx context.Context, id string, m Month, n, limit int64) (granted, leased int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	if err := checkAmounts(id, n, limit); err != nil {
		return 0, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := account{id, m}
	leased, ok := s.leased[at]
	if !ok { // seldom: a time to forget
		maps.DeleteFunc(s.leased, func(old account, _ int64) bool { return old.id == id && old.month < m-1 })
	}
	granted = max(0, min(n, limit-leased))
	s.leased[at] = leased + granted
	return granted, leased + granted, nil
}

// Return implements [Store].
func (s *Memory) Return(ctx context.Context, id string, m Month, n int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkAmounts(id, n); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if leased, ok := s.leased[account{id, m}]; ok {
		s.leased[account{id, m}] = max(0, leased-n)
	}
	return nil
}

// Leased implements [Store].
func (s *Memory) Leased(ctx context.Context, id string, m Month) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := CheckKeyID(id); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leased[account{id, m}], nil
}

// Claim implements [Store].
func (s *Memory) Claim(ctx context.Context, c Claim) (held Claim, fresh bool, err error) {
	if err := ctx.Err(); err != nil {
		return Claim{}, false, err
	}
	if err := CheckKeyID(c.KeyID); err != nil {
		return Claim{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	c.Expires = instant(c.Expires)
	at := claimKey{c.KeyID, c.Token}
	if held, ok := s.claims[at]; ok && held.Expires.After(now) {
		return held, false, nil
	}
	if c.Expires.After(now) {
		s.forget(now)
		s.claims[at] = c
		s.order = append(s.order, c)
	}
	return c, true, nil
}

// forget deletes claims from the oldest on, as far as they have expired, and
// makes room for one.
func (s *Memory) forget(now time.Time) {
	n := 0
	for n < len(s.order) && (len(s.order)-n >= maxClaims || !s.order[n].Expires.After(now)) {
		s.delete(s.order[n])
		n++
	}
	s.order = s.order[n:] // append moves what is left, when it has to
}

// delete deletes the claim that equals c.
func (s *Memory) delete(c Claim) {
	if at := (claimKey{c.KeyID, c.Token}); s.claims[at] == c {
		delete(s.claims, at)
	}
}

// Unclaim implements [Store].
func (s *Memory) Unclaim(ctx context.Context, c Claim) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckKeyID(c.KeyID); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Expires = instant(c.Expires)
	s.delete(c)
	return nil
}
