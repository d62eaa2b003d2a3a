package stays

import (
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// A Header describes a file.
type Header struct {
	Source      string
	Name        string // of the source
	First, Last uint32
	After       uint64 // the number of the journal's last line when the file was written
	Program     string // that wrote it
	Written     time.Time
	Revision    sources.Revision // of acceptance Last
	Lasting     int              // bytes of the stays that last
}

// headerForm is how the first line of a file gives a Header.
const headerForm = "%q %q %d %d %d %q %q %d %q %q %q %d %q %q %t %q %q"

// append appends the first line.
func (h *Header) append(b []byte) ([]byte, error) {
	r := &h.Revision
	var times [3]string
	for i, t := range [...]time.Time{h.Written, r.Published, r.Checked} {
		text, err := t.UTC().MarshalText()
		if err != nil {
			return nil, err
		}
		times[i] = string(text)
	}
	b = fmt.Appendf(b, headerForm, h.Source, h.Name, h.First, h.Last, h.After, h.Program, times[0], h.Lasting,
		r.Digest, times[1], times[2], r.Records, string(r.Completeness), r.Provenance, r.OpenEnded, r.ETag, r.LastModified)
	if len(b) > maxHeader {
		return nil, fmt.Errorf("a first line of %d bytes: want at most %d", len(b), maxHeader)
	}
	return append(b, '\n'), nil
}

// parse is the inverse of append.
func (h *Header) parse(line []byte) error {
	r := &h.Revision
	var times [3]string
	_, err := fmt.Sscanf(string(line), headerForm, &h.Source, &h.Name, &h.First, &h.Last, &h.After, &h.Program, &times[0], &h.Lasting,
		&r.Digest, &times[1], &times[2], &r.Records, (*string)(&r.Completeness), &r.Provenance, &r.OpenEnded, &r.ETag, &r.LastModified)
	for i, t := range [...]*time.Time{&h.Written, &r.Published, &r.Checked} {
		if err == nil {
			err = t.UnmarshalText([]byte(times[i]))
		}
	}
	return err
}
