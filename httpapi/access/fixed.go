package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/walletscreen/walletscreen/httpapi"
)

// minToken is the length below which a token is refused: one SHA-256 protects only
// what cannot be guessed.
const minToken = 16

// Fixed returns an Authorizer for a fixed set of tokens, by the IDs of their callers:
// for a server that takes its keys from its configuration. A token has at least 16
// characters, and can be sent as a bearer token. Fixed keeps only hashes. An error names
// the ID and never quotes the token; two IDs for one token are an error, too.
func Fixed(tokens map[string]string) (httpapi.Authorizer, error) {
	f := &fixed{}
	for _, id := range slices.Sorted(maps.Keys(tokens)) {
		if err := checkID(id); err != nil {
			return nil, err
		}
		if err := checkToken(tokens[id]); err != nil {
			return nil, fmt.Errorf("access: key %s: %w", id, err)
		}
		hash := sha256.Sum256([]byte(tokens[id]))
		if i := slices.Index(f.hashes, hash); i >= 0 {
			return nil, fmt.Errorf("access: keys %s and %s are equal", f.ids[i], id)
		}
		f.ids, f.hashes = append(f.ids, id), append(f.hashes, hash)
	}
	return f, nil
}

// checkToken returns nil if a token that was not made by [NewKey] can be used as an
// API key: at least 16 characters, since shorter ones can be guessed, and only those
// that a bearer token can have (RFC 6750, section 2.1). The error wraps [ErrInvalid]
// and does not quote the token.
func checkToken(token string) error {
	if n := len(token); n < minToken || n > maxToken {
		return fmt.Errorf("%w: the key has %d characters, want %d to %d", ErrInvalid, n, minToken, maxToken)
	}
	if !isToken(token) {
		return fmt.Errorf("%w: the key cannot be sent as a bearer token: want letters, digits and -._~+/ with = at the end only", ErrInvalid)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values([]byte(token))))); n < minVaried {
		return fmt.Errorf("%w: the key has only %d different characters, want at least %d", ErrInvalid, n, minVaried)
	}
	return nil
}

// minVaried is the least number of different characters in a token.
const minVaried = 6

// A fixed is an Authorizer for a fixed set of tokens.
type fixed struct {
	ids    []string
	hashes [][sha256.Size]byte
}

// Authorize compares the hash of the token with all hashes, in a time that depends
// on their number only.
func (f *fixed) Authorize(r *http.Request) (httpapi.Caller, error) {
	token, err := bearer(r.Header)
	if err != nil {
		return httpapi.Caller{}, err
	}
	if !isToken(token) {
		return httpapi.Caller{}, httpapi.ErrUnauthorized
	}
	hash := sha256.Sum256([]byte(token))
	found := -1
	for i := range f.hashes {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], f.hashes[i][:]), i, found)
	}
	if found < 0 {
		return httpapi.Caller{}, httpapi.ErrUnauthorized
	}
	return httpapi.Caller{ID: f.ids[found]}, nil
}

// First returns an Authorizer that asks several others in turn, until one knows the
// caller: that is, until one returns neither [httpapi.ErrUnauthorized] nor
// [httpapi.ErrNoCredentials].
func First(authorizers ...httpapi.Authorizer) httpapi.Authorizer { return first(authorizers) }

type first []httpapi.Authorizer

func (f first) Authorize(r *http.Request) (c httpapi.Caller, err error) {
	err = httpapi.ErrNoCredentials
	for _, a := range f {
		var next error
		if c, next = a.Authorize(r); next == nil || !errors.Is(next, httpapi.ErrUnauthorized) && !errors.Is(next, httpapi.ErrNoCredentials) {
			return c, next
		}
		if !errors.Is(err, httpapi.ErrUnauthorized) {
			err = next
		}
	}
	return httpapi.Caller{}, err
}
