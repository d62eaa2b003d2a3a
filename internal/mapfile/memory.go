package mapfile

import "runtime"

// Memory is bytes off the heap, such as a mapped file, or on it if they are few. It is freed
// when it is no longer reachable, or early by Free.
type Memory struct {
	Bytes   []byte
	release func() error // nil: they are on the heap
	cleanup runtime.Cleanup
}

// New returns n bytes that are zero.
func New(n int) (*Memory, error) { return own(allocate(n)) }

// own returns data as Memory, unless there is an error.
func own(data []byte, release func() error, err error) (*Memory, error) {
	if err != nil {
		return nil, err
	}
	return Own(data, release), nil
}

// Own returns data, which release frees if it is not nil, as Memory.
func Own(data []byte, release func() error) *Memory {
	m := &Memory{Bytes: data, release: release}
	if release != nil {
		m.cleanup = runtime.AddCleanup(m, func(release func() error) { release() }, release)
	}
	return m
}

// IsMapped reports whether the bytes are off the heap.
func (m *Memory) IsMapped() bool { return m != nil && m.release != nil }

// Free frees the bytes, which must not be used afterwards. m may be nil.
func (m *Memory) Free() error {
	if m == nil || m.release == nil {
		return nil
	}
	m.cleanup.Stop()
	release := m.release
	m.release = nil
	return release()
}

// An Array is elements of one size. It grows piece by piece, so that it needs no second copy
// of itself. The zero Array is empty.
type Array struct {
	size   int
	n      int
	pieces []*Memory
}

// perPiece is the number of elements of each piece. The first grows up to that.
const perPiece = 1 << 19

// Append appends an element of size bytes, which all elements have, and returns its bytes.
func (a *Array) Append(size int) ([]byte, error) {
	last, at := len(a.pieces)-1, a.n%perPiece*size
	if last < 0 || at == len(a.pieces[last].Bytes) || at == 0 {
		if err := a.grow(size); err != nil {
			return nil, err
		}
		last = len(a.pieces) - 1
	}
	a.n++
	return a.pieces[last].Bytes[at : at+size : at+size], nil
}

// grow makes room for another element.
func (a *Array) grow(size int) error {
	a.size = size
	n := perPiece
	if a.n < perPiece {
		n = min(max(64, 2*a.n), perPiece)
	}
	m, err := New(n * size)
	if err != nil {
		return err
	}
	if 0 < a.n && a.n < perPiece {
		copy(m.Bytes, a.pieces[0].Bytes)
		a.pieces[0].Free()
		a.pieces = a.pieces[:0]
	}
	a.pieces = append(a.pieces, m)
	return nil
}

// Len returns the number of elements.
func (a *Array) Len() int { return a.n }

// At returns the bytes of element i.
func (a *Array) At(i int) []byte {
	at := i % perPiece * a.size
	return a.pieces[i/perPiece].Bytes[at : at+a.size : at+a.size]
}

// Pieces returns the bytes of all elements, in order.
func (a *Array) Pieces() [][]byte {
	all := make([][]byte, len(a.pieces))
	for i, m := range a.pieces {
		all[i] = m.Bytes[:min(perPiece, a.n-i*perPiece)*a.size]
	}
	return all
}

// Free frees all elements.
func (a *Array) Free() {
	for _, m := range a.pieces {
		m.Free()
	}
	*a = Array{}
}
