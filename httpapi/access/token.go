package access

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/rule"
)

const (
	// tokenPrefix begins every token, so that one is recognized in a log, a query or
	// a repository. Package httpapi looks for it.
	tokenPrefix = "wsk_"

	// secretLen is the length of a secret: 52 capital letters and digits, of 260
	// random bits.
	secretLen = 52

	// maxToken is the greatest length of a token.
	maxToken = 4096
)

// newToken returns a new token for a key id, and the hash of its secret.
func newToken(id string) (token string, hash [sha256.Size]byte) {
	secret := (rand.Text() + rand.Text())[:secretLen]
	return tokenPrefix + escapeID(id) + "_" + secret, sha256.Sum256([]byte(secret))
}

// cutToken returns the id and the hash of the secret of a token that NewKey or Rotate may
// have made. Other tokens cost one hash, too.
func cutToken(token string) (id string, hash [sha256.Size]byte, ok bool) {
	var secret [secretLen]byte
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	if at := len(rest) - secretLen - 1; ok && at > 0 && rest[at] == '_' {
		copy(secret[:], rest[at+1:])
		if id = rest[:at]; len(id) > rule.MaxID || strings.Trim(id, plainIDs) != "" {
			id, ok = unescapeID(id)
		}
	} else {
		ok = false
	}
	return id, sha256.Sum256(secret[:]), ok
}

const (
	alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	plainIDs      = alphanumerics + ".-_" // the characters of an id that a token has as they are
)

// escapeID returns an id in the characters of a token.
func escapeID(id string) string {
	var b strings.Builder
	for _, c := range []byte(id) {
		if strings.IndexByte(plainIDs, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	return b.String()
}

// unescapeID is the inverse of escapeID. It accepts only what escapeID returns, so
// that an id has one token.
func unescapeID(text string) (id string, ok bool) {
	id, err := url.PathUnescape(strings.ReplaceAll(text, "~", "%"))
	return id, err == nil && rule.CheckID(id) == nil && escapeID(id) == text
}

// bearer returns the token of a request (RFC 6750, section 2.1). The error is
// [httpapi.ErrNoCredentials], or [httpapi.ErrUnauthorized] if there are several
// values: nobody should guess which one counts. Whether isToken holds is not checked.
// The scheme may be in any letter case (RFC 9110, section 11.1).
func bearer(header http.Header) (token string, err error) {
	values := header["Authorization"]
	if len(values) == 0 {
		return "", httpapi.ErrNoCredentials
	}
	if len(values) > 1 {
		return "", httpapi.ErrUnauthorized
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", httpapi.ErrNoCredentials
	}
	return token, nil
}

// isToken reports whether s is a b64token of RFC 6750, of at most maxToken bytes.
func isToken(s string) bool {
	return len(s) <= maxToken && strings.Trim(s, "=") != "" && strings.Trim(strings.TrimRight(s, "="), plainIDs+"~+/") == ""
}
