package main

import (
	"crypto/sha256"
	"log/slog"
	"slices"
	"sync"
)

// A followed is the content of files that may be replaced at any time. What cannot be used changes
// nothing, and is logged once. The content of the files is compared, not their times, because
// symbolic links are swapped and clocks differ.
type followed struct {
	log     *slog.Logger
	failure string // what the log says of files that cannot be used
	read    func() (files [][]byte, err error)
	use     func(files [][]byte) error

	mu    sync.Mutex
	inUse [][sha256.Size]byte // the sums of the files in use
	seen  [][sha256.Size]byte // the sums of the files that were last read
	err   error               // why these are not in use
}

// load reads the files, and uses them if they have changed.
func (f *followed) load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	files, err := f.read()
	var sums [][sha256.Size]byte
	for _, text := range files {
		sums = append(sums, sha256.Sum256(text))
	}
	if err == nil && !slices.Equal(sums, f.inUse) {
		err = f.use(files)
	}
	if err == nil {
		f.inUse = sums
	} else if f.inUse != nil && (f.err == nil || f.err.Error() != err.Error() || !slices.Equal(sums, f.seen)) {
		f.log.Error(f.failure, "error", err)
	}
	f.seen, f.err = sums, err
	return err
}

// failing reports whether the files hold something that cannot be used.
func (f *followed) failing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != nil
}
