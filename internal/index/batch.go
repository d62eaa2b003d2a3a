package index

import (
	"encoding/binary"
	"runtime"
)

// BatchSize is the capacity of a Batch: as many keys as a processor can have reads in
// flight for, and few enough to stay in its first-level cache.
const BatchSize = 64

// A Batch looks up many keys at once. It must not be used concurrently.
type Batch struct {
	Keys   [BatchSize]ID
	hashes [BatchSize]uint64
	words  [BatchSize]uint64 // of the filters
}

// Lookup sets hits[i] to true if [Index.Lookup] would report true for b.Keys[i], and
// leaves the other elements. It does not allocate.
//
// It reads memory in a loop with hardly anything between two reads, so that the processor
// has as many reads in flight as it can.
func (b *Batch) Lookup(ix *Index, hits []bool) {
	keys := b.Keys[:len(hits)]
	hashes, words := b.hashes[:len(keys)], b.words[:len(keys)]
	sd := ix.seed
	for i := range keys {
		k := &keys[i]
		hashes[i] = fold(fold(k.w0^sd[0], k.w1^sd[1])^uint64(k.meta), fold(k.w2^sd[2], k.w3^sd[3])) // sd.hash, without a call
	}
	for i, h := range hashes {
		words[i] = ix.tableOf(keys[i].meta).filterWord(h)
	}
	for i, word := range words {
		if mask := filterBits(hashes[i]); word&mask != mask {
			continue
		}
		if _, hit := ix.Lookup(keys[i]); hit {
			hits[i] = true
		}
	}
	runtime.KeepAlive(ix)
}

// tableOf returns the table for keys with the given meta.
func (ix *Index) tableOf(meta uint32) *table {
	if meta>>16 > narrowBytes {
		return &ix.tables[1]
	}
	return &ix.tables[0]
}

// filterWord returns the word of the filter for a hash, or all ones if the table has no
// filters.
func (t *table) filterWord(h uint64) uint64 {
	off := 8 * bucketOf(h, t.buckets)
	if off+8 > uint64(len(t.filters)) {
		return 1<<64 - 1
	}
	return binary.LittleEndian.Uint64(t.filters[off:])
}
