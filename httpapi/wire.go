package httpapi

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// This file is what goes over the wire: one type or function for each table of
// the interface, with its fields in the table's order. It changes with the version
// in the path only, where the types of package screening may grow.

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

// A timestamp is a time in RFC 3339, UTC, in whole seconds; null if zero.
type timestamp struct{ time.Time }

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

// MarshalJSON implements [json.Marshaler].
func (t timestamp) MarshalJSON() ([]byte, error) { return t.appendJSON(nil), nil }

// appendJSON appends t, digit by digit: time.Time.AppendFormat takes twice as long.
func (t timestamp) appendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	u := t.UTC()
	year, month, day := u.Date()
	hour, minute, second := u.Clock()
	if year < 0 || year > 9999 { // no year of RFC 3339
		return append(u.AppendFormat(append(b, '"'), time.RFC3339), '"')
	}
	b = appendTwo(append(b, '"'), year/100)
	b = appendTwo(b, year%100)
	b = appendTwo(append(b, '-'), int(month))
	b = appendTwo(append(b, '-'), day)
	b = appendTwo(append(b, 'T'), hour)
	b = appendTwo(append(b, ':'), minute)
	b = appendTwo(append(b, ':'), second)
	return append(b, 'Z', '"')
}

// appendTwo appends the two digits of n, from 0 to 99.
func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// A resultWriter writes the answers to POST /api/v1/screen: what encoding/json
// would write of them without the escapes for HTML, in less than a tenth of the time; a
// test holds the one against the other. The zero resultWriter is ready for use,
// by several goroutines.
type resultWriter struct{ last atomic.Pointer[ending] }

// append appends the answer r to req, given at now, and a line feed. All of it
// is of the snapshot that r is of. It does not allocate if b has room, but for
// the first answer of a snapshot.
func (w *resultWriter) append(b []byte, req screenRequest, r *screening.Result, now time.Time) []byte {
	b = appendString(append(b, `{"address":`...), screened(req, r))
	b = appendString(append(b, `,"chain":`...), req.Chain) // as in the request
	b = strconv.AppendInt(append(b, `,"score":`...), int64(r.Score), 10)
	b = append(append(b, `,"level":"`...), r.Level...)
	b = append(b, `","labels":[`...) // never null
	for i := range r.Labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendLabel(b, &r.Labels[i]), '}')
	}
	if len(r.Suppressed) > 0 {
		b = append(b, `],"suppressed":[`...)
	}
	for i := range r.Suppressed {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSuppressed(b, &r.Suppressed[i])
	}
	return append(b, w.ending(r, now).text...) // it begins with the bracket
}

// screened returns what r says to have been screened.
func screened(req screenRequest, r *screening.Result) string {
	if !r.Address.IsValid() { // found as a listed string that is no address
		return sources.TrimListed(req.Address)
	}
	return r.Address.Normalized()
}

// appendLabel appends one risk signal, of a kind that package score has, but for
// the brace at its end. The last two fields are there if the match is not exact.
func appendLabel(b []byte, l *screening.Label) []byte {
	b = append(append(b, `{"label":"`...), l.Kind...)
	b = appendString(append(b, `","source":`...), l.Source)
	b = appendString(append(b, `,"source_ref":`...), l.Ref)
	b = timestamp{l.AddedAt}.appendJSON(append(b, `,"added_at":`...))
	if m := l.Match.String(); m != "" && l.Match != score.Exact {
		b = append(append(append(b, `,"match":"`...), m...), '"')
	}
	if l.Listed != "" && l.Match != score.Exact {
		b = appendString(append(b, `,"listed_address":`...), l.Listed)
	}
	return b
}

// appendSuppressed appends a risk signal that an operator's exception takes out of
// the score, and why.
func appendSuppressed(b []byte, x *screening.Suppressed) []byte {
	b = appendLabel(b, &x.Label)
	b = appendString(append(b, `,"reason":`...), x.Reason)
	b = appendString(append(b, `,"author":`...), x.Author)
	return append(timestamp{x.Expires}.appendJSON(append(b, `,"expires_at":`...)), '}')
}

// An ending is how all answers end that come from one snapshot while no age in it
// changes: what follows the labels.
type ending struct {
	status      []screening.SourceStatus // of the snapshot, which it tells from others
	version     string
	from, until time.Time // zero if there are no ages, or none that will change
	text        string
}

// ending returns the ending of r at now. The last one is kept: a new one is made
// a few times a second, whenever a source has become a second older.
func (w *resultWriter) ending(r *screening.Result, now time.Time) *ending {
	status := r.Sources()
	if e := w.last.Load(); e != nil && e.holds(status, r.ScoringVersion, now) {
		return e
	}
	e := newEnding(status, r.ScoringVersion, now)
	w.last.Store(e)
	return e
}

func (e *ending) holds(status []screening.SourceStatus, version string, now time.Time) bool {
	return len(e.status) == len(status) && len(status) > 0 && &e.status[0] == &status[0] && e.version == version &&
		!now.Before(e.from) && (e.until.IsZero() || now.Before(e.until))
}

// newEnding renders data_freshness, an object by the id of the source in the order
// in which the sources were configured, and what follows it. Both of its members
// are null if a source was never loaded.
func newEnding(status []screening.SourceStatus, version string, now time.Time) *ending {
	e := &ending{status: status, version: version}
	b := make([]byte, 0, 1024)
	b = append(b, `],"data_freshness":{`...)
	for i := range status {
		s := &status[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, s.Info.ID), `:{"last_updated":`...)
		b = timestamp{s.LastUpdated}.appendJSON(b)
		b = append(b, `,"age_seconds":`...)
		if s.LastUpdated.IsZero() { // never loaded, or the clock was wrong
			b = append(b, "null}"...)
			continue
		}
		age := max(0, now.Sub(s.LastUpdated)) / time.Second // clocks of two machines may disagree
		b = append(strconv.AppendInt(b, int64(age), 10), '}')
		if from := s.LastUpdated.Add(age * time.Second); age > 0 && from.After(e.from) {
			e.from = from
		}
		if until := s.LastUpdated.Add((age + 1) * time.Second); e.until.IsZero() || until.Before(e.until) {
			e.until = until
		}
	}
	b = appendString(append(b, `},"scoring_version":`...), version)
	b = appendString(append(b, `,"_disclaimer":`...), disclaimer)
	e.text = string(append(b, "}\n"...))
	return e
}

// appendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0 // of what is to be copied as it is
	for i := plain(s); i < len(s); i += plain(s[i:]) {
		c := s[i]
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

// plain returns how many bytes at the beginning of s stand for themselves in a
// JSON string and are ASCII.
func plain(s string) int {
	if len(s) < 8 {
		i := 0
		for i < len(s) && ' ' <= s[i] && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
			i++
		}
		return i
	}
	for i := 0; ; i = min(i+8, len(s)-8) { // the last eight may overlap with those before
		if odd := oddBytes(word(s[i : i+8])); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
		if i == len(s)-8 {
			return len(s)
		}
	}
}

// word returns the eight bytes of s, the first in the lowest place.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// oddBytes returns a word whose lowest bit that is set lies in the lowest byte of
// x that is not plain.
func oddBytes(x uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	// A subtraction sets the high bit of a byte that is too small. What it borrows
	// from the bytes above can only make those look odd, too.
	quote, backslash := x^'"'*ones, x^'\\'*ones
	return (x | (x - ' '*ones) | (quote - ones) | (backslash - ones)) & highs
}
