// Package atomicfile replaces files as one step: after a crash, a kill or a loss of
// power at any moment, a file has its old content or its new one. [Write] writes a
// file, and [Sweep] removes what killed programs have left.
//
// It is written by hand because the library for it, renameio, builds on no Windows
// and does not flush the directory, so a loss of power can undo a completed write.
package atomicfile

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// prefix begins the names of files that are not complete.
	prefix = ".walletscreen-new-"
	// orphaned is the age at which such a file belongs to no running program.
	orphaned = 10 * time.Minute
)

// Write replaces the file called name by what write writes into an empty file in the
// same directory, and returns once the content, the name and the permissions are on the
// disk. If it returns an error, the file called name is as it was. It also removes what
// killed programs have left in the directory. A file that root writes belongs to the owner of the directory.
func Write(name string, perm fs.FileMode, write func(*os.File) error) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return err
	}
	Own(f.Name())
	err = write(f)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error says more
		return err
	}
	Sweep(dir) // leftovers do no harm
	return SyncDir(dir)
}

// Sweep removes the files that killed programs have not completed in dir. Files of the
// last ten minutes may still be in the making, and stay.
func Sweep(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		path := filepath.Join(dir, name)
		if info, ierr := os.Lstat(path); ierr == nil && time.Since(info.ModTime()) > orphaned {
			err = cmp.Or(err, os.Remove(path))
		}
	}
	return err
}
