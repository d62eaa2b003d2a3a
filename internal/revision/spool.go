package revision

import (
	"iter"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/sources"
)

// A Spool holds entries in little memory, off the heap, until they are read once. The zero Spool
// is empty.
type Spool struct {
	w      *Writer
	pieces []spooled
}

// A spooled is whole entries.
type spooled struct {
	memory *mapfile.Memory
	used   int
}

// spoolBytes is the size of a piece.
const spoolBytes = 4 << 20

// Add adds an entry. The error says that it cannot be read back; then it was not added.
func (s *Spool) Add(e *sources.Entry) error {
	if s.w == nil {
		s.w = &Writer{w: s, strings: make(map[string]uint64)}
	}
	return s.w.entry(e)
}

// Write adds the bytes of whole entries. It is for the Writer of s.
func (s *Spool) Write(p []byte) (int, error) {
	if n := len(s.pieces); n == 0 || len(p) > len(s.pieces[n-1].memory.Bytes)-s.pieces[n-1].used {
		m, err := mapfile.New(max(spoolBytes, len(p)))
		if err != nil {
			return 0, err
		}
		s.pieces = append(s.pieces, spooled{memory: m})
	}
	last := &s.pieces[len(s.pieces)-1]
	last.used += copy(last.memory.Bytes[last.used:], p)
	return len(p), nil
}

// Drain returns the entries, in order, and frees their memory as it goes. s is empty afterwards.
// Nothing follows an error.
func (s *Spool) Drain() iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		defer s.Free()
		if s.w == nil {
			return
		}
		if s.w.flush(); s.w.err != nil {
			yield(sources.Entry{}, s.w.err)
			return
		}
		var d decoder
		for _, piece := range s.pieces {
			d.rest = piece.memory.Bytes[:piece.used]
			for len(d.rest) > 0 {
				if e, err := d.entry(); !yield(e, err) || err != nil {
					return
				}
			}
			piece.memory.Free()
		}
	}
}

// Free empties s.
func (s *Spool) Free() {
	for _, piece := range s.pieces {
		piece.memory.Free()
	}
	*s = Spool{}
}
