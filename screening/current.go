package screening

import (
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// current is the list of one source that is held, and what became of the last attempt to load it.
type current struct {
	list *list.List   // nil: never loaded
	held journal.Held // of list; the zero Held: never loaded

	unkept bool // this program has accepted it, and the store is only read

	checked time.Time    // last successful check; zero: none that counts
	unsaved *unsaved     // matches as well; nil: nothing
	damaged error        // why the list accepted last cannot be proved; then list is an older one
	later   journal.Held // that list

	err error // the error of the last load
}

// unsaved is what was accepted and could not be saved. It is never changed.
type unsaved struct {
	list  *list.List // of the entries of all such lists
	since time.Time
	last  *offer // to be saved when the store works again; nil: none
	err   error  // why the store has another list; nil: it is not known that it has
}

// unsavedSince returns since when the journal may say another thing than what matches; zero: it does not.
func (h *current) unsavedSince() time.Time {
	if h.unsaved == nil {
		return time.Time{}
	}
	return h.unsaved.since
}

// differs reports whether answers from h and from had are not the same.
func (h *current) differs(had *current) bool {
	return h.list != had.list || h.unsaved != had.unsaved || h.damaged != had.damaged || !h.checked.Equal(had.checked) || h.err != had.err
}

// isLoaded reports whether all of the list that was accepted last is held.
func (h *current) isLoaded() bool {
	return h.list != nil && h.completeness() != sources.Partial
}

// completeness returns how much of the list is held. An older list is a part.
func (h *current) completeness() sources.Completeness {
	if h.list != nil && h.damaged != nil {
		return sources.Partial
	}
	return h.held.Revision.Completeness
}

// age sets when h was last checked to t, if that is a later time that counts at the
// time now. A part is never checked.
func (h *current) age(t, now time.Time) {
	if h.held.Revision.Completeness == sources.Partial || isFuture(t, now) {
		return
	}
	if t.After(h.checked) || isFuture(h.checked, now) {
		h.checked = t.UTC()
	}
}

// revision returns the revision of the list, as its source knows it.
func (h *current) revision() sources.Revision {
	rev := h.held.Revision
	rev.Checked = time.Time{} // says when a Load checked it
	return rev
}

// status returns the state of the source of h.
func (h *current) status(info sources.Info, required bool) SourceStatus {
	rev := &h.held.Revision
	s := SourceStatus{
		Info: info, Required: required, LastUpdated: h.checked, Accepted: h.held.Accepted,
		Completeness: h.completeness(), Provenance: rev.Provenance, OpenEnded: rev.OpenEnded, Published: rev.Published, Digest: rev.Digest,
		Err: h.err,
	}
	if h.damaged != nil {
		s.StoreErr = sourceError(info.ID, h.damaged)
	}
	if l := h.list; l != nil {
		s.Entries, s.Addresses, s.Bytes = l.Entries, l.Addresses, l.Bytes
		s.AnomalyKinds = l.AnomalyKinds
	}
	return s
}

// sight returns h as judge sees it.
func (h *current) sight() sight {
	v := sight{Held: h.held, read: h.checked}
	if rev := &h.held.Revision; h.held.Seed && rev.Published.IsZero() && !rev.Checked.Before(h.held.Accepted) {
		v.read = time.Time{} // a seed that does not say when it was read
	}
	if h.damaged != nil {
		v.later, v.Most = h.later, h.later.Most
	}
	return v
}
