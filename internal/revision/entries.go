package revision

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// Entries are entries in their order, in the form that they have in a file: the entries of a
// File, or others that were added. The zero Entries is empty. Once nothing is added
// any more, its methods may be called concurrently.
type Entries struct {
	n      int
	pieces [][]byte // whole entries
	what   string   // begins errors about them

	enc *encoder // of entries that are added; nil after Seal
	err error    // why a file cannot have them
}

// pieceBytes is the size of a piece, unless all pieces before it are smaller.
const pieceBytes = 4 << 20

// Add adds an entry. An entry that cannot be in a file is kept all the same; [Writer.Entries]
// returns an error for it.
func (s *Entries) Add(e *sources.Entry) {
	if s.enc == nil {
		s.enc = newEncoder()
	}
	if err := s.enc.entry(e); err != nil && s.err == nil {
		s.err = err
	}
	s.n++
	if len(s.enc.buf) >= min(max(bufferBytes, s.n), pieceBytes) {
		s.endPiece()
	}
}

// Seal frees what only Add needs. No Add may follow.
func (s *Entries) Seal() {
	if s.enc != nil {
		s.endPiece()
		s.enc = nil
	}
}

// endPiece makes a piece of the entries that are in no piece yet.
func (s *Entries) endPiece() {
	s.pieces = append(s.pieces, bytes.Clone(s.enc.buf))
	s.enc.buf = s.enc.buf[:0]
}

// Len returns the number of entries.
func (s *Entries) Len() int { return s.n }

// All returns the entries in their order. After an error there are no more; see [File.Entries].
func (s *Entries) All() iter.Seq2[sources.Entry, error] {
	return s.Except(func(int) bool { return false })
}

// Except is All without the entries whose number, counted from 0, is to be skipped.
func (s *Entries) Except(skip func(i int) bool) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		c := s.Cursor()
		for i := range s.n {
			c.more()
			skipped := skip(i)
			var e sources.Entry
			var err error
			if skipped {
				_, err = c.d.raw()
			} else {
				e, err = c.d.entry()
			}
			if err != nil {
				yield(sources.Entry{}, fmt.Errorf("%sentry %d: %w", s.what, i, err))
				return
			}
			if !skipped && !yield(e, nil) {
				return
			}
		}
		c.more()
		if rest := len(c.d.rest); rest > 0 {
			yield(sources.Entry{}, fmt.Errorf("%s%w: %d bytes after the last entry", s.what, ErrDamaged, rest))
		}
	}
}

// Entries writes all entries of s. No other ones may be written.
func (w *Writer) Entries(s *Entries) error {
	switch {
	case w.entries > 0 || w.end > 0:
		return w.fail(errors.New("entries after an entry"))
	case s.err != nil:
		return w.fail(s.err)
	}
	w.entries = s.n
	w.flush()
	for _, piece := range s.pieces {
		(*tableWriter)(w).Write(piece) // it keeps the error
	}
	return w.err
}

// A Cursor compares Entries, one by one, with others.
type Cursor struct {
	pieces [][]byte
	d      decoder
}

// Cursor returns a Cursor before the first entry.
func (s *Entries) Cursor() *Cursor {
	return &Cursor{pieces: s.pieces, d: decoder{lax: s.err != nil}}
}

// more makes d begin with the next entry, if there is one.
func (c *Cursor) more() {
	for len(c.d.rest) == 0 && len(c.pieces) > 0 && c.d.err == nil {
		c.d.rest, c.pieces = c.pieces[0], c.pieces[1:]
	}
}

// Find moves to the first of the next few entries that differs from e in nothing but FirstSeen and
// NotListedOn, and returns how many it has skipped. If there is none, or an entry cannot be read,
// it reports false and does not move.
func (c *Cursor) Find(e *sources.Entry, few int) (skipped int, ok bool) {
	before := *c
	for skipped := range few {
		c.more()
		raw, err := c.d.raw()
		if err != nil {
			break
		}
		if raw.is(e) {
			return skipped, true
		}
	}
	*c = before
	return 0, false
}

// Dates returns FirstSeen and NotListedOn of the entry to which Find has moved.
func (c *Cursor) Dates() (firstSeen, notListedOn time.Time) {
	e := &c.d.last.entry
	return e.FirstSeen, e.NotListedOn
}
