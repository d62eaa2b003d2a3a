package httpapi

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
)

// maxRequestID is the greatest length of a request id that is echoed.
const maxRequestID = 128

// shortestAddress is less than the length of any address that could hide in a
// request id.
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

// mayEcho reports whether an X-Request-Id is 1 to 128 visible ASCII characters and tells
// nothing confidential.
func mayEcho(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return !tells(id) && !disguises(id)
}

// longestTrace is the greatest number of hex digits in a word of an id, as in a trace id.
const longestTrace = 32

// disguises reports whether an id has an address in it that is written backward, in parts or
// without its prefix.
func disguises(id string) bool {
	if len(id) <= shortestAddress || isUUID(id) {
		return false
	}
	hex := 0
	plain := make([]byte, 0, len(id))
	for _, c := range []byte(id) {
		if hex++; !isAlphanumeric(c) || '9' < c && c|0x20 > 'f' {
			hex = 0
		}
		if hex > longestTrace && !isMonotonous(id) {
			return true
		}
		if isAlphanumeric(c) {
			plain = append(plain, c)
		}
	}
	for _, text := range [][]byte{plain, []byte(id)} {
		if len(address.FindAll(string(text))) > 0 {
			return true
		}
		slices.Reverse(text)
		if len(address.FindAll(string(text))) > 0 {
			return true
		}
	}
	return false
}

// tells reports whether a text has an API key, an address, or a private key or seed in it,
// so that it must not be repeated.
func tells(text string) bool {
	if hasToken(text) {
		return true
	}
	if len(text) <= shortestAddress || isUUID(text) {
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

// isUUID reports whether id looks like a UUID, which is too short in each of its
// parts for an address.
func isUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isAlphanumeric(c) {
			return false
		}
	}
	return true
}
