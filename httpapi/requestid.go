package httpapi

import "strings"

// idForms are the forms of the request ids that are echoed: h is a hex digit, and B a digit or
// a capital letter. No address, key or seed has one of them.
var idForms = []string{
	"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh",                    // a UUID
	"BBBBBBBBBBBBBBBBBBBBBBBBBB",                              // a ULID
	"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh",                        // a trace id, or an id of begin
	"hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh", // a traceparent
}

// maxShortID is the greatest length of an id that is a number, or a word, a dash and a number.
const maxShortID = 20

// mayEcho reports whether an X-Request-Id has a form that is echoed. The id is not searched.
func mayEcho(id string) bool {
	for _, form := range idForms {
		if len(id) == len(form) && hasForm(id, form) {
			return true
		}
	}
	number := id // without a dash, a word and a number may be an account of EOS
	if word, rest, ok := strings.Cut(id, "-"); ok && word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
		number = rest
	}
	return number != "" && len(id) <= maxShortID && strings.Trim(number, "0123456789") == ""
}

// hasForm reports whether an id has a form of the same length.
func hasForm(id, form string) bool {
	for i, c := range []byte(id) {
		digit := '0' <= c && c <= '9'
		switch form[i] {
		case 'h':
			if lower := c | 0x20; !digit && (lower < 'a' || 'f' < lower) {
				return false
			}
		case 'B':
			if !digit && (c < 'A' || 'Z' < c) {
				return false
			}
		default:
			if c != form[i] {
				return false
			}
		}
	}
	return true
}
