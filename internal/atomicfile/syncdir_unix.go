//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Own gives a file or directory that root has made to the owner of the directory that it is in, if that can be done:
// otherwise a command of root would lock out a server that runs as another user.
func Own(name string) {
	info, err := os.Stat(filepath.Dir(name))
	if err != nil || os.Geteuid() != 0 {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(name, int(owner.Uid), int(owner.Gid))
	}
}

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
