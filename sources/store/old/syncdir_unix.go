//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// syncDir flushes a directory to the disk, so that what was renamed in it stays
// so. File systems that cannot do that say so, and need not.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
