// Package rows reads a table of addresses row by row, and writes each row with columns
// added.
//
// [NewReader] recognizes CSV with any delimiter, TSV and JSON lines, compressed or not, and
// workbooks (XLSX).
// [Reader.Next] returns one [Row] for each row of the table, in order, also for those
// that are malformed, and [Reader.AppendRow] writes it. Memory does not grow with the
// length of the table.
package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRow bounds the length of one row, in bytes.
const maxRow = 1 << 20

// Options are the settings for reading a table. The zero Options recognizes everything.
type Options struct {
	// Format is "csv", "tsv" or "jsonl". Empty means to recognize it.
	Format string
	// Delimiter separates the columns. Zero means to recognize it. For a workbook it separates
	// the columns of the output, and zero means a comma.
	Delimiter byte
	// Sheet is the name of the sheet to read of a workbook. Empty means the first one.
	Sheet string
	// Address and Chain are the columns to read, by name or, counted from 1, by number.
	// Empty means the columns with one of the usual names.
	Address, Chain string
	// Add are the columns to add to each row. One whose name the table has already, in any
	// letter case, gets a name that begins with walletscreen_.
	Add []Column
	// Plausible reports whether a cell looks like an address. It tells a table without a
	// header, and which of several columns has the addresses.
	Plausible func(cell string) bool
	// IsChain reports whether a cell names a chain. It tells whether a column whose name may
	// also mean something else has the chains. Nil means that each cell does.
	IsChain func(cell string) bool
}

// A Row is one row of a table. It is valid until the next call of Next.
type Row struct {
	Address, Chain []byte // the cells of these columns, unquoted
	Err            error  // why the row cannot be screened with confidence, or nil

	raw     []byte // as it was read, without the line ending
	spans   []span // the cells in raw; nil if quotes have no meaning in it
	columns int    // the number of cells in raw
	requote bool   // a cell begins with a quote that does not enclose it
	members []member
}

// The reasons why a row cannot be screened with confidence.
var (
	errBlank   = errors.New("blank row: no address")
	errTooLong = errors.New("row longer than 1 MiB: its columns are left out")
	errQuote   = errors.New("the row has a quote that is never closed")
)

// A Reader reads a table.
type Reader struct {
	in        *window
	opts      Options
	json      bool
	delimiter byte
	bom, crlf bool
	header    []byte    // as it was read; nil if there is none
	preamble  []byte    // the line "sep=;" of a spreadsheet program
	columns   int       // of the header, or of the first row
	address   int       // index of the column, or -1
	chain     int       // index of the column, or -1
	names     [2]string // the members of the address and the chain
	all       []string  // the names of all columns
	added     []string  // the names of the added columns
	used      Columns
	spans     []span
	scratch   [2][]byte
}

// NewReader returns a Reader of r. It reads the beginning of r, and returns an error
// if that is not a table that has addresses.
func NewReader(r io.Reader, opts Options) (*Reader, error) {
	if opts.Plausible == nil {
		opts.Plausible = func(string) bool { return false }
	}
	if opts.IsChain == nil {
		opts.IsChain = func(string) bool { return true }
	}
	t := &Reader{address: -1, chain: -1}
	buffered := bufio.NewReaderSize(r, headSize)
	var text io.Reader
	var err error
	if magic, _ := buffered.Peek(len(magicZip)); bytes.Equal(magic, magicZip) {
		text, err = t.openWorkbook(buffered, &opts)
	} else if opts.Sheet != "" {
		err = errors.New("-sheet is for workbooks (XLSX), and the input is not one")
	} else {
		text, t.bom, err = Decode(buffered)
	}
	if err != nil {
		return nil, err
	}
	t.in, t.opts = &window{r: text}, opts
	head, err := t.in.peek(headSize)
	if err != nil {
		return nil, err
	}
	trimmed := bytes.TrimSpace(head)
	if len(trimmed) == 0 {
		return nil, errors.New("the input is empty")
	}
	if first, _, _ := bytes.Cut(trimmed, []byte("\n")); bytes.IndexByte(first, 0) >= 0 || notText(trimmed) {
		return nil, errors.New("the input is not text; save it as XLSX, or as CSV in UTF-8")
	}
	if i := bytes.IndexByte(head, '\n'); i < 0 && bytes.IndexByte(head, '\r') >= 0 {
		t.in.oldMac()
		head = t.in.bytes()
	} else if i > 0 && head[i-1] == '\r' {
		t.crlf = true
	}
	switch first := trimmed[0]; {
	case opts.Format == "jsonl" || opts.Format == "" && first == '{':
		t.json = true
		err = t.openJSON(head)
		t.nameAdded()
		return t, err
	case opts.Format == "" && first == '[':
		return nil, errors.New("the input is a JSON array; write one object a line instead, as jq -c '.[]' does")
	}
	err = t.openCSV(head)
	t.nameAdded()
	return t, err
}

// openWorkbook opens the sheet to read as CSV, with a byte order mark, which spreadsheet
// programs want for the output.
func (t *Reader) openWorkbook(r io.Reader, opts *Options) (io.Reader, error) {
	if opts.Format == "jsonl" {
		return nil, errors.New("-format jsonl: the input is a workbook; leave -format out")
	}
	if opts.Delimiter == 0 {
		opts.Delimiter = ','
		if opts.Format == "tsv" {
			opts.Delimiter = '\t'
		}
	}
	opts.Format, t.bom = "csv", true
	w, err := openWorkbook(r, opts.Sheet, opts.Delimiter)
	if err != nil {
		return nil, err
	}
	t.used.Sheet = w.sheets[w.sheet]
	t.used.OtherSheets = slices.Delete(slices.Clone(w.sheets), w.sheet, w.sheet+1)
	return w, nil
}

// nameAdded names the added columns.
func (t *Reader) nameAdded() {
	for _, c := range t.opts.Add {
		name := c.Name
		for slices.ContainsFunc(t.all, func(have string) bool { return strings.EqualFold(strings.TrimSpace(have), name) }) {
			name = "walletscreen_" + name
		}
		t.added = append(t.added, name)
	}
}

// openCSV finds the delimiter, the header and the columns.
func (t *Reader) openCSV(head []byte) error {
	t.delimiter = t.opts.Delimiter
	if t.opts.Format == "tsv" && t.delimiter == 0 {
		t.delimiter = '\t'
	}
	if line, _, found := bytes.Cut(head, []byte("\n")); found {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 5 && strings.EqualFold(string(line[:4]), "sep=") {
			if t.delimiter == 0 {
				t.delimiter = line[4]
			}
			raw, _, _ := t.in.line()
			t.preamble = bytes.Clone(raw)
			head = t.in.bytes()
		}
	}
	if t.used.Skipped = t.titleLines(head); t.used.Skipped > 0 {
		for range t.used.Skipped {
			if _, _, err := t.in.line(); err != nil {
				return err
			}
		}
		head = t.in.bytes()
	}
	if t.delimiter == 0 {
		t.delimiter = detectDelimiter(head)
	}
	sample := sampleRows(head, t.delimiter, 50)
	if len(sample) == 0 {
		return errors.New("the input has no header")
	}
	t.columns = len(sample[0])
	for i, name := range sample[0] {
		sample[0][i] = fromLatin1(name)
	}
	header := !slices.ContainsFunc(sample[0], t.hasAddress)
	names, body := sample[0], sample[1:]
	if !header {
		names, body = make([]string, len(sample[0])), sample
	}
	var err error
	if len(sample) == 1 && header && len(names) == 1 && t.opts.Address == "" && !mayBeAddress(plainName(names[0])) {
		return fmt.Errorf("the only row, %s, is neither an address nor a header with a column named address", quote(names[0]))
	}
	if t.address, err = addressColumn(t.opts.Address, names, body, t.opts.Plausible); err != nil {
		return err
	}
	if t.chain, err = chainColumn(t.opts.Chain, names, body, t.address, t.opts.IsChain); err != nil {
		return err
	}
	t.columnsUsed(names, body, t.address, t.chain)
	if header {
		t.all = names
		for t.header == nil {
			row, err := t.Next()
			if err != nil {
				return err
			}
			if row.raw != nil { // no blank line
				t.header = t.appendInput([]byte{}, &row)
			}
		}
	}
	return nil
}

// fromLatin1 returns name in UTF-8, which may be in the encoding of Windows or ISO 8859-1.
func fromLatin1(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	runes := make([]rune, len(name))
	for i := range len(name) {
		runes[i] = rune(name[i])
	}
	return string(runes)
}

// maxTitle bounds how many lines above a header are looked at.
const maxTitle = 20

// titleLines returns how many lines at the beginning of head are a title above the header:
// none has an address, each has fewer cells with text than the header, and a column of the
// header is named like one of addresses and, if there are any below, has them.
func (t *Reader) titleLines(head []byte) int {
	for n, rest := 0, head; n <= maxTitle && len(rest) > 0; n++ {
		delimiter := t.delimiter
		if delimiter == 0 {
			delimiter = detectDelimiter(rest)
		}
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		sample := sampleRows(rest, delimiter, 50)
		if len(sample) == 0 || slices.ContainsFunc(sample[0], t.hasAddress) {
			return 0
		}
		if len(bytes.TrimSpace(line)) > 0 && t.isHeader(sample) {
			for _, above := range sampleRows(head[:len(head)-len(rest)], delimiter, n) {
				if w := written(sample[0]); written(above) >= w && w > 1 {
					return 0
				}
			}
			return n
		}
		rest = after
	}
	return 0
}

// isHeader reports whether the first row names a column of addresses. A single cell above
// rows that have several is a title.
func (t *Reader) isHeader(sample [][]string) bool {
	names, body := slices.Clone(sample[0]), sample[1:]
	for i := range names {
		names[i] = fromLatin1(names[i])
	}
	if written(names) < 2 && slices.ContainsFunc(body, func(row []string) bool { return written(row) > 1 }) {
		return false
	}
	bare := !slices.ContainsFunc(body, func(row []string) bool { return slices.ContainsFunc(row, t.hasAddress) })
	for i, name := range names {
		plain := plainName(name)
		named := mayBeAddress(plain) || !bare && isCrypto(plain) && contains(plain, otherAddress)
		if t.opts.Address != "" {
			named = strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(t.opts.Address))
		}
		if named && (bare || slices.ContainsFunc(body, func(row []string) bool { return i < len(row) && t.opts.Plausible(row[i]) })) {
			return true
		}
	}
	return false
}

// written returns how many cells of a row have text.
func written(row []string) (n int) {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// Columns returns which columns are read.
func (t *Reader) Columns() Columns { return t.used }

// hasAddress reports whether a cell, or a word in it, looks like an address, or is 0x and hex
// digits, perhaps of an address that was cut short. No name of a column does or is.
func (t *Reader) hasAddress(cell string) bool {
	digits, ok := strings.CutPrefix(strings.TrimSpace(cell), "0x")
	return ok && len(digits) > 2 && strings.Trim(digits, "0123456789abcdefABCDEF") == "" || t.opts.Plausible(cell) || slices.ContainsFunc(strings.FieldsFunc(cell, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}), t.opts.Plausible)
}

// Next returns the next row, and io.EOF after the last. Any other error is one of
// reading the table.
func (t *Reader) Next() (Row, error) {
	row, err := t.next()
	row.Address, row.Chain = literal(row.Address), literal(row.Chain)
	return row, err
}

func (t *Reader) next() (Row, error) {
	line, tooLong, err := t.in.line()
	if err != nil {
		return Row{}, err
	}
	switch {
	case tooLong:
		return Row{Err: errTooLong}, nil
	case t.json:
		return t.nextJSON(line), nil
	case len(bytes.TrimSpace(line)) == 0:
		return Row{Err: errBlank}, nil
	case bytes.IndexByte(line, '"') < 0:
		return t.plain(line), nil
	}
	return t.quoted(line)
}

// plain returns the row of a line in which quotes have no meaning.
func (t *Reader) plain(line []byte) Row {
	row := Row{raw: line, columns: 1 + bytes.Count(line, []byte{t.delimiter})}
	rest := line
	for i := 0; i <= max(t.address, t.chain); i++ {
		cell := rest
		end := bytes.IndexByte(rest, t.delimiter)
		if end >= 0 {
			cell, rest = rest[:end], rest[end+1:]
		}
		if i == t.address {
			row.Address = cell
		} else if i == t.chain {
			row.Chain = cell
		}
		if end < 0 {
			break
		}
	}
	return t.check(row)
}

// quoted returns the row that begins with line, which has a quote. The row may go on
// over several lines.
func (t *Reader) quoted(line []byte) (Row, error) {
	spans, n, ok := scan(t.spans[:0], line, t.delimiter)
	if !ok { // a quote is open at the end of the line
		var whole []byte
		var err error
		if whole, spans, n, err = t.in.extend(t.delimiter, t.spans[:0]); err != nil {
			return Row{}, err
		}
		if n <= len(line) {
			row := t.plain(whole[:len(line)])
			row.Err, row.requote = errQuote, true
			return row, nil
		}
		line = whole
	}
	t.spans = spans
	row := Row{raw: line[:n], spans: spans, columns: len(spans)}
	row.requote = slices.ContainsFunc(spans, func(s span) bool {
		return !s.quoted && s.start < s.end && line[s.start] == '"'
	})
	if t.address < len(spans) && t.address >= 0 {
		row.Address = spans[t.address].text(line, &t.scratch[0])
	}
	if t.chain >= 0 && t.chain < len(spans) {
		row.Chain = spans[t.chain].text(line, &t.scratch[1])
	}
	return t.check(row), nil
}

// check sets row.Err if the row has more cells than the header.
func (t *Reader) check(row Row) Row {
	if row.columns > t.columns {
		if extra := t.extra(row); len(bytes.Trim(extra, string(t.delimiter)+" \t\"")) > 0 {
			row.Err = fmt.Errorf("the row has %d columns, the header has %d: the last one holds the rest", row.columns, t.columns)
		}
	}
	return row
}

// extra returns the rest of a row after the columns of the header.
func (t *Reader) extra(row Row) []byte {
	return row.raw[t.cells(&row)[t.columns-1].end:]
}

// cells returns where the cells of a row are.
func (t *Reader) cells(row *Row) []span {
	if row.spans != nil {
		return row.spans
	}
	return cut(row.raw, t.delimiter)
}

// Column returns the index of the first column with one of these names, without regard
// to case, blanks and punctuation, or -1. It is for [Reader.Cell].
func (t *Reader) Column(names ...string) int {
	for i, have := range t.all {
		for _, name := range names {
			if plainName(have) == plainName(name) {
				return i
			}
		}
	}
	return -1
}

// Cell returns the cell of a row in column i, unquoted, and "" if the row has none
// there. Of a JSON value that is not a string it returns the text.
func (t *Reader) Cell(row *Row, i int) string {
	if i < 0 {
		return ""
	}
	if t.json {
		for _, m := range row.members {
			if i >= len(t.all) || m.name != t.all[i] {
				continue
			}
			var s string
			if json.Unmarshal(m.value, &s) != nil && string(m.value) != "null" {
				return string(m.value)
			}
			return s
		}
		return ""
	}
	if spans := t.cells(row); i < len(spans) {
		return string(spans[i].text(row.raw, new([]byte)))
	}
	return ""
}
