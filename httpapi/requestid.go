package httpapi

import "regexp"

// Forms of the request ids that are echoed. No address, key or seed has one of them.
var (
	// A UUID, a ULID, a trace id or an id of begin, and a traceparent.
	longID = regexp.MustCompile(`^([[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}|[0-9A-Z]{26}|[[:xdigit:]]{32}|[[:xdigit:]]{2}-[[:xdigit:]]{32}-[[:xdigit:]]{16}-[[:xdigit:]]{2})$`)
	// A number, or a word, a dash and a number: without a dash they may be an account of EOS.
	shortID = regexp.MustCompile(`^([a-z]+-)?[0-9]+$`)
)

// maxShortID is the greatest length of a shortID.
const maxShortID = 20

// mayEcho reports whether an X-Request-Id has a form that is echoed. The id is not searched.
func mayEcho(id string) bool {
	return len(id) <= maxShortID && shortID.MatchString(id) || longID.MatchString(id)
}
