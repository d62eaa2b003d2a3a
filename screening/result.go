package screening

import (
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// A Result is the answer to one question, from one snapshot of the lists. It keeps no
// list in memory, however long the caller keeps it. Its JSON is as in package httpapi.
type Result struct {
	// Address is the screened address. It is zero if ScreenText was given a listed
	// string that is not an address.
	Address address.Address
	// Score is the highest number of points among the labels, from 0 to 100; 0
	// without labels.
	Score int
	// Level is the band of Score.
	Level score.Level
	// Labels are the matches: the highest points first, then official lists before the
	// operator's own and these before others, then by source, kind and reference. Several
	// entries of one kind and reference are one label: the label of the most direct match.
	// Nil if nothing was found. The slice is the caller's own.
	Labels []Label
	// Suppressed are the matches that do not count because of an [Exception], in
	// the order of Labels. Nil if there are none. The slice is the caller's own.
	Suppressed []Suppressed
	// Formerly says which lists had the account and dropped it, by source and reference;
	// nil if none is known. A list that has it again is not among them. It never changes
	// Score, Level or AllClear. The slice is the caller's own.
	Formerly []Former
	// Doubts say why the text that was screened does not settle which account is
	// meant; nil without a doubt. For Screen, it is [address.Address.Doubt]. The slice is
	// the caller's own.
	Doubts []address.Doubt
	// ScoringVersion is the version of the table that gave the points.
	ScoringVersion string

	basis *basis
}

// AllClear reports whether r can be relied on as a clean answer: it has no label and no
// doubt, and no list has a caveat now. Suppressed does not change it.
func (r Result) AllClear() bool {
	return r.basis != nil && r.Score == 0 && len(r.Labels) == 0 && len(r.Doubts) == 0 && len(r.Caveats()) == 0
}

// WithoutOwn returns r for a reader who may not see what the operator has written: without the
// references and names in the operator's own lists, and without the reasons and authors of
// exceptions. The verdict stays the same.
func (r Result) WithoutOwn() Result {
	own := func(id string) bool {
		return slices.ContainsFunc(r.Sources(), func(s SourceStatus) bool { return s.Info.ID == id && s.Info.Jurisdiction == sources.Operator })
	}
	r.Labels, r.Suppressed, r.Formerly = slices.Clone(r.Labels), slices.Clone(r.Suppressed), slices.Clone(r.Formerly)
	for i := range r.Labels {
		if l := &r.Labels[i]; own(l.Source) {
			l.Ref, l.Name = "", ""
		}
	}
	for i := range r.Suppressed {
		s := &r.Suppressed[i]
		s.Reason, s.Author = "", ""
		if own(s.Source) {
			s.Ref, s.Name = "", ""
		}
	}
	for i := range r.Formerly {
		if f := &r.Formerly[i]; own(f.Source) {
			f.Ref, f.Name = "", ""
		}
	}
	return r
}

// A Caveat is a reason not to rely on a list that an answer comes from.
type Caveat struct {
	Source string     `json:"source"` // the id
	Kind   CaveatKind `json:"caveat"`
}

// A CaveatKind is a reason not to rely on a list.
type CaveatKind string

const (
	// CaveatMissing: the list was never loaded.
	CaveatMissing CaveatKind = "missing"
	// CaveatPartial: only a part of the list is held, or an older list than the one accepted
	// last, which is damaged.
	CaveatPartial CaveatKind = "partial"
	// CaveatStale: the last successful check is longer ago than Options.MaxAge, or
	// than 48 hours without one. A list that is final (see [sources.Info]) is neither stale
	// nor old.
	CaveatStale CaveatKind = "stale"
	// CaveatOld: the publisher's date is longer ago than Options.MaxPublished, or without
	// it, than the Rhythm of the [sources.Info]; or it was in the future when the list was
	// accepted.
	CaveatOld CaveatKind = "old"
	// CaveatStore: Options.Store fails. The lists held go on answering, and what lists that could not be
	// saved add matches; see [SourceStatus].
	CaveatStore CaveatKind = "store"
	// CaveatReconstructed: the list was put together from its known past.
	CaveatReconstructed CaveatKind = "reconstructed"
)

// Caveats returns why the lists that r comes from cannot be relied on now, or, for a
// [Past], at its time, in the order in which New got them; nil if they can. Optional lists
// have caveats, too. The slice is the caller's own.
func (r Result) Caveats() (caveats []Caveat) {
	b := r.basis
	if b == nil {
		return nil
	}
	now, status := b.now(), b.status
	if now.Before(b.from) {
		status = r.Sources()
	}
	for i := range status {
		s := &status[i] // it is large
		add := func(kind CaveatKind) {
			if caveats == nil { // in most cases there are none
				caveats = make([]Caveat, 0, len(status))
			}
			caveats = append(caveats, Caveat{s.Info.ID, kind})
		}
		if b.unsaved {
			add(CaveatStore)
		}
		switch {
		case s.Digest == "":
			add(CaveatMissing)
			continue
		case s.Completeness == sources.Partial:
			add(CaveatPartial)
		case s.Completeness == sources.Reconstructed:
			add(CaveatReconstructed)
			continue
		case s.Info.Final:
			continue
		case now.Sub(s.LastUpdated) > b.stale:
			add(CaveatStale)
		}
		if limit := b.old[i]; limit > 0 && !s.Published.IsZero() && (now.Sub(s.Published) > limit || isAhead(s.Published, s.Accepted)) {
			add(CaveatOld)
		}
	}
	return caveats
}

// A basis is what a Result tells of its snapshot.
type basis struct {
	digest string
	status []SourceStatus
	from   time.Time        // when no LastUpdated is in the future any more
	now    func() time.Time // always the same of a Past
	stale  time.Duration    // see settings
	old    []time.Duration  // see settings

	unsaved bool // the store fails
}

// Digest names the snapshot that r comes from: the SHA-256 over all its entries,
// and exceptions if there are any, in lower-case hex. It is equal on every machine
// that holds the same.
func (r Result) Digest() string {
	if r.basis == nil {
		return ""
	}
	return r.basis.digest
}

// Sources returns the state of every source in the snapshot that r comes from, in the
// order in which New got them. The slice is shared by all results of the snapshot, and
// must not be changed.
func (r Result) Sources() []SourceStatus {
	b := r.basis
	if b == nil {
		return nil
	}
	now := b.now()
	if !now.Before(b.from) {
		return b.status
	}
	status := slices.Clone(b.status) // without times of the future
	for i := range status {
		if isFuture(status[i].LastUpdated, now) {
			status[i].LastUpdated = time.Time{}
		}
	}
	return status
}

// isFuture reports whether t is so far in the future that a clock must have been wrong.
func isFuture(t, now time.Time) bool { return t.After(now.Add(list.Skew)) }

// A Label is one thing that was found about an address.
//
// Its JSON has the members below in this order. A time is in whole seconds of UTC, and a zero
// one null or left out.
type Label struct {
	// Kind is what the list says about the listed address.
	Kind score.Kind `json:"label"`
	// Source is the id of the source, and Ref the reference of the entry within the list.
	Source string `json:"source"`
	Ref    string `json:"source_ref"`
	// AddedAt is when the list got the address: the publisher's date of the address; else its
	// date of the party, unless a copy of the list refutes that; else the date of the first
	// copy that is known to have it, or the time at which the entry was first loaded; in UTC.
	AddedAt time.Time `json:"added_at"`
	// Name is the name of the entity.
	Name string `json:"name,omitempty"`
	// Match is how the screened address is related to the listed one.
	Match score.Match `json:"match"`
	// Listed is the address as the list prints it.
	Listed string `json:"listed_address"`
	// URL is the publisher's page about the entry. Only [Answer.WithURLs] sets it.
	URL string `json:"url,omitempty"`
	// NotListedOn is the date of the last copy of the list that is known not to have the
	// address before that, in UTC; zero: none is known.
	NotListedOn time.Time `json:"not_listed_on,omitzero"`
	// EntityListedAt is the publisher's date of the listing of the party, in UTC; zero if the
	// list gives none. The address may have been added later.
	EntityListedAt time.Time `json:"entity_listed_at,omitzero"`
	// Points are the points of the scoring table for the kind and the match.
	Points int `json:"-"`
}

// A Former is a listing that has ended.
type Former struct {
	// Source is the id of the source, and Ref, Name and Listed are as in a Label. Ref and
	// Name are "" if they are not known.
	Source string `json:"source"`
	Ref    string `json:"source_ref"`
	Name   string `json:"name,omitempty"`
	Listed string `json:"listed_address"`
	// Since is the first time at which the list is known to have had the account, and Until
	// the first one after that at which it is known not to have it; in UTC.
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// Suppressed is a label that does not count because of an [Exception].
type Suppressed struct {
	Label
	// Reason, Author and Expires come from the exception; the time is in UTC.
	Reason  string    `json:"reason"`
	Author  string    `json:"author"`
	Expires time.Time `json:"expires_at"`
}
