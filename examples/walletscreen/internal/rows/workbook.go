package rows

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These bound what a workbook (XLSX) takes of memory, in bytes.
const (
	maxWorkbook = 100 << 20 // the file
	maxStrings  = 256 << 20 // the texts that its cells share, unpacked
	maxMarkup   = 4 << 20   // one row, unpacked
	maxCells    = 1 << 14   // columns
	maxRows     = 1 << 20
)

var errNoWorkbook = errors.New("the input is a document or a zip archive; save it as XLSX, CSV or text, or unpack the archive")

// A workbook reads one sheet as CSV. A day is written as 2006-01-02, whatever its format.
type workbook struct {
	zip       *zip.Reader
	sheets    []string
	sheet     int // the index in sheets
	delimiter byte
	shared    []string
	days      []bool // the styles of cells that show a day or a time
	epoch     time.Time
	in        *bounded
	dec       *xml.Decoder
	row       int // the last one that was written
	out       []byte
	err       error
}

// A bounded reads no more than left bytes.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("a row or a text of the workbook is too long")
	}
	n, err := b.Reader.Read(p)
	b.left -= n
	return n, err
}

// A richText is a text, perhaps in pieces of several formats.
type richText struct {
	T    string `xml:"t"`
	Runs []struct {
		T string `xml:"t"`
	} `xml:"r"`
}

func (t *richText) String() string {
	s := t.T
	for _, r := range t.Runs {
		s += r.T
	}
	return s
}

// openWorkbook opens the sheet of that name, or the first one, of the workbook in r.
func openWorkbook(r io.Reader, sheet string, delimiter byte) (*workbook, error) {
	all, err := io.ReadAll(io.LimitReader(r, maxWorkbook+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxWorkbook {
		return nil, fmt.Errorf("the workbook is longer than %d MiB; save the sheet as CSV", maxWorkbook>>20)
	}
	w := &workbook{delimiter: delimiter, epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	if w.zip, err = zip.NewReader(bytes.NewReader(all), int64(len(all))); err != nil {
		return nil, fmt.Errorf("the workbook is damaged or cut short: %w", err)
	}
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := errors.Join(w.decode("xl/workbook.xml", &book), w.decode("xl/_rels/workbook.xml.rels", &links)); err != nil {
		return nil, errNoWorkbook
	}
	if p := book.Properties.Date1904; p == "1" || p == "true" {
		w.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	var parts []string
	for _, s := range book.Sheets {
		for _, l := range links.All {
			if l.ID == s.ID && strings.HasSuffix(l.Type, "/worksheet") {
				w.sheets, parts = append(w.sheets, s.Name), append(parts, strings.TrimPrefix(path.Join("/xl", l.Target), "/"))
				if strings.HasPrefix(l.Target, "/") {
					parts[len(parts)-1] = l.Target[1:]
				}
			}
		}
	}
	if sheet != "" {
		w.sheet = slices.IndexFunc(w.sheets, func(name string) bool { return strings.EqualFold(name, sheet) })
	}
	if w.sheet < 0 || len(w.sheets) == 0 {
		return nil, fmt.Errorf("the workbook has no sheet %q; there are %s", sheet, list(w.sheets))
	}
	if err := errors.Join(w.readShared(), w.readStyles()); err != nil {
		return nil, fmt.Errorf("the workbook is damaged: %w", err)
	}
	f, err := w.zip.Open(parts[w.sheet])
	if err != nil {
		return nil, fmt.Errorf("the workbook is damaged: %w", err)
	}
	w.in = &bounded{Reader: f}
	w.dec = xml.NewDecoder(w.in)
	return w, nil
}

// decode decodes a small part of the workbook.
func (w *workbook) decode(name string, to any) error {
	f, err := w.zip.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return xml.NewDecoder(&bounded{f, maxMarkup}).Decode(to)
}

// readShared reads the texts that cells share. A workbook may have none.
func (w *workbook) readShared() error {
	f, err := w.zip.Open("xl/sharedStrings.xml")
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxStrings {
		return fmt.Errorf("its texts are longer than %d MiB; save the sheet as CSV", maxStrings>>20)
	}
	in := &bounded{Reader: f}
	for dec := xml.NewDecoder(in); ; {
		in.left = maxMarkup
		token, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			var t richText
			if err := dec.DecodeElement(&t, &start); err != nil {
				return err
			}
			w.shared = append(w.shared, t.String())
		}
	}
}

// readStyles reads which styles show a day or a time. A workbook may have none.
func (w *workbook) readStyles() error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if _, err := w.zip.Open("xl/styles.xml"); err != nil {
		return nil
	}
	if err := w.decode("xl/styles.xml", &styles); err != nil {
		return err
	}
	for _, c := range styles.Cells {
		day := c.Format >= 14 && c.Format <= 22 || c.Format >= 45 && c.Format <= 47
		for _, f := range styles.Formats {
			if f.ID == c.Format {
				day = isDay(f.Code)
			}
		}
		w.days = append(w.days, day)
	}
	return nil
}

// isDay reports whether the code of a format, apart from text in quotes or brackets,
// has a part of a day or a time.
func isDay(code string) bool {
	until := rune(0)
	return strings.ContainsFunc(code, func(r rune) bool {
		switch {
		case until != 0:
			if r == until || until == 1 {
				until = 0
			}
		case r == '"':
			until = '"'
		case r == '[':
			until = ']'
		case r == '\\':
			until = 1
		default:
			return strings.ContainsRune("yYmMdDhHsS", r)
		}
		return false
	})
}

// Read returns the next part of the sheet as CSV.
func (w *workbook) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.err = w.next()
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// A sheetCell is a cell of a sheet.
type sheetCell struct {
	At     string   `xml:"r,attr"`
	Type   string   `xml:"t,attr"`
	Style  int      `xml:"s,attr"`
	Value  string   `xml:"v"`
	Inline richText `xml:"is"`
}

// next writes the next row that has text, and a blank line for each blank row before it.
func (w *workbook) next() error {
	for {
		w.in.left = maxMarkup
		token, err := w.dec.Token()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return fmt.Errorf("the workbook is damaged: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		var row struct {
			At    int         `xml:"r,attr"`
			Cells []sheetCell `xml:"c"`
		}
		if err := w.dec.DecodeElement(&row, &start); err != nil {
			return fmt.Errorf("the workbook is damaged: %w", err)
		}
		if row.At == 0 {
			row.At = w.row + 1
		}
		if row.At <= w.row || row.At > maxRows {
			return fmt.Errorf("the workbook is damaged: row %d after row %d", row.At, w.row)
		}
		line, err := w.line(row.Cells)
		if err != nil {
			return err
		}
		if line == nil {
			continue
		}
		w.out = append(bytes.Repeat([]byte("\n"), row.At-w.row-1), append(line, '\n')...)
		w.row = row.At
		return nil
	}
}

// line returns the cells of a row as a line of CSV, or nil if none has text.
func (w *workbook) line(cells []sheetCell) (line []byte, err error) {
	delimiters, last := 0, 0
	for i := range cells {
		at := 0
		for _, r := range strings.TrimRight(cells[i].At, "0123456789") {
			at = min(at*26+int(r-'A')+1, maxCells+1)
		}
		if cells[i].At == "" {
			at = last + 1
		}
		if at > maxCells || at <= last {
			return nil, fmt.Errorf("the workbook is damaged: a cell %q after column %d", cells[i].At, last)
		}
		last = at
		text, err := w.text(&cells[i])
		if err != nil {
			return nil, err
		}
		if text = strings.ReplaceAll(text, "_x000D_", "\r"); text == "" {
			continue
		}
		for ; delimiters < at-1; delimiters++ {
			line = append(line, w.delimiter)
		}
		if strings.IndexByte(text, w.delimiter) >= 0 || strings.ContainsAny(text, "\"\r\n") {
			line = appendQuoted(line, text)
		} else {
			line = append(line, text...)
		}
	}
	return line, nil
}

// text returns the text of a cell.
func (w *workbook) text(c *sheetCell) (string, error) {
	switch c.Type {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(c.Value))
		if err != nil || i < 0 || i >= len(w.shared) {
			return "", fmt.Errorf("the workbook is damaged: the cell %s has no text %q", c.At, c.Value)
		}
		return w.shared[i], nil
	case "inlineStr":
		return c.Inline.String(), nil
	case "", "n":
		n, err := strconv.ParseFloat(c.Value, 64)
		if err != nil || c.Style < 0 || c.Style >= len(w.days) || !w.days[c.Style] || n < 0 || n > 2958466 {
			return c.Value, nil
		}
		t := w.epoch.AddDate(0, 0, int(n)).Add(time.Duration((n-float64(int(n)))*86400+0.5) * time.Second)
		switch {
		case n < 1:
			return t.Format(time.TimeOnly), nil
		case n == float64(int(n)):
			return t.Format(time.DateOnly), nil
		}
		return t.Format(time.DateTime), nil
	}
	return c.Value, nil
}
