// Package csvscan reads CSV (RFC 4180) from sources that are not trusted, a record at
// a time. [New] makes a [Scanner]; a [File] reads a file of addresses, in CSV or text.
//
// It is encoding/csv behind a [guard], which refuses what that package accepts: a file
// that ends within a record, NUL bytes, CR without LF, empty lines, and records without
// a limit. A cut file must not pass for a whole one, and a quote that is never closed
// must not make the rest of the file one field.
package csvscan

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

// MaxRecord limits a record, in bytes. The longest known record, of an entity with
// very many names, is a tenth as long.
const MaxRecord = 1 << 20

// A Scanner reads records. A field is the text between two commas, blanks included, or
// between quotes, where commas and line ends may stand, and doubled quotes for one. A
// record ends with LF or CR LF; so must the last one. CR LF within quotes is read as LF.
//
// The Scanner skips a byte order mark at the beginning, and Ctrl-Z (0x1A), MS-DOS's end
// of a text, if it is the last byte of the file.
type Scanner struct {
	// Comma separates fields; zero means ','.
	Comma rune
	// OpenEnd allows the last record to lack its line end.
	OpenEnd bool
	// EmptyLines skips empty lines, which are errors otherwise.
	EmptyLines bool

	guard guard
	csv   *csv.Reader
	line  int64
	err   error
}

// New returns a Scanner of r.
func New(r io.Reader) *Scanner {
	return &Scanner{guard: guard{r: r, start: 1, line: 1}}
}

// Line returns the line on which the last record begins, counted from 1.
func (s *Scanner) Line() int64 { return s.line }

// EndMark reports, after io.EOF, whether the file ended with Ctrl-Z.
func (s *Scanner) EndMark() bool { return s.guard.mark && s.err == io.EOF }

// Next returns the fields of the next record. The slice is valid until the next call;
// the caller owns the strings. At the end of the file Next returns io.EOF. Any other
// error comes from the reader, or is a [*sources.RecordError] with the line on which the
// record begins. It wraps io.ErrUnexpectedEOF if the file ends within the record.
func (s *Scanner) Next() ([]string, error) {
	if s.csv == nil {
		s.guard.openEnd, s.guard.emptyLines = s.OpenEnd, s.EmptyLines
		s.csv = csv.NewReader(&s.guard)
		s.csv.FieldsPerRecord, s.csv.ReuseRecord = -1, true
		if s.Comma != 0 {
			s.csv.Comma = s.Comma
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	fields, err := s.csv.Read()
	if err != nil {
		s.err = s.explain(err)
		return nil, s.err
	}
	line, _ := s.csv.FieldPos(0)
	s.line = int64(line)
	return fields, nil
}

// Errorf returns an error of the last record, whose reference is ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Line: s.line, Byte: -1, Ref: ref, Err: fmt.Errorf(format, args...)}
}

// explain returns the error to report for one of encoding/csv.
func (s *Scanner) explain(err error) error {
	var parse *csv.ParseError
	var record *sources.RecordError
	switch {
	case errors.As(err, &parse):
		s.line = int64(parse.StartLine)
		if errors.Is(err, csv.ErrBareQuote) {
			return s.Errorf("", "quote in a field without quotes")
		}
		return s.Errorf("", "text behind a closing quote")
	case errors.As(err, &record):
		s.line = record.Line
	}
	return err
}
