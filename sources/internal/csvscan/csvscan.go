// Package csvscan reads CSV (RFC 4180) from sources that are not trusted, a record at
// a time. [New] makes a [Scanner]; a [File] reads a file of addresses, in CSV or text.
//
// It is encoding/csv behind a [guard], which refuses what that package accepts: a file
// that ends within a record, NUL bytes, and records without a limit. A cut file must not
// pass for a whole one, and a quote that is never closed must not make the rest of the
// file one field.
package csvscan

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// MaxRecord limits a record, in bytes, give or take a buffer. The longest known record, of
// an entity with very many names, is a tenth as long.
const MaxRecord = 1 << 20

// A Scanner reads records. A field is the text between two commas, blanks included, or
// between quotes, where commas and line ends may stand, and doubled quotes for one. A
// record ends with LF or CR LF; so must the last one. CR LF within quotes is read as LF.
// The Scanner skips empty lines, and a byte order mark at the beginning.
type Scanner struct {
	guard guard
	csv   *csv.Reader
	line  int64 // of the last record
	next  int64 // the line behind it
}

// New returns a Scanner of r. Comma separates the fields. With openEnd, the last record may lack its line end.
func New(r io.Reader, comma rune, openEnd bool) *Scanner {
	s := &Scanner{guard: guard{r: r, openEnd: openEnd}, next: 1}
	in := bufio.NewReader(&s.guard)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	s.csv = csv.NewReader(in)
	s.csv.Comma, s.csv.FieldsPerRecord, s.csv.ReuseRecord = comma, -1, true
	return s
}

// Line returns the line on which the last record begins, counted from 1.
func (s *Scanner) Line() int64 { return s.line }

// Next returns the fields of the next record. The slice is valid until the next call;
// the caller owns the strings. At the end of the file Next returns io.EOF. Any other
// error comes from the reader, or is a [*sources.RecordError] with the line on which the
// record begins. It wraps io.ErrUnexpectedEOF if the file ends within the record.
func (s *Scanner) Next() ([]string, error) {
	fields, err := s.csv.Read()
	if err != nil {
		return nil, s.explain(err)
	}
	s.guard.size = 0
	line, _ := s.csv.FieldPos(0)
	s.line = int64(line)
	last := len(fields) - 1
	line, _ = s.csv.FieldPos(last)
	s.next = int64(line + strings.Count(fields[last], "\n") + 1)
	return fields, nil
}

// Errorf returns an error of the last record, whose reference is ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Line: s.line, Byte: -1, Ref: ref, Err: fmt.Errorf(format, args...)}
}

// explain returns the error to report for one of encoding/csv or the guard.
func (s *Scanner) explain(err error) error {
	s.line = s.next
	parse, isParse := errors.AsType[*csv.ParseError](err)
	if isParse {
		s.line, err = int64(parse.StartLine), parse.Err
	}
	switch {
	case isParse && err == csv.ErrQuote && s.guard.err == io.EOF: // the quote may not be closed
		return s.Errorf("", "%w: %w", io.ErrUnexpectedEOF, err)
	case isParse, err == errNUL, err == errTooLong, err == io.ErrUnexpectedEOF:
		return s.Errorf("", "%w", err)
	}
	return err
}

var (
	errNUL     = errors.New("NUL: not text")
	errTooLong = fmt.Errorf("record of more than %d bytes", MaxRecord)
)

// A guard passes CSV on, and ends it with an error where it breaks a rule of Scanner.
type guard struct {
	r       io.Reader
	openEnd bool  // the last record may lack its line end
	size    int   // bytes read since the last record
	last    byte  // of the bytes read, or 0
	err     error // sticky
}

func (g *guard) Read(p []byte) (int, error) {
	if g.err == nil && g.size > MaxRecord {
		g.err = errTooLong
	}
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		n, err = i, errNUL
	}
	g.size += n
	if n > 0 {
		g.last = p[n-1]
	}
	if isCut := g.last == '\r' || !g.openEnd && g.last != '\n' && g.last != 0; err == io.EOF && isCut {
		err = io.ErrUnexpectedEOF
	}
	g.err = err
	return n, err
}
