//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package index

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile returns the first size bytes of f, mapped, and how to unmap them.
func mapFile(f *os.File, size int) ([]byte, func() error, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}

// offHeap is the size from which an index is better kept off the heap. A large
// heap lets the collector run less often, and what a server leaves behind for
// each request then no longer stays in the cache of the processor.
const offHeap = hugeBytes

// allocate returns size bytes of zeros, and how to give them back if they are
// not on the heap.
func allocate(size int) ([]byte, func() error, error) {
	if size < offHeap {
		return make([]byte, size), nil, nil
	}
	// One page more, so that a huge one can begin where the bytes do. What is
	// never touched takes no memory.
	data, err := syscall.Mmap(-1, 0, size+hugeBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	begin := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) % hugeBytes)
	used := data[begin : begin+size : begin+size]
	adviseHuge(used)
	return used, func() error { return os.NewSyscallError("munmap", syscall.Munmap(data)) }, nil
}
