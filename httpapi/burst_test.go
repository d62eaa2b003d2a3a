package httpapi

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
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
