package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// An outage tells a log when a Store begins to fail, and when it works again.
type outage struct {
	log  *slog.Logger // nil for none
	of   string       // what the store is asked for
	down atomic.Bool

	mu    sync.Mutex
	since time.Time
}

// report notes how a call of the store went.
func (o *outage) report(err error) {
	if err == nil && !o.down.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down.Swap(err != nil) == (err != nil) {
		return
	}
	now := time.Now()
	switch {
	case o.log == nil:
	case err != nil:
		o.log.LogAttrs(context.Background(), slog.LevelError, "the store of "+o.of+" fails", slog.String("error", err.Error()))
	default:
		o.log.LogAttrs(context.Background(), slog.LevelWarn, "the store of "+o.of+" works again", slog.Duration("after", now.Sub(o.since)))
	}
	o.since = now
}
