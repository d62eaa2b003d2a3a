package index

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A pool has slabs of memory, which arenas cut into chunks: off the heap, if they
// are many, lest the collector count them. While one slab is filled, the next is
// made ready, for as much time goes by until a page is there as until it is filled.
type pool struct {
	mu    sync.Mutex
	total int                // bytes of slabs
	slabs map[*slab]struct{} // all there are
	idle  []*slab            // those that can be cut again
	next  chan *slab         // the one that is being made ready, or nil
}

// A slab is memory for chunks. When all of them were given back, it can be cut
// again, or given back itself.
type slab struct {
	data    []byte
	uses    atomic.Int64    // chunks, and one more while it is being cut
	release func() error    // nil if it is on the heap
	cleanup runtime.Cleanup // if nobody calls free
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
	shareSlabs = 128     // a slab is so small a part of all, or else a huge page
	hugeSlabs  = 1 << 20 // from how much on slabs are of huge pages
	hugeBytes  = 1 << 21 // a huge page, as there are on most machines
	pageBytes  = 1 << 12 // a page, or less
)

// newSlab returns a slab of n bytes.
func (p *pool) newSlab(n int) *slab {
	s := new(slab)
	s.data, s.release, s.err = allocate(n)
	if s.release != nil {
		s.cleanup = runtime.AddCleanup(p, func(release func() error) { release() }, s.release)
	}
	return s
}

// take returns a slab to be cut.
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

// slabSize returns the size of a slab to be made now.
func (p *pool) slabSize() int {
	if p.total < hugeSlabs {
		return minSlab
	}
	return min(max(1, p.total/shareSlabs/hugeBytes)*hugeBytes, maxSlab)
}

// ready makes a slab, and touches all of its pages, aside.
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

// done ends a use of s.
func (p *pool) done(s *slab) {
	if s.uses.Add(-1) == 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, s)
	}
}

// drop gives a slab back.
func (p *pool) drop(s *slab) {
	delete(p.slabs, s)
	p.total -= len(s.data)
	if s.release != nil {
		s.cleanup.Stop()
		s.release() // it cannot fail: the slab is mapped, and whole
	}
}

// trim gives back the slabs of which nothing is used.
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

// free gives all slabs back. No chunk may be in use.
func (p *pool) free() {
	p.trim()
	for s := range p.slabs {
		p.drop(s)
	}
}

// An arena hands out chunks of slabs of its own.
type arena struct {
	pool *pool
	mu   sync.Mutex
	slab *slab // the one that is being cut, or nil
	rest []byte
}

// chunk returns a chunk with room for n bytes, at most minSlab.
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

// close says that no chunks will be asked for.
func (a *arena) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}

// end ends the use of the slab that is being cut.
func (a *arena) end() {
	if a.slab != nil {
		a.pool.done(a.slab)
	}
	a.slab, a.rest = nil, nil
}
