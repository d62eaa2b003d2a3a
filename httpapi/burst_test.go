package httpapi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// admitBurst takes a token for a grant at an instant.
func admitBurst(b *bursts, g Grant, now time.Time) (ok bool, retry string) {
	w := httptest.NewRecorder()
	p := b.take(&exchange{w: w, grant: g, now: now})
	return p == nil, w.Header().Get("Retry-After")
}

func TestBurst(t *testing.T) {
	start := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	slow, fast := Grant{KeyID: "slow", Rate: 0.25, Burst: 2}, Grant{KeyID: "fast", Rate: 1000, Burst: 1}
	var b bursts
	for _, step := range []struct {
		grant Grant
		after time.Duration
		ok    bool
		retry string
	}{
		{slow, 0, true, ""},
		{slow, 0, true, ""},
		{slow, 0, false, "4"},
		{fast, 0, true, ""}, // another key
		{fast, 0, false, "1"},
		{slow, time.Second, false, "3"},
		{slow, 3999 * time.Millisecond, false, "1"},
		{slow, 4 * time.Second, true, ""}, // none was lost to those that were refused
		{slow, 4 * time.Second, false, "4"},
		{fast, 4 * time.Second, true, ""},
		{slow, time.Hour, true, ""},
		{slow, time.Hour, true, ""},
		{slow, time.Hour, false, "4"},
		{Grant{KeyID: "late", Rate: 1, Burst: 2}, 10 * time.Second, true, ""},
		{Grant{KeyID: "late", Rate: 1, Burst: 2}, 0, true, ""}, // overtaken: it came before
		{Grant{KeyID: "late", Rate: 1, Burst: 2}, 10 * time.Second, false, "1"},
		{Grant{KeyID: "slow"}, time.Hour, true, ""},                                // no limit
		{Grant{KeyID: "slow", Rate: 1, Burst: 0}, time.Hour, true, ""},             // nor here
		{Grant{KeyID: "slow", Rate: 1, Burst: 1}, time.Hour, true, ""},             // granted something else
		{Grant{KeyID: "slow", Rate: 1, Burst: 1}, time.Hour, false, "1"},           //
		{Grant{KeyID: "tiny", Rate: 1e-300, Burst: 1}, 0, true, ""},                //
		{Grant{KeyID: "tiny", Rate: 1e-300, Burst: 1}, 0, false, "1000000000"},     // and not more
		{Grant{KeyID: "most", Rate: 1e6, Burst: 1e9}, time.Hour, true, ""},         //
		{Grant{KeyID: "tiny", Rate: 1e-300, Burst: 1}, -1e9, false, "1000000000"},  // a clock that was put back
		{Grant{KeyID: "most", Rate: 1e6, Burst: 1e9}, -1000 * time.Hour, true, ""}, //
	} {
		if ok, retry := admitBurst(&b, step.grant, start.Add(step.after)); ok != step.ok || retry != step.retry {
			t.Errorf("%+v after %v: %v, Retry-After %q; want %v, %q", step.grant, step.after, ok, retry, step.ok, step.retry)
		}
	}
}

// TestBucketModel holds a bucket against the limiter of package rate, which takes a
// lock more for the same.
func TestBucketModel(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
		g := Grant{KeyID: "a", Rate: math.Pow(10, 8*r.Float64()-2), Burst: 1 + r.IntN(1<<r.IntN(12))}
		b, model := new(bursts).of(&g, now), rate.NewLimiter(rate.Limit(g.Rate), g.Burst)
		refused := 0
		for i := range 10_000 {
			now = now.Add(time.Duration(r.ExpFloat64() * 0.7 / g.Rate * 1e9))
			left, ok := b.take(now)
			allowed := model.AllowN(now, 1)
			want := model.TokensAt(now)
			if math.Abs(want-math.Round(want)) > 1e-6 && ok != allowed || math.Abs(left-want) > 1e-6 {
				t.Fatalf("seed %d, %+v, request %d: %v, %v left; want %v, %v", seed, g, i, ok, left, allowed, want)
			}
			if !ok {
				refused++
				wait := b.wait(left, 1)
				later := bucket{rate: b.rate, burst: b.burst, tokens: b.tokens, at: b.at}
				if _, ok := later.take(now.Add(time.Duration(wait) * time.Second)); !ok {
					t.Fatalf("seed %d, %+v, request %d: refused after the %d seconds of Retry-After, too", seed, g, i, wait)
				}
			}
		}
		if refused == 0 {
			t.Errorf("seed %d: none of %+v was refused", seed, g)
		}
	}
}

// TestBurstConcurrent: as many are let in as are granted, however they come.
func TestBurstConcurrent(t *testing.T) {
	var b bursts
	now := time.Now()
	var mu sync.Mutex
	in := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if ok, _ := admitBurst(&b, Grant{KeyID: "a", Rate: 1, Burst: 50}, now); ok {
					mu.Lock()
					in++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if in != 50 {
		t.Errorf("%d were let in, want 50", in)
	}
}

// TestBurstRoom: however many keys there are, some are remembered, and those
// that are at their limit as long as there is room.
func TestBurstRoom(t *testing.T) {
	var b bursts
	now := time.Now()
	busy := Grant{KeyID: "busy", Rate: 1e-3, Burst: 1}
	admitBurst(&b, busy, now)
	for i := range maxBuckets {
		admitBurst(&b, Grant{KeyID: fmt.Sprint(i), Rate: 1, Burst: 1}, now)
		now = now.Add(time.Millisecond)
	}
	if ok, _ := admitBurst(&b, busy, now); ok {
		t.Error("a key at its limit was forgotten though others could be")
	}
	if n := b.n.Load(); n < 100 || n > maxBuckets/2 {
		t.Errorf("%d keys are remembered, want a few, and not more than %d", n, maxBuckets/2)
	}
	for i := range maxBuckets + 100 {
		admitBurst(&b, Grant{KeyID: fmt.Sprint("x", i), Rate: 1e-3, Burst: 1}, now)
	}
	held := 0
	b.buckets.Range(func(any, any) bool { held++; return true })
	if n := b.n.Load(); n > maxBuckets || int(n) != held {
		t.Errorf("%d keys are remembered, and %d counted", held, n)
	}
}
