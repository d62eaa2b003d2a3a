package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/visible"
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
	Final        bool                 `json:"final,omitempty"`
	Required     bool                 `json:"required"`
}

// disclaimer is part of every result.
const disclaimer = "Informational screening signals from public sanctions lists and risk databases; not legal, compliance or investment advice. " +
	"The data may be incomplete, delayed or wrong. The decision, and any action, is the caller's own."

// newSource returns the wire form of the state of a source.
func newSource(s *screening.SourceStatus) source {
	w := source{
		ID: s.Info.ID, Name: s.Info.Name, Jurisdiction: s.Info.Jurisdiction,
		LastUpdated: timestamp{s.LastUpdated}, AddressCount: s.Addresses, PublishedAt: timestamp{s.Published},
		Partial: s.Completeness == sources.Partial, Provenance: s.Provenance, Final: s.Info.Final, Required: s.Required,
	}
	switch w.Jurisdiction {
	case sources.US, sources.EU, sources.UK, sources.Community:
	default: // the interface has no other
		w.Jurisdiction, w.Issuer = sources.Community, w.Jurisdiction
	}
	if s.Digest != "" {
		completeness := s.Completeness.String()
		w.Completeness = &completeness
	}
	return w
}

// A timestamp is a time in RFC 3339, UTC, in whole seconds; null if zero.
type timestamp struct{ time.Time }

// MarshalJSON implements [json.Marshaler].
func (t timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05Z"`), nil
}

// marshal returns v in JSON, with a line feed, which it writes into b, in place of all else.
// Characters that nobody sees are escaped. It is for types that cannot fail.
func marshal(b *bytes.Buffer, v any) []byte {
	b.Reset()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // answered as a 500
	}
	return visible.JSON(b.Bytes())
}

// A result is the answer about one address: of a screen request, and with an ID and
// without the members of the snapshot, an item of a batch.
type result struct {
	ID *string `json:"id,omitempty"`
	subject
	screening.Answer
	Receipt string `json:"receipt,omitempty"`
}

// A subject is what a result is about.
type subject struct {
	Address string `json:"address"`
	Chain   string `json:"chain"` // as in the request
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

// newResult returns the wire form of the answer about a text, without the members of the
// snapshot, and what the caller may see of r. chain is its name in the answer.
func (e *exchange) newResult(text, chain string, r screening.Result) (w result, shown screening.Result) {
	if len(r.Labels)+len(r.Suppressed)+len(r.Formerly) > 0 && !e.caller.has(scopeOwn) {
		r = r.WithoutOwn()
	}
	w = result{subject: subject{r.Address.Normalized(), chain}, Answer: r.Answer()}
	if len(r.Labels)+len(r.Suppressed) > 0 {
		w.Answer = w.Answer.WithURLs(r.Sources())
	}
	if w.Address == "" { // a listed string that is not an address
		w.Address = sources.TrimListed(text)
	}
	return w, r
}

// bodyOf returns the answer about one address, with the members of the snapshot.
func (e *exchange) bodyOf(w *result, found screening.Result) []byte {
	object, plain := any(w), (*screening.Answer)(nil)
	if len(w.Labels)+len(w.Doubts)+len(w.Suppressed)+len(w.Formerly) == 0 && w.Receipt == "" {
		object, plain = &w.subject, &w.Answer
	}
	return e.withSnapshot(marshal(&e.buf, object), plain, found.Sources(), found.Digest(), found.ScoringVersion)
}

// A snapshotText holds the members of the snapshot as they were sent last, and for what they
// hold: the results of one snapshot share the state of the sources, and from a time on until
// another one the text shows the same seconds.
type snapshotText struct {
	sources         *screening.SourceStatus // the first one
	digest, version string
	asOf            time.Time // zero for the lists of now
	from, until     time.Time
	text            []byte

	// plain is the text behind the subject of a plain answer, with some caveats about the lists: most
	// answers of one second differ in nothing else.
	plain   []byte
	caveats []screening.Caveat
}

// withSnapshot adds the members of the snapshot of the lists that answer to an object: it
// returns the object up to them, and sets e.shared to the rest, which many answers of one
// second share. If plain is not nil, the object is a subject, and the rest begins with the members of
// that answer, which has nothing but caveats.
func (e *exchange) withSnapshot(object []byte, plain *screening.Answer, status []screening.SourceStatus, digest, version string) []byte {
	var first *screening.SourceStatus
	if len(status) > 0 {
		first = &status[0]
	}
	last, now := e.lastSnapshot.Load(), e.now.Round(0) // as the clock shows it, which may be put back
	if last == nil || last.sources != first || last.digest != digest || last.version != version || last.asOf != e.asOf ||
		now.Before(last.from) || !now.Before(last.until) {
		last = &snapshotText{sources: first, digest: digest, version: version, asOf: e.asOf, from: now, until: now.Truncate(time.Second).Add(time.Second)}
		at := e.asOf
		if at.IsZero() {
			at = now
			for i := range status { // each gets older by a second at another time
				if next := at.Add(time.Second - max(0, at.Sub(status[i].LastUpdated))%time.Second); next.Before(last.until) {
					last.until = next
				}
			}
		}
		last.text = marshal(new(bytes.Buffer), snapshot{newFreshness(status, at), version, digest, timestamp{now}, timestamp{e.asOf}, disclaimer})
		e.lastSnapshot.Store(last)
	}
	if plain == nil {
		e.shared = last.text[1:]
		return reopen(object)
	}
	if last.plain == nil || !slices.Equal(last.caveats, plain.Caveats) {
		again := *last
		again.plain, again.caveats = append(reopen(marshal(new(bytes.Buffer), plain)), last.text[1:]...), plain.Caveats
		last = &again
		e.lastSnapshot.Store(last)
	}
	e.shared = last.plain[1:]
	return reopen(object)
}

// reopen returns an object that marshal has returned, without its end, for more members.
func reopen(object []byte) []byte { return append(bytes.TrimSuffix(object, []byte("}\n")), ',') }

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
func newFreshness(status []screening.SourceStatus, at time.Time) json.RawMessage {
	b, room := []byte{'{'}, bytes.Buffer{}
	for i := range status {
		s := newSource(&status[i])
		f := freshness{LastUpdated: s.LastUpdated, PublishedAt: s.PublishedAt, Partial: s.Partial, Completeness: s.Completeness, Required: s.Required}
		if !s.LastUpdated.IsZero() {
			seconds := int64(max(0, at.Sub(status[i].LastUpdated)) / time.Second) // the clocks of two machines may differ
			f.AgeSeconds = &seconds
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, marshal(&room, s.ID)...), ':')
		b = append(b, marshal(&room, f)...)
	}
	return append(b, '}')
}
