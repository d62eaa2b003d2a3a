// Package store keeps accepted lists, so that a program that restarts answers before it
// has reached a network, remembers when it first saw each entry, and knows what was answered when.
//
//	dir, err := store.Open("/var/lib/walletscreen/store")
//	s, err := screening.New(srcs, &screening.Options{Store: dir})
//
// [Open] opens a directory. [Store] is the interface for other storage, such as a
// database that several machines share, as package pgstore has it. [Retain] says how long a
// store keeps the lists of the past, and [ReadOnly] keeps it as it is.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/walletscreen/walletscreen/internal/stays"
)

// A Store keeps immutable files and a journal of numbered lines. It need not know what they
// hold: package screening does. Methods may be called concurrently, also by several
// programs. They return an error that wraps ctx.Err() soon after ctx has ended; a
// method that was called with such a context changes nothing. What a method has done survives a
// loss of power once it has returned nil; when it returns an error, it may have done it.
type Store interface {
	// Put creates the file called name, or replaces it by the same bytes. Until Put has returned
	// nil, the file is absent or whole.
	Put(ctx context.Context, name string, data []byte) error

	// Open returns the content of a file, in memory that nothing else changes. A file that
	// does not exist is an error that wraps ErrNotFound.
	Open(ctx context.Context, name string) ([]byte, error)

	// Names returns the names of the files, in any order.
	Names(ctx context.Context) ([]string, error)

	// Delete deletes a file. A file that does not exist is an error that wraps
	// ErrNotFound.
	Delete(ctx context.Context, name string) error

	// Append appends a line, which has no line feed and begins with its number, to the journal. If
	// that is not one more than the number of the last line that is not damaged, 0 without one, another
	// program has appended lines: Append does nothing, and returns an error that wraps ErrMoved.
	// A line that was cut short by a kill, or by a full disk, spoils no other.
	Append(ctx context.Context, number uint64, line []byte) error

	// Read calls each for the lines of the journal from a number on, in their order, and for
	// lines among them that are damaged. It may call each for lines before that number,
	// too. Lines end with a line feed or not; empty ones mean nothing. An error of each ends Read, which returns it.
	Read(ctx context.Context, from uint64, each func(line []byte) error) error
}

var (
	// ErrNotFound is wrapped by errors about a file, a time or a digest that the Store does
	// not have.
	ErrNotFound = errors.New("not in the store")
	// ErrDamaged is wrapped by errors about files that are not as they were written.
	ErrDamaged = stays.ErrDamaged
	// ErrVersion is wrapped by errors about a file or tables that another version of this
	// module has written.
	ErrVersion = stays.ErrVersion
	// ErrGap is wrapped by errors about a time when it is not known what was answered
	// from: the store failed, lines are lost, a list was damaged, or the clock was wrong.
	ErrGap = errors.New("gap in the journal")
	// ErrMoved is wrapped by the error of an Append after which another program has appended lines.
	ErrMoved = errors.New("another program has written to the journal")
)

// Retain returns st with another retention policy: each list that was in use within the
// given time is kept. 0 means ten years, and a negative time forever. The newest files of
// each source are always kept. Time is counted from line to line of the journal, and steps of
// more than two days do not count: a clock that jumps deletes nothing.
func Retain(st Store, within time.Duration) Store {
	w := wrap(st)
	w.within = within
	return w
}

// ReadOnly returns st as it is for a program that only reads it: what that program accepts is kept in
// its memory, and is not part of the history of st.
func ReadOnly(st Store) Store {
	w := wrap(st)
	w.readOnly = true
	return w
}

// A wrapped is a Store with what Retain and ReadOnly say.
type wrapped struct {
	Store
	within   time.Duration
	readOnly bool
}

func wrap(st Store) wrapped {
	if w, ok := st.(wrapped); ok {
		return w
	}
	return wrapped{Store: st}
}

// Unwrap returns the Store, how long it keeps lists, and whether it is only read, for package
// internal/journal.
func (w wrapped) Unwrap() (st Store, within time.Duration, readOnly bool) {
	return w.Store, w.within, w.readOnly
}
