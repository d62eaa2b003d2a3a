package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	// ErrUnauthorized is what an [Authorizer] returns for a key that is not to be
	// let in, be it unknown, expired or revoked.
	ErrUnauthorized = errors.New("unauthorized")

	// ErrUnavailable is what an [Authorizer] wraps when it cannot be decided for
	// now, because what it would have to ask is out of reach.
	ErrUnavailable = errors.New("unavailable")
)

// An Authorizer decides which API keys are let in. [Keys] is one, for a fixed
// set; [Keyring] is one over a [Store]. Its method may be called concurrently, and
// is called before anything else is done for the caller.
type Authorizer interface {
	// Authorize returns what is granted to the bearer of token, which is a
	// non-empty string of the characters that RFC 6750 allows, of at most 4096
	// bytes.
	//
	// An error that is ErrUnauthorized, or wraps it, is answered with 401; its
	// text is shown to nobody, so all reasons look alike. Any other error means
	// that it cannot be decided: it is logged, and answered with 503 if it wraps
	// ErrUnavailable, else with 500.
	//
	// An implementation should not let the time that it takes tell how near the
	// token is to a valid one.
	Authorize(ctx context.Context, token string) (Grant, error)
}

// A Grant is what an [Authorizer] grants to the bearer of a key.
type Grant struct {
	// KeyID is the public id of the key, which may be logged. It must not be
	// empty; a quota is counted for what [CheckKeyID] takes only.
	KeyID string

	// Scopes are the endpoints that the key is good for: another one is answered
	// with 403. 0 means all.
	Scopes Scopes

	// Quota is the number of screenings that are granted for each calendar month,
	// in UTC. 0, or less, means no limit. See [Quota].
	Quota int64

	// Rate is the number of requests that are granted per second, as a long-term
	// average, and Burst the number at once, by each handler for itself. No limit
	// is meant if either is 0 or less.
	Rate  float64
	Burst int
}

// Keys is an Authorizer over a fixed set of keys. It holds no key, only the
// SHA-256 of each. The zero Keys, and a nil one, let nobody in.
type Keys struct {
	ids    []string
	hashes [][sha256.Size]byte
}

var _ Authorizer = (*Keys)(nil)

// minKey is the length below which a key is refused: one SHA-256 protects only
// what cannot be guessed.
const minKey = 16

// NewKeys returns the Keys that keys maps from their public ids: 1 to 64
// letters, digits, dots, dashes and underscores. A value is either the key, of at
// least 16 characters, or what [HashKey] returned for it. Errors name the id,
// never the key; two ids of one key are an error too.
func NewKeys(keys map[string]string) (*Keys, error) {
	k := &Keys{}
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if !isKeyID(id) {
			return nil, fmt.Errorf("httpapi: key id %.80q: want 1 to 64 letters, digits, dots, dashes and underscores", id)
		}
		hash, err := hashOf(keys[id])
		if err != nil {
			return nil, fmt.Errorf("httpapi: key %s: %w", id, err)
		}
		if i := slices.Index(k.hashes, hash); i >= 0 {
			return nil, fmt.Errorf("httpapi: keys %s and %s are the same", k.ids[i], id)
		}
		k.ids, k.hashes = append(k.ids, id), append(k.hashes, hash)
	}
	return k, nil
}

// Authorize implements [Authorizer]. It compares the hash of token with all
// hashes, in a time that depends on their number only.
func (k *Keys) Authorize(_ context.Context, token string) (Grant, error) {
	if k == nil {
		return Grant{}, ErrUnauthorized
	}
	hash := sha256.Sum256([]byte(token))
	found := -1
	for i := range k.hashes {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], k.hashes[i][:]), i, found)
	}
	if found < 0 {
		return Grant{}, ErrUnauthorized
	}
	return Grant{KeyID: k.ids[found]}, nil
}

// NewKey returns a new random key, such as an operator hands out: "wsk_" and 52
// capital letters and digits, of 260 random bits.
func NewKey() string { return tokenPrefix + rand.Text() + rand.Text() }

// tokenPrefix begins every key that is made here, so that it is known for one
// where it turns up: in a log, a query or a repository.
const tokenPrefix = "wsk_"

// hashPrefix tells a hash from a key, in which no colon can be.
const hashPrefix = "sha256:"

// HashKey returns what is to be stored of a key, and given to [NewKeys]:
// "sha256:" and 64 hex digits. It is made for keys of [NewKey]; the hash of a
// password that a person chose could be guessed.
func HashKey(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hashPrefix + hex.EncodeToString(hash[:])
}

// hashOf returns the hash of a key, or the one that value is.
func hashOf(value string) (hash [sha256.Size]byte, err error) {
	if digits, ok := strings.CutPrefix(value, hashPrefix); ok {
		n, err := hex.Decode(hash[:], []byte(digits[:min(len(digits), 2*len(hash))]))
		if err != nil || n != len(hash) || len(digits) != 2*n {
			return hash, errors.New("want " + hashPrefix + " and 64 hex digits")
		}
		return hash, nil
	}
	if len(value) < minKey {
		return hash, fmt.Errorf("shorter than %d characters", minKey)
	}
	if !isToken(value) {
		return hash, errors.New("not a bearer token, as RFC 6750, section 2.1, has it")
	}
	return sha256.Sum256([]byte(value)), nil
}

func isKeyID(id string) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if !isAlphanumeric(c) && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// admit lets e in, by the key that it presents, to an endpoint that is in a
// scope; or it returns the problem of a request that is not to be let in.
func (h *handler) admit(e *exchange, scope Scopes) *problem {
	if inQuery(e.URL.RawQuery) {
		h.challengeWith(e, "invalid_request")
		return &problem{Code: credentialsInQuery, Reason: "query", Detail: "An API key does not belong into the query, where it is logged on its way. " +
			"Send it in the header Authorization: Bearer <API_KEY>, and have the key replaced if it was a real one."}
	}
	if p := h.authorize(e); p != nil {
		return p
	}
	if p := h.bursts.take(e); p != nil {
		return p
	}
	if e.grant.Scopes != 0 && e.grant.Scopes&scope == 0 {
		h.challengeWith(e, "insufficient_scope", "scope", scope.String())
		return &problem{Code: insufficientScope, Detail: "The API key is valid, but not for this endpoint: it has not the scope " + scope.String() + "."}
	}
	return nil
}

// authorize sets the grant of e, or returns the problem of what it presents.
func (h *handler) authorize(e *exchange) *problem {
	token, state := bearer(e.Header)
	if state == absent {
		h.challengeWith(e, "")
		return &problem{Code: missingCredentials, Detail: "Send an API key in the header Authorization: Bearer <API_KEY>."}
	}
	err := ErrUnauthorized
	var grant Grant
	var now time.Time
	if state == presented {
		e.token = token
		if strings.Contains(e.id, token) { // the id is for logs
			e.id = newRequestID()
			e.setHeader("X-Request-Id", e.id)
		}
		if ring, ok := h.keys.(*Keyring); ok { // which takes no others than it has made
			grant, now, err = ring.authorize(e.Context(), token)
		} else if isToken(token) {
			grant, err = h.keys.Authorize(e.Context(), token)
			now = time.Now()
		}
	}
	switch {
	case errors.Is(err, ErrUnauthorized):
		h.challengeWith(e, "invalid_token")
		return &problem{Code: invalidToken, Detail: "The API key is not valid."}
	case errors.Is(err, ErrUnavailable):
		h.logError(e, fmt.Errorf("authorize: %w", err))
		e.w.Header().Set("Retry-After", retrySoon)
		return &problem{Code: keysUnavailable, Detail: "Whether the API key is valid cannot be told for now. This says nothing about the key."}
	case err != nil:
		return h.internal(e, fmt.Errorf("authorize: %w", err))
	case grant.KeyID == "":
		return h.internal(e, errors.New("authorize: a grant without the id of a key"))
	}
	e.grant, e.now = grant, now
	return nil
}

// challengeWith sets the challenge of RFC 6750, section 3, with an error, unless
// that is "", and further parameters.
func (h *handler) challengeWith(e *exchange, err string, more ...string) {
	text := h.challenge
	if err != "" {
		text += `, error="` + err + `"`
	}
	for i := 0; i+1 < len(more); i += 2 {
		text += ", " + more[i] + `="` + more[i+1] + `"`
	}
	e.w.Header().Set("WWW-Authenticate", text)
}

// credentials are what a request presents.
type credentials int

const (
	absent    credentials = iota // nothing, or of a scheme that is not Bearer
	several                      // which of them counts, is for nobody to guess
	presented                    // what may be a token
)

// credentialNames are names of parameters, in lower case and of letters and digits
// only, under which keys are sent by mistake.
var credentialNames = []string{
	"accesskey", "accesstoken", "apikey", "apitoken", "auth", "authorization", "bearer", "bearertoken", "key", "secret", "token", "xapikey",
}

// joined returns the letters and digits of a name: "api_key", "api.key" and
// "api_key[]" are one.
func joined(name string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && isAlphanumeric(byte(c)) {
			return c
		}
		return -1
	}, name)
}

// inQuery reports whether a query, as it came, has what is or may be a key: a
// query is in logs, histories and referrers, where a key must not be.
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
			if strings.Contains(*text, tokenPrefix) {
				return true
			}
		}
		if slices.Contains(credentialNames, joined(name)) {
			return true
		}
	}
	return false
}

// maxToken bounds the length of a token.
const maxToken = 4096

// bearer returns what a request presents as a token, by RFC 6750, section 2.1.
// Whether isToken holds for it is not known. The name of the scheme may have any
// letter case (RFC 9110, section 11.1).
func bearer(header http.Header) (token string, c credentials) {
	values := header["Authorization"]
	if len(values) == 0 {
		return "", absent
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case len(values) > 1:
		return "", several
	case !strings.EqualFold(scheme, "Bearer"), token == "":
		return "", absent
	}
	return token, presented
}

// isToken reports whether s is a b64token of RFC 6750, of at most maxToken
// bytes.
func isToken(s string) bool {
	if len(s) > maxToken {
		return false
	}
	s = strings.TrimRight(s, "=")
	odd := byte(0)
	for i := range len(s) { // to its end: a branch for each would take longer
		odd |= notInToken[s[i]]
	}
	return s != "" && odd == 0
}

// notInToken is 1 for what cannot be in a b64token, or only at its end: "=".
var notInToken = func() (t [256]byte) {
	for c := range t {
		if !isAlphanumeric(byte(c)) && strings.IndexByte("-._~+/", byte(c)) < 0 {
			t[c] = 1
		}
	}
	return t
}()

// quotedString returns s as a quoted-string of RFC 9110, section 5.6.4, without
// the characters that none can have.
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
