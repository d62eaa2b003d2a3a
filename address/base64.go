package address

import (
	"encoding/base64"
	"strings"
)

// The alphabets of RFC 4648, without padding.
var (
	base64Std = base64.RawStdEncoding.Strict()
	base64URL = base64.RawURLEncoding.Strict()
)

// decodeBase64 decodes s, in either alphabet, into dst, which must have length
// len(s)*6/8. It returns the alphabet, and -1 or the index of a character that
// is wrong: encoding/base64 skips line breaks, which an address must not contain.
func decodeBase64(dst []byte, s string) (alphabet *base64.Encoding, bad int) {
	alphabet = base64URL
	if i := strings.IndexAny(s, "+/-_"); i >= 0 && (s[i] == '+' || s[i] == '/') {
		alphabet = base64Std
	}
	if bad = strings.IndexAny(s, "\r\n"); bad >= 0 {
		return alphabet, bad
	}
	var buf [64]byte
	if _, err := alphabet.Decode(dst, buf[:copy(buf[:], s)]); err != nil {
		at, _ := err.(base64.CorruptInputError)
		return alphabet, int(at)
	}
	return alphabet, -1
}
