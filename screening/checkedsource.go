package screening

import (
	"context"
	"errors"
	"sync"

	"github.com/walletscreen/walletscreen/sources"
)

var (
	errEnded = errors.New("the source has ended its goroutine")
	errLate  = errors.New("an entry after the end of the list")
)

// loadFrom is src.Load of a Source that is not ours: whatever that does, a list that
// is not whole is an error. It may panic, or end its goroutine; it may call add from
// several goroutines, or when it has returned; and it may not look at the error of
// add, of which the first counts.
func loadFrom(ctx context.Context, src sources.Source, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	var mu sync.Mutex // guards add and the following
	var refused error
	locked := func(e sources.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if refused == nil {
			refused = add(e)
		}
		return refused
	}
	var rev sources.Revision
	err := errEnded
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer caught(&err)
		rev, err = src.Load(ctx, prev, locked)
	}()
	<-done
	mu.Lock()
	defer mu.Unlock()
	if refused != nil && (err == nil || errors.Is(err, sources.ErrUnchanged)) {
		err = refused
	}
	refused = errLate
	return rev, err
}
