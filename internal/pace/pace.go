// Package pace makes long computations yield, so that concurrent requests are not
// delayed. A computation calls [Step] after each small piece of work.
package pace

import (
	"runtime"
	"sync/atomic"
	"time"
)

// every is the number of steps, of a microsecond or less each, between two yields.
const every = 64

// rare is the least time from one yield to the next, which may cost some microseconds.
const rare = 50 * time.Microsecond

// long is the length of a yield that shows that others compute without a pause. The
// scheduler preempts a goroutine after 10 milliseconds.
const long = 5 * time.Millisecond

// Step yields now and then. A long computation calls it after each step, with the number
// of the step. Other goroutines, and other programs on the same processor, then run at
// once; otherwise they could wait for milliseconds.
func Step(i int) {
	if i%every == every-1 {
		Yield()
	}
}

// Yield yields, unless it has just done so. A computation calls it after at most some tens of
// microseconds of work. If the others compute without a pause and keep the processor for long,
// Yield does nothing for the same time afterwards; otherwise the computation would hardly
// advance.
func Yield() { all.yield(sinceStart, letRun) }

// A pacer decides when a computation yields.
type pacer struct {
	until atomic.Int64 // no yield before this time, in nanoseconds
}

var (
	all   pacer
	start = time.Now()
)

// sinceStart returns the time since start by a monotonic clock.
func sinceStart() time.Duration { return time.Since(start) }

// letRun yields to other goroutines and programs.
func letRun() {
	runtime.Gosched()
	yieldProcessor()
}

// yield calls let, unless little time has passed since the last call: rare, or the time that
// this call took, if that was long.
func (p *pacer) yield(now func() time.Duration, let func()) {
	before := now()
	if int64(before) < p.until.Load() {
		return
	}
	let()
	after := now()
	pause := after - before
	if pause < long {
		pause = rare
	}
	p.until.Store(int64(after + pause))
}
