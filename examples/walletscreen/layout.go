package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A layout is a table for people: columns as wide as their widest cell. The name of a
// column whose cells are numbers begins with ">", and they are aligned to the right.
type layout struct {
	indent string
	rows   [][]string
}

// add adds a row. The first one has the names of the columns. Characters that a terminal
// would act on are left out.
func (l *layout) add(cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	l.rows = append(l.rows, cells)
}

// print writes the table.
func (l *layout) print(w io.Writer) error {
	if len(l.rows) == 0 {
		return nil
	}
	right := make([]bool, len(l.rows[0]))
	for i, name := range l.rows[0] {
		l.rows[0][i], right[i] = strings.CutPrefix(name, ">")
	}
	width := make([]int, len(right))
	for _, row := range l.rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range l.rows {
		line := l.indent
		for i, cell := range row {
			if i > 0 {
				line += "  "
			}
			fill := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line += fill + cell
			} else {
				line += cell + fill
			}
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
