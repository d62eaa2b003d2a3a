package screening

import (
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// SourceStatus is the state of one source. AnomalyKinds is shared, and must not be
// changed.
type SourceStatus struct {
	// Info describes the source, as the source does.
	Info sources.Info
	// Required reports whether the source must be loaded for an answer.
	Required bool
	// LastUpdated is the time of the last successful check: the list was new, or it
	// was verified to be unchanged. It is zero if the source was never loaded, and if
	// that time lies in the future, because the clock was wrong: that says nothing
	// about the age of the list.
	LastUpdated time.Time
	// Accepted is when the entries that are held were accepted.
	Accepted time.Time
	// Completeness says how much of the list is held. The entries of a part are
	// found, but the source counts as never loaded. An older list than the one accepted
	// last is a part; it is held if the newest is damaged in Options.Store.
	Completeness sources.Completeness
	// Provenance says where the data come from, if the source did not fetch them from
	// the publisher, as with bundled data; otherwise it is "".
	Provenance string
	// OpenEnded reports whether the format of the list cannot show that the list was
	// cut at its end; see [ErrCut].
	OpenEnded bool
	// Published is the publisher's own date of the list; zero if it gives none.
	Published time.Time
	// Digest names the document of the list that is held, or is "".
	Digest string
	// Entries is the number of entries, repetitions included. Addresses is the number of
	// distinct addresses: strings in their normal form, each once whatever the chain,
	// unless it is another account there.
	Entries, Addresses int
	// AnomalyKinds is the number of anomalies of each kind; [Screener.Anomalies] returns them.
	AnomalyKinds map[string]int
	// Bytes is the size of the tables in memory that answers from the list use.
	Bytes int
	// Err is why the last load failed, or nil. It names the source.
	Err error
	// StoreErr is why Options.Store fails, or why the list that was accepted last cannot be opened there; or
	// nil. It names the source.
	StoreErr error
}

// Loaded reports whether all of the list is held, so that the source is no reason for
// [ErrNotLoaded].
func (s SourceStatus) Loaded() bool {
	return s.Digest != "" && s.Completeness != sources.Partial
}
