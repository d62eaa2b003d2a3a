package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"runtime"
	"sync"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// An interner numbers byte strings; equal strings have one number. Many are held off the
// heap, where memory can be allocated there. It must not be copied.
type interner struct {
	pieces []piece
	end    uint64         // the place behind the last string
	size   uint64         // of all strings
	ends   mapfile.Words  // by string: the place behind it
	table  *mapfile.Words // open addressing: the number of a string plus 1, or 0
	seed   maphash.Seed
}

// A piece holds whole strings. A string that is larger than a piece has several of its own.
// A place is the number of a piece times pieceBytes, and an offset.
type piece struct {
	data    []byte // to the end of the string, if that is larger
	large   bool   // a part of a larger string
	release func() error
	cleanup runtime.Cleanup // frees data if the interner becomes unreachable
}

// pieceBytes is the size of a piece. The first grows up to that.
const pieceBytes = 1 << 22

// len returns the number of strings.
func (in *interner) len() int { return in.ends.Len() }

// bytes returns string n.
func (in *interner) bytes(n uint32) []byte {
	begin, end := uint64(0), uint64(in.ends.At(int(n)))
	if n > 0 {
		begin = uint64(in.ends.At(int(n - 1)))
	}
	if next := pieceAfter(begin); end > next {
		begin = next
	}
	if begin == end {
		return nil
	}
	return in.pieces[begin/pieceBytes].data[begin%pieceBytes:][:end-begin]
}

// pieceAfter returns the place of the first piece that does not begin before a place.
func pieceAfter(place uint64) uint64 { return (place + pieceBytes - 1) / pieceBytes * pieceBytes }

// intern returns the number of b.
func (in *interner) intern(b []byte) (uint32, error) {
	if in.table == nil || 4*in.len() >= 3*in.table.Len() {
		if err := in.grow(); err != nil {
			return 0, err
		}
	}
	at := in.slotOf(b)
	for ; in.table.At(at) != 0; at = in.after(at) {
		if n := in.table.At(at) - 1; bytes.Equal(in.bytes(n), b) {
			return n, nil
		}
	}
	begin, err := in.room(len(b))
	if err != nil {
		return 0, err
	}
	if err := in.ends.Append(uint32(begin) + uint32(len(b))); err != nil {
		return 0, err
	}
	if len(b) > 0 {
		copy(in.pieces[begin/pieceBytes].data[begin%pieceBytes:], b)
	}
	in.end = begin + uint64(len(b))
	in.size += uint64(len(b))
	in.table.Set(at, uint32(in.len()))
	return uint32(in.len() - 1), nil
}

// slotOf returns the slot at which the search for b begins.
func (in *interner) slotOf(b []byte) int {
	slot, _ := bits.Mul64(maphash.Bytes(in.seed, b), uint64(in.table.Len()))
	return int(slot)
}

// after returns the slot after the given one.
func (in *interner) after(slot int) int {
	if slot++; slot < in.table.Len() {
		return slot
	}
	return 0
}

// room returns the place of the next string, which has n bytes.
func (in *interner) room(n int) (uint64, error) {
	begin, size := in.end, uint64(n)
	if next := pieceAfter(begin); n > 0 && begin < next && (begin+size > next || in.pieces[begin/pieceBytes].large) {
		begin = next
	}
	// The highest number marks damage.
	if begin+size > math.MaxUint32 || uint64(in.len()) >= math.MaxUint32-1 {
		return 0, fmt.Errorf("%w: texts or sets", ErrTooLarge)
	}
	if n == 0 || begin+size <= uint64(len(in.pieces))*pieceBytes && len(in.pieces) > 1 {
		return begin, nil
	}
	if begin < pieceBytes && size <= pieceBytes { // in the first piece
		if len(in.pieces) == 0 {
			in.pieces = make([]piece, 1)
		}
		had := in.pieces[0].data
		if begin+size <= uint64(len(had)) {
			return begin, nil
		}
		grown, err := in.allocate(int(min(pieceBytes, max(1<<8, 2*(begin+size)))))
		if err != nil {
			return 0, err
		}
		copy(grown.data, had)
		in.free(0)
		in.pieces[0] = grown
		return begin, nil
	}
	all, err := in.allocate(int(pieceAfter(size)))
	if err != nil {
		return 0, err
	}
	all.large = size > pieceBytes
	for rest := all.data; len(rest) > 0; rest = rest[pieceBytes:] {
		in.pieces = append(in.pieces, piece{data: rest, large: all.large})
	}
	in.pieces[begin/pieceBytes] = all
	return begin, nil
}

// allocate allocates a piece.
func (in *interner) allocate(size int) (p piece, err error) {
	if p.data, p.release, err = mapfile.Allocate(size); err == nil && p.release != nil {
		p.cleanup = runtime.AddCleanup(in, func(release func() error) { release() }, p.release)
	}
	return p, err
}

// free frees a piece.
func (in *interner) free(i int) {
	p := &in.pieces[i]
	if p.release != nil {
		p.cleanup.Stop()
		p.release() // cannot fail: all of it is mapped
	}
	*p = piece{}
}

// close frees the table, if hardly another string will be interned.
func (in *interner) close() {
	if in.table != nil {
		in.table.Free()
		in.table = nil
	}
}

// freeAll frees everything.
func (in *interner) freeAll() {
	for i := range in.pieces {
		in.free(i)
	}
	in.ends.Free()
	in.close()
}

// grow makes the table half as large again, or as large as it must be. It needs only the
// strings, so it frees the old table first.
func (in *interner) grow() error {
	if in.table == nil {
		in.seed = maphash.MakeSeed()
	}
	in.close()
	var err error
	if in.table, err = mapfile.NewWords(max(16, 2*in.len())); err != nil {
		in.table = nil
		return err
	}
	for n := range in.len() {
		at := in.slotOf(in.bytes(uint32(n)))
		for in.table.At(at) != 0 {
			at = in.after(at)
		}
		in.table.Set(at, uint32(n+1))
		step(n)
	}
	return nil
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

// value returns the value of a set that has one.
func (s *sharedSets) value(set uint32) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return binary.LittleEndian.Uint32(s.all.bytes(set)[4:])
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
