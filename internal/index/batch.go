package index

import (
	"encoding/binary"
	"runtime"
)

// BatchSize is how many keys a Batch has room for: as many as a processor can wait for
// at once, and so few that they stay in its smallest cache with what belongs to them.
const BatchSize = 64

// A Batch is keys that are looked up at once, and what that needs. It is used by one
// goroutine at a time.
type Batch struct {
	Keys   [BatchSize]Key
	hashes [BatchSize]uint64
	words  [BatchSize]uint64 // of the filters
}

// Lookup sets hits[i] to true where [Index.Lookup] of b.Keys[i] would report true, and
// leaves the others. It allocates nothing.
//
// What is read from memory is read in a loop of its own, with nearly nothing between
// one read and the next: so the processor waits for as many at once as it can.
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

// tableOf returns the table that has the keys of a meta.
func (ix *Index) tableOf(meta uint32) *table {
	if meta>>16 > narrowBytes {
		return &ix.tables[1]
	}
	return &ix.tables[0]
}

// filterWord returns the word of the filter that tells of a hash: all bits, which tell
// nothing, if there is none.
func (t *table) filterWord(h uint64) uint64 {
	off := 8 * bucketOf(h, t.buckets)
	if off+8 > uint64(len(t.filters)) {
		return 1<<64 - 1
	}
	return binary.LittleEndian.Uint64(t.filters[off:])
}
