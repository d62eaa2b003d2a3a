//go:build !unix

package store

// syncDir does nothing: directories cannot be flushed here. A rename still leaves
// the old file or the new one, but after a loss of power it may be the old.
func syncDir(string) error { return nil }
