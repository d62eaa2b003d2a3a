// Package store keeps accepted lists, so that a program that restarts answers before it
// has reached a network, and remembers when it first saw each entry.
//
//	dir, err := store.Open("/var/lib/walletscreen")
//	s, err := screening.New(srcs, &screening.Options{Store: dir})
//
// [Open] opens a directory. [Store] is the interface for other storage, such as a
// database that several machines share, as package pgstore has it. [Retain] says how long a
// store keeps old revisions.
package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
)

// A Store keeps immutable files and an append-only journal. It need not know what they
// hold: package screening does. Methods may be called concurrently, also by several
// programs. They return an error that wraps ctx.Err() soon after ctx has ended; a
// method that was called with such a context changes nothing.
type Store interface {
	// Put creates the file called name from what write writes, or replaces it. Once Put
	// has returned nil, the file survives a loss of power; until then, the file is
	// absent or has its former content. If write returns an error, Put returns it and
	// changes nothing. A full disk is an error that wraps ErrFull.
	Put(ctx context.Context, name string, write func(io.Writer) error) error

	// Open returns the content of a file, in memory that nothing else changes. A file that
	// does not exist is an error that wraps ErrNotFound.
	Open(ctx context.Context, name string) ([]byte, error)

	// Names returns the names of the files, in any order.
	Names(ctx context.Context) ([]string, error)

	// Delete deletes a file. A file that does not exist is an error that wraps
	// ErrNotFound.
	Delete(ctx context.Context, name string) error

	// SetAside takes a damaged file out of use: from now on, it is not listed and cannot
	// be opened, but people can still look at it.
	SetAside(ctx context.Context, name string) error

	// Append appends lines to the journal; each ends with a line feed. Once Append has
	// returned nil, they survive a loss of power. A line must not be mixed with lines of a
	// concurrent Append, or be changed by one that was interrupted. A full disk is an error that
	// wraps ErrFull.
	Append(ctx context.Context, lines []byte) error

	// Read returns whole lines of the journal, from a position on, and the position
	// after them: 0 is the beginning, and other positions are those that Read has
	// returned. A line at or after next that was appended before Read was called must
	// be returned by a Read from next. There are no lines if none have been appended
	// since; otherwise there is at least one line, and not all must be returned at
	// once. Empty lines mean nothing. If a position is beyond the end, the journal is
	// another one, and Read returns it from the beginning.
	Read(ctx context.Context, from int64) (lines []byte, next int64, err error)
}

var (
	// ErrNotFound is wrapped by errors about a revision or a time that the Store does
	// not have.
	ErrNotFound = errors.New("not in the store")
	// ErrDamaged is wrapped by errors about files or lines that are not as they were
	// written.
	ErrDamaged = revision.ErrDamaged
	// ErrVersion is wrapped by errors about a file that another version of this module
	// has written.
	ErrVersion = revision.ErrVersion
	// ErrGap is wrapped by errors about a time for which the journal does not say what was
	// answered from: it could not be written, a list was damaged, or the clock was wrong.
	ErrGap = errors.New("gap in the journal")
	// ErrFull is wrapped by errors about a full disk.
	ErrFull = errors.New("no space left in the store")
)

// Retain returns st with another retention policy: each revision that was in use within the
// given time is kept. 0 means ten years, and a negative time forever. The newest revision of
// each source is always kept. Time is counted from event to event of the journal, and steps of
// more than two days do not count: a clock that jumps deletes nothing.
func Retain(st Store, within time.Duration) Store {
	if r, ok := st.(retained); ok {
		st = r.Store
	}
	return retained{st, within}
}

// A retained is a Store with a retention policy.
type retained struct {
	Store
	within time.Duration
}

// Unwrap returns the Store and its retention policy, for package internal/journal.
func (r retained) Unwrap() (st Store, within time.Duration) { return r.Store, r.within }
