package index

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// A pool allocates slabs of memory, which arenas cut into chunks. Large slabs are off the
// heap, so the garbage collector does not count them. While one slab is filled, the next
// one is prepared in the background, because touching a page for the first time takes as
// long as filling it.
type pool struct {
	mu    sync.Mutex
	total int                // size of all slabs
	slabs map[*slab]struct{} // all slabs
	idle  []*slab            // slabs without chunks in use
	next  chan *slab         // the slab being prepared, or nil
}

// A slab is memory for chunks. Once all its chunks are unused, it can be reused or freed.
type slab struct {
	data    []byte
	uses    atomic.Int64    // chunks in use, and one more while an arena cuts it
	release func() error    // nil if data is on the heap
	cleanup runtime.Cleanup // frees the slab if the pool becomes unreachable
	err     error
}

// A chunk is a piece of a slab.
type chunk struct {
	items []byte
	slab  *slab
}

const (
	minSlab    = 1 << 15
	maxSlab    = 1 << 25
	shareSlabs = 128     // a slab is at most this part of all, or one huge page
	hugeSlabs  = 1 << 20 // total size from which slabs use huge pages
	hugeBytes  = 1 << 21 // size of a huge page on most machines
	pageBytes  = 1 << 12 // size of a page, or less
)

// newSlab allocates a slab of n bytes.
func (p *pool) newSlab(n int) *slab {
	s := new(slab)
	s.data, s.release, s.err = mapfile.Allocate(n)
	if s.release != nil {
		s.cleanup = runtime.AddCleanup(p, func(release func() error) { release() }, s.release)
	}
	return s
}

// take returns a slab for an arena to cut.
func (p *pool) take() (*slab, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *slab
	if last := len(p.idle) - 1; last >= 0 {
		s, p.idle = p.idle[last], p.idle[:last]
	} else {
		if p.next != nil {
			s, p.next = <-p.next, nil
		} else {
			s = p.newSlab(p.slabSize())
		}
		if s.err != nil {
			return nil, s.err
		}
		if p.slabs == nil {
			p.slabs = make(map[*slab]struct{})
		}
		p.slabs[s] = struct{}{}
		p.total += len(s.data)
		if p.total >= hugeSlabs {
			p.next = p.ready(p.slabSize())
		}
	}
	s.uses.Store(1)
	return s, nil
}

// slabSize returns the size of the next slab.
func (p *pool) slabSize() int {
	if p.total < hugeSlabs {
		return minSlab
	}
	return min(max(1, p.total/shareSlabs/hugeBytes)*hugeBytes, maxSlab)
}

// ready allocates a slab in the background and touches all its pages.
func (p *pool) ready(size int) chan *slab {
	next := make(chan *slab, 1)
	go func() {
		s := p.newSlab(size)
		for i := 0; i < len(s.data); i += pageBytes {
			s.data[i] = 0
		}
		next <- s
	}()
	return next
}

// done ends one use of s.
func (p *pool) done(s *slab) {
	if s.uses.Add(-1) == 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, s)
	}
}

// drop frees a slab.
func (p *pool) drop(s *slab) {
	delete(p.slabs, s)
	p.total -= len(s.data)
	if s.release != nil {
		s.cleanup.Stop()
		s.release() // cannot fail: the whole slab is mapped
	}
}

// trim frees all unused slabs.
func (p *pool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		s := <-p.next
		p.total += len(s.data)
		p.drop(s)
	}
	for _, s := range p.idle {
		p.drop(s)
	}
	p.idle, p.next = nil, nil
}

// free frees all slabs. No chunk may be in use.
func (p *pool) free() {
	p.trim()
	for s := range p.slabs {
		p.drop(s)
	}
}

// An arena allocates chunks from its own slabs.
type arena struct {
	pool *pool
	mu   sync.Mutex
	slab *slab // the slab being cut, or nil
	rest []byte
}

// chunk returns a chunk of n bytes, at most minSlab.
func (a *arena) chunk(n int) (chunk, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.rest) < n {
		s, err := a.pool.take()
		if err != nil {
			return chunk{}, err
		}
		a.end()
		a.slab, a.rest = s, s.data
	}
	c := chunk{a.rest[:0:n], a.slab}
	a.slab.uses.Add(1)
	a.rest = a.rest[n:]
	return c, nil
}

// close releases the current slab. A later chunk comes from another one.
func (a *arena) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}

// end ends the use of the slab being cut.
func (a *arena) end() {
	if a.slab != nil {
		a.pool.done(a.slab)
	}
	a.slab, a.rest = nil, nil
}
