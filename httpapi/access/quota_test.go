package access_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestQuotaExact checks that two replicas and 64 clients that retry after refusals are
// granted the limit exactly.
func TestQuotaExact(t *testing.T) {
	for _, limit := range []int64{1, 2, 63, int64(longtest.N(2000, 10_000))} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := access.NewMemory()
				replicas := []*access.Keyring{access.New(store, nil), access.New(store, nil)}
				g := httpapi.Caller{ID: "a", Quota: limit}
				var granted atomic.Int64
				var wg sync.WaitGroup
				end := time.Now().Add(time.Minute)
				for i := range 64 {
					wg.Go(func() {
						for time.Now().Before(end) {
							_, _, err := charge(t.Context(), replicas[i%2], g, 1)
							switch {
							case err == nil:
								granted.Add(1)
							case errors.Is(err, httpapi.ErrExhausted):
								time.Sleep(time.Second)
							default:
								t.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				if n := granted.Load(); n != limit {
					t.Errorf("%d were granted, want %d", n, limit)
				}
				for _, q := range replicas {
					if err := q.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if n := leasedTotal(t, store, "a", thisMonth()); n != limit {
					t.Errorf("%d are leased in the end, want %d", n, limit)
				}
			})
		})
	}
}

// TestQuotaModel applies random events to replicas and compares with a count. The limit
// of a month is never exceeded. Screenings are lost only by failed returns and killed
// replicas, at most one lease each.
func TestQuotaModel(t *testing.T) {
	for seed := range uint64(longtest.N(5, 50)) {
		synctest.Test(t, func(t *testing.T) { playQuota(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func playQuota(t *testing.T, rnd *rand.Rand) {
	const limit, lease = 5000, 256
	type replica struct {
		*access.Keyring
		store *flakyStore // the access of this replica to the common store
	}
	store := access.NewMemory()
	start := func() replica {
		own := &flakyStore{Store: store}
		return replica{access.New(own, nil), own}
	}
	replicas := []replica{start(), start(), start()}
	g := httpapi.Caller{ID: "a", Quota: limit}
	granted, lost := map[int]int64{}, map[int]int64{}
	var log []string
	note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	retire := func(r replica) {
		r.store.Down.Store(false)
		time.Sleep(time.Second)
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		lost[thisMonth()] += r.store.ReturnedInVain.Load()
	}
	for range 300 {
		i := rnd.IntN(len(replicas))
		r, m := replicas[i], thisMonth()
		switch op := rnd.IntN(20); {
		case op < 12:
			k, err := reserve(r.Keyring, g, rnd.IntN(200))
			granted[m] += int64(k)
			note("%d takes %d: %v", i, k, err)
			if err != nil && !errors.Is(err, httpapi.ErrExhausted) && !errors.Is(err, httpapi.ErrUnavailable) {
				t.Fatal(err)
			}
		case op < 14:
			if _, refund, err := charge(t.Context(), r.Keyring, g, 1); err == nil {
				refund(1)
			}
		case op == 14:
			synctest.Wait()
			leased := held(r.Keyring)
			if leased > lease {
				t.Fatalf("%d are held, want at most %d\n%s", leased, lease, strings.Join(log, "\n"))
			}
			note("%d is killed with %d", i, leased)
			lost[m] += leased + r.store.ReturnedInVain.Load()
			r.store.Down.Store(true) // for good
			replicas[i] = start()
		case op == 15:
			retire(r)
			note("%d is restarted", i)
			replicas[i] = start()
		case op == 16:
			time.Sleep(time.Duration(rnd.IntN(15)) * time.Second)
		case op == 17 && rnd.IntN(5) == 0:
			for i, r := range replicas {
				retire(r)
				replicas[i] = start()
			}
			time.Sleep(time.Until(endOf(m)))
			note("month %d begins", thisMonth())
		case op == 18:
			r.store.Down.Store(rnd.IntN(3) == 0)
			note("%d is down: %v", i, r.store.Down.Load())
		}
		if granted[m] > limit {
			t.Fatalf("%d were granted in %v\n%s", granted[m], m, strings.Join(log, "\n"))
		}
	}
	for _, r := range replicas {
		retire(r)
	}
	for m := thisMonth() - 1; m <= thisMonth(); m++ {
		if total := leasedTotal(t, store, "a", m); total != granted[m]+lost[m] {
			t.Fatalf("%d were granted in %v and %d lost, but %d are leased\n%s", granted[m], m, lost[m], total, strings.Join(log, "\n"))
		}
	}
}

// TestQuotaMonth ends a month during a lease, and during the next one.
func TestQuotaMonth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 10_000}
		m := monthOf(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))
		time.Sleep(time.Until(endOf(m)) - 1)
		if k, err := reserve(q, g, 990); k != 990 || err != nil {
			t.Fatalf("%d granted, %v", k, err)
		}
		_, late, err := charge(t.Context(), q, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, from, until, err := q.Used(t.Context(), g, true); err != nil || n != 991 || from != date(2026, 11, 1) || until != date(2026, 12, 1) {
			t.Errorf("used are %d from %v to %v, %v", n, from, until, err)
		}
		release := store.Stall()
		leased := held(q)
		if k, err := reserve(q, g, int(leased)); k != int(leased) || err != nil || leased < 16 {
			t.Fatalf("%d of %d granted, %v", k, leased, err)
		}
		var wg sync.WaitGroup
		for range 2 { // one is charged in the old month and waits for the store in the new one, the other is charged in the new one
			wg.Go(func() {
				if _, _, err := charge(t.Context(), q, g, 1); err != nil {
					t.Errorf("at the turn of the month: %v", err)
				}
			})
			synctest.Wait()
			time.Sleep(time.Nanosecond)
		}
		release()
		wg.Wait()
		late(1)
		time.Sleep(10 * time.Second)
		if n := used(t, q, g); n != 1 {
			t.Errorf("%d are used in the new month, want 1", n)
		}
		if n := leasedTotal(t, store, "a", m); n != 990+leased+1 {
			t.Errorf("%d are leased for the month that is over, want the %d that were granted then", n, 990+leased+1)
		}
		if k, err := reserve(q, g, 20_000); k != 9_999 || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d granted in the new month, %v; want 9999", k, err)
		}
		q.Close(t.Context())
		if n := leasedTotal(t, store, "a", m+1); n != 10_000 {
			t.Errorf("%d are leased, want 10000", n)
		}
	})
}

// TestQuotaIdle checks that another replica can soon lease what an idle replica has not
// used.
func TestQuotaIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		a, b := access.New(store, nil), access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 1000}
		if _, err := reserve(a, g, 3); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if held(a) == 0 {
			t.Fatal("nothing is held: this tests nothing")
		}
		k, err := reserve(b, g, 1000)
		if k >= 997 || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d granted, %v; want less", k, err)
		}
		time.Sleep(time.Nanosecond)
		if n := used(t, a, g); n != int64(k)+3 {
			t.Errorf("%d are used, want %d", n, k+3)
		}
		time.Sleep(10 * time.Second)
		more, err := reserve(b, g, 1000)
		if k+more != 997 || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d and %d granted, %v; want 997", k, more, err)
		}
		time.Sleep(time.Hour) // nothing is left to do
		calls := store.Calls.Load() + store.Reads.Load()
		time.Sleep(time.Hour)
		inA, _, _, _ := a.Stats()
		inB, _, _, _ := b.Stats()
		if n := store.Calls.Load() + store.Reads.Load() - calls; n != 0 || inA != 0 || inB != 0 {
			t.Errorf("%d calls of the store though nothing is asked for; %d and %d keys are remembered", n, inA, inB)
		}
		if k, err := reserve(a, g, 1); k != 0 || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d granted, %v", k, err)
		}
	})
}

// TestQuotaIdleOutage checks that unused leases are returned after an outage of the
// store, even without further requests.
func TestQuotaIdleOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		if _, err := reserve(q, httpapi.Caller{ID: "a", Quota: 1000}, 3); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		store.Down.Store(true)
		reserve(q, httpapi.Caller{ID: "b", Quota: 1000}, 1) // and so the outage is noticed
		time.Sleep(time.Hour)
		store.Down.Store(false)
		time.Sleep(10 * time.Second)
		if n := leasedTotal(t, store, "a", thisMonth()); n != 3 {
			t.Errorf("%d are leased, want the 3 that were granted", n)
		}
	})
}

// TestQuotaBlock checks that a block is a twentieth of the remaining quota, within
// bounds.
func TestQuotaBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			limit       int64
			take        int
			least, most int64
		}{
			{1, 1, 0, 0},
			{20, 1, 0, 1},
			{100, 3, 1, 4},
			{100, 85, 0, 1},
			{1000, 10, 12, 49},
			{1000, 900, 0, 5},
			{10_000, 10, 64, 256},
			{1 << 40, 900, 64, 256},
			{0, 1000, 0, 256},
		} {
			q := access.New(access.NewMemory(), nil)
			for range tt.take {
				if _, _, err := charge(t.Context(), q, httpapi.Caller{ID: "a", Quota: tt.limit}, 1); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if n := held(q); n < tt.least || n > tt.most {
				t.Errorf("after %d of %d, %d are held, want %d to %d", tt.take, tt.limit, n, tt.least, tt.most)
			}
			q.Close(t.Context())
		}
	})
}

// TestQuotaOwed checks that grants without a lease, to a key without a limit, are
// counted exactly once when the store works again.
func TestQuotaOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		store.Fail(func(call string, _ bool) bool { return call == "Lease" })
		if k, err := reserve(q, httpapi.Caller{ID: "a"}, 5); k != 5 {
			t.Fatalf("%d granted, %v", k, err)
		}
		time.Sleep(time.Minute + time.Second) // not during a sweep, whose failure Used would share
		if n := used(t, q, httpapi.Caller{ID: "a"}); n != 5 {
			t.Errorf("%d are used, want 5", n)
		}
		store.Fail(nil)
		time.Sleep(time.Minute)
		if n := leasedTotal(t, store, "a", thisMonth()); n != 5 {
			t.Errorf("%d are counted, want 5", n)
		}
	})
}

// TestQuotaWaits checks that a request waits for the store only if its key has no
// lease, and only until its context ends.
func TestQuotaWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 100_000}
		release := store.Stall()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, _, err := charge(ctx, q, g, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, _, err := charge(t.Context(), q, g, 1); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second)
		if n := store.Calls.Load(); n != 1 {
			t.Errorf("the store is asked %d times at once for one key", n)
		}
		release()
		wg.Wait()
		synctest.Wait()
		leased := held(q)
		if leased < 100 {
			t.Fatalf("%d are held: this tests nothing", leased)
		}
		defer store.Stall()()
		start = time.Now()
		if k, err := reserve(q, g, int(leased)); k != int(leased) || time.Since(start) != 0 {
			t.Errorf("%d granted after %v, %v", k, time.Since(start), err)
		}
		if k, err := reserve(q, g, 1); k != 0 || !errors.Is(err, httpapi.ErrUnavailable) || time.Since(start) > 5*time.Second {
			t.Errorf("a store that hangs: %d granted after %v, %v", k, time.Since(start), err)
		}
	})
}

func TestQuotaOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		store := newFlaky(false)
		q := access.New(store, slog.New(slog.NewTextHandler(&logged, nil)))
		g, free := httpapi.Caller{ID: "a", Quota: 10_000}, httpapi.Caller{ID: "free"}
		reserve(q, g, 100)
		reserve(q, free, 100)
		synctest.Wait()
		leased := int(held(q))
		store.Down.Store(true)
		fromFree, err := reserve(q, free, 20_000)
		if fromFree != 20_000 {
			t.Errorf("a key without a limit is granted %d, %v", fromFree, err)
		}
		k, err := reserve(q, g, 1000)
		if k < 100 || k > leased || !errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("%d granted, %v; want what is leased", k, err)
		}
		calls := store.Calls.Load()
		for range 1000 {
			if k, err := reserve(q, g, 1); k != 0 || !errors.Is(err, httpapi.ErrUnavailable) {
				t.Fatalf("%d granted, %v", k, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := store.Calls.Load() - calls; n < 5 || n > 30 {
			t.Errorf("the store was asked %d times in 10 seconds of its outage", n)
		}
		if _, _, _, err := q.Used(t.Context(), g, true); !errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("usage: %v", err)
		}
		store.Down.Store(false)
		time.Sleep(2 * time.Second)
		more, err := reserve(q, g, 20_000)
		if 100+k+more != 10_000 || !errors.Is(err, httpapi.ErrExhausted) {
			t.Errorf("%d granted in all, %v; want 10000", 100+k+more, err)
		}
		reserve(q, free, 1)
		time.Sleep(time.Minute)
		if n := leasedTotal(t, store, "free", thisMonth()); n != 20_101 {
			t.Errorf("%d are counted, want 20101", n)
		}
		if text := logged.String(); strings.Count(text, "fails") != 1 || strings.Count(text, "works again") != 1 {
			t.Errorf("logged is %s", text)
		}
		if callers, held, leases, failures := q.Stats(); failures == 0 || leases == 0 || callers != 2 || held != 0 {
			t.Errorf("the stats are %d callers, %d held, %d leases, %d failures", callers, held, leases, failures)
		}
	})
}

// TestQuotaDoubt loses responses of the store after it has executed the call. Nothing
// is granted twice, and little is lost.
func TestQuotaDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 1_000_000}
		granted, rnd := 0, rand.New(rand.NewPCG(1, 2))
		rounds := longtest.N(400, 2000)
		for range rounds {
			deaf := rnd.IntN(3) == 0
			store.Fail(func(call string, done bool) bool { return deaf && call == "Lease" && done })
			k, _ := reserve(q, g, 50)
			granted += k
			time.Sleep(400 * time.Millisecond)
		}
		store.Fail(nil)
		time.Sleep(time.Minute)
		before := leasedTotal(t, store, "a", thisMonth())
		store.Fail(func(call string, done bool) bool { return call == "Lease" && done })
		for range 40 {
			k, _ := reserve(q, g, 50)
			granted += k
			time.Sleep(500 * time.Millisecond)
		}
		if lost := leasedTotal(t, store, "a", thisMonth()) - before; lost > 256+2+20 {
			t.Errorf("%d are lost in 20 seconds without an answer, want one lease, and one for each time that it was tried", lost)
		}
		store.Fail(nil)
		q.Close(t.Context())
		if total := leasedTotal(t, store, "a", thisMonth()); int64(granted) > total || total > 1_000_000 || granted < 25*rounds {
			t.Errorf("%d granted, %d leased", granted, total)
		}
	})
}

// TestQuotaLimit checks that a changed limit applies from the next request.
func TestQuotaLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		for _, step := range []struct {
			limit         int64
			ask, granted  int
			remaining     int64
			unlimited, ok bool
		}{
			{limit: 10, ask: 20, granted: 10, remaining: 0},
			{limit: 30, ask: 15, granted: 15, remaining: 5},
			{limit: 20, ask: 1, granted: 0, remaining: 0},
			{limit: 0, ask: 10, granted: 10, remaining: 0},
			{limit: 36, ask: 5, granted: 1, remaining: 0},
			{limit: 1000, ask: 100, granted: 100, remaining: 864},
			{limit: -1, ask: 64, granted: 64, remaining: 0},
			{limit: 201, ask: 2, granted: 1, remaining: 0},
		} {
			g := httpapi.Caller{ID: "a", Quota: step.limit}
			k, err := reserve(q, g, step.ask)
			if k != step.granted || (k < step.ask) != errors.Is(err, httpapi.ErrExhausted) {
				t.Errorf("limit %d: %d granted, %v; want %d", step.limit, k, err, step.granted)
			}
			synctest.Wait()
			n, _, _, err := q.Used(t.Context(), g, false)
			if left := max(0, step.limit-n); step.limit > 0 && (left != step.remaining || err != nil) {
				t.Errorf("limit %d: %d remain, %v; want %d", step.limit, left, err, step.remaining)
			}
		}
		if n := used(t, q, httpapi.Caller{ID: "a", Quota: 201}); n != 201 {
			t.Errorf("%d are used, want 201", n)
		}
		q.Close(t.Context())
		if n := leasedTotal(t, store, "a", thisMonth()); n != 201 {
			t.Errorf("%d are leased in the end, want 201", n)
		}
	})
}

// TestQuotaRefusal checks that refusals of a key call the store at most once a second.
func TestQuotaRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		g := httpapi.Caller{ID: "a", Quota: 1}
		reserve(q, g, 1)
		calls := store.Calls.Load()
		for range 1000 {
			if _, err := reserve(q, g, 1); !errors.Is(err, httpapi.ErrExhausted) {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := store.Calls.Load() - calls; n < 5 || n > 12 {
			t.Errorf("the store was asked %d times in 10 seconds", n)
		}
	})
}

func TestQuotaClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		q := access.New(store, nil)
		for i := range 50 {
			reserve(q, httpapi.Caller{ID: fmt.Sprint("k", i), Quota: 1000}, 10)
			reserve(q, httpapi.Caller{ID: fmt.Sprint("u", i)}, 10)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for i := range 50 {
			for _, c := range "ku" {
				if n := leasedTotal(t, store, fmt.Sprintf("%c%d", c, i), thisMonth()); n != 10 {
					t.Errorf("key %c%d has %d leased after Close, want 10", c, i, n)
				}
			}
		}
		if k, err := reserve(q, httpapi.Caller{ID: "k1", Quota: 1000}, 1); k != 0 || !errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("after Close %d granted, %v", k, err)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}

		q = access.New(store, nil)
		reserve(q, httpapi.Caller{ID: "k1", Quota: 1000}, 1)
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.Close(ended); err == nil {
			t.Error("a Close without time says nothing of what was lost")
		}

		// A store that hangs delays a call only until ctx ends.
		q = access.New(store, nil)
		reserve(q, httpapi.Caller{ID: "k2", Quota: 1000}, 20)
		synctest.Wait()
		release := store.Stall()
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := q.Close(late); err == nil || time.Since(start) > 2*time.Second {
			t.Errorf("Close after %v: %v", time.Since(start), err)
		}

		// It is closed all the same, also once the calls that it waited for have ended.
		release()
		synctest.Wait()
		before := store.Calls.Load()
		if token := issue(t, store, access.Key{Scopes: "screen"}); !unavailable(q, token) || store.Calls.Load() != before {
			t.Errorf("after a Close without success there were %d calls of the store", store.Calls.Load()-before)
		}
	})
}

// TestQuotaID checks that a key id that no store accepts is not counted, and must not
// have a limit.
func TestQuotaID(t *testing.T) {
	q := access.New(access.NewMemory(), nil)
	if k, err := reserve(q, httpapi.Caller{ID: "tenant\n1"}, 5); k != 5 {
		t.Errorf("%d granted, %v", k, err)
	}
	if k, err := reserve(q, httpapi.Caller{ID: "tenant\n1", Quota: 5}, 5); k != 0 || !errors.Is(err, access.ErrInvalid) {
		t.Errorf("%d granted, %v", k, err)
	}
	r := bearing(t.Context(), "x")
	r.Header.Set("Idempotency-Key", `"k"`)
	if k, _, err := q.Charge(r, httpapi.Caller{ID: "tenant\n1"}, 5, nil); k != 0 || !errors.Is(err, access.ErrInvalid) {
		t.Errorf("with an Idempotency-Key: %d granted, %v", k, err)
	}
}

// TestQuotaDown checks that a process that begins while the store fails asks it at most once a second
// for a caller, with a limit or without one.
func TestQuotaDown(t *testing.T) {
	for _, limit := range []int64{0, 1000} {
		synctest.Test(t, func(t *testing.T) {
			store := newFlaky(true)
			q := access.New(store, nil)
			for range 1000 {
				if _, _, err := charge(t.Context(), q, httpapi.Caller{ID: "a", Quota: limit}, 1); (limit > 0) != errors.Is(err, httpapi.ErrUnavailable) {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond)
			}
			if n := store.Calls.Load(); n < 5 || n > 15 {
				t.Errorf("with a limit of %d, the store was asked %d times in 10 seconds of its outage", limit, n)
			}
			store.Down.Store(false)
			time.Sleep(time.Minute)
			if n := used(t, q, httpapi.Caller{ID: "a"}); limit == 0 && n != 1000 {
				t.Errorf("%d are counted after the outage", n)
			}
			if err := q.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
