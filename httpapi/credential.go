package httpapi

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// tokenPrefix begins every API key of package access, so that a key is recognized in a query.
const tokenPrefix = "wsk_"

// credentialNames are names of parameters, in lower case and of letters and digits
// only, under which keys are sent by mistake.
var credentialNames = []string{
	"accesskey", "accesstoken", "apikey", "apitoken", "auth", "authorization", "bearer", "bearertoken", "key", "secret", "token", "xapikey",
}

// unjoined is what a name may have between its letters and digits: "api_key", "api.key" and "api_key[]" are equal.
var unjoined = regexp.MustCompile(`[^0-9a-z]+`)

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
		if slices.Contains(credentialNames, unjoined.ReplaceAllString(name, "")) {
			return true
		}
	}
	return false
}
