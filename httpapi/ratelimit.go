package httpapi

import (
	"strconv"
	"time"
)

// setRateLimit sets RateLimit-Policy and RateLimit, the fields of
// draft-ietf-httpapi-ratelimit-headers, to the limits of the key that was let
// in. Where it has none there are no fields, nor for a quota that is out of reach.
func (h *handler) setRateLimit(e *exchange) {
	var p, l [96]byte
	policy, limit := p[:0], l[:0]
	if quota := e.grant.Quota; quota > 0 {
		m := MonthOf(e.now)
		start, end := m.Start(), (m + 1).Start()
		policy = appendPolicy(policy, "monthly", quota, until(start, end))
		if left, ok := h.quota.remaining(e.Context(), &e.grant, e.now); ok {
			limit = appendLimit(limit, "monthly", left, until(e.now, end))
		}
	}
	if b := e.bucket; b != nil {
		policy = appendPolicy(policy, "burst", int64(b.burst), max(1, ceil(float64(b.burst)/b.rate)))
		limit = appendLimit(limit, "burst", b.tokens(e.now), b.wait(e.now, b.burst))
	}
	if len(policy) > 0 {
		e.setHeader("Ratelimit-Policy", string(policy)) // as http.CanonicalHeaderKey has it
	}
	if len(limit) > 0 {
		e.setHeader("Ratelimit", string(limit))
	}
}

// appendPolicy appends a policy: that quota is granted in each window of that
// many seconds.
func appendPolicy(b []byte, name string, quota, window int64) []byte {
	b = appendItem(b, name)
	b = strconv.AppendInt(append(b, ";q="...), quota, 10)
	return strconv.AppendInt(append(b, ";w="...), window, 10)
}

// appendLimit appends what is left of a policy, and for how many seconds.
func appendLimit(b []byte, name string, remaining, reset int64) []byte {
	b = appendItem(b, name)
	b = strconv.AppendInt(append(b, ";r="...), remaining, 10)
	return strconv.AppendInt(append(b, ";t="...), reset, 10)
}

// appendItem appends a String of RFC 8941 to a list.
func appendItem(b []byte, name string) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return append(append(append(b, '"'), name...), '"')
}

// until returns the seconds from now to t, rounded up.
func until(now, t time.Time) int64 { return ceil(t.Sub(now).Seconds()) }
