package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
)

// etag returns a strong entity-tag of a body, equal for equal bodies on every machine
// (RFC 9110, section 8.8.3).
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// compareTag evaluates the conditions of a request for a representation with the tag,
// in the order of RFC 9110, section 13.2.2: it returns the problem of an If-Match that
// does not hold, or records that the client has the answer, by If-None-Match.
func (e *exchange) compareTag(tag string) *problem {
	if lines := e.Header["If-Match"]; len(lines) > 0 && !matches(lines, tag, false) {
		return &problem{Code: preconditionFailed, Detail: "The ETag has changed: it does not match If-Match."}
	}
	e.unchanged = matches(e.Header["If-None-Match"], tag, true)
	return nil
}

// matches reports whether the lines of an If-None-Match or If-Match include tag, or
// are "*" (RFC 9110, sections 13.1.1 and 13.1.2). If-None-Match compares weakly, so W/
// makes no difference; If-Match compares strongly, so a tag with W/ never matches.
// Nothing after a syntax error matches.
func matches(lines []string, tag string, weakly bool) bool {
	for _, list := range lines {
		if strings.Trim(list, " \t") == "*" {
			return true
		}
		for m := entityTag.FindStringSubmatch(list); m != nil; m = entityTag.FindStringSubmatch(list) {
			if m[2] == tag && (weakly || m[1] == "") {
				return true
			}
			list = list[len(m[0]):]
		}
	}
	return false
}

var entityTag = regexp.MustCompile(`^[ \t,]*(W/)?("[^"]*")`)
