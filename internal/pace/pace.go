// Package pace keeps a long computation from holding up those who have a question
// meanwhile.
package pace

import "runtime"

// every is how many steps of a computation, of a microsecond or less each, are
// taken in one go.
const every = 64

// Step is called with the number of each step of a long computation, after it was
// taken, and now and then lets others run: goroutines of this program, and other
// programs on the same processor. Neither the scheduler of Go nor that of the
// system would take a processor from it for milliseconds otherwise.
func Step(i int) {
	if i%every == every-1 {
		Yield()
	}
}

// Yield lets others run, as Step does, after some tens of microseconds of work.
func Yield() {
	runtime.Gosched()
	yieldProcessor()
}
