package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// etag returns the entity-tag of a body: a strong one, equal for equal bodies on
// every machine (RFC 9110, section 8.8.3).
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// compareTag sees to the conditions of a request for what has tag, in the order of
// RFC 9110, section 13.2.2: it returns the problem of an If-Match that does not
// hold, or notes that the caller has the answer already, by If-None-Match.
func (e *exchange) compareTag(tag string) *problem {
	if lines := e.Header["If-Match"]; len(lines) > 0 && !matches(lines, tag, false) {
		return &problem{Code: preconditionFailed, Detail: "What is here has another ETag than the request is meant for, in If-Match."}
	}
	e.unchanged = matches(e.Header["If-None-Match"], tag, true)
	return nil
}

// matches reports whether the lines of an If-None-Match or If-Match have tag, or
// are "*" (RFC 9110, sections 13.1.1 and 13.1.2). Tags are compared weakly in the
// first, so that W/ makes no difference, and strongly in the second, where it makes
// a tag that none is equal to. From the first fault on, nothing matches.
func matches(lines []string, tag string, weakly bool) bool {
	for _, list := range lines {
		if strings.Trim(list, " \t") == "*" {
			return true
		}
		for {
			list = strings.TrimLeft(list, " \t,")
			var weak bool
			list, weak = strings.CutPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				break
			}
			end := strings.IndexByte(list[1:], '"') + 2
			if end < 2 {
				break
			}
			if list[:end] == tag && (weakly || !weak) {
				return true
			}
			list = list[end:]
		}
	}
	return false
}
