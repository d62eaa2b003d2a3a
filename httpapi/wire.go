package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A source is an item of the answer to GET /api/v1/sources.
type source struct {
	ID           string               `json:"id"`
	Name         string               `json:"name"`
	Jurisdiction sources.Jurisdiction `json:"jurisdiction"`
	LastUpdated  timestamp            `json:"last_updated"`
	AddressCount int                  `json:"address_count"`

	Issuer       sources.Jurisdiction `json:"issuer,omitempty"`
	PublishedAt  timestamp            `json:"published_at"`
	Partial      bool                 `json:"partial"`
	Completeness *string              `json:"completeness"` // null if nothing is held
	Provenance   string               `json:"provenance,omitempty"`
	Required     bool                 `json:"required"`
}

// disclaimer is part of every result.
const disclaimer = "Informational screening signals from public sanctions lists and risk databases; not legal, compliance or investment advice. " +
	"The data may be incomplete, delayed or wrong. The decision, and any action, is the caller's own."

// newSources returns the wire form of the state of all sources.
func newSources(status []screening.SourceStatus) []source {
	all := make([]source, len(status))
	for i := range status {
		s := &status[i]
		all[i] = source{
			ID: s.Info.ID, Name: s.Info.Name, Jurisdiction: s.Info.Jurisdiction,
			LastUpdated: timestamp{s.LastUpdated}, AddressCount: s.Addresses,
			PublishedAt: timestamp{s.Published}, Partial: isPartial(s), Provenance: s.Provenance, Required: s.Required,
		}
		if known := s.Info.Jurisdiction; !isKnown(known) {
			all[i].Jurisdiction, all[i].Issuer = sources.Community, known
		}
		if s.Digest != "" {
			completeness := s.Completeness.String()
			all[i].Completeness = &completeness
		}
	}
	return all
}

// isKnown reports whether the interface has a jurisdiction.
func isKnown(j sources.Jurisdiction) bool {
	switch j {
	case sources.US, sources.EU, sources.UK, sources.Community:
		return true
	}
	return false
}

func isPartial(s *screening.SourceStatus) bool { return s.Completeness == sources.Partial }

// marshal returns v in JSON, with a line feed. Characters that nobody sees are escaped. It is for types that cannot fail.
func marshal(v any) []byte {
	var b bytes.Buffer
	b.Grow(512) // most answers
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // answered as a 500
	}
	return visible.JSON(b.Bytes())
}

// A result is the answer about one address: of a screen request, and with an ID and
// without the members of the snapshot, an item of a batch.
type result struct {
	ID         *string            `json:"id,omitempty"`
	Address    string             `json:"address"`
	Chain      string             `json:"chain"` // as in the request
	Score      int                `json:"score"`
	Level      score.Level        `json:"level"`
	Labels     []label            `json:"labels"` // never null, like Doubts and Caveats
	Suppressed []suppressed       `json:"suppressed,omitempty"`
	Formerly   []screening.Former `json:"formerly,omitempty"`
	Doubts     []address.Doubt    `json:"doubts"`
	Caveats    []screening.Caveat `json:"caveats"`
	AllClear   bool               `json:"all_clear"`
	Receipt    string             `json:"receipt,omitempty"`
}

// A snapshot holds the members that are the same for all results of a batch.
type snapshot struct {
	DataFreshness  json.RawMessage `json:"data_freshness"`
	ScoringVersion string          `json:"scoring_version"`
	Snapshot       string          `json:"snapshot"`
	ScreenedAt     timestamp       `json:"screened_at"`
	AsOf           timestamp       `json:"as_of,omitzero"` // of the lists, if it is not now
	Disclaimer     string          `json:"_disclaimer"`
}

// A label is a match.
type label struct {
	Kind          score.Kind  `json:"label"`
	Source        string      `json:"source"`
	SourceRef     string      `json:"source_ref"`
	AddedAt       timestamp   `json:"added_at"`
	Name          string      `json:"name,omitempty"`
	Match         score.Match `json:"match"`
	ListedAddress string      `json:"listed_address"`
	URL           string      `json:"url,omitempty"`

	NotListedOn    timestamp `json:"not_listed_on,omitzero"`
	EntityListedAt timestamp `json:"entity_listed_at,omitzero"`
}

// A suppressed is a match that an operator's exception takes out of the score, and why.
type suppressed struct {
	label
	Reason    string    `json:"reason"`
	Author    string    `json:"author"`
	ExpiresAt timestamp `json:"expires_at"`
}

// newResult returns the wire form of r, without the members of the snapshot.
func newResult(req screenRequest, r *screening.Result) result {
	w := result{
		Address: screened(req, r), Chain: req.Chain, Score: r.Score, Level: r.Level, Labels: make([]label, len(r.Labels)),
		Formerly: r.Formerly, Doubts: r.Doubts, Caveats: r.Caveats(), AllClear: r.AllClear(),
	}
	for i := range r.Labels {
		w.Labels[i] = newLabel(&r.Labels[i], r)
	}
	for i := range r.Suppressed {
		x := &r.Suppressed[i]
		w.Suppressed = append(w.Suppressed, suppressed{newLabel(&x.Label, r), x.Reason, x.Author, timestamp{x.Expires}})
	}
	if w.Doubts == nil {
		w.Doubts = []address.Doubt{}
	}
	if w.Caveats == nil {
		w.Caveats = []screening.Caveat{}
	}
	return w
}

// screened returns the address that r answers for.
func screened(req screenRequest, r *screening.Result) string {
	a := r.Address
	if !a.IsValid() { // a listed string that is not an address
		return sources.TrimListed(req.Address)
	}
	return a.Normalized()
}

func newLabel(l *screening.Label, r *screening.Result) label {
	return label{l.Kind, l.Source, l.Ref, timestamp{l.AddedAt}, l.Name, l.Match, l.Listed, recordURL(l, r),
		timestamp{l.NotListedOn}, timestamp{l.EntityListedAt}}
}

// recordURL returns the publisher's page about the listed record, or "".
func recordURL(l *screening.Label, r *screening.Result) string {
	status := r.Sources()
	for i := range status {
		if status[i].Info.ID == l.Source && status[i].Info.RefURL != "" {
			return status[i].Info.URL(l.Ref)
		}
	}
	return ""
}

// A moment identifies the members of the snapshot.
type moment struct {
	digest, version string
	now, asOf       int64 // in Unix seconds; asOf is 0 for the lists of now
	lists           []listAge
}

// A listAge is what a freshness says.
type listAge struct {
	id                 string
	updated, published time.Time
	age                int64
	completeness       sources.Completeness
	held, required     bool
}

// equals reports whether m and o say the same.
func (m *moment) equals(o *moment) bool {
	return m.digest == o.digest && m.version == o.version && m.now == o.now && m.asOf == o.asOf && slices.Equal(m.lists, o.lists)
}

// A snapshotText holds the members of the snapshot as they were sent last.
type snapshotText struct {
	moment
	text []byte
}

// withSnapshot returns an object with the members of the snapshot of lists that were
// answered from at now, as they were at asOf unless that is zero. Many answers of one
// second share them.
func (v *service) withSnapshot(object []byte, status []screening.SourceStatus, digest, version string, now, asOf time.Time) []byte {
	m := moment{digest: digest, version: version, now: now.Unix(), lists: make([]listAge, len(status))}
	at := now
	if !asOf.IsZero() {
		at, m.asOf = asOf, asOf.Unix()
	}
	for i := range status {
		s := &status[i]
		age := int64(max(0, at.Sub(s.LastUpdated)) / time.Second) // the clocks of two machines may differ
		m.lists[i] = listAge{s.Info.ID, s.LastUpdated, s.Published, age, s.Completeness, s.Digest != "", s.Required}
	}
	last := v.lastSnapshot.Load()
	if last == nil || !last.equals(&m) {
		text := marshal(snapshot{newFreshness(m.lists), version, digest, timestamp{now}, timestamp{asOf}, disclaimer})
		last = &snapshotText{m, text}
		v.lastSnapshot.Store(last)
	}
	return slices.Concat(bytes.TrimSuffix(object, []byte("}\n")), []byte{','}, last.text[1:])
}

// A freshness is the age of a list: null for one that was never loaded.
type freshness struct {
	LastUpdated  timestamp `json:"last_updated"`
	AgeSeconds   *int64    `json:"age_seconds"`
	PublishedAt  timestamp `json:"published_at"`
	Partial      bool      `json:"partial"`
	Completeness *string   `json:"completeness"`
	Required     bool      `json:"required"`
}

// newFreshness returns data_freshness: an object by source, in the order of their
// configuration.
func newFreshness(lists []listAge) json.RawMessage {
	b := []byte{'{'}
	for i, l := range lists {
		f := freshness{LastUpdated: timestamp{l.updated}, PublishedAt: timestamp{l.published}, Partial: l.completeness == sources.Partial, Required: l.required}
		if !l.updated.IsZero() {
			f.AgeSeconds = &l.age
		}
		if l.held {
			completeness := l.completeness.String()
			f.Completeness = &completeness
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, marshal(l.id)...), ':')
		b = append(b, marshal(f)...)
	}
	return append(b, '}')
}
