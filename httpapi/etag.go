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

// matches reports whether the lines of an If-None-Match have tag, or are "*" (RFC
// 9110, section 13.1.2). Tags are compared weakly there: W/ makes no difference.
// From the first fault on, nothing matches.
func matches(lines []string, tag string) bool {
	for _, list := range lines {
		if strings.Trim(list, " \t") == "*" {
			return true
		}
		for {
			list = strings.TrimLeft(list, " \t,")
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				break
			}
			end := strings.IndexByte(list[1:], '"') + 2
			if end < 2 {
				break
			}
			if list[:end] == tag {
				return true
			}
			list = list[end:]
		}
	}
	return false
}
