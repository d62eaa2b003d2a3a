package httpapi

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// tokenPrefix begins every API key of package access, so that a key is recognized in a query.
const tokenPrefix = "wsk_"

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
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		for _, text := range []*string{&name, &value} {
			if plain, err := url.QueryUnescape(*text); err == nil {
				*text = plain
			}
			if *text = strings.ToLower(*text); strings.Contains(*text, tokenPrefix) {
				return true
			}
		}
		if slices.Contains(credentialNames, joined(name)) {
			return true
		}
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
