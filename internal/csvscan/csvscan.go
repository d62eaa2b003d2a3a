// Package csvscan reads CSV as RFC 4180 has it, a record at a time, from
// sources that are not trusted. What encoding/csv does not tell matters here: a
// file that was cut must not pass for the whole, and a quote that is never closed
// must not be read to the end of the file.
package csvscan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// MaxRecord bounds a record, in bytes. The longest known, of an entity with very
// many names, have a tenth of it.
const MaxRecord = 1 << 20

// A Scanner reads records. A field is what stands between two commas, blanks
// included, or between quotes: there may be commas and ends of lines in it, and
// quotes, which are written twice. A record ends with LF or CR LF, the last one
// as well: without, it may have been cut.
//
// A byte order mark at the beginning is passed over, and so is the last byte of
// a file if it is Ctrl-Z (0x1A), by which MS-DOS told the end of a text.
type Scanner struct {
	// Comma stands between fields; zero means ','.
	Comma byte
	// OpenEnd allows the last record to lack the end of its line.
	OpenEnd bool

	r      *bufio.Reader
	line   int64 // lines read
	start  int64 // the line on which the last record begins
	err    error
	buf    []byte // the fields of a record, one after the other
	ends   []int  // of the fields in buf
	fields []string
}

// New returns a Scanner of r.
func New(r io.Reader) *Scanner {
	s := &Scanner{r: bufio.NewReader(r)}
	switch mark, err := s.r.Peek(3); {
	case string(mark) == "\ufeff":
		s.r.Discard(3)
	case err != nil && err != io.EOF:
		s.err = err // which Peek tells once
	}
	return s
}

// Line returns the line on which the last record begins, counted from 1.
func (s *Scanner) Line() int64 { return s.start }

// Next returns the fields of the next record. The slice is valid until the next
// call; the strings are the caller's. An empty line is a record of one empty
// field. At the end of the file it returns io.EOF, and any other error is a
// [*sources.RecordError] with the line on which the record begins, which wraps
// io.ErrUnexpectedEOF if the file ends within it, or one of the reader.
func (s *Scanner) Next() ([]string, error) {
	if s.err == nil {
		s.err = s.next()
	}
	if s.err != nil {
		return nil, s.err
	}
	s.fields = s.fields[:0]
	text, start := string(s.buf), 0
	for _, end := range s.ends {
		s.fields = append(s.fields, text[start:end])
		start = end
	}
	return s.fields, nil
}

// NextText is Next, but passes over empty lines, and a record that is not UTF-8
// is an error.
func (s *Scanner) NextText() ([]string, error) {
	for {
		fields, err := s.Next()
		switch {
		case err != nil:
			return nil, err
		case len(fields) == 1 && fields[0] == "":
			continue
		case !slices.ContainsFunc(fields, func(f string) bool { return !utf8.ValidString(f) }):
			return fields, nil
		}
		return nil, s.Errorf("", "invalid UTF-8")
	}
}

// Errorf makes an error of the last record, whose reference is ref, or "".
func (s *Scanner) Errorf(ref, format string, args ...any) error {
	return &sources.RecordError{Line: s.start, Byte: -1, Ref: ref, Err: fmt.Errorf(format, args...)}
}

func (s *Scanner) next() error {
	comma := s.Comma
	if comma == 0 {
		comma = ','
	}
	s.buf, s.ends = s.buf[:0], s.ends[:0]
	s.start = s.line + 1
	const (
		empty    = iota // at the beginning of a field
		bare            // in a field without quotes
		quoted          // between quotes
		closed          // behind the closing quote, or the first of two
		returned        // behind a CR that ends the record
	)
	state := empty
	for n := 0; ; n++ {
		c, err := s.r.ReadByte()
		if err != nil {
			return s.end(err, n, state == quoted || state == returned)
		}
		if n == MaxRecord {
			return s.fail(fmt.Errorf("record of more than %d bytes", MaxRecord))
		}
		if c == 0 {
			return s.fail(errors.New("NUL: not text"))
		}
		if c == '\n' {
			s.line++
		}
		switch {
		case state == returned && c != '\n':
			return s.fail(errors.New("CR without LF"))
		case state == quoted && c == '"':
			state = closed
		case state == quoted:
			s.buf = append(s.buf, c)
		case c == '\n':
			s.ends = append(s.ends, len(s.buf))
			return nil
		case c == '\r':
			state = returned
		case c == comma:
			s.ends = append(s.ends, len(s.buf))
			state = empty
		case c == '"' && state == empty:
			state = quoted
		case c == '"' && state == closed:
			s.buf = append(s.buf, c)
			state = quoted
		case c == '"':
			return s.fail(errors.New("quote in a field without quotes"))
		case state == closed:
			return s.fail(errors.New("text behind a closing quote"))
		case c == 0x1a && n == 0:
			if _, err := s.r.ReadByte(); err != io.EOF {
				if err != nil {
					return err
				}
				return s.fail(errors.New("Ctrl-Z before the end"))
			}
			return io.EOF
		default:
			s.buf = append(s.buf, c)
			state = bare
		}
	}
}

// end returns what there is to say when the reader returns err behind n bytes of
// a record.
func (s *Scanner) end(err error, n int, open bool) error {
	switch {
	case err != io.EOF || n == 0:
		return err
	case open || !s.OpenEnd:
		return s.fail(io.ErrUnexpectedEOF)
	}
	s.ends = append(s.ends, len(s.buf))
	return nil
}

func (s *Scanner) fail(err error) error {
	return &sources.RecordError{Line: s.start, Byte: -1, Err: err}
}
