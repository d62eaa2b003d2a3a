package index

// Tune lets tests have filters from so many keys on, and choose the seeds.
func (b *Builder) Tune(filterFrom uint64, seeds func(n int) [4]uint64) {
	b.tune.filterFrom = filterFrom
	if seeds != nil {
		b.tune.seed = func(n int) *seed { s := seed(seeds(n)); return &s }
	}
}

// HashWith returns the hash of k under a seed.
func HashWith(s [4]uint64, k Key) uint64 {
	sd := seed(s)
	return sd.of(k)
}

// Seed returns the seed of ix.
func (ix *Index) Seed() [4]uint64 { return ix.seed }

const MaxBucket = maxBucket
