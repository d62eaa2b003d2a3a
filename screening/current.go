package screening

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// current is the list of one source as it was last accepted, and what became of the last
// attempt to load it.
type current struct {
	list     *list.List       // nil: never loaded
	revision sources.Revision // without Checked; zero: never loaded
	checked  time.Time        // last successful check; zero: none that counts
	accepted time.Time        // when the entries were accepted
	seed     bool             // this process loaded it from a seed
	most     int              // how many addresses it has had; see journal.Most
	err      error            // the error of the last load

	ready time.Time // when the list was built
	took  time.Duration

	broken    string           // the file of the newest list that was accepted, if that cannot be opened; or ""
	file      string           // the name of its file in the store; "" without a list
	stored    bool             // the file exists
	remade    bool             // it was damaged, and is to be saved again
	confirmed sources.Revision // as in the store, with Checked
	storeErr  error            // the error of storing it, or the fault found in the store

	change *list.Diff // from the list in the file called before; nil once it was queued for the journal
	before string
}

// isLoaded reports whether all of the list is held.
func (h *current) isLoaded() bool {
	return h.list != nil && h.completeness() != sources.Partial
}

// isBehind reports whether an older list is held than the newest that was accepted.
func (h *current) isBehind() bool {
	_, _, digest, ok := revision.ParseName(h.broken)
	return ok && digest != h.revision.Digest
}

// completeness returns how much of the list is held. An older list is a part of it.
func (h *current) completeness() sources.Completeness {
	if h.list != nil && h.isBehind() {
		return sources.Partial
	}
	return h.revision.Completeness
}

// age sets when h was last checked to t, if that is a later time that counts at the
// time now. A part is never checked.
func (h *current) age(t, now time.Time) {
	if h.revision.Completeness == sources.Partial || isFuture(t, now) {
		return
	}
	if t.After(h.checked) || isFuture(h.checked, now) {
		h.checked = t.UTC()
	}
}

// status returns the state of the source of h.
func (h *current) status(info sources.Info, required bool) SourceStatus {
	s := SourceStatus{
		Info: info, Required: required, LastUpdated: h.checked, Accepted: h.accepted,
		Completeness: h.completeness(), Provenance: h.revision.Provenance, OpenEnded: h.revision.OpenEnded, Published: h.revision.Published, Digest: h.revision.Digest,
		Err: h.err, StoreErr: h.storeErr, Ready: h.ready.UTC(), BuildTime: h.took,
	}
	if l := h.list; l != nil {
		s.Entries, s.Addresses, s.Chains, s.Classes = l.Entries, l.Addresses, l.Chains, l.Classes
		s.Anomalies, s.AnomalyKinds = l.AnomalyCount(), l.AnomalyKinds
		s.Keys, s.Bytes = l.Index().Len(), l.Bytes
	} else {
		s.Ready = time.Time{}
	}
	return s
}
