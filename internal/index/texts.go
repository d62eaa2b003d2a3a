package index

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"sort"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// texts number texts; equal ones that were interned have one number.
type texts struct {
	pieces []textPiece
	used   int           // bytes of all texts
	ends   mapfile.Array // 4 bytes each
	slots  Slots
	seed   maphash.Seed
}

// A textPiece is whole texts: those that begin at an offset, up to the next piece.
type textPiece struct {
	begin  int
	memory *mapfile.Memory
}

// maxPiece is the size of a piece, unless a text is longer or all pieces before it are smaller.
const maxPiece = 4 << 20

// bytes returns text n.
func (t *texts) bytes(n uint32) []byte {
	begin := 0
	if n > 0 {
		begin = int(binary.LittleEndian.Uint32(t.ends.At(int(n - 1))))
	}
	end := int(binary.LittleEndian.Uint32(t.ends.At(int(n))))
	next := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].begin > begin })
	p := &t.pieces[next-1]
	return p.memory.Bytes[begin-p.begin : end-p.begin]
}

// intern returns the number of a text.
func (t *texts) intern(text string) (uint32, error) {
	if t.pieces == nil {
		t.seed = maphash.MakeSeed()
	}
	hash := maphash.String(t.seed, text)
	if n, ok := t.slots.Find(hash, func(n uint32) bool { return string(t.bytes(n)) == text }); ok {
		return n, nil
	}
	n, err := add(t, text)
	if err != nil {
		return 0, err
	}
	return n, t.slots.Add(hash, n)
}

// prefetch reads what intern will read to look for a text; see [Slots.Prefetch].
func (t *texts) prefetch(text string) (some byte) {
	if t.pieces == nil {
		return 0
	}
	return t.slots.Prefetch(maphash.String(t.seed, text))
}

// add adds a text, and returns its number.
func add[T string | []byte](t *texts, text T) (uint32, error) {
	end, n := t.used+len(text), uint32(t.ends.Len())
	if uint64(end) > math.MaxUint32 || uint64(n) >= math.MaxUint32-1 { // the highest number marks damage
		return 0, fmt.Errorf("%w: texts", ErrTooLarge)
	}
	last := len(t.pieces) - 1
	if last < 0 || end-t.pieces[last].begin > len(t.pieces[last].memory.Bytes) {
		m, err := mapfile.New(max(1<<8, min(t.used, maxPiece), len(text)))
		if err != nil {
			return 0, err
		}
		t.pieces = append(t.pieces, textPiece{t.used, m})
		last++
	}
	at, err := t.ends.Append(4)
	if err != nil {
		return 0, err
	}
	binary.LittleEndian.PutUint32(at, uint32(end))
	p := &t.pieces[last]
	copy(p.memory.Bytes[t.used-p.begin:], text)
	t.used = end
	return n, nil
}

// copyTo copies all texts to b.
func (t *texts) copyTo(b []byte) {
	end := t.used
	for i := len(t.pieces) - 1; i >= 0; i-- {
		p := &t.pieces[i]
		copy(b[p.begin:end], p.memory.Bytes)
		end = p.begin
	}
}

// free frees the texts.
func (t *texts) free() {
	for _, p := range t.pieces {
		p.memory.Free()
	}
	t.ends.Free()
	t.slots.Free()
	*t = texts{}
}
