package httpapi

import (
	"strconv"
	"time"
)

// setRateLimit sets RateLimit-Policy and RateLimit, the fields of
// draft-ietf-httpapi-ratelimit-headers, to the limits of the key that was let
// in. Where it has none there are no fields; while a quota is out of reach its
// policy is there, and not what is left of it.
func (h *handler) setRateLimit(e *exchange) {
	var room [96]byte
	b, text := room[:0], []string(nil)
	if quota := e.grant.Quota; quota > 0 {
		l := e.charge.ledger
		if l == nil {
			var err error
			if l, err = h.quota.ledger(e.grant.KeyID, quota, e.now); err != nil {
				return
			}
		}
		text = l.policyWith(e.bucket, quota)
		if left, ok := h.quota.left(e.Context(), l, &e.grant, e.now); ok {
			b = appendLimit(b, "monthly", left, until(e.now, l.end))
		}
	}
	if e.bucket != nil {
		if text == nil {
			text = e.bucket.policy
		}
		tokens := e.bucket.limiter.TokensAt(e.now)
		b = appendLimit(b, "burst", max(0, int64(tokens)), ceil((float64(e.bucket.burst)-tokens)/e.bucket.rate))
	}
	if text != nil {
		e.w.Header()["Ratelimit-Policy"] = text // as http.CanonicalHeaderKey has it
	}
	if len(b) > 0 {
		e.setHeader("Ratelimit", string(b))
	}
}

// A policy is the text of RateLimit-Policy for a quota and a burst limit.
type policy struct {
	quota  int64
	bucket *bucket
	text   []string
}

// policyWith returns the text for a quota in the month of l, and for a burst limit
// unless that is nil.
func (l *ledger) policyWith(b *bucket, quota int64) []string {
	if p := l.policy.Load(); p != nil && p.quota == quota && p.bucket == b {
		return p.text
	}
	text := appendPolicy(nil, "monthly", quota, until(l.start, l.end))
	if b != nil {
		text = append(append(text, ", "...), b.policy[0]...)
	}
	p := &policy{quota, b, []string{string(text)}}
	l.policy.Store(p)
	return p.text
}

// maxInteger is the largest Integer of RFC 8941.
const maxInteger = 999_999_999_999_999

// appendPolicy appends a policy: that quota is granted in each window of that
// many seconds.
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

// until returns the seconds from now to t, rounded up.
func until(now, t time.Time) int64 {
	return int64((t.Sub(now) + time.Second - 1) / time.Second)
}
