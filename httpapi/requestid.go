package httpapi

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
)

// idForms are the forms of the request ids that are echoed: h is a hex digit, and B a digit or
// a capital letter. No address, key or seed has one of them.
var idForms = []string{
	"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh",                    // a UUID
	"BBBBBBBBBBBBBBBBBBBBBBBBBB",                              // a ULID, or an id of newRequestID
	"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh",                        // a trace id
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
	number := strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyz")
	if len(number) < len(id) {
		number, _ = strings.CutPrefix(number, "-")
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

// shortestAddress is less than the length of any address that could hide in a path.
const shortestAddress = 20

// shortestKey is the length from which a word of letters and digits is confidential: it may
// be a private key. Shorter ones are common ids.
const shortestKey = 40

// longestWord returns the length of the longest run of letters and digits in a text.
func longestWord(text string) int {
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if run++; !isAlphanumeric(c) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// tells reports whether a text has an API key, an address, or a private key or seed in it,
// so that it must not be repeated.
func tells(text string) bool {
	if hasToken(text) {
		return true
	}
	if len(text) <= shortestAddress || len(text) == len(idForms[0]) && hasForm(text, idForms[0]) {
		return false
	}
	_, err := address.Normalize("ethereum", text)
	if (errors.Is(err, address.ErrSecret) || longestWord(text) >= shortestKey) && !isMonotonous(text) {
		return true
	}
	return len(address.FindAll(text)) > 0 || hasSolana(text)
}

// hasSolana reports whether a word of a text is an address of Solana. It has no checksum,
// so FindAll does not find it, but ids of 32 to 44 characters without 0 are rare.
func hasSolana(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c >= utf8.RuneSelf || !isAlphanumeric(byte(c)) }) {
		if _, err := address.Parse("solana", word); err == nil {
			return true
		}
	}
	return false
}

// isMonotonous reports whether one byte is half of a text, which is not a key then: it may be
// an id that was filled up to a length.
func isMonotonous(text string) bool {
	var counts [256]int
	most := 0
	for _, c := range []byte(text) {
		counts[c]++
		most = max(most, counts[c])
	}
	return 2*most >= len(text)
}
