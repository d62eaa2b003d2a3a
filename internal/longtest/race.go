//go:build race

package longtest

// Race reports whether the race detector is on. It makes a sync.Pool drop values at
// random, so tests cannot count allocations.
const Race = true
