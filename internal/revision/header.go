package revision

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// append appends the header as text to b, with the empty line that ends it. It returns
// an error if h cannot be read back.
func (h *Header) append(b []byte) ([]byte, error) {
	r := h.Revision
	switch {
	case h.Source == "" || strings.Trim(h.Source, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "":
		return nil, fmt.Errorf("source %.80q: want capital letters, digits and underscores", h.Source)
	case len(r.Digest) != 64 || strings.Trim(r.Digest, "0123456789abcdef") != "":
		return nil, fmt.Errorf("digest %.80q: want 64 digits of lower-case hex", r.Digest)
	case r.Records < 0 || h.Entries < 0:
		return nil, fmt.Errorf("%d records, %d entries: want no negative number", r.Records, h.Entries)
	}
	for _, s := range []string{h.Source, h.Name, h.Rule, r.Provenance, r.ETag, r.LastModified} {
		if len(s) > maxString {
			return nil, fmt.Errorf("a header line of %d bytes: want at most %d", len(s), maxString)
		}
	}
	var times [3]string
	for i, t := range []time.Time{r.Published, r.Checked, h.Accepted} {
		var err error
		if times[i], err = formatTime(t); err != nil {
			return nil, err
		}
	}
	var c sources.Completeness
	if err := c.UnmarshalText([]byte(r.Completeness)); err != nil {
		return nil, err
	}
	b = fmt.Appendf(b, magic+version+"\nsource %s\nname %q\ndigest %s\npublished %s\nchecked %s\naccepted %s\ncompleteness %s\n",
		h.Source, h.Name, r.Digest, times[0], times[1], times[2], r.Completeness)
	if r.Provenance != "" {
		b = fmt.Appendf(b, "provenance %q\n", r.Provenance)
	}
	return fmt.Appendf(b, "open-ended %t\nrecords %d\nentries %d\nrule %q\netag %q\nlast-modified %q\n\n",
		r.OpenEnded, r.Records, h.Entries, h.Rule, r.ETag, r.LastModified), nil
}

// A headerLine is a line of a header, with the function that reads its value.
type headerLine struct {
	key   string
	value func(string) error
}

// errLines is why a header, whose checksum is right, is not of this version.
var errLines = errors.New("other lines in the header")

// parseHeader reads the lines of a header, without the empty line at the end.
func parseHeader(text string) (Header, error) {
	var h Header
	r := &h.Revision
	lines := []headerLine{
		{"walletscreen", func(string) error { return nil }},
		{"source", func(v string) error { h.Source = v; return nil }},
		{"name", quoted(&h.Name)},
		{"digest", func(v string) error { r.Digest = v; return nil }},
		{"published", instant(&r.Published)},
		{"checked", instant(&r.Checked)},
		{"accepted", instant(&h.Accepted)},
		{"completeness", func(v string) error { return r.Completeness.UnmarshalText([]byte(v)) }},
		{"provenance", quoted(&r.Provenance)},
		{"open-ended", func(v string) (err error) { r.OpenEnded, err = strconv.ParseBool(v); return err }},
		{"records", number(&r.Records)},
		{"entries", number(&h.Entries)},
		{"rule", quoted(&h.Rule)},
		{"etag", quoted(&r.ETag)},
		{"last-modified", quoted(&r.LastModified)},
	}
	if !strings.Contains(text, "\nprovenance ") {
		lines = slices.DeleteFunc(lines, func(l headerLine) bool { return l.key == "provenance" })
	}
	values := strings.SplitN(text, "\n", len(lines)+1)
	if len(values) != len(lines) {
		return Header{}, fmt.Errorf("%w: want %d lines", errLines, len(lines))
	}
	for i, l := range lines {
		key, value, _ := strings.Cut(values[i], " ")
		if key != l.key {
			return Header{}, fmt.Errorf("%w: line %d: %.20q, want %s", errLines, i+1, key, l.key)
		}
		if err := l.value(value); err != nil {
			return Header{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	// A header that the Writer would write otherwise was not written by it.
	again, err := h.append(nil)
	if err != nil {
		return Header{}, err
	}
	if !bytes.Equal(again, []byte(text+"\n\n")) {
		return Header{}, errors.New("not in the form in which it is written")
	}
	return h, nil
}

func quoted(to *string) func(string) error {
	return func(v string) (err error) {
		*to, err = strconv.Unquote(v)
		return err
	}
}

func number(to *int) func(string) error {
	return func(v string) (err error) {
		*to, err = strconv.Atoi(v)
		return err
	}
}

func instant(to *time.Time) func(string) error {
	return func(v string) error {
		if v == "-" {
			return nil
		}
		t, err := time.Parse(time.RFC3339Nano, v)
		*to = t.UTC()
		return err
	}
}

// formatTime returns t as a header has it.
func formatTime(t time.Time) (string, error) {
	if t.IsZero() {
		return "-", nil
	}
	if err := checkTime(t); err != nil {
		return "", err
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

// checkTime returns an error if t is in a year that does not have four digits.
func checkTime(t time.Time) error {
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("year %d: want 0 to 9999", y)
	}
	return nil
}
