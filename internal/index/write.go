package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"math"

	"github.com/walletscreen/walletscreen/internal/mapfile"
	"github.com/walletscreen/walletscreen/internal/pace"
)

// sets number the sets of values of the keys in the order of the records.
type sets struct {
	heads  mapfile.Array // 8 bytes each: meta of the keys, first value
	values mapfile.Array // 4 bytes each
	slots  Slots
	seed   maphash.Seed
	last   []byte // the set numbered last: meta and values
	lastN  uint32
}

// intern returns the number of a set: meta and values.
func (s *sets) intern(set []byte) (uint32, error) {
	if bytes.Equal(set, s.last) {
		return s.lastN, nil
	}
	hash := maphash.Bytes(s.seed, set)
	n, ok := s.slots.Find(hash, func(n uint32) bool { return s.is(n, set) })
	if !ok {
		n = uint32(s.heads.Len())
		if uint64(s.values.Len()+len(set)/4) > math.MaxUint32 {
			return 0, fmt.Errorf("%w: values", ErrTooLarge)
		}
		head, err := s.heads.Append(8)
		if err != nil {
			return 0, err
		}
		copy(head, set[:4])
		binary.LittleEndian.PutUint32(head[4:], uint32(s.values.Len()))
		for values := set[4:]; len(values) > 0; values = values[4:] {
			value, err := s.values.Append(4)
			if err != nil {
				return 0, err
			}
			copy(value, values)
		}
		if err := s.slots.Add(hash, n); err != nil {
			return 0, err
		}
	}
	s.last, s.lastN = append(s.last[:0], set...), n
	return n, nil
}

// is reports whether set n is the given one.
func (s *sets) is(n uint32, set []byte) bool {
	head := s.heads.At(int(n))
	if !bytes.Equal(head[:4], set[:4]) {
		return false
	}
	first, end := int(binary.LittleEndian.Uint32(head[4:])), s.values.Len()
	if int(n)+1 < s.heads.Len() {
		end = int(binary.LittleEndian.Uint32(s.heads.At(int(n) + 1)[4:]))
	}
	if end-first != len(set)/4-1 {
		return false
	}
	for i := first; i < end; i++ {
		if !bytes.Equal(s.values.At(i), set[4*(i-first)+4:][:4]) {
			return false
		}
	}
	return true
}

// free frees the sets.
func (s *sets) free() {
	s.heads.Free()
	s.values.Free()
	s.slots.Free()
}

// number replaces the values of the items of each key by the number of their set, and leaves
// one item for each key.
func (s *sets) number(sd *side) error {
	size := itemBytes(sd.width)
	kept := sd.items[:0]
	var set []byte
	for i, items := 0, sd.items; len(items) > 0; i++ {
		item := items[:size]
		set = append(append(set[:0], item[sd.width:sd.width+4]...), item[size-4:]...)
		for items = items[size:]; len(items) > 0 && bytes.Equal(items[:size-4], item[:size-4]); items = items[size:] {
			set = append(set, items[size-4:size]...)
		}
		n, err := s.intern(set)
		if err != nil {
			return err
		}
		kept = append(kept, item...)
		binary.LittleEndian.PutUint32(kept[len(kept)-4:], n)
		if i%partItems == 0 {
			pace.Yield()
		}
	}
	sd.items = kept
	return nil
}

// write makes the index of sorted items, none of whose buckets is overfull.
func (b *Builder) write(seed *seed, sides *[2]side) (*Index, error) {
	sets := &sets{seed: maphash.MakeSeed()}
	defer sets.free()
	l := layout{seed: *seed, texts: uint64(b.texts.ends.Len()), bytes: uint64(b.texts.used)}
	least := max(b.tune.filterFrom, filterFrom)
	for i := range sides {
		if err := sets.number(&sides[i]); err != nil {
			return nil, err
		}
		l.keys[i] = sides[i].keys
		l.filter[i] = l.keys[i] >= least
		if l.keys[i] > maxKeys {
			return nil, fmt.Errorf("%w: %d keys", ErrTooLarge, l.keys[i])
		}
	}
	sets.slots.Free()
	l.sets, l.values = uint64(sets.heads.Len()), uint64(sets.values.Len())
	at := l.sections()
	if at.end != uint64(int(at.end)) {
		return nil, ErrTooLarge
	}
	m, err := mapfile.New(int(at.end))
	if err != nil {
		return nil, err
	}
	data := m.Bytes
	for i := range sides {
		sides[i].write(seed, data[at.filters[i].off:][:at.filters[i].n], data[at.heads[i].off:], data[at.records[i].off:])
		sides[i].memory.Free()
	}
	end := copyAll(data[at.sets.off:], &sets.heads)
	binary.LittleEndian.PutUint32(end[4:], uint32(l.values))
	copyAll(data[at.values.off:], &sets.values)
	copyAll(data[at.ends.off+4:], &b.texts.ends)
	b.texts.copyTo(data[at.texts.off:])
	copy(data, l.header(at.end, bodyDigest(data)))
	return Load(data, m)
}

// copyAll copies the elements of a to b, and returns the rest of b.
func copyAll(b []byte, a *mapfile.Array) []byte {
	for _, piece := range a.Pieces() {
		b = b[copy(b, piece):]
	}
	return b
}

// write writes filters, if there is room for them, buckets and records.
func (s *side) write(seed *seed, filters, heads, records []byte) {
	size, buckets := itemBytes(s.width), bucketsFor(s.keys)
	next, begin, rank := uint64(0), uint64(0), uint64(0) // next is the bucket after the current one, which begins at a rank
	for items := s.items; len(items) > 0; items = items[size:] {
		h := seed.hashOf(items[:size])
		bucket := bucketOf(h, buckets)
		for ; next <= bucket; next++ {
			binary.LittleEndian.PutUint32(heads[headBytes*next:], uint32(rank))
			begin = rank
		}
		if slot := rank - begin; slot < slots {
			binary.LittleEndian.PutUint16(heads[headBytes*bucket+4+2*slot:], uint16(fingerprint(h)))
		}
		if len(filters) > 0 {
			word := filters[8*bucket:]
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|filterBits(h))
		}
		copy(records, items[:s.width])
		copy(records[s.width:s.width+4], items[size-4:size])
		records = records[s.width+4:]
		if rank++; rank%partItems == 0 {
			pace.Yield()
		}
	}
	for ; next <= buckets; next++ {
		binary.LittleEndian.PutUint32(heads[headBytes*next:], uint32(rank))
	}
}

// bodyDigest returns the SHA-256 of the CRC-32C checksums of all blocks of an index, without
// the header.
func bodyDigest(data []byte) [32]byte {
	var sums []byte
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	for body := data[headerBytes:]; len(body) > 0; {
		n := min(blockBytes, len(body))
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(body[:n], castagnoli))
		body = body[n:]
		pace.Yield()
	}
	return sha256.Sum256(sums)
}
