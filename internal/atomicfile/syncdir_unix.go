//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir flushes a directory to the disk, so that files that were created or renamed
// in it survive a loss of power. File systems that cannot do that report so, which is
// not an error.
func SyncDir(name string) error {
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
