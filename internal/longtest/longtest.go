// Package longtest scales the loops of tests. By default they are short, so that
// go test ./... stays quick; with the environment variable WALLETSCREEN_LONG=1, as in
// .ci/run, they run at full length. The short loop must test the same promise.
package longtest

import (
	"os"
	"testing"
)

// Enabled reports whether the long loops run.
func Enabled() bool { return os.Getenv("WALLETSCREEN_LONG") == "1" }

// N returns long if the long loops run, and short otherwise.
func N(short, long int) int {
	if Enabled() {
		return long
	}
	return short
}

// Step returns the distance between the cases that a loop in one goroutine tries. With the
// race detector, which makes such a loop ten times as slow and finds nothing in it, it is
// 17 times the short one.
func Step(short, long int) int {
	if Race {
		return 17 * short
	}
	return N(short, long)
}

// WithoutRace skips a test with the race detector, which makes it ten times as slow: it has one
// goroutine, or those that other tests have, too. .ci/run also runs it without.
func WithoutRace(t *testing.T) {
	t.Helper()
	if Race {
		t.Skip("other tests look for races")
	}
}
