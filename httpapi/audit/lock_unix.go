//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package audit

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// lock creates and locks the file, until the result is closed or the program ends. The
// file stays: removing it could remove the lock of another program.
func lock(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: another program writes here: %w", name, err)
	}
	return f, nil
}
