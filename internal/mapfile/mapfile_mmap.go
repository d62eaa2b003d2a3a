//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mapfile

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile maps the first size bytes of f.
func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}

// hugeBytes is the size of a huge page on most machines, and the size from which memory
// is kept off the heap. With a large heap the garbage collector runs less often, so the
// garbage of requests no longer stays in the cache of the processor.
const hugeBytes = 1 << 21

// allocate returns size zero bytes, and a function that frees them, or nil if they are on
// the heap. Large memory is off the heap, so the garbage collector does not count it.
func allocate(size int) ([]byte, func() error, error) {
	if size < hugeBytes {
		return make([]byte, size), nil, nil
	}
	// One more huge page lets the bytes begin at the start of one. Pages that are never touched take no
	// memory.
	data, err := syscall.Mmap(-1, 0, size+hugeBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	begin := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) % hugeBytes)
	used := data[begin : begin+size : begin+size]
	adviseHuge(used)
	return used, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}
