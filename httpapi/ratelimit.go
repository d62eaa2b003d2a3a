package httpapi

import (
	"strconv"
	"time"
)

// setRateLimit sets RateLimit-Policy and RateLimit, the fields of
// draft-ietf-httpapi-ratelimit-headers, to the limits of the key that was let
// in. Where it has none there are no fields.
func (h *handler) setRateLimit(e *exchange) {
	var p, l [96]byte
	policy, limit := p[:0], l[:0]
	if b := e.bucket; b != nil {
		policy = appendPolicy(policy, "burst", int64(b.burst), max(1, ceil(float64(b.burst)/b.rate)))
		limit = appendLimit(limit, "burst", b.tokens(e.now), b.wait(e.now, b.burst))
	}
	if len(policy) == 0 {
		return
	}
	values := []string{string(policy), string(limit)}
	header := e.w.Header()
	header["Ratelimit-Policy"] = values[:1:1] // as http.CanonicalHeaderKey has it
	header["Ratelimit"] = values[1:]
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
