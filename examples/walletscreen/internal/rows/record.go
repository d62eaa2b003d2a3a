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
	delimiter byte
	cells     []string
	taken     int   // the length of the last row, which is still in the buffer
	rows      int64 // that were read or left out
}

// newRecordReader returns a reader of rows of at most size bytes.
func newRecordReader(r io.Reader, size int) *recordReader {
	return &recordReader{in: bufio.NewReaderSize(r, size)}
}

// next returns the next row, with its cells if there is a delimiter, and io.EOF after the last.
func (r *recordReader) next() (Row, error) {
	row, err := r.record()
	r.rows++
	row.Line = r.rows
	if row.Err == nil && r.delimiter != 0 && bytes.IndexByte(row.raw, '\r') >= 0 && outside(row.raw, isBareReturn) >= 0 { // rows have none as a rule
		row.Err = errReturn
	}
	return row, err
}

func (r *recordReader) record() (Row, error) {
	r.in.Discard(r.taken)
	r.taken = 0
	end, err := r.lineEnd()
	if err == bufio.ErrBufferFull {
		for err == bufio.ErrBufferFull {
			_, err = r.in.ReadSlice('\n')
		}
		if err == nil || err == io.EOF {
			return Row{Err: errTooLong}, nil
		}
	}
	if err != nil {
		return Row{}, err
	}
	r.taken = end
	line, _ := r.in.Peek(end)
	line = bytes.TrimRight(bytes.TrimSuffix(line, []byte("\n")), "\r") // CR CR LF is in files that were written as text twice on Windows
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return Row{Err: ErrBlank}, nil
	case r.delimiter == 0:
		return Row{raw: line}, nil
	case bytes.IndexByte(line, '"') < 0:
		r.cells = slices.AppendSeq(r.cells[:0], strings.SplitSeq(string(line), string(r.delimiter)))
		return Row{raw: line, cells: r.cells}, nil
	}
	return r.quoted(end)
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

// quoted returns the row whose first line ends at end, and has a quote.
func (r *recordReader) quoted(end int) (row Row, err error) {
	var text []byte
	var stop, lost int
	for more := true; more && err == nil; {
		text, _ = r.in.Peek(r.in.Buffered())
		row.cells, row.stray, stop, lost = r.cut(text)
		if more = stop == len(text) || lost == len(text); more {
			_, err = r.in.Peek(len(text) + 1)
		}
	}
	text, _ = r.in.Peek(len(text)) // which Peek may have moved
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return row, err
	}
	if lost > 0 || err == bufio.ErrBufferFull {
		row.Err, text = errQuote, text[:end]
		row.cells, row.stray, stop, _ = r.cut(text)
	}
	r.taken = stop + bytes.IndexByte(text[stop:], '\n') + 1
	if r.taken == stop {
		r.taken = len(text)
	}
	row.raw = bytes.TrimRight(text[:stop], "\r")
	if row.Err == nil && row.stray && bytes.Count(row.raw, []byte("\r")) > bytes.Count(row.raw, []byte("\r\n")) {
		row.Err = errReturn // nobody knows which cells are in quotes
	}
	return row, nil
}

// cut returns the cells of the first row of text, whether one without quotes around it has one, and where
// the row ends. lost is how far a quote at the beginning of a cell was followed in vain into other lines,
// to the end if it is never closed; the cell is then one without quotes.
func (r *recordReader) cut(text []byte) (cells []string, stray bool, end, lost int) {
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

// lineEnd returns where the first line of the buffer ends, line ending included.
func (r *recordReader) lineEnd() (int, error) {
	for from := 0; ; {
		b, _ := r.in.Peek(r.in.Buffered())
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			return from + i + 1, nil
		}
		from = len(b)
		if _, err := r.in.Peek(from + 1); err == io.EOF && from > 0 {
			return from, nil
		} else if err != nil {
			return 0, err
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
	if len(row.cells) <= t.columns || strings.Trim(strings.Join(row.cells[t.columns:], ""), " \t\"") == "" {
		return row.Err
	}
	return fmt.Errorf("the row has %d columns, the header has %d: the last one holds the rest", len(row.cells), t.columns)
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
