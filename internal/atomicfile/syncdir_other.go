//go:build !unix

package atomicfile

// SyncDir does nothing: directories cannot be flushed on this system. A rename still
// leaves the old file or the new one, but after a loss of power it may be the old one.
func SyncDir(string) error { return nil }

// Own does nothing: on this system there is no root.
func Own(string) {}
