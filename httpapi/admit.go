package httpapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Scopes of the endpoints, for [Admit] and Caller.Scopes.
const (
	scopeScreen   = "screen"
	scopeSources  = "sources"
	scopeUsage    = "usage"
	scopeValidate = "validate"
)

// admit admits e to an endpoint of a scope, or returns the problem of a request that
// is refused.
func (e *exchange) admit(scope string) *problem {
	if inQuery(e.URL.RawQuery) {
		e.challengeWith("invalid_request")
		return e.refused(&problem{Code: credentialsInQuery, Reason: "query", Detail: "An API key does not belong in the query, which is logged on its way. " +
			"Send it in the header Authorization: Bearer <API_KEY>, and replace the key if it was a real one."})
	}
	if p := e.authorize(); p != nil {
		return p
	}
	if p := e.takeBurst(); p != nil {
		return p
	}
	if s := e.caller.Scopes; s != "" && !hasScope(s, scope) {
		e.challengeWith("insufficient_scope", "scope", scope)
		return &problem{Code: insufficientScope, Detail: "The caller is known, but lacks the scope " + scope + " of this endpoint."}
	}
	return nil
}

// hasScope reports whether scope is one of the words of all.
func hasScope(all, scope string) bool {
	for word := range strings.FieldsSeq(all) {
		if word == scope {
			return true
		}
	}
	return false
}

// authorize sets the caller of e, or returns the problem of a request that the
// Authorizer refuses.
func (e *exchange) authorize() *problem {
	if values := e.Header["Authorization"]; len(values) > 0 {
		_, token, _ := strings.Cut(values[0], " ")
		if token = strings.Trim(token, " "); token != "" && e.echoed && strings.Contains(e.id, token) { // the id is logged
			e.id, e.echoed = newRequestID(), false
		}
	}
	caller, err := e.authorizer.Authorize(e.Request)
	e.now = time.Now()
	switch {
	case errors.Is(err, ErrNoCredentials):
		e.challengeWith("")
		return e.refused(&problem{Code: missingCredentials, Detail: "Send an API key in the header Authorization: Bearer <API_KEY>."})
	case errors.Is(err, ErrUnauthorized):
		e.challengeWith("invalid_token")
		return e.refused(&problem{Code: invalidToken, Detail: "The API key is not valid."})
	case errors.Is(err, ErrUnavailable):
		e.logError(keysUnavailable, fmt.Errorf("authorize: %w", err))
		e.setRetryAfter(err, retrySoon)
		return &problem{Code: keysUnavailable, Detail: "The API keys cannot be read at the moment. This says nothing about the key."}
	case err != nil:
		return e.internal(fmt.Errorf("authorize: %w", err))
	case caller.ID == "":
		return e.internal(errors.New("authorize: the Authorizer returned a caller without an ID"))
	}
	e.caller = caller
	return nil
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

// tokenPrefix begins every API key of package access, so that a key is recognized in
// a query or a log.
const tokenPrefix = "wsk_"

// hasToken reports whether text has an API key in it, in any letter case.
func hasToken(text string) bool {
	return len(text) >= len(tokenPrefix) && strings.Contains(strings.ToLower(text), tokenPrefix)
}

// credentialNames are names of parameters, in lower case and of letters and digits
// only, under which keys are sent by mistake.
var credentialNames = []string{
	"accesskey", "accesstoken", "apikey", "apitoken", "auth", "authorization", "bearer", "bearertoken", "key", "secret", "token", "xapikey",
}

// joined returns the letters and digits of a name, so that "api_key", "api.key" and
// "api_key[]" are equal.
func joined(name string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && isAlphanumeric(byte(c)) {
			return c
		}
		return -1
	}, name)
}

// inQuery reports whether a raw query has something that is or may be a key: queries
// end up in logs, histories and referrers, where a key must not be.
func inQuery(query string) bool {
	if query == "" {
		return false
	}
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		for _, text := range []*string{&name, &value} {
			if plain, err := url.QueryUnescape(*text); err == nil {
				*text = plain
			}
			*text = strings.ToLower(*text)
			if hasToken(*text) {
				return true
			}
		}
		if slices.Contains(credentialNames, joined(name)) {
			return true
		}
	}
	return false
}

// quotedString returns s as a quoted-string (RFC 9110, section 5.6.4), without the
// characters that cannot be in one.
func quotedString(s string) string {
	b := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c == '"', c == '\\':
			b = append(b, '\\', c)
		case ' ' <= c && c <= '~':
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
