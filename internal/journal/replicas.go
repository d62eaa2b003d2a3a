package journal

import (
	"context"
	"errors"
	"fmt"
)

// shared are the methods of a Store that replicas share, besides the methods of [store.Store].
type shared interface {
	Wait(ctx context.Context, from int64) (next int64, err error)
	Lead(ctx context.Context, source string) (bool, error)
	Resign(ctx context.Context, source string) error
	Lock(ctx context.Context, source string) (unlock func(), err error)
}

// IsShared reports whether the Store has the methods Wait, Lead, Resign and
// Lock of the Journal, as the Store of package pgstore has. Replicas that share a Store answer
// from its lists only: one of them loads a list, and the others learn of it by Wait. Of a Store
// that is not shared, these methods return an error that wraps [errors.ErrUnsupported].
func (a *Journal) IsShared() bool {
	_, ok := a.st.(shared)
	return ok
}

var errNotShared = fmt.Errorf("the store has no methods for replicas: %w", errors.ErrUnsupported)

// Wait returns the end of the journal once it is not the position from.
func (a *Journal) Wait(ctx context.Context, from int64) (next int64, err error) {
	if s, ok := a.st.(shared); ok {
		return s.Wait(ctx, from)
	}
	return from, errNotShared
}

// Lead reports whether this program should load a source from its publisher. At most one
// of several replicas leads; if it ends or resigns, another one that calls Lead does.
func (a *Journal) Lead(ctx context.Context, source string) (bool, error) {
	if s, ok := a.st.(shared); ok {
		return s.Lead(ctx, source)
	}
	return false, errNotShared
}

// Resign gives up the lead of a source, if this program has it.
func (a *Journal) Resign(ctx context.Context, source string) error {
	if s, ok := a.st.(shared); ok {
		return s.Resign(ctx, source)
	}
	return errNotShared
}

// Lock waits until no other program has the lock of a source. The program that has it
// saves a list and appends its [Accepted] event, so that lists follow each other.
func (a *Journal) Lock(ctx context.Context, source string) (unlock func(), err error) {
	if s, ok := a.st.(shared); ok {
		return s.Lock(ctx, source)
	}
	return nil, errNotShared
}
