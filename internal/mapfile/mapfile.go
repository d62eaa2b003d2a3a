// Package mapfile maps files into memory, or reads them where files cannot be mapped. It
// allocates memory off the heap alike.
package mapfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// MinMapped is the size from which a file is mapped. A smaller one is read into private
// memory, which nothing changes that happens to the file. Tests set it.
var MinMapped int64 = 64 << 20

// ErrFault is wrapped by the error of [Guard].
var ErrFault = errors.New("a file in use was cut short or cannot be read")

// ErrIrregular is wrapped by the error about a directory, a pipe or a device.
var ErrIrregular = errors.New("want a regular file")

// Open returns the bytes of the file called name. A file of MinMapped bytes or more is
// mapped: it must not be changed or truncated while it is in use; to replace it, rename
// another file over it. See [Guard].
func Open(name string) (*Memory, error) { return own(open(name)) }

func open(name string) (data []byte, release func() error, err error) {
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
	if size < MinMapped {
		if data, release, err = allocate(int(size)); err != nil {
			return nil, nil, err
		}
		if _, err := io.ReadFull(f, data); err != nil {
			if release != nil {
				release()
			}
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		return data, release, nil
	}
	if data, release, err = mapFile(f, int(size)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, release, nil
}

// Guard calls f, which may read mapped files, and returns its error. A read that faults,
// because a file was cut short or its disk fails, is an error that wraps [ErrFault]; without
// Guard, it ends the program.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(interface {
				runtime.Error
				Addr() uintptr
			}); !ok {
				panic(p)
			}
			err = fmt.Errorf("%w: %v", ErrFault, p)
		}
	}()
	return f()
}
