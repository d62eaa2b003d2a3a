package index

import (
	"encoding/binary"
	"hash/maphash"
)

// texts are numbered texts; equal ones that were interned have one number.
type texts struct {
	// pieces hold texts, each after its length. The number of a text is where it begins, if
	// all pieces but the last were as long as pieceBytes. A longer text has one piece of its
	// own, and nil for the next ones.
	pieces [][]byte
	slots  slots
	seed   maphash.Seed
}

const pieceBytes = 1 << 18

// of returns text n.
func (t *texts) of(n uint32) []byte {
	b := t.pieces[n/pieceBytes][n%pieceBytes:]
	size, used := binary.Uvarint(b)
	return b[used : used+int(size)]
}

// add adds a text, and returns its number; 0 if there is no room.
func (t *texts) add(text []byte) uint32 {
	need := binary.MaxVarintLen32 + len(text)
	last := len(t.pieces) - 1
	if last < 0 { // the first one grows; no text has the number 0
		t.pieces = append(t.pieces, []byte{0})
		last = 0
	}
	if p := t.pieces[last]; p == nil || len(p)+need > pieceBytes {
		more := (need + pieceBytes - 1) / pieceBytes
		if len(t.pieces)+more > 1<<32/pieceBytes {
			return 0
		}
		last = len(t.pieces)
		t.pieces = append(t.pieces, make([]byte, 0, more*pieceBytes))
		for range more - 1 {
			t.pieces = append(t.pieces, nil)
		}
	}
	p := &t.pieces[last]
	n := uint32(last*pieceBytes + len(*p))
	*p = append(binary.AppendUvarint(*p, uint64(len(text))), text...)
	return n
}

func (t *texts) size() (size int) {
	for _, p := range t.pieces {
		size += cap(p)
	}
	return size
}

// Intern adds a text, unless it has been interned before, and returns its number, which is not
// 0, and whether it was added.
func (t *Table) Intern(text string) (n uint32, added bool) {
	if t.texts.pieces == nil {
		t.texts.seed = maphash.MakeSeed()
	}
	h := maphash.String(t.texts.seed, text)
	s := &t.texts.slots
	for at := s.begin(h); ; at++ {
		n, end := s.next(&at, h)
		if end {
			break
		}
		if string(t.texts.of(n)) == text {
			return n, false
		}
	}
	n = t.AddText([]byte(text))
	s.add(h, n)
	return n, true
}

// AddText adds a text, even if it has been added before, and returns its number. Intern does
// not find it.
func (t *Table) AddText(text []byte) uint32 {
	n := t.texts.add(text)
	if n == 0 {
		t.err = ErrTooLarge
	}
	return n
}

// Text returns the text with a number. Its bytes must not be changed.
func (t *Table) Text(n uint32) []byte { return t.texts.of(n) }
