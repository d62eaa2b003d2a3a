package screening

import (
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Result is the answer to one question. It comes whole from one snapshot of
// the lists.
type Result struct {
	// Address is what was screened. It is zero if ScreenText was given a listed
	// string that is no address.
	Address address.Address
	// Score is the highest number of points among the labels, from 0 to 100; 0
	// without labels.
	Score int
	// Level is the band of Score.
	Level score.Level
	// Labels are what was found: the highest points first, then by source, kind
	// and reference. What a list says by several entries of one kind and reference
	// is one label, that of the most direct match. Nil if nothing was found. The
	// slice is the caller's own.
	Labels []Label
	// Suppressed are what was found, too, but does not count because of an
	// [Exception], in the order of Labels. Nil if there are none. The slice is the
	// caller's own.
	Suppressed []Suppressed
	// ScoringVersion is the version of the table that gave the points.
	ScoringVersion string

	snap *snapshot
	_    uintptr // makes it a multiple of 16 bytes, in which it is copied without a stall
}

// Digest names the snapshot that r comes from: the SHA-256 over all its entries,
// and exceptions if there are any, in lower-case hex, equal on every machine that
// holds the same.
func (r Result) Digest() string {
	if r.snap == nil {
		return ""
	}
	return r.snap.digest
}

// Sources returns the state of every source in the snapshot that r comes from:
// what [Screener.Sources] would have returned at that instant. The slice is
// shared by all results of the snapshot, and must not be changed.
func (r Result) Sources() []SourceStatus {
	if r.snap == nil {
		return nil
	}
	return r.snap.status
}

// A Label is one thing that was found about an address.
type Label struct {
	// Kind is what the list says about what it lists, and Match how that is the address
	// that was screened.
	Kind  score.Kind
	Match score.Match
	// Points are what the kind and the match count for.
	Points int
	// Source is the id of the source.
	Source string
	// Ref, Name and Listed are those of the entry: its reference within the list,
	// the name of the entity, and the address as the list prints it.
	Ref, Name, Listed string
	// AddedAt is the publisher's date of the listing where the list gives one,
	// else the time at which the entry was first loaded; in UTC.
	AddedAt time.Time
}

// SourceStatus is the state of one source.
type SourceStatus struct {
	// Info describes the source, as it does itself.
	Info sources.Info
	// Required reports whether the source must be loaded for an answer.
	Required bool
	// LastUpdated is the time of the last successful check, be it that the list
	// was new or that it was verified to be unchanged; zero if the source was
	// never loaded.
	LastUpdated time.Time
	// Completeness is how much of the list is held. The entries of a Partial one are
	// found, but the source was never loaded.
	Completeness sources.Completeness
	// Published is the publisher's own date of the list; zero if it gives none.
	Published time.Time
	// Digest names the revision of the list that is held, or is "".
	Digest string
	// Addresses is the number of distinct addresses, Entries that of entries, and
	// Anomalies that of what is odd about them; [Screener.Anomalies] has those.
	Addresses, Entries, Anomalies int
	// Err is why the last load failed, a *LoadError, or nil.
	Err error
	// StoreErr is why the list that is held is not in Options.Store, what was found
	// damaged there, or why it does not know that questions are answered from this
	// list; a *LoadError, or nil. Once a list was saved it is nil.
	StoreErr error
}

// status returns the state of the source of l.
func (l list) status(info sources.Info, required bool) SourceStatus {
	return SourceStatus{
		Info: info, Required: required, LastUpdated: l.updated, Completeness: l.revision.Completeness, Published: l.revision.Published, Digest: l.revision.Digest,
		Addresses: l.addresses(), Entries: l.count, Anomalies: l.anomalies.Total(), Err: l.err, StoreErr: l.storeErr,
	}
}

// Loaded reports whether the source has ever been loaded.
func (s SourceStatus) Loaded() bool { return !s.LastUpdated.IsZero() }
