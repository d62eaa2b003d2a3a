package stays

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// fields returns pointers to the fields of h, in the order of the first line of a file.
func (h *Header) fields() []any {
	r := &h.Revision
	return []any{
		&h.Source, &h.Name, &h.First, &h.Last, &h.After, &h.Program, &h.Written, &h.Lasting,
		&r.Digest, &r.Published, &r.Checked, &r.Records, &r.Completeness, &r.Provenance, &r.OpenEnded, &r.ETag, &r.LastModified,
	}
}

// append appends the fields of h, each in quotes after a blank.
func (h *Header) append(b []byte) ([]byte, error) {
	for _, field := range h.fields() {
		text := ""
		switch f := field.(type) {
		case *string:
			text = *f
		case *sources.Completeness:
			text = string(*f)
		case *time.Time:
			if y := f.UTC().Year(); y < 0 || y > 9999 {
				return nil, fmt.Errorf("a time in the year %d: want 0 to 9999", y)
			}
			if !f.IsZero() {
				text = f.UTC().Format(time.RFC3339Nano)
			}
		case *uint32:
			text = strconv.FormatUint(uint64(*f), 10)
		case *uint64:
			text = strconv.FormatUint(*f, 10)
		case *int:
			text = strconv.Itoa(*f)
		case *bool:
			text = strconv.FormatBool(*f)
		}
		if len(text) > maxString {
			return nil, fmt.Errorf("a text of %d bytes in the first line: want at most %d", len(text), maxString)
		}
		b = strconv.AppendQuoteToASCII(append(b, ' '), text)
	}
	return b, nil
}

// parse is the inverse of append, without the first blank.
func (h *Header) parse(line string) error {
	for _, field := range h.fields() {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return err
		}
		line = strings.TrimPrefix(line[len(quoted):], " ")
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		var n uint64
		switch f := field.(type) {
		case *string:
			*f = text
		case *sources.Completeness:
			*f = sources.Completeness(text)
		case *time.Time:
			if text != "" {
				*f, err = time.Parse(time.RFC3339Nano, text)
			}
		case *uint32:
			n, err = strconv.ParseUint(text, 10, 32)
			*f = uint32(n)
		case *uint64:
			*f, err = strconv.ParseUint(text, 10, 64)
		case *int:
			*f, err = strconv.Atoi(text)
		case *bool:
			*f, err = strconv.ParseBool(text)
		}
		if err != nil {
			return err
		}
	}
	if line != "" {
		return errors.New("more fields than this version of the module knows")
	}
	return nil
}
