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
	"regexp"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
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
	errNUL     = errors.New("NUL: not text; of a workbook, save the sheet as CSV")
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

// A File says how to read a file of addresses: text with one address on a line, or CSV with
// a header.
type File struct {
	// Columns are the names of the columns to read, in any letter case. The first has the
	// addresses. "" is a column that is not read.
	Columns []string
	// Comment is the column for the comments of text.
	Comment int
	// Table says that the file is CSV with all of Columns, and has no comments.
	Table bool
	// ByHand says that a person edits the file: other columns are an error, as they may be
	// misspelled; an address of text may have blanks; and the last line may lack its end.
	ByHand bool
}

// MaxLine limits a line of text, and the header of CSV, in bytes.
const MaxLine = 64 << 10

// Read calls row for each row of a file, with its line, a text for each of f.Columns, and all
// fields of CSV.
//
// CSV has a header with the column of addresses, and commas, semicolons or tabs between the
// columns. A row that begins with "#" is a comment, unless another of its columns has the
// address. Any other file is text: the address ends at "#", where a comment begins, unless
// only the comment has an address. A line that is blank is skipped. The slices are valid until
// row returns; the cells are the caller's.
//
// Errors are a [*sources.RecordError] with the line, or come from r. An error of row is
// wrapped with the line.
func (f *File) Read(r io.Reader, row func(line int64, cells, fields []string) error) error {
	in := bufio.NewReaderSize(r, MaxLine)
	comma, ok, err := f.separator(in)
	switch {
	case err != nil:
		return err
	case ok, f.Table:
		return f.readCSV(in, comma, row)
	}
	return f.readText(in, row)
}

// separator returns the character between the columns of CSV, and false if the first line
// that is neither blank nor a comment is not a header with the column of addresses. It reads
// nothing from in.
func (f *File) separator(in *bufio.Reader) (comma rune, ok bool, err error) {
	head, err := in.Peek(MaxLine)
	if err != nil && err != io.EOF {
		return 0, false, err // Peek returns it once
	}
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		if line[0] == '#' || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		for _, comma := range ",;\t" {
			r := csv.NewReader(bytes.NewReader(line))
			r.Comma = comma
			if names, err := r.Read(); err == nil && slices.ContainsFunc(names, func(n string) bool { return isName(n, f.Columns[0]) }) {
				return comma, true, nil
			}
		}
		break
	}
	return ',', false, nil
}

func isName(cell, name string) bool { return strings.EqualFold(sources.TrimListed(cell), name) }

func (f *File) readCSV(in io.Reader, comma rune, row func(int64, []string, []string) error) error {
	var places []int // of f.Columns, or -1
	width := 0       // of the header
	cells := make([]string, len(f.Columns))
	return Rows(in, comma, f.ByHand, func(line int64, fields []string) error {
		if len(fields) == 1 && sources.TrimListed(fields[0]) == "" {
			return nil
		}
		isComment, err := f.isComment(fields, places, width)
		switch {
		case err != nil || isComment:
			return err
		case places == nil:
			places, err = f.places(fields)
			width = len(fields)
			return err
		case len(fields) != width:
			return fmt.Errorf("%d columns, want %d as in the header", len(fields), width)
		case isName(fields[places[0]], f.Columns[0]):
			return errors.New("a second header: more than one list")
		case !f.Table && swallows(fields, places[0], comma):
			return errors.New("a cell of several lines has an address in it: a quote or a line break may be out of place")
		}
		for i, at := range places {
			if at >= 0 {
				cells[i] = strings.Clone(fields[at]) // not to keep the row
			}
		}
		return row(line, cells, fields)
	})
}

// isComment reports whether a row is a comment: it begins with "#", and the column of addresses is
// the first, or empty, or there is no such column and no field is an address. places and width are
// of the header, if there was one.
func (f *File) isComment(fields []string, places []int, width int) (bool, error) {
	switch {
	case f.Table || !strings.HasPrefix(fields[0], "#"):
		return false, nil
	case strings.ContainsAny(strings.Join(fields, ""), otherBreaks):
		return false, errBreak
	case places == nil || places[0] == 0 || len(fields) == width && fields[places[0]] == "":
		return true, nil
	case len(fields) != width:
		return !slices.ContainsFunc(fields, func(field string) bool { _, ok := sources.Decode("", field); return ok }), nil
	case f.ByHand:
		return false, fmt.Errorf("begins with #, as a comment does, but has an address: put the column %s first", f.Columns[0])
	}
	return false, nil
}

// swallows reports whether a field other than the address, at, has several lines, a separator
// and an address: with a quote out of place, rows are in it.
func swallows(fields []string, at int, comma rune) bool {
	for i, field := range fields {
		if i == at || !strings.ContainsAny(field, "\n"+otherBreaks) || !strings.ContainsRune(field, comma) {
			continue
		}
		if slices.ContainsFunc(strings.Split(field, "\n"), hasAddress) {
			return true
		}
	}
	return false
}

func hasAddress(text string) bool {
	_, ok := sources.Decode("", text)
	return ok || len(sources.Repair("", text)) > 0
}

// Others returns the words of a cell that may be addresses, beside those that were found in it: what
// looks like an address, and ids that nothing proves, such as 64 hex digits. Each long word in
// small letters could be a name on NEAR, and a number or a reference is none.
func Others(cell string, found []address.Found) []address.Found {
	rest := []byte(cell)
	for _, f := range found {
		for i := f.Start; i < f.End; i++ {
			rest[i] = ' '
		}
	}
	all := address.FindLikely(string(rest))
	for _, at := range longWord.FindAllIndex(rest, -1) {
		isLikely := slices.ContainsFunc(all, func(f address.Found) bool { return at[0] < f.End && f.Start < at[1] })
		isID := func(a address.Address) bool { return a.Chain() != "near" || at[1]-at[0] == 64 }
		if !isLikely && slices.ContainsFunc(address.Detect(cell[at[0]:at[1]]), isID) {
			all = append(all, address.Found{Start: at[0], End: at[1]})
		}
	}
	return all
}

// longWord matches an id in Base64, of Arweave, or another long one.
var longWord = regexp.MustCompile(`\b[\w-]{43}\b|[0-9A-Za-z]{25,}`)

// places returns where the columns of f are in a header, or -1.
func (f *File) places(header []string) ([]int, error) {
	places := make([]int, len(f.Columns))
	for i, name := range f.Columns {
		places[i] = -1
		for at, cell := range header {
			switch {
			case name == "" || !isName(cell, name):
			case places[i] >= 0:
				return nil, fmt.Errorf("column %q twice", name)
			default:
				places[i] = at
			}
		}
		if places[i] < 0 && (i == 0 || f.Table) {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	for at, cell := range header {
		if !f.Table && hasAddress(cell) {
			return nil, errors.New("an address in the header: a line break may be out of place")
		}
		if f.ByHand && !slices.Contains(places, at) {
			return nil, fmt.Errorf("unknown column %.40q, want some of %s", cell, strings.Join(f.Columns, ", "))
		}
	}
	return places, nil
}

func (f *File) readText(in *bufio.Reader, row func(int64, []string, []string) error) error {
	cells := make([]string, len(f.Columns))
	return Lines(in, func(line int64, text string, hasEnd bool) error {
		address, comment, _ := strings.Cut(text, "#")
		address = sources.TrimListed(address)
		switch {
		case strings.Contains(text, "\x00"):
			return errNUL
		case strings.ContainsAny(text, otherBreaks):
			return errBreak
		case !f.ByHand && strings.ContainsAny(address, " \t"): // a sentence, such as "404: Not Found"
			return errors.New("blanks in the address, want one address on a line")
		case !f.ByHand && !hasEnd && sources.TrimListed(text) != "":
			return errNoEnd
		case address == "":
			return nil
		case !f.ByHand && comment != "" && !hasAddress(address) && hasAddress(comment): // as in a table with other columns
			address, comment = text, ""
		}
		cells[0], cells[f.Comment] = address, comment
		return row(line, cells, nil)
	})
}

// Lines calls do for each line of a text, without its end, and with whether it has one. Its errors
// are a [*sources.RecordError] with the line, or come from in.
func Lines(in *bufio.Reader, do func(line int64, text string, hasEnd bool) error) error {
	for n := int64(1); ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err == nil || err == io.EOF:
			err = do(n, strings.TrimRight(string(line), "\r\n"), err == nil)
		case err == bufio.ErrBufferFull:
			err = fmt.Errorf("more than %d bytes", MaxLine)
		default:
			return err
		}
		if err != nil {
			return &sources.RecordError{Line: n, Byte: -1, Err: err}
		}
	}
}

// otherBreaks are characters at which some programs break lines and this module does not.
// In a comment, one would hide what follows it.
const otherBreaks = "\r\v\f\u0085\u2028\u2029"

var errBreak = errors.New("a line break other than LF or CRLF, want one address on a line")
