package screening

import (
	"bytes"
	"fmt"
	"weak"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// Entries returns what the snapshot holds of source i, as it is read back out of
// what questions are answered from.
func (s *Screener) Entries(i int) ([]sources.Entry, error) {
	return s.snap.Load().lists[i].all()
}

// Bytes returns how much memory the segments take.
func (s *Screener) Bytes() int {
	n := 0
	for _, seg := range s.snap.Load().segments {
		n += seg.Size()
	}
	return n
}

// SpellingOf returns the text of the spelling of a, or "", and what is read with
// that of the key of a.
func SpellingOf(a address.Address) (text, written string) {
	keys := appendProbes(nil, a, false)
	payload := keys[0].AppendBytes(nil)
	s, ok := spellingOf(a, payload)
	if len(keys) > 1 || !ok {
		return "", ""
	}
	if s, ok = parseSpelling(s.text); !ok {
		return s.text, ""
	}
	return s.text, s.write(payload)
}

// Spell returns what is written of a payload by the spelling of a text, if it is
// one.
func Spell(text string, payload []byte) (string, bool) {
	s, ok := parseSpelling(text)
	if !ok {
		return "", false
	}
	return s.write(payload), true
}

// LoadBook is OpenBook of the bytes of a file.
func LoadBook(data []byte) (*Book, error) {
	ix, err := index.Load(data)
	if err != nil {
		return nil, bookError(err)
	}
	b := &Book{ix}
	return b, b.check()
}

// Bytes returns the bytes of the file of b.
func (b *Book) Bytes() []byte {
	var data bytes.Buffer
	b.index.WriteTo(&data) // a Buffer never fails
	return data.Bytes()
}

// IndexFormat is the version of what an index says of a list.
const IndexFormat = indexFormat

// Filed returns entries of each shape of those given, as lines of how they are filed.
func Filed(entries []sources.Entry) (lines []string) {
	b := newSegmentBuilder(false, len(entries))
	for _, e := range entries {
		f := b.file(e)
		b.sample(e, f.keys, f.form)
	}
	for _, sample := range b.facts.Samples {
		e := sample.Entry.entry()
		lines = append(lines, fmt.Sprintf("%s %q %q: %s; with NoKeyMatch %s", e.Address, e.Listed, e.Asset, filedAs(e, false), filedAs(e, true)))
	}
	return lines
}

// IndexDigest returns the digest of an index of entries, of which some are repeated and
// some were removed.
func IndexDigest(entries []sources.Entry) (string, error) {
	b := newSegmentBuilder(false, len(entries))
	for i, e := range entries {
		b.add(e, b.file(e), i%2 == 1)
		b.remove(e, e.FirstSeen)
	}
	seg, err := b.build()
	if err != nil {
		return "", err
	}
	return kept(seg).Index, nil
}

// Index returns a weak pointer to the index from which questions about source i are
// answered.
func (s *Screener) Index(i int) weak.Pointer[index.Index] {
	return weak.Make(s.snap.Load().lists[i].segment.index)
}
