package access

// Remembered returns how many ids r has cached.
func Remembered(r *Keyring) int {
	r.keys.mu.Lock()
	defer r.keys.mu.Unlock()
	return len(r.keys.unknown) + len(r.keys.known)
}

var CheckToken = checkToken
