package access

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
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
	return id, err == nil && checkID(id) == nil && escapeID(id) == text
}

// isToken reports whether s is a b64token of RFC 6750, of at most maxToken bytes.
func isToken(s string) bool {
	return len(s) <= maxToken && strings.Trim(s, "=") != "" && strings.Trim(strings.TrimRight(s, "="), plainIDs+"~+/") == ""
}
