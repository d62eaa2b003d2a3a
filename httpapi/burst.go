package httpapi

import (
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// bursts are the burst limits of keys: how many requests each may make at once,
// and per second in the long run. The zero value is ready to use.
type bursts struct {
	buckets sync.Map // of *bucket by key id
	n       atomic.Int64
	mu      sync.Mutex // held to make room
}

// maxBuckets bounds how many keys are limited at a time. Beyond it those that
// have asked for nothing lately are forgotten, and then any.
const maxBuckets = 1 << 16

// A bucket is the burst limit of one key: a bucket of tokens that fills up at
// its rate, and from which each request takes one.
type bucket struct {
	rate    float64
	burst   int
	limiter *rate.Limiter
	policy  []string // as in RateLimit-Policy
}

// take sets the bucket of e and takes a token from it, or returns the problem of
// a key that has made too many requests.
func (b *bursts) take(e *exchange) *problem {
	if e.grant.Rate <= 0 || e.grant.Burst <= 0 {
		return nil
	}
	e.bucket = b.of(&e.grant, e.now)
	if e.bucket.limiter.AllowN(e.now, 1) {
		return nil
	}
	e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, e.bucket.wait(e.now, 1)), 10))
	return &problem{Code: rateLimited, Detail: "The API key has made too many requests at once. Ask again after the seconds in Retry-After. Nothing was counted."}
}

// of returns the bucket of a grant.
func (b *bursts) of(g *Grant, now time.Time) *bucket {
	old, ok := b.buckets.Load(g.KeyID)
	if ok && old.(*bucket).rate == g.Rate && old.(*bucket).burst == g.Burst {
		return old.(*bucket)
	}
	made := &bucket{rate: g.Rate, burst: g.Burst, limiter: rate.NewLimiter(rate.Limit(g.Rate), g.Burst)}
	made.policy = []string{string(appendPolicy(nil, "burst", int64(g.Burst), max(1, ceil(float64(g.Burst)/g.Rate))))}
	if ok { // the key was granted something else
		b.buckets.CompareAndSwap(g.KeyID, old, made)
		return made
	}
	if actual, loaded := b.buckets.LoadOrStore(g.KeyID, made); loaded {
		return actual.(*bucket)
	}
	if b.n.Add(1) > maxBuckets {
		b.makeRoom(now)
	}
	return made
}

// makeRoom forgets the buckets that are full, which is as good as new ones, and
// then others, until half of the room is free.
func (b *bursts) makeRoom(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, every := range []bool{false, true} {
		b.buckets.Range(func(id, v any) bool {
			if every || v.(*bucket).limiter.TokensAt(now) >= float64(v.(*bucket).burst) {
				if _, loaded := b.buckets.LoadAndDelete(id); loaded {
					b.n.Add(-1)
				}
			}
			return !every || b.n.Load() > maxBuckets/2
		})
		if b.n.Load() <= maxBuckets/2 {
			return
		}
	}
}

// tokens returns the number of requests that the key may make at once.
func (b *bucket) tokens(now time.Time) int64 {
	return max(0, int64(b.limiter.TokensAt(now)))
}

// wait returns the number of seconds, rounded up, until there are n tokens.
func (b *bucket) wait(now time.Time, n int) int64 {
	return ceil((float64(n) - b.limiter.TokensAt(now)) / b.rate)
}

// ceil returns seconds rounded up, and never more than the fields of a header
// have room for.
func ceil(seconds float64) int64 {
	return int64(math.Ceil(min(max(seconds, 0), 1e9)))
}
