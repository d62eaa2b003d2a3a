package access_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// TestUsedOfOthers checks that each of three processes counts, when it is asked, all that
// the others have answered before, and beyond that at most what they hold in their blocks:
// up to a 20th of the quota and 256 each. Once these are returned the counts are exact.
func TestUsedOfOthers(t *testing.T) {
	for _, quota := range []int64{0, 3, 1000, 1_000_000} {
		synctest.Test(t, func(t *testing.T) {
			store := access.NewMemory()
			c := httpapi.Caller{ID: "a", Quota: quota}
			var all []*access.Keyring
			for range 3 {
				all = append(all, access.New(store, nil))
			}
			answered, block := int64(0), min(256, quota/20)
			if quota == 0 {
				block = 256
			}
			ask := func(k *access.Keyring, ahead int64) {
				t.Helper()
				time.Sleep(time.Second / 20) // for blocks that are fetched, and debts that are leased
				begin := time.Now()
				if n := used(t, k, c); n < answered || n > answered+ahead {
					t.Errorf("quota %d: %d are used, want %d, or %d more", quota, n, answered, ahead)
				}
				if took := time.Since(begin); took > 0 {
					t.Errorf("quota %d: it takes %v to ask", quota, took)
				}
			}
			for _, n := range []int{1, 2, 50} {
				for i, k := range all {
					k.Used(t.Context(), c, false) // reads the use by others, too early
					if got, _, err := charge(t.Context(), k, c, n); err == nil {
						answered += int64(got)
					}
					ask(all[(i+1)%len(all)], 2*block)
					ask(k, 2*block)
				}
			}
			time.Sleep(time.Minute) // no process holds a block
			for _, k := range all {
				ask(k, 0)
			}
			got, _, _, err := store.Lease(t.Context(), c.ID, thisMonth(), 7, 1<<40) // by a process that is killed
			if err != nil {
				t.Fatal(err)
			}
			answered += got
			time.Sleep(time.Minute)
			ask(all[0], 0)
			for _, k := range all {
				if err := k.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestHeldBlock checks that a process that is refused because another one holds a block
// says when that block has returned, and otherwise when the month ends.
func TestHeldBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := access.NewMemory()
		a, b := access.New(store, nil), access.New(store, nil)
		c := httpapi.Caller{ID: "a", Quota: 1000}
		reserve(a, c, 3)
		synctest.Wait()
		block := int(held(a))
		if block == 0 {
			t.Fatal("nothing is held: this tests nothing")
		}
		soon := func(k *access.Keyring) time.Duration {
			_, err := reserve(k, c, 1001)
			var timed interface{ RetryAfter() time.Duration }
			if !errors.As(err, &timed) {
				t.Fatal(err)
			}
			return timed.RetryAfter()
		}
		wait := soon(b)
		if wait > 15*time.Second {
			t.Errorf("another process holds a block, and the refusal is for %v", wait)
		}
		time.Sleep(wait)
		if n, err := reserve(b, c, 1000); n != block || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d granted, %v; want the block of %d", n, err, block)
		}
		time.Sleep(time.Minute)
		for _, k := range []*access.Keyring{a, b} {
			if wait := soon(k); wait < 24*time.Hour {
				t.Errorf("nothing is left, and the refusal is for %v", wait)
			}
		}
		alone := access.New(access.NewMemory(), nil)
		if wait := soon(alone); wait < 24*time.Hour {
			t.Errorf("no other process holds a block, and the refusal is for %v", wait)
		}
	})
}

// TestUsedTogether checks that a thousand who ask at once share readings of the store, and
// are answered within its time limit if it hangs.
func TestUsedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		k := access.New(store, nil)
		c := httpapi.Caller{ID: "a", Quota: 1000}
		reserve(k, c, 100)
		time.Sleep(time.Second)
		for _, hangs := range []bool{false, true} {
			release := sync.OnceFunc(store.Stall())
			time.Sleep(time.Nanosecond)
			calls, begin := store.Reads.Load(), time.Now()
			var all sync.WaitGroup
			for range 1000 {
				all.Go(func() {
					n, _, _, err := k.Used(t.Context(), c, true)
					if hangs != (err != nil) || err == nil && n != 100 {
						t.Errorf("it hangs: %v, %d are used, %v", hangs, n, err)
					}
				})
			}
			synctest.Wait()
			if !hangs {
				release()
			}
			all.Wait()
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("it takes %v to ask", took)
			}
			if n := store.Reads.Load() - calls; n > 100 {
				t.Errorf("the store was asked %d times", n)
			}
			release()
		}
		time.Sleep(time.Minute)
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestUsedWhileExhausted asks for the use of a quota while a charge learns that it is used up: the
// count is no error.
func TestUsedWhileExhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		k := access.New(store, nil)
		c := httpapi.Caller{ID: "a", Quota: 3}
		reserve(k, c, 3)
		time.Sleep(time.Minute)
		release := store.Stall()
		var all sync.WaitGroup
		all.Go(func() {
			if _, _, err := charge(t.Context(), k, c, 1); !errors.Is(err, httpapi.ErrExhausted) {
				t.Errorf("a charge: %v", err)
			}
		})
		synctest.Wait()
		for range 3 {
			all.Go(func() {
				if n, _, _, err := k.Used(t.Context(), c, true); n != 3 || err != nil {
					t.Errorf("%d are used, %v", n, err)
				}
			})
		}
		synctest.Wait()
		time.Sleep(time.Nanosecond)
		release()
		all.Wait()
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestRaisedLimit raises a limit while a charge under the old one learns that it is used up: a charge
// under the new one, which waits for the same call, is granted.
func TestRaisedLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		k := access.New(store, nil)
		reserve(k, httpapi.Caller{ID: "a", Quota: 3}, 3)
		time.Sleep(time.Minute)
		release := store.Stall()
		var all sync.WaitGroup
		for _, quota := range []int64{3, 100} {
			all.Go(func() {
				if _, _, err := charge(t.Context(), k, httpapi.Caller{ID: "a", Quota: quota}, 1); (quota == 3) != errors.Is(err, httpapi.ErrExhausted) {
					t.Errorf("a quota of %d: %v", quota, err)
				}
			})
			synctest.Wait()
		}
		release()
		all.Wait()
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
