package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// Verify reads all of ix and checks what Open does not: the digest, and that Lookup finds
// each of its keys and nothing else. It returns an error that wraps [ErrDamaged] if
// anything differs from what a Builder makes.
//
// The digest detects accidents. An attacker can make an index with any content and a
// valid digest; but in an index that Verify accepts, Lookup finds exactly the keys that
// All returns.
func (ix *Index) Verify() error {
	defer runtime.KeepAlive(ix)
	if len(ix.data) < headerBytes {
		return fmt.Errorf("%w: closed", ErrDamaged)
	}
	if body := bodyDigest(ix.data); !bytes.Equal(body[:], ix.data[120:152]) {
		return fmt.Errorf("%w: digest", ErrDamaged)
	}
	if err := ix.verifySets(); err != nil {
		return err
	}
	for i := range ix.tables {
		t := &ix.tables[i]
		for n := range t.buckets {
			if err := ix.verifyBucket(t, n); err != nil {
				return err
			}
			if n%(partItems/perBucket) == 0 {
				pace.Yield()
			}
		}
	}
	return nil
}

// verifySets checks the sets and the texts.
func (ix *Index) verifySets() error {
	var values uint64
	for n := range uint64(ix.Sets()) {
		b := ix.sets[8*n:]
		meta, first, end := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[12:])
		if meta>>16 > wideBytes || uint64(first) != values || end <= first || 4*uint64(end) > uint64(len(ix.values)) {
			return fmt.Errorf("%w: set %d", ErrDamaged, n)
		}
		for i := values + 1; i < uint64(end); i++ {
			if binary.LittleEndian.Uint32(ix.values[4*i-4:]) >= binary.LittleEndian.Uint32(ix.values[4*i:]) {
				return fmt.Errorf("%w: the values of set %d", ErrDamaged, n)
			}
		}
		values = uint64(end)
	}
	var at uint32
	for n := 0; n < len(ix.ends); n += 4 {
		end := binary.LittleEndian.Uint32(ix.ends[n:])
		if end < at || n == 0 && end != 0 {
			return fmt.Errorf("%w: text %d", ErrDamaged, n/4)
		}
		at = end
	}
	return nil
}

// verifyBucket checks bucket n of t, its filter and its records.
func (ix *Index) verifyBucket(t *table, n uint64) error {
	head := t.heads[headBytes*n : headBytes*(n+1)]
	rank, end := t.rank(n), t.rank(n+1)
	if end < rank || end > rank+maxBucket || end > t.keys {
		return fmt.Errorf("%w: bucket %d", ErrDamaged, n)
	}
	var want [headBytes]byte
	binary.LittleEndian.PutUint32(want[:], uint32(rank))
	var word, lastHash uint64
	var last [wideBytes + 4]byte // payload and meta, the order of records with one hash
	for r := rank; r < end; r++ {
		k, s := ix.at(t, r)
		h := ix.seed.of(k)
		record := t.record(r)[:t.width]
		size := int(k.meta >> 16)
		var this [wideBytes + 4]byte
		copy(this[:], record)
		binary.LittleEndian.PutUint32(this[wideBytes:], k.meta)
		switch {
		case s == damagedSet, size > t.width, t.width == wideBytes && size <= narrowBytes,
			bytes.Count(record[size:], []byte{0}) != t.width-size,
			bucketOf(h, t.buckets) != n,
			r > rank && (h < lastHash || h == lastHash && bytes.Compare(last[:], this[:]) >= 0):
			return fmt.Errorf("%w: record %d", ErrDamaged, r)
		}
		if slot := r - rank; slot < slots {
			binary.LittleEndian.PutUint16(want[4+2*slot:], uint16(fingerprint(h)))
		}
		word |= filterBits(h)
		lastHash, last = h, this
	}
	if !bytes.Equal(head, want[:]) {
		return fmt.Errorf("%w: bucket %d", ErrDamaged, n)
	}
	if t.filter && binary.LittleEndian.Uint64(t.filters[8*n:]) != word {
		return fmt.Errorf("%w: filter %d", ErrDamaged, n)
	}
	return nil
}
