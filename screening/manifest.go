package screening

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// indexFormat is the version of what an index says of a list: under which keys an
// entry is filed, and how its listing is written. It is raised with each change of
// that, and with each chain that is added; TestIndexFormat tells when.
const indexFormat = 2

// errOutdated is why an index is not taken that was written by another version.
var errOutdated = errors.New("index was written by another version")

// A manifest is what is kept of a list beside its indexes: JSON with a line feed at
// its end, and a line with the SHA-256 of that, in hex.
type manifest struct {
	Format       int              `json:"format"`
	Program      string           `json:"program"`
	Source       string           `json:"source"`
	AccountsOnly bool             `json:"accounts_only"`
	Revision     sources.Revision `json:"revision"` // as the Store has it
	Accepted     time.Time        `json:"accepted"`
	Before       sources.Stored   `json:"before"` // see list
	Entries      int              `json:"entries"`
	Segment      keptSegment      `json:"segment"`
	Removed      *keptSegment     `json:"removed,omitempty"`

	Anomalies      map[sources.AnomalyKind]int `json:"anomalies,omitempty"`
	FirstAnomalies []keptAnomaly               `json:"first_anomalies,omitempty"`
}

// A keptSegment is a segment in a manifest.
type keptSegment struct {
	Index string `json:"index"` // the digest of its file
	facts
}

// A sample is what decides how an entry is filed, and how it was.
type sample struct {
	Entry keptEntry `json:"entry"`
	Filed string    `json:"filed"`
}

func sampleOf(e sources.Entry, accountsOnly bool) sample {
	if e.Address.IsValid() {
		e = sources.Entry{Address: e.Address}
	} else {
		e = sources.Entry{Listed: e.Listed, Asset: e.Asset}
	}
	return sample{keepEntry(e), filedAs(e, accountsOnly)}
}

type keptAnomaly struct {
	Kind  sources.AnomalyKind `json:"kind"`
	Entry keptEntry           `json:"entry"`
}

// A keptEntry is an entry in JSON, which changes bytes that are no UTF-8 in a string,
// and has no years of more than four digits.
type keptEntry struct {
	Address   address.Address `json:"address"`
	Listed    []byte          `json:"listed,omitempty"`
	Asset     []byte          `json:"asset,omitempty"`
	Kind      score.Kind      `json:"kind,omitempty"`
	Ref       []byte          `json:"ref,omitempty"`
	Name      []byte          `json:"name,omitempty"`
	ListedAt  [2]int64        `json:"listed_at"` // seconds and nanoseconds
	FirstSeen [2]int64        `json:"first_seen"`
}

func keepEntry(e sources.Entry) keptEntry {
	return keptEntry{
		e.Address, []byte(e.Listed), []byte(e.Asset), e.Kind, []byte(e.Ref), []byte(e.Name),
		[2]int64{e.ListedAt.Unix(), int64(e.ListedAt.Nanosecond())}, [2]int64{e.FirstSeen.Unix(), int64(e.FirstSeen.Nanosecond())},
	}
}

func (k keptEntry) entry() sources.Entry {
	return sources.Entry{
		Address: k.Address, Listed: string(k.Listed), Asset: string(k.Asset), Kind: k.Kind, Ref: string(k.Ref), Name: string(k.Name),
		ListedAt: time.Unix(k.ListedAt[0], k.ListedAt[1]).UTC(), FirstSeen: time.Unix(k.FirstSeen[0], k.FirstSeen[1]).UTC(),
	}
}

// filedAs returns how e is filed, as text.
func filedAs(e sources.Entry, accountsOnly bool) string {
	keys := appendFilings(nil, e, accountsOnly)
	b := fmt.Appendf(nil, "%d", formOf(e, keys))
	for _, k := range keys {
		b = fmt.Appendf(b, " %x:%x", k.Class(), k.AppendBytes(nil))
	}
	return string(b)
}

// kept returns seg as a manifest has it, nil for nil.
func kept(seg *segment) *keptSegment {
	if seg == nil {
		return nil
	}
	digest := seg.index.Digest()
	return &keptSegment{hex.EncodeToString(digest[:]), seg.facts}
}

// manifestOf returns the manifest of l, a list of the given source.
func (d *indexDir) manifestOf(source string, l *list) *manifest {
	rev := l.confirmed
	rev.Published = rev.Published.UTC() // as a store has it
	m := &manifest{
		Format: indexFormat, Program: d.program, Source: source, AccountsOnly: d.accountsOnly,
		Revision: rev, Accepted: l.accepted.UTC(), Before: l.before, Entries: l.count,
		Segment: *kept(l.segment), Removed: kept(l.removed), Anomalies: l.anomalies.Counts,
	}
	for _, a := range l.anomalies.First {
		m.FirstAnomalies = append(m.FirstAnomalies, keptAnomaly{a.Kind, keepEntry(a.Entry)})
	}
	return m
}

// list returns the list of which m is, all but its segments.
func (m *manifest) list() *list {
	l := &list{count: m.Entries, anomalies: sources.Anomalies{Counts: m.Anomalies}, before: m.Before, indexed: m.Revision}
	for _, a := range m.FirstAnomalies {
		l.anomalies.First = append(l.anomalies.First, sources.Anomaly{Kind: a.Kind, Entry: a.Entry.entry()})
	}
	return l
}

// check returns an error if m is not of the list that is wanted of a source, or if
// this program would have filed it otherwise.
func (d *indexDir) check(m *manifest, source string, want sources.Stored) error {
	switch {
	case m.Format != indexFormat || m.Program != d.program:
		return fmt.Errorf("%w: %d of %.80q", errOutdated, m.Format, m.Program)
	case m.Source != source || m.AccountsOnly != d.accountsOnly || m.Revision.Digest == "" || m.Revision.Records <= 0 ||
		m.Entries < 0 || m.Entries > maxEntries:
		return fmt.Errorf("%w: the manifest", index.ErrDamaged)
	case m.Revision.Digest != want.Digest || !m.Accepted.Equal(want.Accepted):
		return fmt.Errorf("an index of %.80q: %w", m.Revision.Digest, fs.ErrNotExist)
	}
	for _, k := range m.segments() {
		for _, s := range k.Samples {
			if e := s.Entry.entry(); filedAs(e, d.accountsOnly) != s.Filed {
				return fmt.Errorf("%w: %.100q", errOutdated, e.Text())
			}
		}
	}
	return nil
}

// segments returns the segments that m has.
func (m *manifest) segments() []*keptSegment {
	if m.Removed == nil {
		return []*keptSegment{&m.Segment}
	}
	return []*keptSegment{&m.Segment, m.Removed}
}

// maxManifest bounds the file of a manifest.
const maxManifest = 16 << 20

func readManifest(name string) (*manifest, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would be to wait for it
		return nil, fmt.Errorf("%s: %w: no file", name, index.ErrDamaged)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()                                         // read only
	data, err := io.ReadAll(io.LimitReader(f, maxManifest)) // what is longer has no checksum
	if err != nil {
		return nil, err
	}
	text, sum, _ := bytes.Cut(data, []byte("\n"))
	text = data[:min(len(text)+1, len(data))]
	want := sha256.Sum256(text)
	m := new(manifest)
	if string(sum) != hex.EncodeToString(want[:])+"\n" || json.Unmarshal(text, m) != nil {
		return nil, fmt.Errorf("%s: %w", name, index.ErrDamaged)
	}
	return m, nil
}

func (d *indexDir) writeManifest(m *manifest) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	text = append(hex.AppendEncode(text, sum[:]), '\n')
	if len(text) > maxManifest { // it could not be read
		return fmt.Errorf("a manifest of %d bytes", len(text))
	}
	return d.write(d.manifestName(m.Source), bytes.NewReader(text))
}

// moduleVersion returns the version of this module in the program, "" if it does not
// say.
func moduleVersion() string {
	const module = "github.com/walletscreen/walletscreen"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != module {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Version
	}
	return ""
}
