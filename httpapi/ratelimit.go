package httpapi

import (
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// takeBurst takes one request from the burst limit of the caller, or returns the
// problem of a caller that makes too many.
func (e *exchange) takeBurst() *problem {
	l := e.caller.Burst
	if l == nil || l.AllowN(e.now, 1) {
		return nil
	}
	e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, secondsUntil(l, e.now, 1)), 10))
	return &problem{Code: rateLimited, Detail: "There were too many requests at once. Retry after the seconds in Retry-After. Nothing was counted."}
}

// setRateLimit sets RateLimit-Policy and RateLimit
// (draft-ietf-httpapi-ratelimit-headers) to the limits of the caller. A caller
// without limits gets no fields. While the quota is unavailable, its policy is there,
// and what is left of it is not.
func (e *exchange) setRateLimit() {
	quota, burst := e.caller.Quota, e.caller.Burst
	if e.Meter == nil {
		quota = 0
	}
	if quota <= 0 && burst == nil {
		return
	}
	var room [96]byte
	limit := room[:0]
	key := policy{quota: quota}
	if quota > 0 {
		used, from, until, err := e.Meter.Used(e.Context(), e.callerNow(), false)
		key.from, key.until = from, until
		if err == nil {
			limit = appendLimit(limit, "monthly", max(0, quota-used), secondsTo(e.now, until))
		}
	}
	if burst != nil {
		size, rate, tokens := burst.Burst(), burst.Limit(), burst.TokensAt(e.now)
		key.burst, key.rate = size, rate
		limit = appendLimit(limit, "burst", max(0, int64(tokens)), ceil((float64(size)-tokens)/float64(rate)))
	}
	if text := e.policies.text(key); text != nil {
		e.w.Header()["Ratelimit-Policy"] = text // as http.CanonicalHeaderKey spells it
	}
	if len(limit) > 0 {
		e.setHeader("Ratelimit", string(limit))
	}
}

// A policy is what a RateLimit-Policy says, and its text.
type policy struct {
	quota       int64
	from, until time.Time // of the quota; zero if they are unknown
	burst       int
	rate        rate.Limit
	text        []string
}

// equals reports whether p and q say the same.
func (p *policy) equals(q *policy) bool {
	return p.quota == q.quota && p.burst == q.burst && p.rate == q.rate && p.from.Equal(q.from) && p.until.Equal(q.until)
}

// policies caches policies that were sent lately. Its zero value is ready to use.
type policies [64]atomic.Pointer[policy]

// text returns the value of RateLimit-Policy, or nil if there is none.
func (c *policies) text(p policy) []string {
	slot := &c[(uint64(p.quota)*31+uint64(p.burst)*17+math.Float64bits(float64(p.rate))>>44)%uint64(len(c))]
	if last := slot.Load(); last != nil && last.equals(&p) {
		return last.text
	}
	var b []byte
	if p.quota > 0 && !p.from.IsZero() {
		b = appendPolicy(b, "monthly", p.quota, secondsTo(p.from, p.until))
	}
	if p.burst > 0 {
		b = appendPolicy(b, "burst", int64(p.burst), max(1, ceil(float64(p.burst)/float64(p.rate))))
	}
	if len(b) > 0 {
		p.text = []string{string(b)}
	}
	kept := p
	slot.Store(&kept)
	return p.text
}

// maxInteger is the largest Integer of RFC 8941.
const maxInteger = 999_999_999_999_999

// appendPolicy appends a policy: quota in each window of that many seconds.
func appendPolicy(b []byte, name string, quota, window int64) []byte {
	b = appendItem(b, name)
	b = strconv.AppendInt(append(b, ";q="...), min(quota, maxInteger), 10)
	return strconv.AppendInt(append(b, ";w="...), window, 10)
}

// appendLimit appends the remainder of a policy, and for how many seconds it holds.
func appendLimit(b []byte, name string, remaining, reset int64) []byte {
	b = appendItem(b, name)
	b = strconv.AppendInt(append(b, ";r="...), min(remaining, maxInteger), 10)
	return strconv.AppendInt(append(b, ";t="...), reset, 10)
}

// appendItem appends a String of RFC 8941 to a list.
func appendItem(b []byte, name string) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return append(append(append(b, '"'), name...), '"')
}

// secondsUntil returns the number of seconds, rounded up, until l has n tokens.
func secondsUntil(l *rate.Limiter, now time.Time, n int) int64 {
	return ceil((float64(n) - l.TokensAt(now)) / float64(l.Limit()))
}

// secondsTo returns the seconds from one time to another, rounded up.
func secondsTo(from, to time.Time) int64 {
	return int64((to.Sub(from) + time.Second - 1) / time.Second)
}

// ceil returns seconds rounded up, and at most a billion.
func ceil(seconds float64) int64 {
	return int64(math.Ceil(min(max(seconds, 0), 1e9)))
}
