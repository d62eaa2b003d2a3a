package httpapi

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// setRateLimit sets RateLimit-Policy and RateLimit
// (draft-ietf-httpapi-ratelimit-headers) to the limits of the caller. A caller
// without limits gets no fields. While the quota is unavailable, RateLimit-Policy
// names it, but RateLimit does not.
func (e *exchange) setRateLimit() {
	var rooms [2][96]byte // so that only the values of the fields are allocated
	policies, limits := rooms[0][:0], rooms[1][:0]
	if quota := e.caller.Quota; quota > 0 && e.Meter != nil {
		used, from, until, err := e.Meter.Used(e.Context(), e.caller, false)
		if !from.IsZero() {
			policies = appendLimit(policies, "monthly", ";q=", quota, ";w=", ceil(until.Sub(from).Seconds()))
		}
		if err == nil {
			limits = appendLimit(limits, "monthly", ";r=", max(0, quota-used), ";t=", ceil(until.Sub(e.now).Seconds()))
		}
	}
	if l := e.caller.Burst; l != nil {
		size, rate, tokens := l.Burst(), float64(l.Limit()), l.TokensAt(e.now)
		policies = appendLimit(policies, "burst", ";q=", int64(size), ";w=", max(1, ceil(float64(size)/rate)))
		limits = appendLimit(limits, "burst", ";r=", max(0, int64(tokens)), ";t=", ceil((float64(size)-tokens)/rate))
	}
	if len(policies) > 0 {
		e.setHeader("Ratelimit-Policy", string(policies)) // as http.CanonicalHeaderKey spells it
	}
	if len(limits) > 0 {
		e.setHeader("Ratelimit", string(limits))
	}
}

// maxInteger is the largest Integer of RFC 8941.
const maxInteger = 999_999_999_999_999

// appendLimit appends an item with two parameters to a List of RFC 8941.
func appendLimit(b []byte, name, first string, n int64, second string, seconds int64) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	b = append(append(append(b, '"'), name...), '"')
	b = strconv.AppendInt(append(b, first...), min(n, maxInteger), 10)
	return strconv.AppendInt(append(b, second...), seconds, 10)
}

// secondsUntil returns the number of seconds, rounded up, until l has n tokens.
func secondsUntil(l *rate.Limiter, now time.Time, n int) int64 {
	return ceil((float64(n) - l.TokensAt(now)) / float64(l.Limit()))
}

// ceil returns seconds rounded up, from 0 to a billion.
func ceil(seconds float64) int64 {
	return int64(math.Ceil(min(max(seconds, 0), 1e9)))
}
