package list

import (
	"encoding/binary"
	"runtime"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// words are numbers, off the heap if they are many. The zero words are none.
type words struct {
	data    []byte // the first of them
	all     []byte
	release func() error
	cleanup runtime.Cleanup // frees all if the words become unreachable
}

// len returns how many words there are.
func (w *words) len() int { return len(w.data) / 4 }

// at returns word i.
func (w *words) at(i int) uint32 { return binary.LittleEndian.Uint32(w.data[4*i:]) }

// set sets word i.
func (w *words) set(i int, v uint32) { binary.LittleEndian.PutUint32(w.data[4*i:], v) }

// append appends the word that lies in the first four bytes of b.
func (w *words) append(b []byte) error {
	n := len(w.data)
	if n == len(w.all) {
		if err := w.grow(max(256, 2*w.len())); err != nil {
			return err
		}
	}
	w.data = w.all[:n+4]
	copy(w.data[n:], b)
	return nil
}

// grow makes room for n words.
func (w *words) grow(n int) error {
	all, release, err := mapfile.Allocate(4 * n)
	if err != nil {
		return err
	}
	copy(all, w.data)
	n = len(w.data)
	w.free()
	w.data, w.all, w.release = all[:n], all, release
	if release != nil {
		w.cleanup = runtime.AddCleanup(w, func(release func() error) { release() }, release)
	}
	return nil
}

// free frees the words.
func (w *words) free() {
	if w.release != nil {
		w.cleanup.Stop()
		w.release() // cannot fail: all of it is mapped
	}
	*w = words{}
}
