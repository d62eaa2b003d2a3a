package httpapi

import (
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
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
	rate   float64
	burst  int
	policy string // as in RateLimit-Policy

	mu     sync.Mutex
	tokens float64   // that there were
	at     time.Time // then
}

// take sets the bucket of e and takes a token from it, or returns the problem of
// a key that has made too many requests.
func (b *bursts) take(e *exchange) *problem {
	if e.grant.Rate <= 0 || e.grant.Burst <= 0 {
		return nil
	}
	e.bucket = b.of(&e.grant, e.now)
	var ok bool
	if e.tokens, ok = e.bucket.take(e.now); ok {
		return nil
	}
	e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, e.bucket.wait(e.tokens, 1)), 10))
	return &problem{Code: rateLimited, Detail: "The API key has made too many requests at once. Ask again after the seconds in Retry-After. Nothing was counted."}
}

// of returns the bucket of a grant.
func (b *bursts) of(g *Grant, now time.Time) *bucket {
	old, ok := b.buckets.Load(g.KeyID)
	if ok && old.(*bucket).rate == g.Rate && old.(*bucket).burst == g.Burst {
		return old.(*bucket)
	}
	made := &bucket{rate: g.Rate, burst: g.Burst, tokens: float64(g.Burst), at: now}
	made.policy = string(appendPolicy(nil, "burst", int64(g.Burst), max(1, ceil(float64(g.Burst)/g.Rate))))
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
			if every || v.(*bucket).full(now) {
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

// take takes a token if there is one, and returns how many there are after that.
func (b *bucket) take(now time.Time) (tokens float64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now)
	// What is there in a nanosecond is there: it is the error of rounding.
	if b.tokens+b.rate*1e-9 < 1 {
		return b.tokens, false
	}
	b.tokens--
	return b.tokens, true
}

// full reports whether b is as good as a new one.
func (b *bucket) full(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now)
	return b.tokens == float64(b.burst)
}

// fill puts in what has come until now. A request that was overtaken by a later one
// finds what that has left.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.tokens = min(float64(b.burst), b.tokens+passed.Seconds()*b.rate)
		b.at = now
	}
}

// wait returns the number of seconds, rounded up, until there are n tokens where
// there are some.
func (b *bucket) wait(tokens float64, n int) int64 {
	return ceil((float64(n) - tokens) / b.rate)
}

// ceil returns seconds rounded up, and never more than the fields of a header
// have room for.
func ceil(seconds float64) int64 {
	return int64(math.Ceil(min(max(seconds, 0), 1e9)))
}
