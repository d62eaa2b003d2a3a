package storetest_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/storetest"
)

func TestRun(t *testing.T) {
	storetest.Run(t, func(*testing.T) access.Store { return access.NewMemory() })
}

var background = context.Background()

// A faulty is a correct Store whose methods can be replaced.
type faulty struct {
	access.Store
	key      func(context.Context, string) (access.Key, error)
	keys     func(context.Context) ([]access.Key, error)
	putKey   func(context.Context, access.Key) error
	used     func(context.Context, map[string]time.Time) error
	lease    func(context.Context, string, int, int64, int64) (int64, int64, error)
	ret      func(context.Context, string, int, int64) error
	leased   func(context.Context, string, int) (int64, error)
	claim    func(context.Context, access.Claim) (access.Claim, bool, error)
	unclaim  func(context.Context, access.Claim) error
	answered func(context.Context, string, int, time.Time, map[string]int64) (map[string]int64, error)
	fold     func(context.Context, string, string) error
}

func (f *faulty) Key(ctx context.Context, id string) (access.Key, error)   { return f.key(ctx, id) }
func (f *faulty) Keys(ctx context.Context) ([]access.Key, error)           { return f.keys(ctx) }
func (f *faulty) PutKey(ctx context.Context, k access.Key) error           { return f.putKey(ctx, k) }
func (f *faulty) Touch(ctx context.Context, at map[string]time.Time) error { return f.used(ctx, at) }
func (f *faulty) Unclaim(ctx context.Context, c access.Claim) error        { return f.unclaim(ctx, c) }
func (f *faulty) Return(ctx context.Context, id string, m int, n int64) error {
	return f.ret(ctx, id, m, n)
}
func (f *faulty) Account(ctx context.Context, id string, m int) (leased, answered int64, changed time.Time, err error) {
	_, answered, changed, err = f.Store.Account(ctx, id, m)
	if leased, leasedErr := f.leased(ctx, id, m); leasedErr != nil || err == nil {
		return leased, answered, changed, leasedErr
	}
	leased, err = f.leased(ctx, id, m)
	return leased, answered, changed, err
}
func (f *faulty) Answered(ctx context.Context, replica string, m int, at time.Time, n map[string]int64) (map[string]int64, error) {
	return f.answered(ctx, replica, m, at, n)
}
func (f *faulty) Fold(ctx context.Context, replica, id string) error { return f.fold(ctx, replica, id) }

// leasedIn returns the number of leased screenings in s.
func leasedIn(ctx context.Context, s access.Store, id string, m int) (int64, error) {
	leased, _, _, err := s.Account(ctx, id, m)
	return leased, err
}
func (f *faulty) Lease(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
	return f.lease(ctx, id, m, n, limit)
}
func (f *faulty) Claim(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
	return f.claim(ctx, c)
}

func good() *faulty {
	m := access.NewMemory()
	leased := func(ctx context.Context, id string, month int) (int64, error) {
		return leasedIn(ctx, m, id, month)
	}
	return &faulty{m, m.Key, m.Keys, m.PutKey, m.Touch, m.Lease, m.Return, leased, m.Claim, m.Unclaim, m.Answered, m.Fold}
}

// changed applies change to every key that is read.
func changed(f *faulty, by func(*access.Key)) {
	key, keys := f.key, f.keys
	f.key = func(ctx context.Context, id string) (access.Key, error) {
		k, err := key(ctx, id)
		if err == nil {
			by(&k)
		}
		return k, err
	}
	f.keys = func(ctx context.Context) ([]access.Key, error) {
		all, err := keys(ctx)
		for i := range all {
			by(&all[i])
		}
		return all, err
	}
}

// put stores a key over any stored version.
func (f *faulty) put(ctx context.Context, k access.Key, version func(stored int64) int64) error {
	old, err := f.Store.Key(ctx, k.ID)
	if err != nil && !errors.Is(err, access.ErrNoKey) {
		return err
	}
	if _, err := k.Normal(); err != nil {
		return err
	}
	k.Version = version(old.Version)
	return f.Store.PutKey(ctx, k)
}

// meet waits, in a synctest bubble, until all concurrent calls have read.
func meet() { time.Sleep(time.Nanosecond) }

// TestFaults checks that each fault breaks its rule.
func TestFaults(t *testing.T) {
	broken := map[string]bool{}
	for _, tt := range []struct {
		rule, fault string
		spoil       func(f *faulty)
	}{
		{"nothing stored", "a zero key for none", func(f *faulty) {
			f.key = func(ctx context.Context, id string) (access.Key, error) {
				k, err := f.Store.Key(ctx, id)
				if errors.Is(err, access.ErrNoKey) {
					err = nil
				}
				return k, err
			}
		}},
		{"nothing stored", "another error for none", func(f *faulty) {
			f.key = func(ctx context.Context, id string) (access.Key, error) { return access.Key{}, errors.New("no rows") }
		}},
		{"nothing stored", "Touch makes a key", func(f *faulty) {
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					f.Store.PutKey(ctx, access.Key{ID: id, Secret: [32]byte{1}, LastUsed: t})
				}
				return nil
			}
		}},
		{"nothing stored", "Return makes a debt", func(f *faulty) {
			f.leased = func(context.Context, string, int) (int64, error) { return -5, nil }
		}},
		{"key", "no previous secret", func(f *faulty) { changed(f, func(k *access.Key) { k.Previous = [32]byte{} }) }},
		{"key", "a name in ASCII", func(f *faulty) {
			changed(f, func(k *access.Key) { k.Name = strings.Map(func(r rune) rune { return min(r, 127) }, k.Name) })
		}},
		{"key", "a rate of single precision", func(f *faulty) { changed(f, func(k *access.Key) { k.Rate = float64(float32(k.Rate)) }) }},
		{"key", "a quota of 32 bits", func(f *faulty) { changed(f, func(k *access.Key) { k.Quota = min(k.Quota, math.MaxInt32) }) }},
		{"key", "scopes for none", func(f *faulty) { changed(f, func(k *access.Key) { k.Scopes = "screen" }) }},
		{"key", "an expiry for none", func(f *faulty) {
			changed(f, func(k *access.Key) {
				if k.Expires.IsZero() {
					k.Expires = time.Unix(0, 0).UTC()
				}
			})
		}},
		{"key", "no version", func(f *faulty) { changed(f, func(k *access.Key) { k.Version = 0 }) }},
		{"times", "in whole seconds", func(f *faulty) { changed(f, func(k *access.Key) { k.Expires = k.Expires.Truncate(time.Second) }) }},
		{"times", "in local time", func(f *faulty) {
			changed(f, func(k *access.Key) { k.Expires = k.Expires.In(time.FixedZone("", 3600)) })
		}},
		{"times", "rounded", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				k.Created = k.Created.Round(time.Microsecond)
				return f.Store.PutKey(ctx, k)
			}
		}},
		{"times", "a claim to the nanosecond", func(f *faulty) {
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				_, fresh, err := f.Store.Claim(ctx, c)
				return c, fresh, err
			}
		}},
		{"version", "the last one wins", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				return f.put(ctx, k, func(stored int64) int64 { return stored })
			}
		}},
		{"version", "a new one over an old one", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				return f.put(ctx, k, func(stored int64) int64 {
					if k.Version == 0 {
						return stored
					}
					return k.Version
				})
			}
		}},
		{"version", "a change of none", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				return f.put(ctx, k, func(stored int64) int64 {
					if stored == 0 {
						return 0
					}
					return k.Version
				})
			}
		}},
		{"concurrent puts", "a look before the write", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				old, _ := f.Store.Key(ctx, k.ID)
				meet()
				if old.Version != k.Version {
					return access.ErrConflict
				}
				return f.put(ctx, k, func(stored int64) int64 { return stored })
			}
		}},
		{"invalid", "any id", func(f *faulty) {
			f.leased = func(ctx context.Context, id string, m int) (int64, error) {
				n, err := leasedIn(ctx, f.Store, id, m)
				if errors.Is(err, access.ErrInvalid) {
					err = nil
				}
				return n, err
			}
		}},
		{"invalid", "another error", func(f *faulty) {
			f.putKey = func(ctx context.Context, k access.Key) error {
				if _, err := k.Normal(); err != nil {
					return errors.New("constraint violated")
				}
				return f.Store.PutKey(ctx, k)
			}
		}},
		{"invalid", "a negative return takes", func(f *faulty) {
			f.ret = func(ctx context.Context, id string, m int, n int64) error {
				if n < 0 {
					_, _, err := f.Store.Lease(ctx, id, m, -n, math.MaxInt64)
					return err
				}
				return f.Store.Return(ctx, id, m, n)
			}
		}},
		{"ids", "letters folded", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				return f.Store.Lease(ctx, strings.ToLower(id), m, n, limit)
			}
		}},
		{"ids", "sorted as a dictionary is", func(f *faulty) {
			f.keys = func(ctx context.Context) ([]access.Key, error) {
				all, err := f.Store.Keys(ctx)
				slices.SortFunc(all, func(a, b access.Key) int { return strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)) })
				return all, err
			}
		}},
		{"touch", "set back", func(f *faulty) {
			late := map[string]time.Time{}
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					late[id] = t
				}
				return f.Store.Touch(ctx, at)
			}
			changed(f, func(k *access.Key) {
				if t, ok := late[k.ID]; ok {
					k.LastUsed = t
				}
			})
		}},
		{"touch", "a new version", func(f *faulty) {
			n := int64(0)
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				n++
				return f.Store.Touch(ctx, at)
			}
			changed(f, func(k *access.Key) { k.Version += n })
		}},
		{"touch", "the first one only", func(f *faulty) {
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					k, err := f.Store.Key(ctx, id)
					if err == nil && k.LastUsed.IsZero() {
						f.Store.Touch(ctx, map[string]time.Time{id: t})
					}
				}
				return nil
			}
		}},
		{"touch and put", "PutKey sets back", func(f *faulty) {
			put := map[string]time.Time{}
			f.putKey = func(ctx context.Context, k access.Key) error {
				put[k.ID] = k.LastUsed
				return f.Store.PutKey(ctx, k)
			}
			changed(f, func(k *access.Key) { k.LastUsed = put[k.ID] })
		}},
		{"lease", "all or nothing", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				if leased, err := leasedIn(ctx, f.Store, id, m); err != nil || leased+n > limit {
					return 0, leased, err
				}
				return f.Store.Lease(ctx, id, m, n, limit)
			}
		}},
		{"lease", "below nothing", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				leased, err := leasedIn(ctx, f.Store, id, m)
				if err == nil && leased > limit {
					return limit - leased, leased, f.Store.Return(ctx, id, m, leased-limit)
				}
				return f.Store.Lease(ctx, id, m, n, limit)
			}
		}},
		{"lease", "the total before", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				granted, leased, err := f.Store.Lease(ctx, id, m, n, limit)
				return granted, leased - granted, err
			}
		}},
		{"lease", "an overflow", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				leased, err := leasedIn(ctx, f.Store, id, m)
				if sum := leased + n; err == nil && n > 0 && sum < 0 {
					return n, sum, nil
				}
				return f.Store.Lease(ctx, id, m, n, limit)
			}
		}},
		{"return", "nothing goes back", func(f *faulty) {
			f.ret = func(context.Context, string, int, int64) error { return nil }
		}},
		{"return", "below nothing", func(f *faulty) {
			debt := int64(0)
			f.ret = func(ctx context.Context, id string, m int, n int64) error {
				leased, err := leasedIn(ctx, f.Store, id, m)
				debt += max(0, n-leased)
				return errors.Join(err, f.Store.Return(ctx, id, m, n))
			}
			f.leased = func(ctx context.Context, id string, m int) (int64, error) {
				n, err := leasedIn(ctx, f.Store, id, m)
				return n - debt, err
			}
		}},
		{"answered", "added", func(f *faulty) {
			f.answered = func(ctx context.Context, replica string, m int, at time.Time, n map[string]int64) (map[string]int64, error) {
				sum := make(map[string]int64)
				for id, n := range n {
					others, err := f.Store.Answered(ctx, replica, m, at.Add(-time.Hour), map[string]int64{id: 0})
					if err != nil {
						return nil, err
					}
					_, all, _, _ := f.Store.Account(ctx, id, m)
					sum[id] = all - others[id] + n
				}
				return f.Store.Answered(ctx, replica, m, at, sum)
			}
		}},
		{"answered", "the last one to come", func(f *faulty) {
			f.answered = func(ctx context.Context, replica string, m int, at time.Time, n map[string]int64) (map[string]int64, error) {
				return f.Store.Answered(ctx, replica, m, time.Now(), n)
			}
		}},
		{"answered", "of all replicas", func(f *faulty) {
			f.answered = func(ctx context.Context, replica string, m int, at time.Time, n map[string]int64) (map[string]int64, error) {
				others, err := f.Store.Answered(ctx, replica, m, at, n)
				for id := range n {
					others[id] += n[id]
				}
				return others, err
			}
		}},
		{"fold", "lost", func(f *faulty) {
			f.fold = func(ctx context.Context, replica, id string) error {
				_, err := f.Store.Answered(ctx, replica, storetest.Month, time.Now().Add(time.Hour), map[string]int64{id: 0})
				return err
			}
		}},
		{"concurrent counts", "a look before the write", func(f *faulty) {
			f.answered = func(ctx context.Context, replica string, m int, at time.Time, n map[string]int64) (map[string]int64, error) {
				_, all, _, err := f.Store.Account(ctx, "a", m)
				if err != nil {
					return nil, err
				}
				meet()
				_, err = f.Store.Answered(ctx, "sum", m, time.Now(), map[string]int64{"a": all + 1})
				return nil, err
			}
		}},
		{"accounts apart", "one month for all", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				return f.Store.Lease(ctx, id, 24000, n, limit)
			}
			f.leased = func(ctx context.Context, id string, m int) (int64, error) {
				return leasedIn(ctx, f.Store, id, 24000)
			}
		}},
		{"concurrent leases", "a look before the write", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				leased, err := leasedIn(ctx, f.Store, id, m)
				if err != nil {
					return 0, 0, err
				}
				meet()
				granted := max(0, min(n, limit-leased))
				_, _, err = f.Store.Lease(ctx, id, m, granted, math.MaxInt64)
				return granted, leased + granted, err
			}
		}},
		{"concurrent leases", "the last one is kept", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m int, n, limit int64) (int64, int64, error) {
				return f.Store.Lease(ctx, id, m, n, max(0, limit-1))
			}
		}},
		{"claim", "always fresh", func(f *faulty) {
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				_, _, err := f.Store.Claim(ctx, c)
				return c, true, err
			}
		}},
		{"claim", "one for all keys", func(f *faulty) {
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				id := c.KeyID
				c.KeyID = "a"
				held, fresh, err := f.Store.Claim(ctx, c)
				held.KeyID = id
				return held, fresh, err
			}
		}},
		{"claim", "by the print", func(f *faulty) {
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				swapped := c
				swapped.Token = c.Print
				held, fresh, err := f.Store.Claim(ctx, swapped)
				held.Token = c.Token
				return held, fresh, err
			}
		}},
		{"claim expires", "held forever", func(f *faulty) {
			var all sync.Map
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				held, loaded := all.LoadOrStore(c.KeyID+string(c.Token[:]), c)
				return held.(access.Claim), !loaded, nil
			}
		}},
		{"unclaim", "by key and token", func(f *faulty) {
			f.unclaim = func(ctx context.Context, c access.Claim) error {
				look := c
				look.Expires = time.Time{}
				held, fresh, err := f.Store.Claim(ctx, look)
				if err != nil || fresh {
					return err
				}
				return f.Store.Unclaim(ctx, held)
			}
		}},
		{"unclaim", "never", func(f *faulty) {
			f.unclaim = func(context.Context, access.Claim) error { return nil }
		}},
		{"concurrent claims", "a look before the write", func(f *faulty) {
			f.claim = func(ctx context.Context, c access.Claim) (access.Claim, bool, error) {
				look := c
				look.Expires = time.Time{}
				if held, fresh, err := f.Store.Claim(ctx, look); err != nil || !fresh {
					return held, fresh, err
				}
				meet()
				_, _, err := f.Store.Claim(ctx, c)
				return c, true, err
			}
		}},
		{"cancelled", "done nevertheless", func(f *faulty) {
			f.ret = func(ctx context.Context, id string, m int, n int64) error {
				f.Store.Return(background, id, m, n)
				return ctx.Err()
			}
		}},
		{"cancelled", "not noticed", func(f *faulty) {
			f.leased = func(_ context.Context, id string, m int) (int64, error) {
				return leasedIn(background, f.Store, id, m)
			}
		}},
	} {
		broken[tt.rule] = true
		synctest.Test(t, func(t *testing.T) {
			f := good()
			tt.spoil(f)
			if err := storetest.Check(tt.rule, f); err == nil {
				t.Errorf("%s: nothing is found of %q", tt.rule, tt.fault)
			}
		})
	}
	for _, rule := range storetest.Rules() {
		if !broken[rule] {
			t.Errorf("no fault breaks the rule %q", rule)
		}
		if err := storetest.Check(rule, good()); err != nil {
			t.Errorf("a good store breaks the rule %q: %v", rule, err)
		}
	}
}
