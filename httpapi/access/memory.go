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

	"github.com/walletscreen/walletscreen/httpapi/access/internal/rule"
)

// NewMemory returns an empty [Store] in memory, for tests, and for one process whose
// keys and quotas need not survive it. It keeps the totals of the two newest months
// of a caller.
func NewMemory() Store {
	return &memory{keys: make(map[string]Key), accounts: make(map[account]*totals), claims: make(map[claimKey]Claim), order: make(map[string][]Claim)}
}

// A memory is a Store in memory.
type memory struct {
	mu       sync.Mutex
	keys     map[string]Key
	accounts map[account]*totals
	claims   map[claimKey]Claim
	order    map[string][]Claim // by key id, in the order in which they were made; some may be deleted
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

// A claimKey identifies a claim.
type claimKey struct {
	id    string
	token [sha256.Size]byte
}

// maxClaims is the number of claims of one key that a memory keeps.
const maxClaims = 100_000

// lock locks s, unless ctx has ended.
func (s *memory) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	return nil
}

// lockFor locks s, unless ctx has ended, or an id or an amount is invalid.
func (s *memory) lockFor(ctx context.Context, id string, amounts ...int64) error {
	if err := rule.Check(id, amounts...); err != nil {
		return err
	}
	return s.lock(ctx)
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
	if err := s.lockFor(ctx, id, limit); err != nil {
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
	if err := s.lockFor(ctx, c.KeyID, c.Granted); err != nil {
		return Claim{}, err
	}
	defer s.mu.Unlock()
	now := time.Now()
	c.Expires, c.Repeats = instant(c.Expires), 0
	at := claimKey{c.KeyID, c.Token}
	if held, ok := s.claims[at]; ok && held.Expires.After(now) {
		held.Repeats++
		s.claims[at] = held
		return held, nil
	}
	if c.Expires.After(now) {
		s.forget(c.KeyID, now)
		for id := range s.order { // at random, so that keys that are not used are cleaned up, too
			s.forget(id, now)
			break
		}
		s.claims[at] = c
		s.order[c.KeyID] = append(s.order[c.KeyID], c)
	}
	return c, nil
}

// forget deletes expired claims of a key from the oldest on, and makes room for one.
func (s *memory) forget(id string, now time.Time) {
	order, n := s.order[id], 0
	for n < len(order) && (len(order)-n >= maxClaims || !order[n].Expires.After(now)) {
		s.delete(order[n])
		n++
	}
	if s.order[id] = order[n:]; n == len(order) { // append moves the rest when it has to
		delete(s.order, id)
	}
}

// delete deletes the claim that equals c.
func (s *memory) delete(c Claim) {
	at := claimKey{c.KeyID, c.Token}
	if c.Repeats = s.claims[at].Repeats; s.claims[at] == c {
		delete(s.claims, at)
	}
}

// Unclaim implements [Store].
func (s *memory) Unclaim(ctx context.Context, c Claim) error {
	if err := s.lockFor(ctx, c.KeyID); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c.Expires = instant(c.Expires)
	held := s.claims[claimKey{c.KeyID, c.Token}]
	if c.Repeats = held.Repeats; held == c && held.Repeats > 0 {
		return fmt.Errorf("access: claim of %s: %w", c.KeyID, ErrConflict)
	}
	s.delete(c)
	return nil
}

// Close implements [Store].
func (s *memory) Close() error { return nil }
