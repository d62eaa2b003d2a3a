package access

// Remembered returns how many ids r has cached.
func Remembered(r *Keyring) int {
	r.keys.mu.Lock()
	defer r.keys.mu.Unlock()
	n := len(r.keys.unknown)
	r.keys.known.Range(func(any, any) bool { n++; return true })
	return n
}
