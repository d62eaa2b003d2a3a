package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	requote bool     // a cell begins with a quote that does not enclose it
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

// A recordReader reads rows of CSV. Quotes are for encoding/csv, which is given one line
// after another, and only while a quote is open: if one is never closed, or out of place,
// that costs its own line and none after it.
type recordReader struct {
	in        *bufio.Reader
	delimiter byte
	csv       *csv.Reader
	loose     *regexp.Regexp // matches a cell, also if a quote in it is out of place
	cells     []string
	taken     int   // the length of the last row, which is still in the buffer
	rows      int64 // that were read or left out

	// While csv reads a row:
	line  []byte // the rest of the line that it reads
	end   int    // the length of the lines that it was given
	lines int    // that it has asked for
	err   error
}

// newRecordReader returns a reader of rows of at most size bytes.
func newRecordReader(r io.Reader, size int) *recordReader {
	return &recordReader{in: bufio.NewReaderSize(r, size)}
}

// divide sets the delimiter.
func (r *recordReader) divide(delimiter byte) {
	r.delimiter = delimiter
	r.csv = csv.NewReader((*lineReader)(r))
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = rune(delimiter), -1, true
	d := regexp.QuoteMeta(string(rune(delimiter)))
	r.loose = regexp.MustCompile(`\A(?:("(?:[^"]|"")*")|[^\n` + d + `]*?)(` + d + `|\r?\n|\z)`)
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
	end, err := r.lineEnd(0)
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
	line := r.text(end)
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
func (r *recordReader) quoted(end int) (Row, error) {
	cells, err := r.read(false)
	if err == nil {
		r.taken = r.end
		return Row{raw: r.text(r.end), cells: cells}, nil
	}
	var spans []span
	row, whole := Row{}, errors.Is(err, csv.ErrBareQuote)
	if whole { // such as ="0x1", a formula of a spreadsheet program
		r.read(true)
		row.raw, whole = r.text(r.end), r.err == nil
	}
	if r.err != nil && r.err != io.EOF && r.err != bufio.ErrBufferFull {
		return Row{}, r.err
	}
	if whole {
		spans, whole = r.spans(&row)
	}
	if !whole {
		if r.lines > 1 {
			row.Err = errQuote
		}
		row.raw, r.end = r.text(end), end
		spans, _ = r.spans(&row)
	}
	r.taken = r.end
	if i := bytes.IndexByte(row.raw, '\r'); row.Err == nil && i >= 0 && isBareReturn(row.raw[i+1:], '\r') {
		row.Err = errReturn // whether in quotes or not
	}
	for _, s := range spans {
		row.cells = append(row.cells, s.text(row.raw))
		row.requote = row.requote || !s.quoted && s.start < s.end && row.raw[s.start] == '"'
	}
	return row, nil
}

// read reads a row with csv.
func (r *recordReader) read(lazy bool) ([]string, error) {
	r.line, r.end, r.lines, r.err = nil, 0, 0, nil
	r.csv.LazyQuotes = lazy
	return r.csv.Read()
}

// lineEnd returns where the line ends that begins at start, line ending included. Both count
// from the beginning of the row.
func (r *recordReader) lineEnd(start int) (int, error) {
	for from := start; ; {
		b, _ := r.in.Peek(r.in.Buffered())
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			return from + i + 1, nil
		}
		from = len(b)
		if _, err := r.in.Peek(from + 1); err == io.EOF && from > start {
			return from, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// text returns the first n bytes of the row without the line ending behind them, which is
// CR CR LF where a file was written as text twice on Windows.
func (r *recordReader) text(n int) []byte {
	b, _ := r.in.Peek(n)
	return bytes.TrimRight(bytes.TrimSuffix(b, []byte("\n")), "\r")
}

// A lineReader gives csv the lines of a row.
type lineReader recordReader

// Read reads from one line, and goes on to the next line only with a call of its own.
func (l *lineReader) Read(p []byte) (int, error) {
	if len(l.line) == 0 {
		r := (*recordReader)(l)
		l.lines++
		end, err := r.lineEnd(l.end)
		if err != nil {
			l.err = err
			return 0, io.EOF
		}
		b, _ := l.in.Peek(end)
		if l.line = b[l.end:]; b[end-1] != '\n' {
			l.line = append(slices.Clone(l.line), '\n') // or csv asks for the rest of the line
		}
		l.end = end
	}
	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

// A span is where a cell stands in a row, with its quotes.
type span struct {
	start, end int
	quoted     bool
}

// text returns the cell, without its quotes.
func (s span) text(row []byte) string {
	cell := string(row[s.start:s.end])
	if s.quoted {
		return strings.ReplaceAll(cell[1:len(cell)-1], `""`, `"`)
	}
	return cell
}

// Cell returns the cell in column i, unquoted, and "" if the row has none there. Of a JSON value
// that is not a string it returns the text.
func (r *Row) Cell(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	return r.cells[i]
}

// spans returns where the cells of a row stand in it, and whether nothing else is in it.
func (r *recordReader) spans(row *Row) (all []span, whole bool) {
	for start := 0; ; {
		m := r.loose.FindSubmatchIndex(row.raw[start:])
		all = append(all, span{start, start + m[4], m[2] >= 0})
		if start += m[1]; m[4] == m[5] || row.raw[start-1] == '\n' {
			return all, start == len(row.raw)
		}
	}
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
