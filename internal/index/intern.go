package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"sync"
)

// An interner numbers byte strings; equal strings have one number. The number of its
// pointers does not grow with its size.
type interner struct {
	arena []byte   // all strings
	ends  []uint32 // offset in arena of the end of each
	table []uint32 // open addressing: the number of a string plus 1, or 0
	seed  maphash.Seed
}

// len returns the number of strings.
func (in *interner) len() int { return len(in.ends) }

// bytes returns string n.
func (in *interner) bytes(n uint32) []byte {
	begin := uint32(0)
	if n > 0 {
		begin = in.ends[n-1]
	}
	return in.arena[begin:in.ends[n]]
}

// intern returns the number of b.
func (in *interner) intern(b []byte) (uint32, error) {
	if 2*len(in.ends) >= len(in.table) {
		in.grow()
	}
	mask := uint64(len(in.table) - 1)
	at := maphash.Bytes(in.seed, b) & mask
	for ; in.table[at] != 0; at = (at + 1) & mask {
		if n := in.table[at] - 1; bytes.Equal(in.bytes(n), b) {
			return n, nil
		}
	}
	// The highest number marks damage.
	if uint64(len(in.arena)+len(b)) > math.MaxUint32 || uint64(len(in.ends)) >= math.MaxUint32-1 {
		return 0, fmt.Errorf("%w: texts or sets", ErrTooLarge)
	}
	in.arena = append(in.arena, b...)
	in.ends = append(in.ends, uint32(len(in.arena)))
	in.table[at] = uint32(len(in.ends))
	return uint32(len(in.ends) - 1), nil
}

// grow doubles the table.
func (in *interner) grow() {
	if in.table == nil {
		in.seed = maphash.MakeSeed()
	}
	in.table = make([]uint32, max(16, 2*len(in.table)))
	mask := uint64(len(in.table) - 1)
	for n := range in.ends {
		at := maphash.Bytes(in.seed, in.bytes(uint32(n))) & mask
		for in.table[at] != 0 {
			at = (at + 1) & mask
		}
		in.table[at] = uint32(n + 1)
		step(n)
	}
}

// A sharedSets numbers the sets of values, each with the meta of its keys. It may be used
// concurrently; the numbers depend on the order of calls.
type sharedSets struct {
	mu  sync.Mutex
	all interner
}

// intern returns the number of a set: meta and values, little-endian.
func (s *sharedSets) intern(set []byte) (uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.intern(set)
}

// recentSets caches the numbers of sets of one value for one goroutine, without a lock.
type recentSets [1024]struct{ meta, value, next uint32 } // next: the number plus 1

// number replaces the value of each item in a chunk by the number of the set with only
// that value.
func (r *recentSets) number(s *sharedSets, chunk []byte, size int) error {
	locked := false
	for ; len(chunk) > 0; chunk = chunk[size:] {
		set := chunk[size-8 : size : size] // meta and value
		both := binary.LittleEndian.Uint64(set)
		e := &r[both*0x9e3779b97f4a7c15>>54]
		if e.next == 0 || uint64(e.value)<<32|uint64(e.meta) != both {
			if !locked {
				s.mu.Lock()
				defer s.mu.Unlock()
				locked = true
			}
			n, err := s.all.intern(set)
			if err != nil {
				return err
			}
			e.meta, e.value, e.next = uint32(both), uint32(both>>32), n+1
		}
		binary.LittleEndian.PutUint32(set[4:], e.next-1)
	}
	return nil
}
