// Package store keeps accepted lists, so that a program that restarts answers before it
// has reached a network, and remembers when it first saw each entry.
//
//	dir, err := store.Open("/var/lib/walletscreen")
//	s, err := screening.New(srcs, &screening.Options{Store: dir})
//
// [Open] opens a directory. [Store] is the interface for other storage, such as a
// database that several machines share; package storetest tests an implementation.
// [Retain] says how many old revisions a store keeps. [Archive] reads and writes a store,
// and [Event] is an event in its journal, such as the acceptance of a list.
package store

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
)

// A Store keeps immutable files and an append-only journal. It need not know what they
// hold: an [Archive] does. Methods may be called concurrently, also by several
// programs. They return an error that wraps ctx.Err() soon after ctx has ended; a
// method that was called with such a context changes nothing.
type Store interface {
	// Put creates the file called name from what write writes, or replaces it. Once Put
	// has returned nil, the file survives a loss of power; until then, the file is
	// absent or has its former content. If write returns an error, Put returns it and
	// changes nothing. A full disk is an error that wraps ErrFull.
	Put(ctx context.Context, name string, write func(io.Writer) error) error

	// Open returns the content of a file, and a function that frees it, which may be
	// nil. The content must stay valid until then, also if the file is deleted or
	// replaced. A file that does not exist is an error that wraps ErrNotFound.
	Open(ctx context.Context, name string) (data []byte, release func() error, err error)

	// Names returns the names of the files, in any order.
	Names(ctx context.Context) ([]string, error)

	// Delete deletes a file. A file that does not exist is an error that wraps
	// ErrNotFound.
	Delete(ctx context.Context, name string) error

	// SetAside takes a damaged file out of use: from now on, it is not listed and cannot
	// be opened, but people can still look at it.
	SetAside(ctx context.Context, name string) error

	// Append appends lines to the journal; each ends with a line feed. Once Append has
	// returned nil, they survive a loss of power. A line must not be mixed with those
	// of a concurrent Append, or be changed by one that was interrupted. A full disk is
	// an error that wraps ErrFull.
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

const (
	suffix = ".rev"
	// stampForm is the form of a time in names and in the journal. Times sort as texts.
	stampForm = "20060102T150405.000000000Z"
	// shortDigest is the number of digits of a digest in a reference of the journal.
	shortDigest = 16
	// wholeName is the name of the file that exists unless events were lost: an Archive
	// that cannot append to the journal deletes it, because even a full disk allows that,
	// and the next program that can append notes a gap.
	wholeName  = "journal.whole"
	digestSize = 64
)

// Name returns the name of the file of a revision, such as
// OFAC_SDN-20261121T045729.123456789Z-36c5…c117.rev: the ID of the source, the time at
// which the list was accepted, and its digest.
func Name(source string, accepted time.Time, digest string) string {
	return source + "-" + accepted.UTC().Format(stampForm) + "-" + digest + suffix
}

// ParseName returns the parts of a name made by [Name]. It reports false for all other names.
func ParseName(name string) (source string, accepted time.Time, digest string, ok bool) {
	source, rest, ok := strings.Cut(name, "-")
	if !ok || len(rest) != len(stampForm)+1+digestSize+len(suffix) ||
		source == "" || len(source) > 64 || strings.Trim(source, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", time.Time{}, "", false
	}
	digest = rest[len(stampForm)+1 : len(stampForm)+1+digestSize]
	accepted, err := time.Parse(stampForm, rest[:len(stampForm)])
	if err != nil || strings.Trim(digest, "0123456789abcdef") != "" || Name(source, accepted, digest) != name {
		return "", time.Time{}, "", false
	}
	return source, accepted, digest, true
}

// defaultRevisions is the number of revisions of a source that are kept unless Retain says
// otherwise.
const defaultRevisions = 30

// Retain returns st with another retention policy: the given number of revisions of
// each source, and besides, each revision that was in use within the given time.
// revisions counts the newest one, 0 means 30, and a negative number means all. The
// newest revision of each source is always kept. Time is counted from event to event of the
// journal, and steps of more than two days do not count: a clock that jumps deletes nothing.
func Retain(st Store, revisions int, within time.Duration) Store {
	return retained{unwrap(st).Store, revisions, within}
}

// A retained is a Store with a retention policy.
type retained struct {
	Store
	revisions int
	within    time.Duration
}

// unwrap returns st with its retention policy.
func unwrap(st Store) retained {
	r, ok := st.(retained)
	if !ok {
		r = retained{Store: st}
	}
	if r.revisions == 0 {
		r.revisions = defaultRevisions
	}
	return r
}
