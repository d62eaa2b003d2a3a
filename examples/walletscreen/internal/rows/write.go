package rows

import (
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/internal/wire"
)

// A Column is one that is added to each row.
type Column struct {
	Name string
	Type Type
}

// A Type says how a cell is written in JSON.
type Type uint8

const (
	Text   Type = iota // a string of a list, protected from spreadsheet programs
	Exact              // a string that is never altered, such as the normal form of an address
	Word               // a string, or null if the cell is empty
	Number             // a number, or null if the cell is empty
	Bool               // true, or false if the cell is empty
)

// AppendHeader appends what comes before the first row: the header with the names of
// the added columns, if the table has one.
func (t *Reader) AppendHeader(dst []byte) []byte {
	if t.bom {
		dst = append(dst, "\ufeff"...)
	}
	if t.preamble != nil {
		dst = t.endLine(append(dst, t.preamble...))
	}
	if t.json || t.header == nil {
		return dst
	}
	return t.appendCells(dst, t.header, t.added)
}

// AppendRow appends row and its cells of the added columns, as many as these are. A Text
// that a spreadsheet program would run as a formula gets an apostrophe in CSV. Characters
// that nobody sees are left out of added cells in CSV, and escaped in JSON.
func (t *Reader) AppendRow(dst []byte, row *Row, cells ...string) []byte {
	if t.json {
		return t.endLine(t.appendJSON(dst, row, cells))
	}
	t.shown = t.shown[:0]
	for i, cell := range cells {
		if t.opts.Add[i].Type == Text {
			cell = visible.Cell(cell)
		} else {
			cell = visible.Text(cell)
		}
		t.shown = append(t.shown, cell)
	}
	return t.appendCells(dst, row, t.shown)
}

// appendCells appends the cells of row, as many as the header has, and the added ones. A row in which a
// quote is out of place, or that has more cells, is quoted again, so that every reader finds the same cells.
func (t *Reader) appendCells(dst []byte, row *Row, added []string) []byte {
	if len(row.cells) <= len(t.all) && !row.stray {
		dst = append(dst, row.raw...)
		for range len(t.all) - max(len(row.cells), 1) {
			dst = append(dst, t.delimiter)
		}
		if len(added) == 0 {
			return t.endLine(dst)
		}
		return append(append(dst, t.delimiter), t.encode(added)...)
	}
	cells := make([]string, len(t.all))
	copy(cells, row.cells)
	if len(row.cells) > len(t.all) && row.Err != nil {
		cells[len(t.all)-1] = strings.Join(row.cells[len(t.all)-1:], string(t.delimiter)) // the rest of the row
	}
	return append(dst, t.encode(append(cells, added...))...)
}

// encode returns cells as a line. It is valid until the next call.
func (t *Reader) encode(cells []string) []byte {
	t.out.Reset()
	t.writer.Write(cells)
	t.writer.Flush()
	return t.out.Bytes()
}

func (t *Reader) endLine(dst []byte) []byte {
	if t.crlf {
		dst = append(dst, '\r')
	}
	return append(dst, '\n')
}

// appendJSON appends row as an object with the added members. A member that has the name
// of an added one, and was not among the first when these were named, gets another name.
func (t *Reader) appendJSON(dst []byte, row *Row, cells []string) []byte {
	dst = append(dst, '{')
	for _, m := range row.members {
		if slices.Contains(t.added, m.name) {
			m.name = "input_" + m.name
		}
		dst = append(append(appendString(dst, m.name), ':'), m.value...)
		dst = append(dst, ',')
	}
	for i, c := range t.opts.Add {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), t.added[i]...), `":`...)
		switch cell := cells[i]; {
		case cell == "" && c.Type == Bool:
			dst = append(dst, "false"...)
		case cell == "" && c.Type > Exact:
			dst = append(dst, "null"...)
		case c.Type <= Word:
			dst = appendString(dst, cell)
		default:
			dst = append(dst, cell...)
		}
	}
	return append(dst, '}')
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	text, _ := wire.JSON(s) // a string cannot fail
	return append(dst, text...)
}
