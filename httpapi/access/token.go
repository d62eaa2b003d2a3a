package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
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

// cutToken returns the id and the secret of a token that NewKey or Rotate may have
// made.
func cutToken(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	at := len(rest) - secretLen - 1
	if !ok || at < 1 || rest[at] != '_' {
		return "", "", false
	}
	id, ok = unescapeID(rest[:at])
	return id, rest[at+1:], ok
}

// escapeID returns an id in the characters of a token.
func escapeID(id string) string {
	var b strings.Builder
	for _, c := range []byte(id) {
		if isPlainID(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('~')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// unescapeID is the inverse of escapeID. It accepts only what escapeID returns, so
// that an id has one token.
func unescapeID(text string) (id string, ok bool) {
	plain := true
	for i := range len(text) {
		plain = plain && isPlainID(text[i])
	}
	if plain {
		return text, len(text) <= maxKeyID
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '~' {
			b = append(b, text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		c, err := hex.DecodeString(text[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b = append(b, c[0])
		i += 2
	}
	id = string(b)
	return id, CheckKeyID(id) == nil && escapeID(id) == text
}

func isPlainID(c byte) bool { return isAlphanumeric(c) || c == '.' || c == '-' || c == '_' }

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// hashSecret returns the hash of a secret, without an allocation.
func hashSecret(secret string) [sha256.Size]byte {
	var b [secretLen]byte
	return sha256.Sum256(b[:copy(b[:], secret)])
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
	if len(s) > maxToken {
		return false
	}
	s = strings.TrimRight(s, "=")
	odd := byte(0)
	for i := range len(s) { // to its end: a branch for each byte would take longer
		odd |= notInToken[s[i]]
	}
	return s != "" && odd == 0
}

// notInToken is 1 for bytes that cannot be in a b64token, or only at its end: "=".
var notInToken = func() (t [256]byte) {
	for c := range t {
		if !isAlphanumeric(byte(c)) && strings.IndexByte("-._~+/", byte(c)) < 0 {
			t[c] = 1
		}
	}
	return t
}()
