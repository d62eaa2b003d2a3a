package journal

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The types of events.
const (
	// Accepted: a revision was accepted and its file was saved. It has Source,
	// Revision, List and the counts.
	Accepted = "accepted"
	// Changed: how a revision differs from the previous one. It is written before the revision is
	// saved, and has Source, Revision, Before and Delta. A long Delta is in several events, the later
	// ones without Before.
	Changed = "changed"
	// Refused: what a source returned was not accepted. It has Source and Reason, and
	// List and the counts of the refused list, as far as they are known.
	Refused = "refused"
	// Confirmed: a revision was found to be the publisher's still. It has Source,
	// Revision and List, whose Checked is the time.
	Confirmed = "confirmed"
	// Answering: from At on, questions were answered from other lists, or with other
	// exceptions, than before. It has Digest, Lists and Exceptions.
	Answering = "answering"
	// Exceptions: the operator's exceptions have changed. It has Exceptions. Append adds
	// it before an Answering event, where the exceptions differ.
	Exceptions = "exceptions"
	// Gap: it is not known what was answered from between From and At, because the
	// journal could not be written, or, for a Reason, a file in use was found damaged.
	Gap = "gap"
)

// An Event is a line of the journal.
type Event struct {
	Type     string
	At       time.Time // in UTC
	From     time.Time // the beginning of a gap, in UTC
	Source   string    // ID of the source
	Revision string    // name of the file

	List      sources.Revision
	Entries   int // of the list
	Addresses int // distinct addresses of the list
	Added     int // entries that the revision before did not have
	Removed   int // entries that only the revision before had

	Reason string // why a list was refused

	Before string         // name of the revision before; "" if Delta does not say all
	Delta  revision.Delta // from Before to Revision

	Digest     string            // of the snapshot, as in results
	Lists      map[string]string // name of the file by source; "" if the list was not loaded
	Broken     map[string]string // name of the file accepted last by source, if Lists has an older one because that is damaged
	Exceptions string            // of the operator, in UTF-8
	LoadOnly   bool              // the program answers no questions: this holds for others that only read the store
	Again      bool              // is not written: the event is left out unless the last Answering event has LoadOnly
}

// A line of the journal is
//
//	type time source reference json checksum
//
// separated by blanks. A "-" stands for no source and for no reference. The reference is
// the time and the first digits of the digest in the name of the revision. The JSON,
// which has no blank outside of strings, is left out with its blank where there is
// nothing to say. The checksum is the CRC-32C of the line up to the blank before it, in 8 digits of
// lower-case hex.

// A payload is the JSON of a line. An Exceptions event has the text, and its SHA-256 as
// Digest; an Answering event has the SHA-256 only.
type payload struct {
	From      time.Time    `json:"from,omitzero"`
	List      *listPayload `json:"list,omitempty"`
	Entries   int          `json:"entries,omitempty"`
	Addresses int          `json:"addresses,omitempty"`
	Added     int          `json:"added,omitempty"`
	Removed   int          `json:"removed,omitempty"`
	Reason    string       `json:"reason,omitempty"`

	Before  string `json:"before,omitempty"`  // a reference
	Changes []byte `json:"changes,omitempty"` // a Delta, compressed by DEFLATE (RFC 1951)

	Digest          string            `json:"digest,omitempty"`
	Lists           map[string]string `json:"lists,omitempty"`
	Broken          map[string]string `json:"broken,omitempty"`
	Exceptions      string            `json:"exceptions,omitempty"`
	ExceptionDigest string            `json:"exceptions_sha256,omitempty"`
	LoadOnly        bool              `json:"load_only,omitempty"`
}

// A listPayload is a sources.Revision in JSON.
type listPayload struct {
	Digest       string               `json:"digest,omitempty"`
	Published    time.Time            `json:"published,omitzero"`
	Checked      time.Time            `json:"checked,omitzero"`
	Records      int                  `json:"records,omitempty"`
	Completeness sources.Completeness `json:"completeness,omitzero"`
	Provenance   string               `json:"provenance,omitempty"`
	OpenEnded    bool                 `json:"open_ended,omitempty"`
	ETag         string               `json:"etag,omitempty"`
	LastModified string               `json:"last_modified,omitempty"`
}

// The years in which nanoseconds since 1970 fit into 64 bits, roughly.
const (
	firstYear = 1700
	lastYear  = 2200
)

// maxReason bounds the reason of a refusal, in bytes.
const maxReason = 4096

// storable returns rev as the journal has it: in UTC, and without texts that are not
// UTF-8.
func storable(rev sources.Revision) sources.Revision {
	if !utf8.ValidString(rev.Provenance) {
		rev.Provenance = ""
	}
	if !utf8.ValidString(rev.ETag) {
		rev.ETag = ""
	}
	if !utf8.ValidString(rev.LastModified) {
		rev.LastModified = ""
	}
	rev.Published, rev.Checked = rev.Published.UTC().Round(0), rev.Checked.UTC().Round(0)
	return rev
}

// reference returns the reference of the revision called name, "-" for none.
func reference(name string) (string, error) {
	if name == "" {
		return "-", nil
	}
	source, _, _, ok := revision.ParseName(name)
	if !ok {
		return "", fmt.Errorf("%.200q is not the name of a revision", name)
	}
	return name[len(source)+1:][:len(revision.StampForm)+1+revision.ShortDigest], nil
}

// appendLine appends the line of e to b. list says whether the payload has e.List.
func appendLine(b []byte, e *Event, list bool, exceptionDigest string) ([]byte, error) {
	source := e.Source
	if source == "" {
		source = "-"
	}
	ref, err := reference(e.Revision)
	if err != nil {
		return nil, err
	}
	for _, word := range []string{e.Type, source} {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, fmt.Errorf("an event of the type %.80q and the source %.80q: want words of ASCII", e.Type, e.Source)
		}
	}
	if y := e.At.UTC().Year(); y < firstYear || y > lastYear {
		return nil, fmt.Errorf("an event in the year %d: want %d to %d", y, firstYear, lastYear)
	}
	p := payload{
		From:    e.From.UTC(),
		Entries: e.Entries, Addresses: e.Addresses, Added: e.Added, Removed: e.Removed, LoadOnly: e.LoadOnly,
		Reason: strings.ToValidUTF8(e.Reason[:min(len(e.Reason), maxReason)], "\uFFFD"),
		Digest: e.Digest, Lists: e.Lists, Broken: e.Broken, ExceptionDigest: exceptionDigest,
	}
	if e.Type == Exceptions {
		p.Exceptions = e.Exceptions
	}
	if e.Type == Changed {
		if p.Changes, err = deflate(&e.Delta); err != nil {
			return nil, err
		}
		if e.Before != "" {
			if p.Before, err = reference(e.Before); err != nil {
				return nil, err
			}
		}
	}
	if rev := storable(e.List); list && !rev.IsZero() {
		p.List = &listPayload{rev.Digest, rev.Published, rev.Checked, rev.Records, rev.Completeness, rev.Provenance, rev.OpenEnded, rev.ETag, rev.LastModified}
	}
	start := len(b)
	b = append(append(b, e.Type...), ' ')
	b = append(e.At.UTC().AppendFormat(b, revision.StampForm), ' ')
	b = append(append(append(b, source...), ' '), ref...)
	var payload bytes.Buffer
	enc := json.NewEncoder(&payload)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	if body := bytes.TrimSuffix(payload.Bytes(), []byte("\n")); len(body) > len("{}") {
		b = append(append(b, ' '), body...)
	}
	text := b[start:]
	return append(appendSum(append(b, ' '), text), '\n'), nil
}

// deflate returns d, compressed.
func deflate(d *revision.Delta) ([]byte, error) {
	text, err := d.Append(nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// inflate returns the Delta that deflate has compressed.
func inflate(data []byte) (revision.Delta, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxDelta))
	if err != nil {
		return revision.Delta{}, fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return revision.ParseDelta(text)
}

// maxDelta bounds the bytes of a Delta.
const maxDelta = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A line is a line of the journal with the right checksum.
type line struct {
	kind   string
	at     int64  // in nanoseconds since 1970
	source []byte // part of the journal, as are the following
	ref    []byte
	json   []byte // nil if there is none
}

// checksumBytes is the length of the checksum after a line's text.
const checksumBytes = 1 + 8

// appendSum appends the checksum of the text of a line, in lower-case hex.
func appendSum(b, text []byte) []byte {
	return hex.AppendEncode(b, binary.BigEndian.AppendUint32(nil, crc32.Checksum(text, castagnoli)))
}

// parseLine splits a line, which has no line feed. It reports false if the line is
// damaged.
func parseLine(text []byte) (l line, ok bool) {
	n := len(text) - checksumBytes
	if n < 0 || text[n] != ' ' {
		return line{}, false
	}
	var sum [checksumBytes - 1]byte
	if !bytes.Equal(appendSum(sum[:0], text[:n]), text[n+1:]) {
		return line{}, false
	}
	text = text[:n]
	kind, rest, _ := bytes.Cut(text, []byte(" "))
	stamp, rest, _ := bytes.Cut(rest, []byte(" "))
	l.source, rest, _ = bytes.Cut(rest, []byte(" "))
	l.ref, l.json, _ = bytes.Cut(rest, []byte(" "))
	l.kind = string(kind)
	at, err := time.Parse(revision.StampForm, string(stamp))
	l.at = nanos(at)
	return l, err == nil && l.at != math.MinInt64 && l.at != math.MaxInt64 && len(l.ref) > 0
}

// parsePayload returns the payload of a line.
func (l *line) parsePayload() (p payload, ok bool) {
	return p, l.json == nil || json.Unmarshal(l.json, &p) == nil
}

// list returns the revision of a payload; the zero revision if there is none.
func (p *payload) list() sources.Revision {
	if p.List == nil {
		return sources.Revision{}
	}
	l := p.List
	return sources.Revision{
		Digest: l.Digest, Published: l.Published, Checked: l.Checked, Records: l.Records,
		Completeness: l.Completeness, Provenance: l.Provenance, OpenEnded: l.OpenEnded, ETag: l.ETag, LastModified: l.LastModified,
	}
}

// harmless reports whether a damaged line is certainly not an Answering event, nor
// several lines: an event of another type that was cut short, for example.
func harmless(text []byte) bool {
	kind, _, _ := bytes.Cut(text, []byte(" "))
	switch string(kind) {
	case Confirmed, Accepted, Changed, Refused, Exceptions:
		return len(kind) < len(text) && bytes.IndexFunc(text, func(r rune) bool { return r < ' ' }) < 0 &&
			!bytes.Contains(text, []byte(Answering[:4]))
	}
	return false
}
