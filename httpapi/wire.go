package httpapi

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// The types of this file are what goes over the wire: one for each table of the
// interface, with its fields in the table's order. They are not the types of
// package screening, which may grow; these change with the version in the path.

// A source is an item of the answer to GET /api/v1/sources.
type source struct {
	ID           string               `json:"id"`
	Name         string               `json:"name"`
	Jurisdiction sources.Jurisdiction `json:"jurisdiction"`
	LastUpdated  timestamp            `json:"last_updated"`
	AddressCount int                  `json:"address_count"`
}

// A screenRequest is the body of POST /api/v1/screen.
type screenRequest struct {
	Address string `json:"address"`
	Chain   string `json:"chain"`
}

// A result is the answer to POST /api/v1/screen.
type result struct {
	Address        string         `json:"address"`
	Chain          string         `json:"chain"` // as in the request
	Score          int            `json:"score"`
	Level          score.Level    `json:"level"`
	Labels         []label        `json:"labels"` // never nil
	DataFreshness  freshnessBySrc `json:"data_freshness"`
	ScoringVersion string         `json:"scoring_version"`
	Disclaimer     string         `json:"_disclaimer"`
}

// A label is one risk signal of a result. The last two fields are there if the
// match is not exact.
type label struct {
	Label     score.Kind `json:"label"`
	Source    string     `json:"source"`
	SourceRef string     `json:"source_ref"`
	AddedAt   timestamp  `json:"added_at"`

	Match         string `json:"match,omitempty"`
	ListedAddress string `json:"listed_address,omitempty"`
}

// A freshness says how old the data of a source are. Both fields are null if
// the source was never loaded.
type freshness struct {
	source string // its key in freshnessBySrc

	LastUpdated timestamp `json:"last_updated"`
	AgeSeconds  age       `json:"age_seconds"`
}

// freshnessBySrc is an object on the wire, by the id of the source, in the order
// in which the sources were configured.
type freshnessBySrc []freshness

// A timestamp is a time in RFC 3339, UTC, in whole seconds; null if zero.
type timestamp struct{ time.Time }

// An age is a number of seconds; null if negative.
type age int64

// disclaimer goes with every result.
const disclaimer = "Informational screening signals from public sanctions lists and risk databases; not legal, compliance or investment advice. " +
	"The data may be incomplete, delayed or wrong. The decision, and any action, is the caller's own."

// newSources returns the wire form of the state of all sources.
func newSources(status []screening.SourceStatus) []source {
	all := make([]source, len(status))
	for i, s := range status {
		all[i] = source{
			ID: s.Info.ID, Name: s.Info.Name, Jurisdiction: s.Info.Jurisdiction,
			LastUpdated: timestamp{s.LastUpdated}, AddressCount: s.Addresses,
		}
	}
	return all
}

// newResult returns the wire form of the answer r to req, given at now. All of
// it is of the snapshot that r is of.
func newResult(req screenRequest, r screening.Result, now time.Time) result {
	wire := result{
		Address: r.Address.Normalized(), Chain: req.Chain, Score: r.Score, Level: r.Level,
		Labels: []label{}, ScoringVersion: r.ScoringVersion, Disclaimer: disclaimer,
	}
	if !r.Address.IsValid() { // found as a listed string that is no address
		wire.Address = sources.TrimListed(req.Address)
	}
	if len(r.Labels) > 0 {
		wire.Labels = make([]label, len(r.Labels))
	}
	for i, l := range r.Labels {
		wire.Labels[i] = label{Label: l.Kind, Source: l.Source, SourceRef: l.Ref, AddedAt: timestamp{l.AddedAt}}
		if l.Match != score.Exact {
			wire.Labels[i].Match, wire.Labels[i].ListedAddress = l.Match.String(), l.Listed
		}
	}
	status := r.Sources()
	wire.DataFreshness = make(freshnessBySrc, len(status))
	for i := range status {
		s := &status[i]
		f := freshness{source: s.Info.ID, LastUpdated: timestamp{s.LastUpdated}, AgeSeconds: -1}
		if s.Loaded() {
			f.AgeSeconds = age(max(0, now.Sub(s.LastUpdated)) / time.Second) // clocks of two machines may disagree
		}
		wire.DataFreshness[i] = f
	}
	return wire
}

// marshal returns v in JSON, with a line feed. It is for what need not be fast,
// and for types that cannot fail.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // answered as a 500
	}
	return b.Bytes()
}

// The methods below append what encoding/json would write of the same value
// without the escapes for HTML, several times as fast; a test holds the one
// against the other.

func (r result) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"address":`...), r.Address)
	b = appendString(append(b, `,"chain":`...), r.Chain)
	b = strconv.AppendInt(append(b, `,"score":`...), int64(r.Score), 10)
	b = appendString(append(b, `,"level":`...), string(r.Level))
	b = append(b, `,"labels":[`...)
	for i := range r.Labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Labels[i].appendJSON(b)
	}
	b = r.DataFreshness.appendJSON(append(b, `],"data_freshness":`...))
	b = appendString(append(b, `,"scoring_version":`...), r.ScoringVersion)
	b = appendString(append(b, `,"_disclaimer":`...), r.Disclaimer)
	return append(b, '}')
}

func (l *label) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"label":`...), string(l.Label))
	b = appendString(append(b, `,"source":`...), l.Source)
	b = appendString(append(b, `,"source_ref":`...), l.SourceRef)
	b = l.AddedAt.appendJSON(append(b, `,"added_at":`...))
	if l.Match != "" {
		b = appendString(append(b, `,"match":`...), l.Match)
	}
	if l.ListedAddress != "" {
		b = appendString(append(b, `,"listed_address":`...), l.ListedAddress)
	}
	return append(b, '}')
}

func (f freshnessBySrc) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, f[i].source), ':')
		b = f[i].LastUpdated.appendJSON(append(b, `{"last_updated":`...))
		b = f[i].AgeSeconds.appendJSON(append(b, `,"age_seconds":`...))
		b = append(b, '}')
	}
	return append(b, '}')
}

func (t timestamp) appendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return append(t.UTC().AppendFormat(append(b, '"'), time.RFC3339), '"')
}

func (a age) appendJSON(b []byte) []byte {
	if a < 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(a), 10)
}

// MarshalJSON implements [json.Marshaler].
func (f freshnessBySrc) MarshalJSON() ([]byte, error) { return f.appendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (t timestamp) MarshalJSON() ([]byte, error) { return t.appendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (a age) MarshalJSON() ([]byte, error) { return a.appendJSON(nil), nil }

// appendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0 // of what is to be copied as it is
	for i := 0; i < len(s); {
		c := s[i]
		if ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		switch r {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default: // a control character, U+FFFD, or a line end of JavaScript
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}
