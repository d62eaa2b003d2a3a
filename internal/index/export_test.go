package index

import (
	"crypto/sha256"
	"slices"
)

// Tune sets the least number of keys of a table with filters, and the seeds.
func (b *Builder) Tune(filterFrom uint64, seeds func(n int) [4]uint64) {
	b.tune = tuning{filterFrom: filterFrom}
	if seeds != nil {
		b.tune.seed = func(n int) *seed { s := seed(seeds(n)); return &s }
	}
}

// HashWith returns the hash of k with a seed.
func HashWith(s [4]uint64, k ID) uint64 {
	sd := seed(s)
	return sd.of(k)
}

// Seed returns the seed of ix.
func (ix *Index) Seed() [4]uint64 { return ix.seed }

const MaxBucket = maxBucket

// Reseal returns data with valid checksums, as an attacker would make them.
func Reseal(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) < headerBytes {
		return data
	}
	body := bodyDigest(data)
	copy(data[120:152], body[:])
	sum := sha256.Sum256(data[:headerSum])
	copy(data[headerSum:], sum[:])
	return data
}
