package index

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

// texts number texts; equal ones have one number.
type texts struct {
	memory *mapfile.Memory
	used   int           // bytes of memory
	ends   mapfile.Array // 4 bytes each
	slots  Slots
	seed   maphash.Seed
}

// bytes returns text n.
func (t *texts) bytes(n uint32) []byte {
	begin := uint32(0)
	if n > 0 {
		begin = binary.LittleEndian.Uint32(t.ends.At(int(n - 1)))
	}
	return t.memory.Bytes[begin:binary.LittleEndian.Uint32(t.ends.At(int(n)))]
}

// intern returns the number of a text.
func (t *texts) intern(text string) (uint32, error) {
	if t.memory == nil {
		t.seed = maphash.MakeSeed()
	}
	hash := maphash.String(t.seed, text)
	if n, ok := t.slots.Find(hash, func(n uint32) bool { return string(t.bytes(n)) == text }); ok {
		return n, nil
	}
	end, n := t.used+len(text), uint32(t.ends.Len())
	if uint64(end) > math.MaxUint32 || uint64(n) >= math.MaxUint32-1 { // the highest number marks damage
		return 0, fmt.Errorf("%w: texts", ErrTooLarge)
	}
	if t.memory == nil || end > len(t.memory.Bytes) {
		grown, err := mapfile.New(max(1<<8, 2*end))
		if err != nil {
			return 0, err
		}
		if t.memory != nil {
			copy(grown.Bytes, t.memory.Bytes[:t.used])
			t.memory.Free()
		}
		t.memory = grown
	}
	at, err := t.ends.Append(4)
	if err != nil {
		return 0, err
	}
	binary.LittleEndian.PutUint32(at, uint32(end))
	copy(t.memory.Bytes[t.used:], text)
	t.used = end
	return n, t.slots.Add(hash, n)
}

// free frees the texts.
func (t *texts) free() {
	t.memory.Free()
	t.ends.Free()
	t.slots.Free()
	*t = texts{}
}
