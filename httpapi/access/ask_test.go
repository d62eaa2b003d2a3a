package access_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/internal/accesstest"
)

// TestUsedOfOthers checks that each of three processes counts, when it is asked, all that
// the others have answered before, also at their first answers; and that it waits for that
// only while another one holds a lease.
func TestUsedOfOthers(t *testing.T) {
	for _, quota := range []int64{0, 3, 1000, 1_000_000} {
		synctest.Test(t, func(t *testing.T) {
			store := access.NewMemory()
			c := httpapi.Caller{ID: "a", Quota: quota}
			var all []*access.Keyring
			for range 3 {
				all = append(all, access.New(store, nil))
			}
			want := int64(0)
			ask := func(k *access.Keyring, patience time.Duration) {
				t.Helper()
				begin := time.Now()
				if n := used(t, k, c); n != want {
					t.Errorf("quota %d: %d are used, want %d", quota, n, want)
				}
				if took := time.Since(begin); took > patience {
					t.Errorf("quota %d: it takes %v to ask, want at most %v", quota, took, patience)
				}
			}
			for _, n := range []int{1, 2, 50} {
				for i, k := range all {
					k.Used(t.Context(), c, false) // reads the counts of the others, too early
					if got, _, err := charge(t.Context(), k, c, n); err == nil {
						want += int64(got)
					}
					ask(all[(i+1)%len(all)], time.Second/4)
					ask(k, time.Second/4)
				}
			}
			time.Sleep(time.Minute) // no process holds a lease
			settled := time.Duration(0)
			if quota == 0 { // it may be charged without a lease
				settled = time.Second / 4
			}
			for _, k := range all {
				ask(k, settled)
			}
			if _, _, err := store.Lease(t.Context(), c.ID, thisMonth(), 7, 1<<40); err != nil { // by a process that is killed
				t.Fatal(err)
			}
			ask(all[0], time.Second/4)
			time.Sleep(time.Minute)
			ask(all[0], settled)
			for _, k := range all {
				if err := k.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestUsedTogether checks that a thousand who ask at once share readings of the store, and
// are answered within its time limit if it hangs.
func TestUsedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := accesstest.New(false)
		k := access.New(store, nil)
		c := httpapi.Caller{ID: "a", Quota: 1000}
		reserve(k, c, 100)
		time.Sleep(time.Second)
		for _, hangs := range []bool{false, true} {
			release := sync.OnceFunc(store.Stall())
			calls, begin := store.Reports.Load(), time.Now()
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
			if n := store.Reports.Load() - calls; n > 10 {
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
