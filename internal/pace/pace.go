// Package pace keeps a long computation from holding up those who have a question
// meanwhile.
package pace

import (
	"runtime"
	"sync/atomic"
	"time"
)

// every is how many steps of a computation, of a microsecond or less each, are
// taken in one go.
const every = 64

// long is how long a turn of the others is that do not just have a question. A
// processor is taken from who has it for 10 milliseconds.
const long = 5 * time.Millisecond

// Step is called with the number of each step of a long computation, after it was
// taken, and now and then lets others run: goroutines of this program, and other
// programs on the same processor. Neither the scheduler of Go nor that of the
// system would take a processor from it for milliseconds otherwise.
func Step(i int) {
	if i%every == every-1 {
		Yield()
	}
}

// Yield lets others run, as Step does, after some tens of microseconds of work. If
// they compute without a pause themselves, and so keep the processor for long, no
// computation yields for as long afterwards: or it would have one part of hundreds.
func Yield() { all.yield(sinceStart, letRun) }

// A pacer says when a computation yields.
type pacer struct {
	until atomic.Int64 // none does before; in nanoseconds
}

var (
	all   pacer
	start = time.Now()
)

// sinceStart returns the time by a clock that is never put back.
func sinceStart() time.Duration { return time.Since(start) }

// letRun lets others run.
func letRun() {
	runtime.Gosched()
	yieldProcessor()
}

// yield calls let, unless it took long before, and not yet as long ago.
func (p *pacer) yield(now func() time.Duration, let func()) {
	before := now()
	if int64(before) < p.until.Load() {
		return
	}
	let()
	if after := now(); after-before >= long {
		p.until.Store(int64(after + after - before))
	}
}
