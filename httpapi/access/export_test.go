package access

import "time"

// Caching makes r cache keys for a time, and returns r.
func Caching(r *Keyring, maxAge time.Duration) *Keyring {
	r.maxAge = maxAge
	return r
}

// Remembered returns how many ids r has cached.
func Remembered(r *Keyring) int {
	r.keys.mu.Lock()
	defer r.keys.mu.Unlock()
	return len(r.keys.unknown) + len(r.keys.known)
}

var CheckToken = checkToken
