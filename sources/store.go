package sources

import (
	"context"
	"errors"
	"time"
)

// A Store keeps the revisions of lists that were accepted, so that they survive
// a restart. Package store has the one that keeps them in a directory; a team
// that keeps them elsewhere, in a database that its machines share for example,
// implements these methods, and tests them with [sourcetest.RunStore].
//
// Methods may be called concurrently. They return once the work is done, or soon
// after ctx has ended.
//
// [sourcetest.RunStore]: https://pkg.go.dev/github.com/walletscreen/walletscreen/sources/sourcetest#RunStore
type Store interface {
	// Save keeps l as the newest revision of its source. Once it has returned nil
	// the list is there even if the machine loses its power; whatever stops it
	// before, what was newest is still there whole. It may drop old revisions, by
	// a policy of the Store's own, but never the newest. It must not keep or
	// change what l points to.
	Save(ctx context.Context, l *List) error

	// Confirm keeps that the list in the newest revision of the source was seen to
	// be the publisher's still: from now on, Load returns it with the revision
	// rev, which has the same digest, and with rev.Checked among its Checks. It
	// returns an error that wraps ErrNotStored if the newest revision has another
	// digest, or if there is none.
	Confirm(ctx context.Context, source string, rev Revision) error

	// Revisions returns what is kept of the source, the newest first. A source of
	// which nothing is kept has none, and that is no error.
	Revisions(ctx context.Context, source string) ([]Stored, error)

	// Load returns a revision that Revisions has named, all of it as it was saved.
	// The list is the caller's own. The error wraps ErrNotStored if the revision
	// is not kept any more, and ErrDamaged if what is kept is not what was saved;
	// the Store has set that aside then, and does not name it again.
	Load(ctx context.Context, source string, s Stored) (*List, error)

	// SaveSnapshot keeps s, as safely as Save keeps a list. It must not keep or
	// change what s points to.
	SaveSnapshot(ctx context.Context, s *Snapshot) error

	// Snapshots names the snapshots that are kept, the newest first, by their Digest
	// and by their Since as Accepted. They are small. The Store may drop one if it
	// keeps no list that was accepted before the next one began.
	Snapshots(ctx context.Context) ([]Stored, error)

	// LoadSnapshot returns a snapshot that Snapshots has named. It is the caller's
	// own. The error wraps ErrNotStored if it is not kept any more, and ErrDamaged
	// if what is kept is not what was saved. It is named again then: whoever asks
	// for its time must not be given the one before it.
	LoadSnapshot(ctx context.Context, s Stored) (*Snapshot, error)
}

var (
	// ErrNotStored: the Store does not have that revision.
	ErrNotStored = errors.New("revision is not stored")
	// ErrDamaged: what the Store has is not what was saved.
	ErrDamaged = errors.New("stored revision is damaged")
)

// A List is one revision of a list as it was accepted, with what was known of
// the past by then.
type List struct {
	Info     Info     // ID and Name are kept by a Store; the rest is the program's
	Revision Revision // its Checked is when the list was last known to be current; zero of a part
	// Accepted is when the list was accepted, in UTC: until the Accepted of the
	// next revision, questions were answered from this one. It is later than that
	// of any revision before it.
	Accepted time.Time
	// Entries are those of the list, each with the time at which it was first
	// seen.
	Entries []Entry
	// Removed are the entries that earlier revisions had and this one does not.
	Removed []Removal
	// Checks are when the list was known to be the publisher's, the oldest first:
	// the Checked with which it was saved, and each that was confirmed since. Load
	// sets it, and Save does not look at it.
	Checks []time.Time
}

// A Snapshot says from which lists questions were answered, since when.
type Snapshot struct {
	// Digest is what the results carry.
	Digest string
	// Since is when questions began to be answered so, in UTC.
	Since time.Time
	// Lists are the revisions, by the id of their source. One that was not loaded
	// is the zero Stored.
	Lists map[string]Stored
	// Exceptions are those of the operator, in UTF-8, in the form of the caller's
	// own; "" if there are none.
	Exceptions string
}

// A Removal is an entry that has gone from a list. An entry that comes back is
// none any more, and has the FirstSeen that it had.
type Removal struct {
	// Entry is as it was in the last revision that had it.
	Entry Entry
	// At is when the first revision without the entry was accepted, in UTC. No
	// publisher says when it removes something, so this is the best there is.
	At time.Time
}

// Stored names a revision in a Store: by the digest of the list, and by the time
// at which it was accepted, for the same list may have been accepted twice.
type Stored struct {
	Digest   string    // of the list, or of the results of a snapshot
	Accepted time.Time // in UTC
}

// At returns the revision that held at the instant t: of those given, in any
// order, the last that was accepted by then. It returns false if there is none.
func At(revisions []Stored, t time.Time) (Stored, bool) {
	var at Stored
	for _, s := range revisions {
		if !s.Accepted.After(t) && s.Accepted.After(at.Accepted) {
			at = s
		}
	}
	return at, at != Stored{}
}

// Source returns l as a Source: what is screened against it is answered as it was
// when l was held. Its Checked is that of l, so it is as old as it is. The Source has
// what l points to, and the Info of l, which must be given its Jurisdiction before if
// l is from a Store.
func (l *List) Source() Source {
	return &static{info: l.Info, entries: l.Entries, revision: l.Revision}
}

// Identity returns what makes e the same entry in two revisions of a list, and
// what makes it a duplicate within one: all but its name and its dates, with
// Listed set. It is for comparing, and is a key of a map.
func (e Entry) Identity() Entry {
	return Entry{Address: e.Address, Listed: e.Text(), Asset: e.Asset, Kind: e.Kind, Ref: e.Ref}
}
