package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// unprivileged gives dir and its files to another user, and makes the rest of a test
// that runs as root access files as that user. It reports whether it could.
func unprivileged(t *testing.T, dir string) bool {
	const nobody = 65534
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, dir, filepath.Dir(dir)) {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	// The user for file access belongs to the thread, and so do the privileges that
	// the system drops with it.
	runtime.LockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Setfsuid(0)
		runtime.UnlockOSThread()
	})
	return true
}
