//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package mapfile

import (
	"io"
	"os"
)

// mapFile reads the first size bytes of f.
func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, err
	}
	return data, nil, nil
}

// allocate returns size zero bytes, and nil, because they are on the heap.
func allocate(size int) ([]byte, func() error, error) { return make([]byte, size), nil, nil }
