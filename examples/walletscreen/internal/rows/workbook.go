package rows

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These bound what a workbook (XLSX) takes of memory, in bytes.
const (
	maxWorkbook = 100 << 20 // the file
	maxStrings  = 256 << 20 // the texts that its cells share, unpacked
	maxMarkup   = 4 << 20   // one row, unpacked, and its texts
	maxCells    = 1 << 14   // columns
	maxRows     = 1 << 20
)

// maxShared is the number of texts that cells share: many short ones take more memory than
// their bytes. It is a variable for tests.
var maxShared = 1 << 24

var errNoWorkbook = errors.New("the input is a document or a zip archive; save it as XLSX, CSV or text, or unpack the archive")

// A workbook reads one sheet as CSV. A day is written as 2006-01-02, whatever its format.
type workbook struct {
	zip    *zip.Reader
	sheets []string
	sheet  int // the index in sheets
	shared []string
	days   []bool // the styles of cells that show a day or a time
	epoch  time.Time
	in     *io.LimitedReader // of the rest of a row
	dec    *xml.Decoder
	row    int // the last one that was written
	cells  []string
	length int // of the texts of the row
	out    bytes.Buffer
	csv    *csv.Writer // to out
	err    error
}

// openWorkbook opens the named sheet, or the first one, of the workbook in r.
func openWorkbook(r io.Reader, sheet string, delimiter byte) (*workbook, error) {
	all, err := io.ReadAll(io.LimitReader(r, maxWorkbook+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxWorkbook {
		return nil, fmt.Errorf("the workbook is longer than %d MiB; save the sheet as CSV", maxWorkbook>>20)
	}
	w := &workbook{epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	w.csv = csv.NewWriter(&w.out)
	w.csv.Comma = rune(delimiter)
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
	targets := make(map[string]string)
	for _, l := range links.All {
		if strings.HasSuffix(l.Type, "/worksheet") {
			targets[l.ID] = l.Target
		}
	}
	var parts []string
	for _, s := range book.Sheets {
		if target, ok := targets[s.ID]; ok {
			if !strings.HasPrefix(target, "/") {
				target = "/xl/" + target
			}
			w.sheets, parts = append(w.sheets, s.Name), append(parts, path.Clean(target)[1:])
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
	w.in = &io.LimitedReader{R: f}
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
	return xml.NewDecoder(io.LimitReader(f, maxMarkup)).Decode(to)
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
	in := &io.LimitedReader{R: f}
	for dec := xml.NewDecoder(in); ; {
		in.N = maxMarkup
		var text sharedText
		if err := next(dec, "si", &text); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if len(w.shared) == maxShared {
			return fmt.Errorf("it has more than %d texts; save the sheet as CSV", maxShared)
		}
		w.shared = append(w.shared, text.String())
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
	if err := w.decode("xl/styles.xml", &styles); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	own := make(map[int]bool) // formats of the workbook that show a day
	for _, f := range styles.Formats {
		own[f.ID] = isDay(f.Code)
	}
	for _, c := range styles.Cells {
		day, ok := own[c.Format]
		w.days = append(w.days, day || !ok && (c.Format >= 14 && c.Format <= 22 || c.Format >= 45 && c.Format <= 47))
	}
	return nil
}

// notShown matches text in quotes or brackets in the code of a format, and escaped characters.
var notShown = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]|\\.`)

// isDay reports whether the code of a format has a part of a day or a time.
func isDay(code string) bool {
	return strings.ContainsAny(notShown.ReplaceAllString(code, ""), "yYmMdDhHsS")
}

// Read returns the next part of the sheet as CSV.
func (w *workbook) Read(p []byte) (int, error) {
	for w.out.Len() == 0 {
		if w.err != nil {
			return 0, w.err
		}
		if w.err = w.next(); w.err != nil && w.err != io.EOF {
			w.err = fmt.Errorf("the workbook is damaged: %w", w.err)
		}
	}
	return w.out.Read(p)
}

// A sheetRow is a row of a sheet as its file has it.
type sheetRow struct {
	Number string      `xml:"r,attr"`
	Cells  []sheetCell `xml:"c"`
}

// A sheetCell is a cell. A formula is not its text.
type sheetCell struct {
	Name  string     `xml:"r,attr"`
	Type  string     `xml:"t,attr"`
	Style string     `xml:"s,attr"`
	Value []string   `xml:"v"` // one, but in a file that somebody forged
	Text  sharedText `xml:"is"`
}

// A sharedText is a text of a cell, or one that cells share, perhaps in pieces of several formats. How
// it is pronounced is left out.
type sharedText struct {
	Whole  []string `xml:"t"`
	Pieces []string `xml:"r>t"`
}

func (t *sharedText) String() string {
	return strings.Join(t.Whole, "") + strings.Join(t.Pieces, "")
}

// next writes the next row to w.out, if it has text, and a blank line for each blank row before it.
func (w *workbook) next() error {
	w.in.N = maxMarkup
	var row sheetRow
	err := next(w.dec, "row", &row)
	if err != nil {
		return err
	}
	at := w.row + 1
	if row.Number != "" {
		if at, err = strconv.Atoi(row.Number); err != nil {
			return err
		}
	}
	if at <= w.row || at > maxRows {
		return fmt.Errorf("row %d after row %d", at, w.row)
	}
	w.cells, w.length = w.cells[:0], 0
	last := 0
	for i := range row.Cells {
		if last, err = w.cell(&row.Cells[i], last); err != nil {
			return err
		}
	}
	if len(w.cells) == 0 {
		return nil
	}
	for ; w.row < at-1; w.row++ {
		w.out.WriteByte('\n')
	}
	w.row = at
	err = w.csv.Write(w.cells)
	w.csv.Flush()
	return err
}

// cell adds a cell to w.cells, if it has text, and returns its column. The cell before it is in the column last.
func (w *workbook) cell(cell *sheetCell, last int) (int, error) {
	at := last + 1
	if cell.Name != "" {
		at = 0
		for _, r := range strings.TrimRight(cell.Name, "0123456789") {
			at = min(at*26+int(r-'A')+1, maxCells+1)
		}
	}
	if at > maxCells || at <= last {
		return 0, fmt.Errorf("a cell %q after column %d", cell.Name, last)
	}
	text, err := w.text(cell)
	if w.length += len(text); w.length > maxMarkup { // cells may share one long text
		return 0, fmt.Errorf("a row after row %d has more than %d MiB of text", w.row, maxMarkup>>20)
	}
	if text = strings.ReplaceAll(text, "_x000D_", "\r"); text != "" {
		for len(w.cells) < at-1 {
			w.cells = append(w.cells, "")
		}
		w.cells = append(w.cells, text)
	}
	return at, err
}

// next decodes the next element called name.
func next(dec *xml.Decoder, name string, to any) error {
	for {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			return dec.DecodeElement(to, &start)
		}
	}
}

// text returns what a cell shows.
func (w *workbook) text(cell *sheetCell) (string, error) {
	text := strings.Join(cell.Value, "") + cell.Text.String()
	switch cell.Type {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(w.shared) {
			return "", fmt.Errorf("the cell %s has no text %q", cell.Name, text)
		}
		return w.shared[i], nil
	case "", "n":
		style, _ := strconv.Atoi(cell.Style)
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || style < 0 || style >= len(w.days) || !w.days[style] || n < 0 || n > 2958466 {
			return text, nil
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
	return text, nil
}
