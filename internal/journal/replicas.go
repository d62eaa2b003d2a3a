package journal

import "context"

// Shared are the methods of a Store that replicas share, besides the methods of [store.Store];
// the Store of package pgstore has them. Replicas answer from the lists of the Store only: one
// of them loads a list, and the others learn of it by Wait.
type Shared interface {
	// Wait returns the end of the journal once it is not the position from.
	Wait(ctx context.Context, from int64) (next int64, err error)
	// Lead reports whether this program should load a source from its publisher. At most one
	// of several replicas leads; if it ends or resigns, another one that calls Lead does.
	Lead(ctx context.Context, source string) (bool, error)
	// Resign gives up the lead of a source, if this program has it.
	Resign(ctx context.Context, source string) error
	// Lock waits until no other program has the lock of a source. The program that has it
	// saves a list and appends its [Accepted] event, so that lists follow each other.
	Lock(ctx context.Context, source string) (unlock func(), err error)
}

// Shared returns the methods for replicas, nil if the Store does not have them.
func (a *Journal) Shared() Shared {
	s, _ := a.st.(Shared)
	return s
}
