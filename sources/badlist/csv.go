package badlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

// header reports whether the list is CSV, by its first line, which it does not read, and
// returns the separator of its columns.
func (p *parser) header(in *bufio.Reader) (comma rune, ok bool, err error) {
	line, err := in.Peek(maxLine)
	if err != nil && err != io.EOF {
		return 0, false, err // Peek returns it once
	}
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	for _, comma := range ",;\t" {
		s := csvscan.New(bytes.NewReader(line))
		s.Comma, s.OpenEnd = comma, true
		names, err := s.Next()
		if err == nil && indexOf(names, p.names[columnAddress]) >= 0 {
			return comma, true, nil
		}
	}
	return ',', p.named, nil // if it is, the header is wrong
}

// indexOf returns the place of the column name in a header, -1 if there is none, and -2 if
// there are several.
func indexOf(header []string, name string) int {
	at := -1
	for i, h := range header {
		if strings.EqualFold(sources.TrimListed(h), name) {
			if at >= 0 {
				return -2
			}
			at = i
		}
	}
	return at
}

// noAddress is the text listed by a row whose address cell is empty. It is an anomaly of
// that row, and not the end of the list.
const noAddress = "(no address)"

// csv reads CSV as Parse and Options describe it.
func (p *parser) csv(in io.Reader, comma rune, skipped position) error {
	s := csvscan.New(in)
	s.Comma, s.OpenEnd, s.EmptyLines = comma, p.OpenEnd, true
	at := func(err error) error {
		return &sources.RecordError{Line: skipped.lines + s.Line(), Byte: -1, Err: err}
	}
	next := func() ([]string, error) {
		row, err := s.Next()
		var bad *sources.RecordError
		if errors.As(err, &bad) {
			err = at(bad.Err)
		}
		return row, err
	}
	header, err := next()
	if err != nil {
		return err
	}
	var column [columnCount]int
	for i, name := range p.names {
		column[i] = -1
		if name == "" {
			continue
		}
		column[i] = indexOf(header, name)
		optional := !p.named && i != columnAddress
		switch {
		case column[i] == -2:
			return at(fmt.Errorf("two columns %q", name))
		case column[i] == -1 && !optional:
			return at(fmt.Errorf("no column %q", name))
		}
	}
	count := len(header)
	for {
		row, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(row) == 1 && sources.TrimListed(row[0]) == "" {
			continue // an empty line
		}
		if len(row) != count {
			return at(fmt.Errorf("%d columns, want %d", len(row), count))
		}
		var r record
		for i, c := range column {
			if c >= 0 {
				r[i] = strings.Clone(row[c]) // not to keep the row
			}
		}
		if strings.EqualFold(sources.TrimListed(r[columnAddress]), p.names[columnAddress]) {
			return at(errors.New("a second header: more than one list"))
		}
		if p.named && sources.TrimListed(r[columnAddress]) == "" {
			r[columnAddress] = noAddress
		}
		if err := p.emit(r); err != nil {
			return at(err)
		}
	}
}
