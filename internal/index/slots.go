package index

// slots find numbers by hashes: the numbers of rows by the hashes of their keys, for example.
// They hold a part of each hash, so they grow without access to the keys.
type slots struct {
	at []uint64 // 32 bits of a hash, and a number, which is not 0; 0: free
	n  int
}

// begin returns where the search for a hash begins. It grows with the hash, so slots grow in
// the order in which they lie in memory.
func (s *slots) begin(h uint64) int { return int(h >> 32 * uint64(len(s.at)) >> 32) }

// next returns the first number at or after *at whose hash may be h, and sets *at to its place.
// It reports true if there is none.
func (s *slots) next(at *int, h uint64) (number uint32, end bool) {
	if len(s.at) == 0 {
		return 0, true
	}
	for i := *at; ; i++ {
		if i >= len(s.at) {
			i = 0
		}
		slot := s.at[i]
		if slot == 0 {
			return 0, true
		}
		if slot>>32 == h>>32 {
			*at = i
			return uint32(slot), false
		}
	}
}

// add adds a number with hash h.
func (s *slots) add(h uint64, number uint32) {
	if s.n >= len(s.at)/4*3 {
		s.resize(max(16, 2*len(s.at)))
	}
	s.n++
	s.put(h>>32<<32 | uint64(number))
}

// put puts a slot into the first place that is free.
func (s *slots) put(slot uint64) {
	i := s.begin(slot)
	for s.at[i] != 0 {
		if i++; i == len(s.at) {
			i = 0
		}
	}
	s.at[i] = slot
}

// resize makes room for n slots.
func (s *slots) resize(n int) {
	old := s.at
	s.at = make([]uint64, n)
	for _, slot := range old {
		if slot != 0 {
			s.put(slot)
		}
	}
}

// roomOf returns how many slots are best for n numbers: two thirds are used.
func roomOf(n int) int { return n + n/2 + 1 }
