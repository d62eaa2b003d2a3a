package main

import (
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/internal/wire"
)

// A layout is a table for people: columns as wide as their widest cell. The name of a
// column whose cells are numbers begins with ">", and they are aligned to the right. Columns for
// which a terminal of 80 has no room are on further lines of each row, unless it is wide.
type layout struct {
	indent string
	wide   bool
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

func (l *layout) print(w io.Writer) {
	if len(l.rows) == 0 {
		return
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
		for start, end, indent := 0, 0, l.indent; start < len(row); start, indent = end, l.indent+"    " {
			line := indent
			for end = start; end < len(row); end++ {
				gap := strings.Repeat(" ", min(2, 2*(end-start)))
				fill := strings.Repeat(" ", width[end]-utf8.RuneCountInString(row[end]))
				cell := gap + row[end] + fill
				if right[end] {
					cell = gap + fill + row[end]
				}
				if end == len(row)-1 {
					cell = strings.TrimRight(cell, " ") // it may be shorter than others
				}
				if end > start && !l.wide && utf8.RuneCountInString(line+cell) > columns {
					break
				}
				line += cell
			}
			line = strings.TrimRight(line, " ")
			if !l.wide && utf8.RuneCountInString(line) > columns {
				line = indent + strings.Join(wrap(line, columns-len(indent)), "\n"+indent)
			}
			if line != "" || start == 0 {
				b.WriteString(line + "\n")
			}
		}
	}
	io.WriteString(w, b.String())
}

// fold breaks a line for a terminal of 80 columns, and indents what follows by four more blanks.
func fold(line string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return margin + strings.Join(wrap(line, columns-len(margin)-4), "\n"+margin+"    ")
}

// formatted returns t in UTC, or none if t is zero.
func formatted(t time.Time, form, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(form)
}

func minute(t time.Time) string    { return formatted(t, "2006-01-02T15:04Z", "-") }
func day(t time.Time) string       { return formatted(t, time.DateOnly, "-") }
func dayOrNone(t time.Time) string { return formatted(t, time.DateOnly, "") }

// clean returns s without characters that a terminal or a table would act on, or that nobody sees.
func clean(s string) string { return visible.Text(s) }

func writeJSON(w io.Writer, v any) error {
	text, err := wire.JSON(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// grouped returns n with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ageText returns d in days, or in hours if it is less than two days.
func ageText(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// counted returns n things, as "1 row" or "2 rows".
func counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
