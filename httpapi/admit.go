package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Scopes of the endpoints, for [Admit] and Caller.Scopes.
const (
	scopeOwn      = "own"  // beside others: what the operator has written in lists and exceptions of his own
	scopePast     = "past" // beside scopeScreen: screening with the lists of an earlier time
	scopeScreen   = "screen"
	scopeSources  = "sources"
	scopeUsage    = "usage"
	scopeValidate = "validate"
)

// admit admits e to an endpoint of a scope, or returns the problem of a request that
// is refused. An endpoint without a scope is open to all.
func (e *exchange) admit(scope string) *problem {
	if scope == "" {
		return e.takeClient()
	}
	if e.URL.RawQuery != "" && inQuery(e.URL.RawQuery) {
		e.challengeWith(`, error="invalid_request"`)
		return e.refused(&problem{Code: credentialsInQuery, Reason: "query", Detail: "Credentials do not belong in the query, which is logged on its way. " +
			"Send them in the header Authorization: Bearer <API_KEY>, and replace them if they were real ones."})
	}
	caller, err := e.authorizer.Authorize(e.Request)
	e.now = time.Now()
	if err != nil || caller.ID == "" {
		return e.unauthorized(err)
	}
	e.caller = caller
	if l := e.caller.Burst; l != nil && !l.AllowN(e.now, 1) {
		e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, secondsUntil(l, e.now, 1)), 10))
		return &problem{Code: rateLimited, Detail: "There were too many requests at once. Retry after the seconds in Retry-After. Nothing was counted."}
	}
	if !e.caller.has(scope) {
		return e.lacks(scope, "of this endpoint")
	}
	if !e.route.counts {
		runtime.Gosched() // as in waitTurn: screenings that are ready run before
	}
	return nil
}

// has reports whether c has a scope.
func (c *Caller) has(scope string) bool {
	for word := range strings.FieldsSeq(c.Scopes) {
		if word == scope {
			return true
		}
	}
	return c.Scopes == ""
}

// lacks returns the problem of a caller without a scope that is needed for something.
func (e *exchange) lacks(scope, what string) *problem {
	e.challengeWith(`, error="insufficient_scope", scope="` + scope + `"`)
	return &problem{Code: insufficientScope, Detail: "The caller is known, but lacks the scope " + scope + " " + what + "."}
}

// unauthorized returns the problem for an error of the Authorizer, or for a caller without
// an ID.
func (e *exchange) unauthorized(err error) *problem {
	switch {
	case err == nil:
		return e.internal("authorize", errNoID)
	case errors.Is(err, ErrNoCredentials):
		e.challengeWith("")
		return e.refused(&problem{Code: missingCredentials, Detail: "Send credentials in the header Authorization: Bearer <API_KEY>."})
	case errors.Is(err, ErrUnauthorized):
		e.challengeWith(`, error="invalid_token"`)
		return e.refused(&problem{Code: invalidToken, Detail: "The credentials are not valid."})
	case errors.Is(err, ErrUnavailable):
		e.logError(keysUnavailable, "authorize", err)
		e.setRetryAfter(err, retrySoon)
		return &problem{Code: keysUnavailable, Detail: "The credentials cannot be checked at the moment. This says nothing about them."}
	}
	return e.internal("authorize", err)
}

// refused returns p, or another problem if the client address of e makes too many
// requests without being admitted.
func (e *exchange) refused(p *problem) *problem {
	if limited := e.takeClient(); limited != nil {
		e.w.Header().Del("Www-Authenticate")
		return limited
	}
	return p
}

// setRetryAfter sets Retry-After to what err says, or to a default.
func (e *exchange) setRetryAfter(err error, otherwise string) {
	var timed interface{ RetryAfter() time.Duration }
	if errors.As(err, &timed) {
		otherwise = strconv.FormatInt(max(1, ceil(timed.RetryAfter().Seconds())), 10)
	}
	e.w.Header().Set("Retry-After", otherwise)
}

// challengeWith sets the challenge of RFC 6750, section 3, with further parameters.
func (e *exchange) challengeWith(more string) {
	e.w.Header().Set("WWW-Authenticate", `Bearer realm="walletscreen"`+more)
}

// takeClient counts a request that is not admitted, or returns the problem of a
// client address that makes too many.
func (e *exchange) takeClient() *problem {
	e.waitTurn()
	if e.ClientRate <= 0 {
		return nil
	}
	_, wait := e.clients.allow(clientAddress(e.Request), rate.Limit(e.ClientRate), max(1, int(clientBurst*e.ClientRate)), time.Now())
	if wait == 0 {
		return nil
	}
	e.w.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
	return &problem{Code: rateLimited, Detail: "There were too many requests without valid credentials from this address. Retry after the seconds in Retry-After."}
}

// charge charges the caller with up to n screenings of the request whose body was read, and
// sets charged to the number that is granted; or it returns the problem if none is.
func (e *exchange) charge(n int) (p *problem) {
	e.charged = n
	if e.Meter != nil && e.route.counts {
		var err error
		if e.charged, e.refund, err = e.Meter.Charge(e.Request, e.caller, n, e.buf.Bytes()); err != nil {
			e.refund = nil
			return e.uncharged(err)
		}
	}
	return nil
}

// refundRest gives back what was charged beyond n screenings.
func (e *exchange) refundRest(n int) {
	if rest := e.charged - n; rest > 0 && e.refund != nil {
		e.charged = n
		e.refund(rest)
	}
}

// uncharged returns the problem for an error of the Meter.
func (e *exchange) uncharged(err error) *problem {
	switch {
	case errors.Is(err, ErrExhausted):
		until := "0"
		if _, _, end, err := e.Meter.Used(e.Context(), e.caller, false); err == nil {
			until = strconv.FormatInt(max(1, ceil(end.Sub(e.now).Seconds())), 10)
		}
		e.setRetryAfter(err, until)
		return &problem{Code: quotaExceeded, Detail: fmt.Sprintf("The quota of %d screenings in a calendar month (UTC) is used up. Nothing was screened.", e.caller.Quota)}
	case errors.Is(err, ErrIdempotencyKey):
		return &problem{Code: invalidIdempotencyKey, Reason: "malformed", Detail: `Send one Idempotency-Key: a string in double quotes, of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`}
	case errors.Is(err, ErrKeyReused):
		return &problem{Code: idempotencyKeyReused, Detail: "The Idempotency-Key was used before, for a request with another body. Use a new one for each request, and the same one to repeat a request."}
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.logError(quotaUnavailable, "quota", err)
		e.setRetryAfter(err, retrySoon)
		return &problem{Code: quotaUnavailable, Detail: "The quotas cannot be read at the moment. Nothing was screened, and nothing was counted."}
	}
	return e.internal("quota", err)
}

// enter takes one of maxConcurrent places for e, or returns the problem if there is none. A request enters when
// its body has arrived and the Meter or a store has answered, and leaves when its answer is ready, so slow clients
// and databases take no places. A batch, whose body is large, enters before that and waits for its turn,
// and leaves half of the places to others.
func (e *exchange) enter(waits bool) *problem {
	e.waits = waits
	if !waits || e.waiting.Add(1) <= max(1, e.most/2) {
		e.slot = true
		if e.running.Add(1) <= e.most {
			return nil
		}
	}
	return overload()
}

func overload() *problem {
	return &problem{Code: overloaded, Detail: "Too many requests are being processed at once. Retry after a second."}
}

// setRateLimit sets RateLimit-Policy and RateLimit
// (draft-ietf-httpapi-ratelimit-headers) to the limits of the caller. A caller
// without limits gets no fields. While the quota is unavailable, RateLimit-Policy
// names it, but RateLimit does not.
func (e *exchange) setRateLimit() {
	var room [288]byte // so that only the values of the fields are allocated, in one piece
	policies, limits := room[:0:192], room[192:192]
	if quota := e.caller.Quota; quota > 0 && e.Meter != nil {
		used, from, until, err := e.Meter.Used(e.Context(), e.caller, false)
		if !from.IsZero() {
			policies = appendLimit(policies, "monthly", ";q=", quota, ";w=", until.Sub(from).Seconds())
		}
		if err == nil {
			limits = appendLimit(limits, "monthly", ";r=", max(0, quota-used), ";t=", until.Sub(e.now).Seconds())
		}
	}
	if l := e.caller.Burst; l != nil {
		size, rate, tokens := l.Burst(), float64(l.Limit()), l.TokensAt(e.now)
		policies = appendLimit(policies, "burst", ";q=", int64(size), ";w=", max(1, float64(size)/rate))
		limits = appendLimit(limits, "burst", ";r=", max(0, int64(tokens)), ";t=", (float64(size)-tokens)/rate)
	}
	values, n := string(append(policies, limits...)), len(policies)
	if n > 0 {
		e.setHeader("Ratelimit-Policy", values[:n]) // as http.CanonicalHeaderKey spells it
	}
	if len(limits) > 0 {
		e.setHeader("Ratelimit", values[n:])
	}
}

// maxInteger is the largest Integer of RFC 8941.
const maxInteger = 999_999_999_999_999

// appendLimit appends an item with two parameters to a List of RFC 8941.
func appendLimit(b []byte, name, first string, n int64, second string, seconds float64) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	b = append(append(append(b, '"'), name...), '"')
	b = strconv.AppendInt(append(b, first...), min(n, maxInteger), 10)
	return strconv.AppendInt(append(b, second...), ceil(seconds), 10)
}

// secondsUntil returns the number of seconds, rounded up, until l has n tokens.
func secondsUntil(l *rate.Limiter, now time.Time, n int) int64 {
	return ceil((float64(n) - l.TokensAt(now)) / float64(l.Limit()))
}

// ceil returns seconds rounded up, from 0 to a billion.
func ceil(seconds float64) int64 {
	return int64(math.Ceil(min(max(seconds, 0), 1e9)))
}
