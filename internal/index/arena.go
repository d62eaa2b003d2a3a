package index

import (
	"runtime"
	"sync"
)

// An arena hands out chunks of memory that are all given back together: off the
// heap, if they are many, lest the collector count them. While one slab is
// filled, the next is made ready, for as much time goes by until a page is there
// as until it is filled.
type arena struct {
	mu    sync.Mutex
	rest  []byte    // of the last slab, what has not been handed out
	total int       // bytes of slabs
	slabs []slab    // what free gives back
	next  chan slab // the one that is being made ready, or nil
}

// A slab is memory for chunks.
type slab struct {
	data    []byte
	release func() error    // nil if it is on the heap
	cleanup runtime.Cleanup // if nobody calls free
	err     error
}

const (
	minSlab    = 1 << 16
	maxSlab    = 1 << 25
	shareSlabs = 8       // a slab is so small a part of all, or else a huge page
	hugeSlabs  = 1 << 20 // from how much on slabs are of huge pages
	hugeBytes  = 1 << 21 // a huge page, as there are on most machines
	pageBytes  = 1 << 12 // a page, or less
)

// newSlab returns a slab of n bytes.
func (a *arena) newSlab(n int) slab {
	var s slab
	s.data, s.release, s.err = allocate(n)
	if s.release != nil {
		s.cleanup = runtime.AddCleanup(a, func(release func() error) { release() }, s.release)
	}
	return s
}

// chunk returns an empty slice with room for n bytes, at most minSlab.
func (a *arena) chunk(n int) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.rest) < n {
		var s slab
		if a.next != nil {
			s, a.next = <-a.next, nil
		} else {
			s = a.newSlab(a.slabSize())
		}
		if s.err != nil {
			return nil, s.err
		}
		a.slabs = append(a.slabs, s)
		a.rest = s.data
		a.total += len(s.data)
		if a.total >= hugeSlabs {
			a.next = a.ready(a.slabSize())
		}
	}
	c := a.rest[:0:n]
	a.rest = a.rest[n:]
	return c, nil
}

// slabSize returns the size of a slab to be made now.
func (a *arena) slabSize() int {
	share, unit := a.total/shareSlabs, pageBytes
	if a.total >= hugeSlabs {
		unit = hugeBytes
	}
	return min(max(minSlab, (share+unit-1)/unit*unit), maxSlab)
}

// ready makes a slab, and touches all of its pages, aside.
func (a *arena) ready(size int) chan slab {
	next := make(chan slab, 1)
	go func() {
		s := a.newSlab(size)
		for i := 0; i < len(s.data); i += pageBytes {
			s.data[i] = 0
		}
		next <- s
	}()
	return next
}

// free gives all chunks back.
func (a *arena) free() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != nil {
		a.slabs = append(a.slabs, <-a.next)
	}
	for _, s := range a.slabs {
		if s.release != nil {
			s.cleanup.Stop()
			s.release() // it cannot fail: the slab is mapped, and whole
		}
	}
	a.rest, a.total, a.slabs, a.next = nil, 0, nil, nil
}
