package pace

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Another goroutine runs during a computation, although both share one processor.
func TestStep(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var turns atomic.Int64
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				turns.Add(1)
				runtime.Gosched()
			}
		}
	}()
	for i := range 6400 {
		all.until.Store(0) // a yield may have been long on a loaded machine
		Step(i)
	}
	got := turns.Load()
	close(stop)
	<-done
	if got < 90 {
		t.Errorf("%d turns during 6400 steps, want about 100", got)
	}
}

// After a long yield, a computation does not yield for the same time.
func TestPacer(t *testing.T) {
	const work = 50 * time.Microsecond
	for _, tt := range []struct {
		turn   time.Duration // length of each yield
		yields int           // in 1000 pieces of work
	}{
		{0, 1000},
		{time.Millisecond, 1000},
		{long - 1, 1000},
		{long, 10}, // one in a hundred
		{10 * time.Millisecond, 5},
		{25 * time.Millisecond, 2},
	} {
		var p pacer
		clock, yields := time.Duration(0), 0
		for range 1000 {
			clock += work
			p.yield(func() time.Duration { return clock }, func() { yields++; clock += tt.turn })
		}
		if yields != tt.yields {
			t.Errorf("%d yields if others have a turn of %v, want %d", yields, tt.turn, tt.yields)
		}
	}
}
