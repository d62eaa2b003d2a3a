package mapfile

import (
	"encoding/binary"
	"runtime"
)

// Words are numbers, off the heap if they are many. The zero Words is empty. Words must
// not be copied.
type Words struct {
	all     []byte
	n       int // how many are in use
	release func() error
	cleanup runtime.Cleanup // frees all if the Words become unreachable
}

// NewWords returns n words that are 0.
func NewWords(n int) (*Words, error) {
	w := new(Words)
	if err := w.grow(n); err != nil {
		return nil, err
	}
	w.n = n
	return w, nil
}

// Bytes returns the words, four bytes each, little-endian, until Append or Free is called.
func (w *Words) Bytes() []byte { return w.all[:4*w.n] }

// Len returns how many words there are.
func (w *Words) Len() int { return w.n }

// At returns word i.
func (w *Words) At(i int) uint32 { return binary.LittleEndian.Uint32(w.all[4*i:]) }

// Set sets word i.
func (w *Words) Set(i int, v uint32) { binary.LittleEndian.PutUint32(w.all[4*i:], v) }

// Append appends a word.
func (w *Words) Append(v uint32) error {
	if 4*w.n == len(w.all) {
		if err := w.grow(max(64, 2*w.n)); err != nil {
			return err
		}
	}
	w.n++
	w.Set(w.n-1, v)
	return nil
}

// grow makes room for n words.
func (w *Words) grow(n int) error {
	all, release, err := Allocate(4 * n)
	if err != nil {
		return err
	}
	used := w.n
	copy(all, w.all)
	w.Free()
	w.all, w.n, w.release = all, used, release
	if release != nil {
		w.cleanup = runtime.AddCleanup(w, func(release func() error) { release() }, release)
	}
	return nil
}

// Free frees the words.
func (w *Words) Free() {
	if w.release != nil {
		w.cleanup.Stop()
		w.release() // cannot fail: all of it is mapped
	}
	*w = Words{}
}
