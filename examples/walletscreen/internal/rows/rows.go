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
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// maxRow bounds the length of one row, in bytes.
const maxRow = 1 << 20

// Options are the settings for reading a table. Everything but the functions may be left out.
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
	// IsName reports whether a cell is the name of an account, or stands for one: such a cell tells a
	// table without a header, too.
	IsName func(cell string) bool
	// IsChain reports whether a cell names a chain. It tells whether a column whose name may
	// also mean something else has the chains.
	IsChain func(cell string) bool
}

// A Reader reads a table.
type Reader struct {
	recordReader
	opts      Options
	json      bool
	index     map[string]int // of the members of JSON
	bom, crlf bool
	header    *Row     // nil if there is none
	preamble  []byte   // the line "sep=;" of a spreadsheet program
	address   int      // index of the column
	chain     int      // index of the column, or -1
	all       []string // the names of all columns
	added     []string // the names of the added columns
	used      Columns
	out       bytes.Buffer
	writer    *csv.Writer // to out
	shown     []string    // the added cells of a row
}

// NewReader returns a Reader of r. It reads the beginning of r, and returns an error
// if that is not a table that has addresses.
func NewReader(r io.Reader, opts Options) (*Reader, error) {
	t := &Reader{}
	if opts.Format == "tsv" && opts.Delimiter == 0 {
		opts.Delimiter = '\t'
	}
	text, err := t.openText(r, &opts)
	if err != nil {
		return nil, err
	}
	t.in, t.opts = bufio.NewReaderSize(text, maxRow), opts
	if err := t.open(); err != nil && len(t.used.OtherSheets) > 0 && opts.Sheet == "" {
		return nil, fmt.Errorf("%w; only the sheet %s is read, not %s: make one of them the first, or name it with -sheet",
			err, quote(t.used.Sheet), list(t.used.OtherSheets))
	} else if err != nil {
		return nil, err
	}
	t.nameAdded()
	return t, nil
}

// open reads the beginning of the table, and finds out how to read the rest.
func (t *Reader) open() error {
	head, err := t.beginning()
	if err != nil {
		return err
	}
	switch text := bytes.TrimSpace(head); {
	case t.opts.Format == "jsonl" || t.opts.Format == "" && bytes.HasPrefix(text, []byte("{")):
		t.json = true
		return t.openJSON(head)
	case t.opts.Format == "" && bytes.HasPrefix(text, []byte("[")):
		return errors.New("the input is a JSON array; write one object a line instead, as jq -c '.[]' does")
	}
	return t.openCSV(head)
}

// beginning returns the lines at the beginning, which decide how the table is read. It finds out how lines end.
func (t *Reader) beginning() ([]byte, error) {
	head, err := t.in.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	trimmed := bytes.TrimSpace(head)
	if len(trimmed) == 0 {
		return nil, errors.New("the input is empty")
	}
	if notText(trimmed) {
		return nil, errors.New("the input is not text; save it as XLSX, or as CSV in UTF-8")
	}
	lines := head[len(separator.Find(head)):]
	if outside(lines, func(_ []byte, c byte) bool { return c == '\n' }) < 0 && outside(lines, isBareReturn) >= 0 {
		t.in = bufio.NewReaderSize(oldMac(t.in), maxRow)
		if head, err = t.in.Peek(headSize); err != nil && err != io.EOF {
			return nil, err
		}
	} else if i := bytes.IndexByte(head, '\n'); i > 0 && head[i-1] == '\r' {
		t.crlf = true
	}
	if len(head) == headSize {
		if head = head[:bytes.LastIndexByte(head, '\n')+1]; len(head) == 0 {
			return nil, fmt.Errorf("the first row is longer than %d KiB", headSize>>10)
		}
	}
	return head, nil
}

// openText returns the text of the table in r. A sheet of a workbook is CSV with a byte order
// mark, which spreadsheet programs want for the output.
func (t *Reader) openText(r io.Reader, opts *Options) (text io.Reader, err error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(len(magicZip)); !bytes.Equal(magic, magicZip) {
		if opts.Sheet != "" {
			return nil, errors.New("-sheet is for workbooks (XLSX), and the input is not one")
		}
		text, t.bom, err = Decode(in)
		return text, err
	}
	if opts.Format == "jsonl" {
		return nil, errors.New("-format jsonl: the input is a workbook; leave -format out")
	}
	opts.Format, opts.Delimiter, t.bom = "csv", cmp.Or(opts.Delimiter, ','), true
	w, err := openWorkbook(in, opts.Sheet, opts.Delimiter)
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

// separator matches the line with which spreadsheet programs are told the delimiter.
var separator = regexp.MustCompile(`\A((?i:sep)=([^"\r\n\x80-\x{10ffff}]))\r?\n`)

// openCSV finds the delimiter, the header and the columns.
func (t *Reader) openCSV(head []byte) error {
	delimiter := t.opts.Delimiter
	if m := separator.FindSubmatch(head); m != nil {
		delimiter = cmp.Or(delimiter, m[2][0])
		t.preamble = bytes.Clone(m[1])
		t.in.Discard(len(m[0]))
		head = head[len(m[0]):]
	}
	skipped, table := t.titleLines(head, delimiter)
	t.used.Skipped, t.rows = skipped, int64(skipped)
	t.in.Discard(len(head) - len(table))
	if delimiter == 0 {
		delimiter = detectDelimiter(table)
	}
	sample := sampleRows(table, delimiter, 50)
	if len(sample) == 0 {
		return errors.New("the input has no header")
	}
	t.delimiter = delimiter
	t.writer = csv.NewWriter(&t.out)
	t.writer.Comma, t.writer.UseCRLF = rune(delimiter), t.crlf
	names, body := sample[0], sample[1:]
	header := !slices.ContainsFunc(names, t.hasAddress)
	if !header {
		names, body = make([]string, len(names)), sample
	}
	if header && len(names) == 1 && t.opts.Address == "" && !mayBeAddress(plainName(names[0])) &&
		!slices.ContainsFunc(body, func(row []string) bool { return slices.ContainsFunc(row, t.hasAddress) }) { // it may be an account like those below
		return fmt.Errorf("the first row, %s, is neither an address nor a header with a column named address; if it is an account, write address above it", quote(names[0]))
	}
	if err := t.choose(names, body); err != nil {
		return err
	}
	for header && t.header == nil {
		row, err := t.Next()
		if err == nil && row.Err == errReturn {
			err = row.Err
		}
		if err != nil {
			return err
		}
		if row.raw != nil { // no blank line
			t.header = &Row{raw: bytes.Clone(row.raw), cells: slices.Clone(row.cells), stray: row.stray, Err: row.Err}
		}
	}
	return nil
}

// sampleRows returns the cells of the first rows of head, at most n, without blank
// ones.
func sampleRows(head []byte, delimiter byte, n int) (all [][]string) {
	r := recordReader{delimiter: delimiter}
	for len(all) < n && len(head) > 0 {
		row, size := r.cut(head, true)
		if head = head[size:]; row.raw == nil {
			continue
		}
		cells := make([]string, len(row.cells))
		for i, cell := range row.cells {
			cells[i] = literal(cell)
			if len(all) == 0 && !utf8.ValidString(cells[i]) {
				cells[i], _ = charmap.Windows1252.NewDecoder().String(cells[i]) // it has a character for each byte
			}
		}
		all = append(all, cells)
	}
	return all
}

// detectDelimiter returns the delimiter that divides most rows of head as it divides
// the first; of equal ones, that which makes more columns.
func detectDelimiter(head []byte) byte {
	best, bestRows, bestColumns := byte(','), 0, 1
	for _, d := range []byte(",;\t|^~\x1f") {
		sample := sampleRows(head, d, 20)
		if len(sample) == 0 || len(sample[0]) < 2 {
			continue
		}
		same := len(slices.DeleteFunc(slices.Clone(sample), func(row []string) bool { return len(row) != len(sample[0]) }))
		if same > bestRows || same == bestRows && len(sample[0]) > bestColumns {
			best, bestRows, bestColumns = d, same, len(sample[0])
		}
	}
	return best
}

// maxTitle bounds how many lines above a header are looked at.
const maxTitle = 20

// titleLines returns how many lines at the beginning of head are a title above the header,
// and what follows them: no line has an address, each has fewer cells with text than the header, and
// a column of the header is named like one of addresses and, if there are any below, has them.
func (t *Reader) titleLines(head []byte, delimiter byte) (int, []byte) {
	for n, rest := 0, head; n <= maxTitle && len(rest) > 0; n++ {
		d := delimiter
		if d == 0 {
			d = detectDelimiter(rest)
		}
		_, size := (&recordReader{delimiter: d}).cut(rest, true) // a row of several lines is a row
		line, after := rest[:size], rest[size:]
		sample := sampleRows(rest, d, 50)
		if len(sample) == 0 || slices.ContainsFunc(sample[0], t.hasAddress) {
			break
		}
		if len(bytes.TrimSpace(line)) > 0 && t.isHeader(sample) {
			w := written(sample[0])
			if _, err := strconv.Atoi(t.opts.Address); err == nil { // there may be no header, and lines of several cells are rows
				w = min(w, 2)
			}
			for _, above := range sampleRows(head[:len(head)-len(rest)], d, n) {
				if written(above) >= w && w > 1 {
					return 0, head
				}
			}
			return n, rest
		}
		rest = after
	}
	return 0, head
}

// isHeader reports whether the first row names a column of addresses. A single cell above
// rows that have several is a title.
func (t *Reader) isHeader(sample [][]string) bool {
	names, body := sample[0], sample[1:]
	if written(names) < 2 && slices.ContainsFunc(body, func(row []string) bool { return written(row) > 1 }) {
		return false
	}
	bare := !slices.ContainsFunc(body, func(row []string) bool { return slices.ContainsFunc(row, t.hasAddress) })
	for i, name := range names {
		plain := plainName(name)
		named := mayBeAddress(plain) || !bare && namesAddress(plain)
		if want := strings.TrimSpace(t.opts.Address); want != "" {
			isNumber := named && want == strconv.Itoa(i+1) && written(names) > 1 && !bare // else it may be a row
			named = strings.EqualFold(strings.TrimSpace(name), want) || isNumber
		}
		if named && (bare || hasCell(body, i, t.looksLikeAddress)) {
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

// hasAddress reports whether a cell is an account, looks like an address, or has a word of 0x and hex
// digits, perhaps of an address that was cut short. No name of a column does.
func (t *Reader) hasAddress(cell string) bool {
	return t.opts.IsName(strings.TrimSpace(cell)) || t.looksLikeAddress(cell) || slices.ContainsFunc(words(cell), func(word string) bool {
		digits, ok := strings.CutPrefix(word, "0x")
		return ok && len(digits) > 2 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
	})
}

// looksLikeAddress reports whether a cell, or a word in it, looks like an address.
func (t *Reader) looksLikeAddress(cell string) bool {
	return t.opts.Plausible(cell) || slices.ContainsFunc(words(cell), t.opts.Plausible)
}

// leads reports whether a cell looks like an address, or begins with a word that does, perhaps after
// one for the chain: 0x… (ETH) and ETH: 0x… do, paid to 0x… does not.
func (t *Reader) leads(cell string) bool {
	w := words(cell)
	if len(w) > 1 && t.opts.IsChain(w[0]) {
		w = w[1:]
	}
	return t.opts.Plausible(cell) || len(w) > 0 && t.opts.Plausible(w[0])
}

// words returns the words of a cell, which have ASCII letters and digits only.
func words(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Next returns the next row, and io.EOF after the last. Any other error is one of
// reading the table.
func (t *Reader) Next() (Row, error) {
	row, err := t.next()
	if err != nil || row.raw == nil {
		return row, err
	}
	if t.json {
		line := row.Line
		row = t.parseRow(row.raw)
		row.Line = line
	}
	if t.address < len(row.cells) {
		row.Address = literal(row.cells[t.address])
	}
	if t.chain >= 0 && t.chain < len(row.cells) {
		row.Chain = literal(row.cells[t.chain])
	}
	if !t.json {
		row.Err = t.check(&row)
	}
	if row.Err == nil && !t.json && t.used.Sheet == "" && t.swallows(&row) { // quotes in a workbook are ours
		row.Err = errSwallow
	}
	return row, nil
}

// swallows reports whether a cell may have another row or cell in it, between two quotes that are
// out of place: it has several lines, or the row has too few cells, and there are a delimiter and an
// address in it.
func (t *Reader) swallows(row *Row) bool {
	if bytes.IndexByte(row.raw, '\n') < 0 && len(row.cells) >= len(t.all) {
		return false
	}
	for i, cell := range row.cells {
		if i != t.address && strings.IndexByte(cell, t.delimiter) >= 0 && (strings.Contains(cell, "\n") || len(row.cells) < len(t.all)) &&
			slices.ContainsFunc(strings.FieldsFunc(cell, func(r rune) bool { return r == '\n' || r == rune(t.delimiter) }), t.hasAddress) {
			return true
		}
	}
	return false
}
