package index

import (
	"runtime"
	"sync"
)

// An arena hands out chunks of memory that are all given back together: off the
// heap, if they are many, lest the collector count them.
type arena struct {
	mu    sync.Mutex
	slab  []byte // what has not been handed out
	size  int    // of slab, at first
	slabs []slab
}

// A slab is memory that is not on the heap.
type slab struct {
	release func() error
	cleanup runtime.Cleanup // if nobody calls free
}

const (
	minSlab = 1 << 16
	maxSlab = 1 << 25
)

// chunk returns an empty slice with room for n bytes, at most minSlab.
func (a *arena) chunk(n int) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.slab) < n {
		a.size = min(max(minSlab, 2*a.size), maxSlab)
		data, release, err := allocate(a.size)
		if err != nil {
			return nil, err
		}
		if release != nil {
			cleanup := runtime.AddCleanup(a, func(release func() error) { release() }, release)
			a.slabs = append(a.slabs, slab{release, cleanup})
		}
		a.slab = data
	}
	c := a.slab[:0:n]
	a.slab = a.slab[n:]
	return c, nil
}

// free gives all chunks back.
func (a *arena) free() {
	for _, s := range a.slabs {
		s.cleanup.Stop()
		s.release() // it cannot fail: the slab is mapped, and whole
	}
	a.slab, a.slabs = nil, nil
}
