// Package mapfile maps files into memory, or reads them where files cannot be mapped. It
// allocates memory off the heap alike.
package mapfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrIrregular is wrapped by the error about a directory, a pipe or a device.
var ErrIrregular = errors.New("want a regular file")

// Open returns the bytes of the file called name, and a function that frees them, which
// may be nil. The file must not be changed or truncated while it is in use; to replace
// it, rename another file over it.
func Open(name string) (data []byte, release func() error, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait forever
		return nil, nil, fmt.Errorf("%s: %w, found %v", name, ErrIrregular, info.Mode())
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()                       // read only
	if info, err = f.Stat(); err != nil { // it may be another file by now
		return nil, nil, err
	}
	size := info.Size()
	if size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes are too many for this system", name, size)
	}
	if size == 0 {
		return nil, nil, nil
	}
	if data, release, err = mapFile(f, int(size)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, release, nil
}
