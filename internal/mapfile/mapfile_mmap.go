//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mapfile

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of f.
func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}
