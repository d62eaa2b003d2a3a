package index

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// Slots find the numbers of items by the hashes of the items. They hold a part of each
// hash, so they grow without access to the items. The zero Slots is empty.
type Slots struct {
	memory *mapfile.Memory // 8 bytes each: a number plus 1, or 0, and 32 bits of its hash
	free   int             // how many more numbers there is room for
	n      int
}

// Find calls is with each number whose hash may be h until is returns true, and returns
// that number.
func (s *Slots) Find(h uint64, is func(number uint32) bool) (number uint32, ok bool) {
	if s.memory == nil {
		return 0, false
	}
	slots := s.memory.Bytes
	for at := slotOf(h, slots); ; {
		slot := binary.LittleEndian.Uint64(slots[at:])
		if slot == 0 {
			return 0, false
		}
		if slot>>32 == h>>32 && is(uint32(slot)-1) {
			return uint32(slot) - 1, true
		}
		if at += 8; at == len(slots) {
			at = 0
		}
	}
}

// Prefetch reads what Find will read to find h, but does not wait for memory. So many calls of
// Prefetch, followed by the calls of Find, take less time than the calls of Find alone. Use the
// result, so that the compiler keeps the reads.
func (s *Slots) Prefetch(h uint64) (some byte) {
	if s.memory == nil {
		return 0
	}
	return s.memory.Bytes[slotOf(h, s.memory.Bytes)]
}

// slotOf returns where the search for a hash begins. It grows with the hash, so slots grow
// in the order in which they lie in memory.
func slotOf(h uint64, slots []byte) int { return int(h >> 32 * uint64(len(slots)/8) >> 32 * 8) }

// Add adds a number, less than 2^32-1, with hash h.
func (s *Slots) Add(h uint64, number uint32) error {
	if s.free == 0 {
		if err := s.Grow(s.n / 2); err != nil {
			return err
		}
	}
	s.free--
	s.n++
	put(s.memory.Bytes, h>>32<<32|uint64(number)+1)
	return nil
}

// put puts a slot into the first place that is free.
func put(slots []byte, slot uint64) {
	at := slotOf(slot, slots)
	for binary.LittleEndian.Uint64(slots[at:]) != 0 {
		if at += 8; at == len(slots) {
			at = 0
		}
	}
	binary.LittleEndian.PutUint64(slots[at:], slot)
}

// Grow makes room for more numbers.
func (s *Slots) Grow(more int) error {
	n := max(64, (s.n+more)/3*4) // at most three quarters are used, so searches are short
	m, err := mapfile.New(8 * n)
	if err != nil {
		return err
	}
	if s.memory != nil {
		for old := s.memory.Bytes; len(old) > 0; old = old[8:] {
			if slot := binary.LittleEndian.Uint64(old); slot != 0 {
				put(m.Bytes, slot)
			}
		}
		s.memory.Free()
	}
	s.memory, s.free = m, n*3/4-s.n
	return nil
}

// Free frees the slots.
func (s *Slots) Free() {
	s.memory.Free()
	*s = Slots{}
}
