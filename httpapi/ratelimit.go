package httpapi

import (
	"math"
	"strconv"
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
	var policyRoom, limitRoom [96]byte
	policy, limit := policyRoom[:0], limitRoom[:0]
	if quota > 0 {
		used, from, until, err := e.Meter.Used(e.Context(), e.caller, false)
		if !from.IsZero() {
			policy = appendPolicy(policy, "monthly", quota, secondsTo(from, until))
		}
		if err == nil {
			limit = appendLimit(limit, "monthly", max(0, quota-used), secondsTo(e.now, until))
		}
	}
	if burst != nil {
		size, tokens := burst.Burst(), burst.TokensAt(e.now)
		policy = appendPolicy(policy, "burst", int64(size), max(1, ceil(float64(size)/float64(burst.Limit()))))
		limit = appendLimit(limit, "burst", max(0, int64(tokens)), ceil((float64(size)-tokens)/float64(burst.Limit())))
	}
	if len(policy) > 0 {
		e.setHeader("Ratelimit-Policy", string(policy)) // as http.CanonicalHeaderKey spells it
	}
	if len(limit) > 0 {
		e.setHeader("Ratelimit", string(limit))
	}
}

// maxInteger is the largest Integer of RFC 8941.
const maxInteger = 999_999_999_999_999

// appendPolicy appends a policy: quota in each window of that many seconds.
func appendPolicy(b []byte, name string, quota, window int64) []byte {
	b = appendItem(b, name)
	b = strconv.AppendInt(append(b, ";q="...), min(quota, maxInteger), 10)
	return strconv.AppendInt(append(b, ";w="...), window, 10)
}

// appendLimit appends what is left of a policy, and for how many seconds.
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
