package nbctf

import (
	"html"
	"io"
	"strings"
)

// readPage calls row for each row of the tables of an HTML page, and with nil at the end of a
// table. Cells are texts without tags. A page without its end is an error.
func readPage(page string, row func(line int64, cells []string) error) error {
	var cells []string
	var cell *strings.Builder // nil: not in a cell
	var started int64         // the line of the row
	endCell := func() {
		if cell != nil {
			cells = append(cells, html.UnescapeString(cell.String()))
			cell = nil
		}
	}
	endRow := func() error {
		endCell()
		whole := cells
		if cells = nil; whole == nil {
			return nil
		}
		return row(started, whole)
	}
	line, ended := int64(1), false
	for rest := page; rest != ""; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			i = len(rest)
		}
		if cell != nil {
			cell.WriteString(rest[:i])
		}
		line += int64(strings.Count(rest[:i], "\n"))
		if rest = rest[i:]; rest == "" {
			break
		}
		tag, n := tagOf(rest)
		if n == 0 {
			return fail(line, "a tag without an end: %w", io.ErrUnexpectedEOF)
		}
		var err error
		switch tag {
		case "tr", "/tr":
			err = endRow()
			started = line
		case "td", "th":
			endCell()
			cell = new(strings.Builder)
		case "/td", "/th":
			endCell()
		case "table", "/table":
			if err = endRow(); err == nil {
				err = row(line, nil)
			}
		case "/html":
			ended = true
		case "br", "p", "/p", "div", "/div", "li", "/li":
			if cell != nil {
				cell.WriteByte('\n')
			}
		}
		if err != nil {
			return err
		}
		line += int64(strings.Count(rest[:n], "\n"))
		rest = rest[n:]
	}
	if !ended {
		return fail(line, "no </html>: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

// tagOf returns the name in lower case and the length of the tag, the comment or the script at
// the beginning of text; 0 if it has no end. A "<" that begins no tag has length 1.
func tagOf(text string) (name string, n int) {
	if strings.HasPrefix(text, "<!--") {
		return "", after(text, "-->")
	}
	end := 1
	for end < len(text) && (text[end] == '/' && end == 1 || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	name = strings.ToLower(text[1:end])
	if name == "" && !strings.HasPrefix(text, "<!") && !strings.HasPrefix(text, "<?") {
		return "", 1
	}
	var quote byte
	for n = end; n < len(text); n++ {
		switch c := text[n]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			n++
			if name == "script" || name == "style" {
				m := after(strings.ToLower(text[n:]), "</"+name)
				if m == 0 {
					return name, 0
				}
				return name, n + m - len("</"+name)
			}
			return name, n
		}
	}
	return name, 0
}

// after returns the offset behind the first end in text, or 0.
func after(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return 0
}
