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

// readPage calls row for each row of the tables of an HTML page, with the line on which the row ends,
// and with nil at the end of a table. Cells are texts without tags. A page without its end is an error.
func readPage(page string, row func(line int64, cells []string) error) (err error) {
	var cells []string
	var cell *strings.Builder // nil: not in a cell
	line, at, ended := int64(1), 0, false
	for _, m := range markup.FindAllStringSubmatchIndex(page, -1) {
		if cell != nil {
			cell.WriteString(page[at:m[0]])
		}
		line += int64(strings.Count(page[at:m[1]], "\n"))
		tag := ""
		if at = m[1]; m[2] >= 0 {
			tag = strings.ToLower(page[m[2]:m[3]])
		}
		switch name := strings.TrimPrefix(tag, "/"); name {
		case "html":
			ended = ended || tag == "/html"
		case "br", "p", "div", "li":
			if cell != nil {
				cell.WriteByte('\n')
			}
		case "td", "th", "tr", "table":
			if cell != nil {
				cells, cell = append(cells, html.UnescapeString(cell.String())), nil
			}
			if tag == "td" || tag == "th" {
				cell = new(strings.Builder)
			}
			if (name == "tr" || name == "table") && cells != nil {
				err, cells = row(line, cells), nil
			}
			if name == "table" && err == nil {
				err = row(line, nil)
			}
		}
		if err != nil {
			return err
		}
	}
	if !ended {
		return fail(line, "no </html>: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
