package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

const (
	magic       = "wsindex\n"
	version     = 1
	headerBytes = 256
	headerSum   = headerBytes - sha256.Size // offset of the checksum of the header
	align       = 64                        // of sections
	headBytes   = 32                        // of a bucket
	slots       = 14                        // fingerprints in a bucket
	perBucket   = 8                         // average number of records in a bucket
	maxBucket   = 64                        // largest number of records in a bucket
	blockBytes  = 1 << 20                   // size of a block with a checksum
	maxKeys     = math.MaxUint32            // in a table
)

// A layout has the sizes of the sections of an index, which determine their places.
type layout struct {
	seed   seed
	keys   [2]uint64
	filter [2]bool
	sets   uint64
	values uint64
	texts  uint64
	bytes  uint64 // size of all texts
}

// widths are the payload sizes of the records in the two tables.
var widths = [2]int{narrowBytes, wideBytes}

// bucketsFor returns the number of buckets of a table, at least one.
func bucketsFor(keys uint64) uint64 { return max(1, (keys+perBucket-1)/perBucket) }

// A section is a range of bytes.
type section struct{ off, n uint64 }

// sections has the places of all sections.
type sections struct {
	filters, heads, records   [2]section
	sets, values, ends, texts section
	end                       uint64
}

// sections returns the places of the sections. All counts must be below 2^33 to prevent
// an overflow.
func (l *layout) sections() sections {
	var s sections
	at := uint64(headerBytes)
	place := func(n uint64) section {
		p := section{at, n}
		at = (at + n + align - 1) / align * align
		return p
	}
	for i := range widths {
		buckets := bucketsFor(l.keys[i])
		if l.filter[i] {
			s.filters[i] = place(8 * buckets)
		}
		s.heads[i] = place(headBytes * (buckets + 1))
		s.records[i] = place(uint64(widths[i]+4) * l.keys[i])
	}
	s.sets = place(8 * (l.sets + 1))
	s.values = place(4 * l.values)
	s.ends = place(4 * (l.texts + 1))
	s.texts = place(l.bytes)
	s.end = at
	return s
}

// header returns the header of an index with this layout and body digest; see
// bodyDigest.
func (l *layout) header(size uint64, body [32]byte) []byte {
	b := make([]byte, 0, headerBytes)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, headerBytes)
	b = binary.LittleEndian.AppendUint64(b, size)
	for _, s := range l.seed {
		b = binary.LittleEndian.AppendUint64(b, s)
	}
	for i := range widths {
		b = binary.LittleEndian.AppendUint64(b, l.keys[i])
		var flag uint64
		if l.filter[i] {
			flag = 1
		}
		b = binary.LittleEndian.AppendUint64(b, flag)
	}
	b = binary.LittleEndian.AppendUint64(b, l.sets)
	b = binary.LittleEndian.AppendUint64(b, l.values)
	b = binary.LittleEndian.AppendUint64(b, l.texts)
	b = binary.LittleEndian.AppendUint64(b, l.bytes)
	b = append(b, body[:]...)
	b = append(b, make([]byte, headerSum-len(b))...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// parse returns the index with the bytes data, after it has checked the header and the
// beginning and end of each section.
func parse(data []byte) (*Index, error) {
	if len(data) < headerBytes || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no header", ErrDamaged)
	}
	word := func(off int) uint64 { return binary.LittleEndian.Uint64(data[off:]) }
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return nil, fmt.Errorf("%w: version %d is not known", ErrDamaged, v)
	}
	l := layout{
		seed: seed{word(24), word(32), word(40), word(48)},
		keys: [2]uint64{word(56), word(72)}, filter: [2]bool{word(64) == 1, word(80) == 1},
		sets: word(88), values: word(96), texts: word(104), bytes: word(112),
	}
	for _, n := range []uint64{l.keys[0], l.keys[1], l.sets, l.values, l.texts, l.bytes} {
		if n > math.MaxUint32 {
			return nil, fmt.Errorf("%w: a count is too large", ErrDamaged)
		}
	}
	s := l.sections()
	if s.end != uint64(len(data)) {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrDamaged, len(data), s.end)
	}
	// Writing the parsed header again checks every byte.
	body := [32]byte(data[120:152])
	if !bytes.Equal(l.header(s.end, body), data[:headerBytes]) {
		return nil, fmt.Errorf("%w: header", ErrDamaged)
	}
	cut := func(p section) []byte { return data[p.off : p.off+p.n : p.off+p.n] }
	ix := &Index{
		seed: l.seed, digest: [32]byte(data[headerSum:headerBytes]), data: data,
		sets: cut(s.sets), values: cut(s.values), ends: cut(s.ends), texts: cut(s.texts),
	}
	for i := range widths {
		t := &ix.tables[i]
		*t = table{
			keys: l.keys[i], buckets: bucketsFor(l.keys[i]), width: widths[i], filter: l.filter[i],
			heads: cut(s.heads[i]), records: cut(s.records[i]),
		}
		if t.filter {
			t.filters = cut(s.filters[i])
		}
		if first, end := t.rank(0), t.rank(t.buckets); first != 0 || end != t.keys {
			return nil, fmt.Errorf("%w: buckets from %d to %d of %d keys", ErrDamaged, first, end, t.keys)
		}
	}
	last := uint64(binary.LittleEndian.Uint32(ix.sets[len(ix.sets)-4:]))
	if last != l.values {
		return nil, fmt.Errorf("%w: sets of %d values, want %d", ErrDamaged, last, l.values)
	}
	last = uint64(binary.LittleEndian.Uint32(ix.ends[len(ix.ends)-4:]))
	if last != l.bytes {
		return nil, fmt.Errorf("%w: texts of %d bytes, want %d", ErrDamaged, last, l.bytes)
	}
	return ix, nil
}

// rank returns the number of the first record of bucket n, or the number of all records
// for the bucket after the last one.
func (t *table) rank(n uint64) uint64 {
	return uint64(binary.LittleEndian.Uint32(t.heads[headBytes*n:]))
}
