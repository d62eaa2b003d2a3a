// Package longtest scales the loops of tests. By default they are short, so that
// go test ./... stays quick; with the environment variable WALLETSCREEN_LONG=1, as in
// .ci/run, they run at full length. The short loop must test the same promise.
package longtest

import "os"

// Enabled reports whether the long loops run.
func Enabled() bool { return os.Getenv("WALLETSCREEN_LONG") == "1" }

// N returns long if the long loops run, and short otherwise.
func N(short, long int) int {
	if Enabled() {
		return long
	}
	return short
}
