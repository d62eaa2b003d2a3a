package httpapi

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"

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

// marshal returns v in JSON, with a line feed. It is for answers that need not be
// fast, and for types that cannot fail.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // answered as a 500
	}
	return b.Bytes()
}

// A resultWriter writes answers of screenings: the JSON that encoding/json would
// write without escapes for HTML, in a tenth of the time. The zero resultWriter is
// ready to use, and may be used concurrently.
type resultWriter struct{ last atomic.Pointer[freshness] }

// append appends the answer to a screen request, given at now with a receipt or none,
// and a line feed. It does not allocate if b has room, apart from the first answer of a
// snapshot.
func (w *resultWriter) append(b []byte, req screenRequest, r *screening.Result, receipt []byte, now time.Time) []byte {
	b = appendResult(append(b, '{'), req, r)
	if receipt != nil {
		b = appendString(append(b, `,"receipt":`...), string(receipt))
	}
	return w.appendEnd(append(b, ','), r.Sources(), r.Digest(), r.ScoringVersion, now)
}

// appendEnd appends the members that follow a result or the results of a batch, the
// closing brace and a line feed.
func (w *resultWriter) appendEnd(b []byte, status []screening.SourceStatus, digest, version string, now time.Time) []byte {
	b = append(b, w.freshness(status, digest, version, now).text...)
	b = timestamp{now}.appendJSON(append(b, `,"screened_at":`...))
	return append(b, `,"_disclaimer":"`+disclaimer+"\"}\n"...)
}

// appendResult appends the members of a result that are its own.
func appendResult(b []byte, req screenRequest, r *screening.Result) []byte {
	if b = append(b, `"address":`...); r.Address.IsValid() { // no normal form has characters to escape
		b = append(r.Address.AppendNormalized(append(b, '"')), '"')
	} else {
		b = appendString(b, screened(req, r))
	}
	b = appendString(append(b, `,"chain":`...), req.Chain) // as in the request
	b = strconv.AppendInt(append(b, `,"score":`...), int64(r.Score), 10)
	b = append(append(b, `,"level":"`...), r.Level...)
	b = append(b, `","labels":[`...) // never null
	for i := range r.Labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendLabel(b, &r.Labels[i], r), '}')
	}
	b = append(b, ']')
	for i := range r.Suppressed {
		if i == 0 {
			b = append(b, `,"suppressed":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendSuppressed(b, &r.Suppressed[i], r)
	}
	if len(r.Suppressed) > 0 {
		b = append(b, ']')
	}
	return b
}

// screened returns the address that r answers for.
func screened(req screenRequest, r *screening.Result) string {
	a := r.Address
	if !a.IsValid() { // a listed string that is not an address
		return sources.TrimListed(req.Address)
	}
	return a.Normalized()
}

// appendLabel appends a label of r without its closing brace.
func appendLabel(b []byte, l *screening.Label, r *screening.Result) []byte {
	b = append(append(b, `{"label":"`...), l.Kind...)
	b = appendString(append(b, `","source":`...), l.Source)
	b = appendString(append(b, `,"source_ref":`...), l.Ref)
	b = timestamp{l.AddedAt}.appendJSON(append(b, `,"added_at":`...))
	if l.Name != "" {
		b = appendString(append(b, `,"name":`...), l.Name)
	}
	b = append(append(append(b, `,"match":"`...), l.Match.String()...), '"')
	b = appendString(append(b, `,"listed_address":`...), l.Listed)
	if url := recordURL(l, r); url != "" {
		b = appendString(append(b, `,"url":`...), url)
	}
	return b
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

// appendSuppressed appends a label of r that an operator's exception takes out of
// the score, and why.
func appendSuppressed(b []byte, x *screening.Suppressed, r *screening.Result) []byte {
	b = appendLabel(b, &x.Label, r)
	b = appendString(append(b, `,"reason":`...), x.Reason)
	b = appendString(append(b, `,"author":`...), x.Author)
	return append(timestamp{x.Expires}.appendJSON(append(b, `,"expires_at":`...)), '}')
}

// A freshness is the part of an answer that is equal for all answers of one snapshot
// until an age in it changes: data_freshness, scoring_version and snapshot.
type freshness struct {
	digest      string // of the snapshot
	status      []screening.SourceStatus
	version     string
	from, until time.Time // zero if no age will change
	text        string
}

// freshness returns the freshness of a snapshot at now. The last one is cached: a new
// one is made a few times a second, whenever a source becomes a second older.
func (w *resultWriter) freshness(status []screening.SourceStatus, digest, version string, now time.Time) *freshness {
	if f := w.last.Load(); f != nil && f.holds(status, digest, version, now) {
		return f
	}
	f := newFreshness(status, digest, version, now)
	w.last.Store(f)
	return f
}

func (f *freshness) holds(status []screening.SourceStatus, digest, version string, now time.Time) bool {
	return len(f.status) == len(status) && len(status) > 0 && &f.status[0] == &status[0] && f.digest == digest && f.version == version &&
		!now.Before(f.from) && (f.until.IsZero() || now.Before(f.until))
}

// newFreshness renders a freshness. last_updated and age_seconds are null for a
// source that was never loaded. The sources are in the order of their configuration.
func newFreshness(status []screening.SourceStatus, digest, version string, now time.Time) *freshness {
	f := &freshness{digest: digest, status: status, version: version}
	b := make([]byte, 0, 1024)
	b = append(b, `"data_freshness":{`...)
	for i := range status {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.appendSource(b, &status[i], now)
	}
	b = appendString(append(b, `},"scoring_version":`...), version)
	f.text = string(appendString(append(b, `,"snapshot":`...), digest))
	return f
}

// appendSource appends one member of data_freshness, and narrows the time for which
// f holds.
func (f *freshness) appendSource(b []byte, s *screening.SourceStatus, now time.Time) []byte {
	b = append(appendString(b, s.Info.ID), `:{"last_updated":`...)
	b = timestamp{s.LastUpdated}.appendJSON(b)
	b = append(b, `,"age_seconds":`...)
	if s.LastUpdated.IsZero() {
		b = append(b, "null"...)
	} else {
		age := max(0, now.Sub(s.LastUpdated)) / time.Second // the clocks of two machines may differ
		b = strconv.AppendInt(b, int64(age), 10)
		if from := s.LastUpdated.Add(age * time.Second); age > 0 && from.After(f.from) {
			f.from = from
		}
		if until := s.LastUpdated.Add((age + 1) * time.Second); f.until.IsZero() || until.Before(f.until) {
			f.until = until
		}
	}
	b = timestamp{s.Published}.appendJSON(append(b, `,"published_at":`...))
	b = strconv.AppendBool(append(b, `,"partial":`...), isPartial(s))
	b = append(b, `,"completeness":`...)
	if s.Digest == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, s.Completeness.String())
	}
	b = strconv.AppendBool(append(b, `,"required":`...), s.Required)
	return append(b, '}')
}
