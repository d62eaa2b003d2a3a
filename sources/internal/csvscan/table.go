package csvscan

import (
	"io"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// A Table reads rows, as [Scanner.NextText] reads records, below a header. If Column has not
// found one, Next returns that error.
type Table struct {
	*Scanner
	Row    []string // the last record; valid until the next call of Next
	header []string
	err    error
}

// Header reads the next record as the header of a Table.
func (s *Scanner) Header() (*Table, error) {
	row, err := s.NextText()
	if err == io.EOF {
		err = s.Errorf("", "no records: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, err
	}
	t := &Table{Scanner: s}
	for _, name := range row {
		name = strings.ToLower(sources.TrimListed(name))
		if name != "" && slices.Contains(t.header, name) {
			return nil, t.Errorf("", "column %.64q twice", name)
		}
		t.header = append(t.header, name)
	}
	return t, nil
}

// Column returns the place of the column called name, in any letter case.
func (t *Table) Column(name string) int {
	i := slices.Index(t.header, strings.ToLower(name))
	if i < 0 && t.err == nil {
		t.err = t.Errorf("", "no column %q", name)
	}
	return i
}

// Next reads the next row, which has as many columns as the header. At the end of the file it
// returns io.EOF.
func (t *Table) Next() error {
	if t.err != nil {
		return t.err
	}
	if t.Row, t.err = t.NextText(); t.err == nil && len(t.Row) != len(t.header) {
		t.err = t.Errorf("", "row of %d columns, want %d", len(t.Row), len(t.header))
	}
	return t.err
}

// Each calls read for each row, until the end of the file.
func (t *Table) Each(read func() error) error {
	for {
		err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = read()
		}
		if err != nil {
			return err
		}
	}
}
