package httpapi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Scopes of the endpoints, for [Admit] and Caller.Scopes.
const (
	scopeOwn      = "own"  // beside scopeSources: the entries of the operator's own lists
	scopePast     = "past" // beside scopeScreen: screening with the lists of an earlier time
	scopeScreen   = "screen"
	scopeSources  = "sources"
	scopeUsage    = "usage"
	scopeValidate = "validate"
)

// admit admits e to an endpoint of a scope, or returns the problem of a request that
// is refused.
func (e *exchange) admit(scope string) *problem {
	if e.URL.RawQuery != "" && inQuery(e.URL.RawQuery) {
		e.challengeWith("invalid_request")
		return e.refused(&problem{Code: credentialsInQuery, Reason: "query", Detail: "Credentials do not belong in the query, which is logged on its way. " +
			"Send them in the header Authorization: Bearer <API_KEY>, and replace them if they were real ones."})
	}
	if p := e.authorize(); p != nil {
		return p
	}
	if l := e.caller.Burst; l != nil && !l.AllowN(e.now, 1) {
		e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, secondsUntil(l, e.now, 1)), 10))
		return &problem{Code: rateLimited, Detail: "There were too many requests at once. Retry after the seconds in Retry-After. Nothing was counted."}
	}
	return e.wantScope(scope)
}

// wantScope returns the problem of a caller without a scope.
func (e *exchange) wantScope(scope string) *problem {
	if e.caller.has(scope) {
		return nil
	}
	e.challengeWith("insufficient_scope", "scope", scope)
	return &problem{Code: insufficientScope, Detail: "The caller is known, but lacks the scope " + scope + " of this endpoint."}
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

// authorize sets the caller of e, or returns the problem of a request that the
// Authorizer refuses.
func (e *exchange) authorize() *problem {
	if e.echoed { // the id is logged
		for _, value := range e.Header["Authorization"] {
			_, token, _ := strings.Cut(value, " ")
			if token = strings.Trim(token, " "); token != "" && e.echoed && strings.Contains(e.id, token) {
				e.id, e.echoed = newRequestID(), false
			}
		}
	}
	caller, err := e.authorizer.Authorize(e.Request)
	e.now = time.Now()
	switch {
	case err == nil && caller.ID != "":
		e.caller = caller
		return nil
	case err == nil:
		return e.internal(errors.New("authorize: the Authorizer returned a caller without an ID"))
	case errors.Is(err, ErrNoCredentials):
		e.challengeWith("")
		return e.refused(&problem{Code: missingCredentials, Detail: "Send credentials in the header Authorization: Bearer <API_KEY>."})
	case errors.Is(err, ErrUnauthorized):
		e.challengeWith("invalid_token")
		return e.refused(&problem{Code: invalidToken, Detail: "The credentials are not valid."})
	case errors.Is(err, ErrUnavailable):
		e.logError(keysUnavailable, fmt.Errorf("authorize: %w", err))
		e.setRetryAfter(err, retrySoon)
		return &problem{Code: keysUnavailable, Detail: "The credentials cannot be checked at the moment. This says nothing about them."}
	}
	return e.internal(fmt.Errorf("authorize: %w", err))
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

// challengeWith sets the challenge of RFC 6750, section 3, with an error unless that
// is "", and further parameters.
func (e *exchange) challengeWith(err string, more ...string) {
	text := e.challenge
	if err != "" {
		text += `, error="` + err + `"`
	}
	for i := 0; i+1 < len(more); i += 2 {
		text += ", " + more[i] + `="` + more[i+1] + `"`
	}
	e.w.Header().Set("WWW-Authenticate", text)
}

// takeClient counts a request that is not admitted, or returns the problem of a
// client address that makes too many.
func (e *exchange) takeClient() *problem {
	e.waitTurn()
	if e.ClientRate <= 0 || e.ClientBurst <= 0 {
		return nil
	}
	address := clientAddress
	if e.ClientAddress != nil {
		address = e.ClientAddress
	}
	wait, ok := e.clients.allow(address(e.Request), rate.Limit(e.ClientRate), e.ClientBurst, time.Now())
	if ok {
		return nil
	}
	e.w.Header().Set("Retry-After", strconv.FormatInt(max(1, wait), 10))
	return &problem{Code: rateLimited, Detail: "There were too many requests without valid credentials from this address. Retry after the seconds in Retry-After."}
}
