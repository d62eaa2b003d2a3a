package pace_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// Somebody else gets a turn while a computation goes on, though there is one
// processor for both.
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
		pace.Step(i)
	}
	got := turns.Load()
	close(stop)
	<-done
	if got < 90 {
		t.Errorf("%d turns during 6400 steps, want about 100", got)
	}
}
