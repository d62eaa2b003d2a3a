package access

import "sync/atomic"

// A recent remembers some of the values of a sync.Map, which takes longer and allocates.
// Its zero value is ready to use.
type recent[T any] [64]atomic.Pointer[T]

// of returns where the value of an id is remembered, or that of another id.
func (r *recent[T]) of(id string) *atomic.Pointer[T] {
	n := len(id)
	if n == 0 {
		return &r[0]
	}
	return &r[uint(n+int(id[0])+7*int(id[n/2])+31*int(id[n-1]))%uint(len(r))]
}
