package sources

import "context"

// WithProgress returns a context whose Load calls progress while it reads the list: read
// counts the bytes so far, total is how many there are, or -1 if that is not known. A
// download that is repeated begins at zero. It may be called from any goroutine, and
// should return quickly. Each Source of this module calls it, unless its entries are in
// memory.
func WithProgress(ctx context.Context, progress func(read, total int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, progress)
}

// Progress returns the function that WithProgress put into ctx, or one that does nothing.
// A Source calls it in Load.
func Progress(ctx context.Context) func(read, total int64) {
	if progress, _ := ctx.Value(progressKey{}).(func(read, total int64)); progress != nil {
		return progress
	}
	return func(int64, int64) {}
}

type progressKey struct{}
