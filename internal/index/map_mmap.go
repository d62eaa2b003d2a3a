//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package index

import (
	"os"
	"syscall"
	"unsafe"
)

// offHeap is the size from which an index is kept off the heap. With a large heap the
// garbage collector runs less often, so the garbage of requests no longer stays in the
// cache of the processor.
const offHeap = hugeBytes

// allocate returns size zero bytes, and a function that frees them, or nil if they are on
// the heap.
func allocate(size int) ([]byte, func() error, error) {
	if size < offHeap {
		return make([]byte, size), nil, nil
	}
	// One huge page more, to align the bytes to one. Pages that are never touched take no
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
