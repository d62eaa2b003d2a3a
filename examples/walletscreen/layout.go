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
	narrow bool // a row that 80 columns would break has its last cell on lines of its own
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
		line, last := l.indent, ""
		if l.narrow && total(width[:len(width)-1])+2*len(row)-2+len(l.indent)+utf8.RuneCountInString(row[len(row)-1]) > columns {
			row, last = row[:len(row)-1], row[len(row)-1]
		}
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
		if last != "" {
			for _, part := range wrap(last, columns-len(l.indent)-4) {
				b.WriteString(l.indent + "    " + part + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// total returns the sum of widths.
func total(widths []int) (n int) {
	for _, w := range widths {
		n += w
	}
	return n
}

// fold returns a line that may have a margin, broken for a terminal of 80 columns if it is
// longer. The lines that follow have four more blanks before them.
func fold(line string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return margin + strings.Join(wrap(line, columns-len(margin)-4), "\n"+margin+"    ")
}
