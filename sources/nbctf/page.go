package nbctf

import (
	"html"
	"io"
	"regexp"
	"strings"
)

// markup matches a comment, a script, a style sheet, a declaration, or a tag, whose name it
// captures. Within quotes, an attribute may have a ">".
var markup = regexp.MustCompile(`(?is)<!--.*?-->|<script\b.*?</script\s*>|<style\b.*?</style\s*>|<[!?][^>]*>|<(/?[a-z][a-z0-9]*)(?:"[^"]*"|'[^']*'|[^>"'])*>`)

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
	line, at, ended := int64(1), 0, false
	for _, m := range markup.FindAllStringSubmatchIndex(page, -1) {
		if cell != nil {
			cell.WriteString(page[at:m[0]])
		}
		line += int64(strings.Count(page[at:m[0]], "\n"))
		tag := ""
		if m[2] >= 0 {
			tag = strings.ToLower(page[m[2]:m[3]])
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
		at = m[1]
		line += int64(strings.Count(page[m[0]:at], "\n"))
	}
	if !ended {
		return fail(line, "no </html>: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
