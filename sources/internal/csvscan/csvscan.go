// Package csvscan reads CSV (RFC 4180) from sources that are not trusted. [Rows] reads a table, and a [File] a
// file of addresses, in CSV or text.
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

// Rows calls row for each record of r, with the line on which it begins. A field is the text between two commas,
// blanks included, or between quotes, where commas and line ends may stand, and doubled quotes for one. A record
// ends with LF or CR LF; so must the last one, unless openEnd is set. CR LF within quotes is read as LF. Rows
// skips empty lines, and a byte order mark at the beginning. The slice of fields is valid until row returns; the
// strings are the caller's.
//
// An error comes from r, or is a [*sources.RecordError] with a line, also for an error of row that is none. It wraps
// io.ErrUnexpectedEOF if the file ends within a record.
func Rows(r io.Reader, comma rune, openEnd bool, row func(line int64, fields []string) error) error {
	g := &guard{r: r, openEnd: openEnd}
	in := bufio.NewReader(g)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	records := csv.NewReader(in)
	records.Comma, records.FieldsPerRecord, records.ReuseRecord = comma, -1, true
	for next := 1; ; { // the line behind the last record
		fields, err := records.Read()
		line := next
		parse, isParse := errors.AsType[*csv.ParseError](err)
		switch {
		case err == io.EOF:
			return nil
		case err == nil:
			g.size = 0
			line, _ = records.FieldPos(0)
			last := len(fields) - 1
			next, _ = records.FieldPos(last)
			next += strings.Count(fields[last], "\n") + 1
			if err = row(int64(line), fields); err == nil {
				continue
			}
		case isParse && parse.Err == csv.ErrQuote && g.err == io.EOF: // the quote may not be closed
			line, err = parse.StartLine, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, parse.Err)
		case isParse:
			line, err = parse.StartLine, parse.Err
		case err != errNUL && err != errTooLong && err != errNoEnd:
			return err
		}
		if _, ok := errors.AsType[*sources.RecordError](err); ok {
			return err
		}
		return &sources.RecordError{Line: int64(line), Byte: -1, Err: err}
	}
}

var (
	errNUL     = errors.New("NUL: not text")
	errNoEnd   = fmt.Errorf("the last line has no end: %w", io.ErrUnexpectedEOF)
	errTooLong = fmt.Errorf("record of more than %d bytes", MaxRecord)
)

// A guard passes CSV on, and ends it with an error where it breaks a rule of Rows.
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
		err = errNoEnd
	}
	g.err = err
	return n, err
}
