package store

import (
	"errors"
	"syscall"
)

// isFull reports whether err says that the disk is full.
func isFull(err error) bool {
	const diskFull, handleDiskFull = syscall.Errno(112), syscall.Errno(39)
	return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull)
}
