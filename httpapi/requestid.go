package httpapi

import (
	"math/rand/v2"
	"net/http"

	"github.com/walletscreen/walletscreen/address"
)

// maxRequestID is the greatest length of a request id that is echoed.
const maxRequestID = 128

// shortestAddress is less than the length of any address that could hide in a
// request id.
const shortestAddress = 20

// requestID returns the X-Request-Id of a request if it is 1 to 128 visible ASCII
// characters and has neither an API key nor an address in it, else "".
func requestID(header http.Header) string {
	ids := header["X-Request-Id"]
	if len(ids) != 1 || ids[0] == "" || len(ids[0]) > maxRequestID {
		return ""
	}
	id := ids[0]
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return ""
		}
	}
	if hasToken(id) || len(id) > shortestAddress && !isUUID(id) && len(address.FindAll(id)) > 0 {
		return ""
	}
	return id
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

// newRequestID returns 26 random letters and digits, as crypto/rand.Text does, in a
// tenth of the time: an id must be unique, not secret.
func newRequestID() string {
	const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [26]byte
	a, b := rand.Uint64(), rand.Uint64()
	for i := range 13 {
		id[i], id[13+i] = base32[a&31], base32[b&31]
		a, b = a>>5, b>>5
	}
	return string(id[:])
}
