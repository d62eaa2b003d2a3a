package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Row is one row of a table. It is valid until the next call of Next.
type Row struct {
	Address, Chain string // the cells of these columns, unquoted
	Err            error  // why the row cannot be screened with confidence, or nil
	Line           int64  // its number in a spreadsheet program, which counts the header and blank rows

	raw     []byte   // as it was read, without the line ending
	cells   []string // unquoted
	stray   bool     // a cell without quotes around it has one
	members []member
}

// ErrBlank is the error of a blank row.
var ErrBlank = errors.New("blank row: no address")

// Other reasons why a row cannot be screened with confidence.
var (
	errTooLong = errors.New("row longer than 1 MiB: its columns are left out")
	errQuote   = errors.New("the row has a quote that is never closed")
	errSwallow = errors.New("a cell in quotes has a delimiter and an address in it: a quote may be out of place, and the cell be several")
	errReturn  = errors.New("a carriage return within a line: it may be several rows; save the table with one kind of line ending")
)

// A recordReader reads rows of CSV. A quote that is never closed, or not at the end of a cell, costs
// its own line and none after it.
type recordReader struct {
	in        *bufio.Reader
	delimiter byte // 0 means that a row is its line, and has no cells
	cells     []string
	taken     int   // the length of the last row, which is still in the buffer
	rows      int64 // that were read or left out
}

// next returns the next row, and io.EOF after the last.
func (r *recordReader) next() (Row, error) {
	row, err := r.record()
	r.rows++
	row.Line = r.rows
	return row, err
}

func (r *recordReader) record() (row Row, err error) {
	r.in.Discard(r.taken)
	for {
		text, _ := r.in.Peek(r.in.Buffered())
		if row, r.taken = r.cut(text, err == io.EOF); r.taken > 0 {
			return row, nil
		}
		if _, err = r.in.Peek(len(text) + 1); err == bufio.ErrBufferFull {
			return r.long(text)
		}
		if err != nil && (err != io.EOF || len(text) == 0) {
			return Row{}, err
		}
	}
}

// long returns the row at the beginning of text, which fills the buffer and does not end in it: its first line, or
// nothing if that is too long as well.
func (r *recordReader) long(text []byte) (row Row, err error) {
	if end := bytes.IndexByte(text, '\n') + 1; end > 0 {
		row, r.taken = r.cut(text[:end], true)
		row.Err = errQuote
		return row, nil
	}
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		_, err = r.in.ReadSlice('\n')
	}
	if err == io.EOF {
		err = nil
	}
	return Row{Err: errTooLong}, err
}

// cut returns the first row of text and its length with the line ending, which is 0 if the row may go on. If text
// is whole, nothing follows it.
func (r *recordReader) cut(text []byte, whole bool) (row Row, n int) {
	if n = bytes.IndexByte(text, '\n') + 1; n == 0 && whole {
		n = len(text)
	}
	line := bytes.TrimRight(bytes.TrimSuffix(text[:n], []byte("\n")), "\r") // CR CR LF is in files that were written as text twice on Windows
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return Row{Err: ErrBlank}, n
	case r.delimiter == 0:
		return Row{raw: line}, n
	case bytes.IndexByte(line, '"') < 0:
		r.cells = slices.AppendSeq(r.cells[:0], strings.SplitSeq(string(line), string(r.delimiter)))
		row = Row{raw: line, cells: r.cells}
	default:
		row, n = r.quoted(text, n, whole)
	}
	if row.Err == nil && bytes.IndexByte(row.raw, '\r') >= 0 && (outside(row.raw, isBareReturn) >= 0 || // rows have none as a rule
		row.stray && bytes.Count(row.raw, []byte("\r")) > bytes.Count(row.raw, []byte("\r\n"))) { // nobody knows which cells are in quotes
		row.Err = errReturn
	}
	return row, n
}

// outside returns where the first character is that is not in quotes and for which is, which also gets
// what follows it, returns true, or -1.
func outside(text []byte, is func(rest []byte, c byte) bool) int {
	quoted := false
	for i, c := range text {
		if c == '"' {
			quoted = !quoted
		} else if !quoted && is(text[i+1:], c) {
			return i
		}
	}
	return -1
}

// isBareReturn reports whether c is a carriage return that ends no line.
func isBareReturn(rest []byte, c byte) bool {
	return c == '\r' && len(rest) > 0 && rest[0] != '\n'
}

// quoted is cut of a text that has a quote in its first line, which ends at end.
func (r *recordReader) quoted(text []byte, end int, whole bool) (row Row, n int) {
	cells, stray, stop, lost := r.split(text)
	if n = stop + bytes.IndexByte(text[stop:], '\n') + 1; n == stop {
		n = len(text)
	}
	switch {
	case !whole && (text[n-1] != '\n' || lost == len(text)):
		return row, 0
	case lost > 0:
		row.Err, n = errQuote, end
		cells, stray, stop, _ = r.split(text[:end])
	}
	row.raw, row.cells, row.stray = bytes.TrimRight(text[:stop], "\r"), cells, stray
	return row, n
}

// split returns the cells of the first row of text, whether one without quotes around it has one, and where
// the row ends. lost is how far a quote at the beginning of a cell was followed in vain into other lines,
// to the end if it is never closed; the cell is then one without quotes.
func (r *recordReader) split(text []byte) (cells []string, stray bool, end, lost int) {
	for ; ; end++ {
		start, quoted := end, false
		if end < len(text) && text[end] == '"' {
			stop := end + 1 + closing(text[end+1:])
			after := bytes.TrimLeft(text[stop:], "\r")
			switch {
			case stop == end:
				lost = len(text)
			case len(after) == 0 || after[0] == '\n' || text[stop] == r.delimiter:
				quoted, end = true, stop
				cells = append(cells, strings.ReplaceAll(string(text[start+1:end-1]), `""`, `"`))
			case bytes.IndexByte(text[end:stop], '\n') >= 0:
				lost = max(lost, stop)
			}
		}
		for !quoted && end < len(text) && text[end] != r.delimiter && text[end] != '\n' {
			end++
		}
		more := end < len(text) && text[end] == r.delimiter
		if cell := text[start:end]; !quoted {
			if !more {
				cell = bytes.TrimRight(cell, "\r")
			}
			cells, stray = append(cells, string(cell)), stray || bytes.IndexByte(cell, '"') >= 0
		}
		if !more {
			return cells, stray, end, lost
		}
	}
}

// closing returns the index behind the quote that closes a cell, or -1 if none does. A pair of quotes
// is one in the cell.
func closing(text []byte) int {
	for i := 0; ; i += 2 {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		if i += n; i+1 == len(text) || text[i+1] != '"' {
			return i + 1
		}
	}
}

// Cell returns the cell in column i, unquoted, and "" if the row has none there. Of a JSON value
// that is not a string it returns the text.
func (r *Row) Cell(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	return r.cells[i]
}

// check returns an error if a row has more cells with text than there are columns.
func (t *Reader) check(row *Row) error {
	if len(row.cells) <= len(t.all) || strings.Trim(strings.Join(row.cells[len(t.all):], ""), " \t\"") == "" {
		return row.Err
	}
	return fmt.Errorf("the row has %d columns, the header has %d: the last one holds the rest", len(row.cells), len(t.all))
}

// literal returns the text that a spreadsheet program shows of a cell whose type it was told:
// of ="0x1" and '0x1 that is 0x1. Any other cell is as it stands.
func literal(cell string) string {
	text := strings.TrimSpace(cell)
	switch {
	case strings.HasPrefix(text, "'"):
		return text[1:]
	case len(text) > 2 && text[:2] == `="` && strings.IndexByte(text[2:], '"') == len(text)-3:
		return text[2 : len(text)-1]
	}
	return cell
}
