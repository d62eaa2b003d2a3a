//go:build unix && !solaris && !illumos && !aix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks f until it is closed. It reports false if another program has locked it.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
