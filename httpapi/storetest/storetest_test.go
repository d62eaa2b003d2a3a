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

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/storetest"
)

func TestRun(t *testing.T) {
	storetest.Run(t, func(*testing.T) httpapi.Store { return httpapi.NewMemory() })
}

var background = context.Background()

// A faulty is a good Store whose methods can be replaced.
type faulty struct {
	*httpapi.Memory
	key     func(context.Context, string) (httpapi.Key, error)
	keys    func(context.Context) ([]httpapi.Key, error)
	putKey  func(context.Context, httpapi.Key) error
	used    func(context.Context, map[string]time.Time) error
	lease   func(context.Context, string, httpapi.Month, int64, int64) (int64, int64, error)
	ret     func(context.Context, string, httpapi.Month, int64) error
	leased  func(context.Context, string, httpapi.Month) (int64, error)
	claim   func(context.Context, httpapi.Claim) (httpapi.Claim, bool, error)
	unclaim func(context.Context, httpapi.Claim) error
}

func (f *faulty) Key(ctx context.Context, id string) (httpapi.Key, error) { return f.key(ctx, id) }
func (f *faulty) Keys(ctx context.Context) ([]httpapi.Key, error)         { return f.keys(ctx) }
func (f *faulty) PutKey(ctx context.Context, k httpapi.Key) error         { return f.putKey(ctx, k) }
func (f *faulty) Used(ctx context.Context, at map[string]time.Time) error { return f.used(ctx, at) }
func (f *faulty) Unclaim(ctx context.Context, c httpapi.Claim) error      { return f.unclaim(ctx, c) }
func (f *faulty) Return(ctx context.Context, id string, m httpapi.Month, n int64) error {
	return f.ret(ctx, id, m, n)
}
func (f *faulty) Leased(ctx context.Context, id string, m httpapi.Month) (int64, error) {
	return f.leased(ctx, id, m)
}
func (f *faulty) Lease(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
	return f.lease(ctx, id, m, n, limit)
}
func (f *faulty) Claim(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
	return f.claim(ctx, c)
}

func good() *faulty {
	m := httpapi.NewMemory()
	return &faulty{m, m.Key, m.Keys, m.PutKey, m.Used, m.Lease, m.Return, m.Leased, m.Claim, m.Unclaim}
}

// changed makes every key that is read what by makes of it.
func changed(f *faulty, by func(*httpapi.Key)) {
	key, keys := f.key, f.keys
	f.key = func(ctx context.Context, id string) (httpapi.Key, error) {
		k, err := key(ctx, id)
		if err == nil {
			by(&k)
		}
		return k, err
	}
	f.keys = func(ctx context.Context) ([]httpapi.Key, error) {
		all, err := keys(ctx)
		for i := range all {
			by(&all[i])
		}
		return all, err
	}
}

// put makes f store a key whatever is stored, as if it were over a version.
func (f *faulty) put(ctx context.Context, k httpapi.Key, version func(stored int64) int64) error {
	old, err := f.Memory.Key(ctx, k.ID)
	if err != nil && !errors.Is(err, httpapi.ErrNoKey) {
		return err
	}
	if _, err := k.Normal(); err != nil {
		return err
	}
	k.Version = version(old.Version)
	return f.Memory.PutKey(ctx, k)
}

// meet waits, in a bubble of synctest, until all who are about to write have looked.
func meet() { time.Sleep(time.Nanosecond) }

// TestFaults: each fault breaks the rule that is there for it.
func TestFaults(t *testing.T) {
	broken := map[string]bool{}
	for _, tt := range []struct {
		rule, fault string
		spoil       func(f *faulty)
	}{
		{"nothing stored", "a zero key for none", func(f *faulty) {
			f.key = func(ctx context.Context, id string) (httpapi.Key, error) {
				k, err := f.Memory.Key(ctx, id)
				if errors.Is(err, httpapi.ErrNoKey) {
					err = nil
				}
				return k, err
			}
		}},
		{"nothing stored", "another error for none", func(f *faulty) {
			f.key = func(ctx context.Context, id string) (httpapi.Key, error) { return httpapi.Key{}, errors.New("no rows") }
		}},
		{"nothing stored", "Used makes a key", func(f *faulty) {
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					f.Memory.PutKey(ctx, httpapi.Key{ID: id, Secret: [32]byte{1}, LastUsed: t})
				}
				return nil
			}
		}},
		{"nothing stored", "Return makes a debt", func(f *faulty) {
			f.leased = func(context.Context, string, httpapi.Month) (int64, error) { return -5, nil }
		}},
		{"key", "no previous secret", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Previous = [32]byte{} }) }},
		{"key", "a name in ASCII", func(f *faulty) {
			changed(f, func(k *httpapi.Key) { k.Name = strings.Map(func(r rune) rune { return min(r, 127) }, k.Name) })
		}},
		{"key", "a rate of single precision", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Rate = float64(float32(k.Rate)) }) }},
		{"key", "a quota of 32 bits", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Quota = min(k.Quota, math.MaxInt32) }) }},
		{"key", "scopes for none", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Scopes |= httpapi.ScopeScreen }) }},
		{"key", "an expiry for none", func(f *faulty) {
			changed(f, func(k *httpapi.Key) {
				if k.Expires.IsZero() {
					k.Expires = time.Unix(0, 0).UTC()
				}
			})
		}},
		{"key", "no version", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Version = 0 }) }},
		{"times", "in whole seconds", func(f *faulty) { changed(f, func(k *httpapi.Key) { k.Expires = k.Expires.Truncate(time.Second) }) }},
		{"times", "in local time", func(f *faulty) {
			changed(f, func(k *httpapi.Key) { k.Expires = k.Expires.In(time.FixedZone("", 3600)) })
		}},
		{"times", "rounded", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				k.Created = k.Created.Round(time.Microsecond)
				return f.Memory.PutKey(ctx, k)
			}
		}},
		{"times", "a claim to the nanosecond", func(f *faulty) {
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				_, fresh, err := f.Memory.Claim(ctx, c)
				return c, fresh, err
			}
		}},
		{"version", "the last one wins", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				return f.put(ctx, k, func(stored int64) int64 { return stored })
			}
		}},
		{"version", "a new one over an old one", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				return f.put(ctx, k, func(stored int64) int64 {
					if k.Version == 0 {
						return stored
					}
					return k.Version
				})
			}
		}},
		{"version", "a change of none", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				return f.put(ctx, k, func(stored int64) int64 {
					if stored == 0 {
						return 0
					}
					return k.Version
				})
			}
		}},
		{"concurrent puts", "a look before the write", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				old, _ := f.Memory.Key(ctx, k.ID)
				meet()
				if old.Version != k.Version {
					return httpapi.ErrConflict
				}
				return f.put(ctx, k, func(stored int64) int64 { return stored })
			}
		}},
		{"invalid", "any id", func(f *faulty) {
			f.leased = func(ctx context.Context, id string, m httpapi.Month) (int64, error) {
				n, err := f.Memory.Leased(ctx, id, m)
				if errors.Is(err, httpapi.ErrInvalid) {
					err = nil
				}
				return n, err
			}
		}},
		{"invalid", "another error", func(f *faulty) {
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				if _, err := k.Normal(); err != nil {
					return errors.New("constraint violated")
				}
				return f.Memory.PutKey(ctx, k)
			}
		}},
		{"invalid", "a negative return takes", func(f *faulty) {
			f.ret = func(ctx context.Context, id string, m httpapi.Month, n int64) error {
				if n < 0 {
					_, _, err := f.Memory.Lease(ctx, id, m, -n, math.MaxInt64)
					return err
				}
				return f.Memory.Return(ctx, id, m, n)
			}
		}},
		{"ids", "letters folded", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				return f.Memory.Lease(ctx, strings.ToLower(id), m, n, limit)
			}
		}},
		{"ids", "sorted as a dictionary is", func(f *faulty) {
			f.keys = func(ctx context.Context) ([]httpapi.Key, error) {
				all, err := f.Memory.Keys(ctx)
				slices.SortFunc(all, func(a, b httpapi.Key) int { return strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)) })
				return all, err
			}
		}},
		{"used", "set back", func(f *faulty) {
			late := map[string]time.Time{}
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					late[id] = t
				}
				return f.Memory.Used(ctx, at)
			}
			changed(f, func(k *httpapi.Key) {
				if t, ok := late[k.ID]; ok {
					k.LastUsed = t
				}
			})
		}},
		{"used", "a new version", func(f *faulty) {
			n := int64(0)
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				n++
				return f.Memory.Used(ctx, at)
			}
			changed(f, func(k *httpapi.Key) { k.Version += n })
		}},
		{"used", "the first one only", func(f *faulty) {
			f.used = func(ctx context.Context, at map[string]time.Time) error {
				for id, t := range at {
					k, err := f.Memory.Key(ctx, id)
					if err == nil && k.LastUsed.IsZero() {
						f.Memory.Used(ctx, map[string]time.Time{id: t})
					}
				}
				return nil
			}
		}},
		{"used and put", "PutKey sets back", func(f *faulty) {
			put := map[string]time.Time{}
			f.putKey = func(ctx context.Context, k httpapi.Key) error {
				put[k.ID] = k.LastUsed
				return f.Memory.PutKey(ctx, k)
			}
			changed(f, func(k *httpapi.Key) { k.LastUsed = put[k.ID] })
		}},
		{"lease", "all or nothing", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				if leased, err := f.Memory.Leased(ctx, id, m); err != nil || leased+n > limit {
					return 0, leased, err
				}
				return f.Memory.Lease(ctx, id, m, n, limit)
			}
		}},
		{"lease", "below nothing", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				leased, err := f.Memory.Leased(ctx, id, m)
				if err == nil && leased > limit {
					return limit - leased, leased, f.Memory.Return(ctx, id, m, leased-limit)
				}
				return f.Memory.Lease(ctx, id, m, n, limit)
			}
		}},
		{"lease", "the total before", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				granted, leased, err := f.Memory.Lease(ctx, id, m, n, limit)
				return granted, leased - granted, err
			}
		}},
		{"lease", "an overflow", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				leased, err := f.Memory.Leased(ctx, id, m)
				if sum := leased + n; err == nil && n > 0 && sum < 0 {
					return n, sum, nil
				}
				return f.Memory.Lease(ctx, id, m, n, limit)
			}
		}},
		{"return", "nothing goes back", func(f *faulty) {
			f.ret = func(context.Context, string, httpapi.Month, int64) error { return nil }
		}},
		{"return", "below nothing", func(f *faulty) {
			debt := int64(0)
			f.ret = func(ctx context.Context, id string, m httpapi.Month, n int64) error {
				leased, err := f.Memory.Leased(ctx, id, m)
				debt += max(0, n-leased)
				return errors.Join(err, f.Memory.Return(ctx, id, m, n))
			}
			f.leased = func(ctx context.Context, id string, m httpapi.Month) (int64, error) {
				n, err := f.Memory.Leased(ctx, id, m)
				return n - debt, err
			}
		}},
		{"accounts apart", "one month for all", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				return f.Memory.Lease(ctx, id, 24000, n, limit)
			}
			f.leased = func(ctx context.Context, id string, m httpapi.Month) (int64, error) {
				return f.Memory.Leased(ctx, id, 24000)
			}
		}},
		{"concurrent leases", "a look before the write", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				leased, err := f.Memory.Leased(ctx, id, m)
				if err != nil {
					return 0, 0, err
				}
				meet()
				granted := max(0, min(n, limit-leased))
				_, _, err = f.Memory.Lease(ctx, id, m, granted, math.MaxInt64)
				return granted, leased + granted, err
			}
		}},
		{"concurrent leases", "the last one is kept", func(f *faulty) {
			f.lease = func(ctx context.Context, id string, m httpapi.Month, n, limit int64) (int64, int64, error) {
				return f.Memory.Lease(ctx, id, m, n, max(0, limit-1))
			}
		}},
		{"claim", "always fresh", func(f *faulty) {
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				_, _, err := f.Memory.Claim(ctx, c)
				return c, true, err
			}
		}},
		{"claim", "one for all keys", func(f *faulty) {
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				id := c.KeyID
				c.KeyID = "a"
				held, fresh, err := f.Memory.Claim(ctx, c)
				held.KeyID = id
				return held, fresh, err
			}
		}},
		{"claim", "by the print", func(f *faulty) {
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				swapped := c
				swapped.Token = c.Print
				held, fresh, err := f.Memory.Claim(ctx, swapped)
				held.Token = c.Token
				return held, fresh, err
			}
		}},
		{"claim expires", "held for ever", func(f *faulty) {
			var all sync.Map
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				held, loaded := all.LoadOrStore(c.KeyID+string(c.Token[:]), c)
				return held.(httpapi.Claim), !loaded, nil
			}
		}},
		{"unclaim", "by key and token", func(f *faulty) {
			f.unclaim = func(ctx context.Context, c httpapi.Claim) error {
				look := c
				look.Expires = time.Time{}
				held, fresh, err := f.Memory.Claim(ctx, look)
				if err != nil || fresh {
					return err
				}
				return f.Memory.Unclaim(ctx, held)
			}
		}},
		{"unclaim", "never", func(f *faulty) {
			f.unclaim = func(context.Context, httpapi.Claim) error { return nil }
		}},
		{"concurrent claims", "a look before the write", func(f *faulty) {
			f.claim = func(ctx context.Context, c httpapi.Claim) (httpapi.Claim, bool, error) {
				look := c
				look.Expires = time.Time{}
				if held, fresh, err := f.Memory.Claim(ctx, look); err != nil || !fresh {
					return held, fresh, err
				}
				meet()
				_, _, err := f.Memory.Claim(ctx, c)
				return c, true, err
			}
		}},
		{"cancelled", "done nevertheless", func(f *faulty) {
			f.ret = func(ctx context.Context, id string, m httpapi.Month, n int64) error {
				f.Memory.Return(background, id, m, n)
				return ctx.Err()
			}
		}},
		{"cancelled", "not noticed", func(f *faulty) {
			f.leased = func(_ context.Context, id string, m httpapi.Month) (int64, error) {
				return f.Memory.Leased(background, id, m)
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
