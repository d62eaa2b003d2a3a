package rows

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A Verdict is what the added columns of a row say. Without a Level there is none, and
// Err says why.
type Verdict struct {
	Level                            string
	Score                            int
	Match, Source, Ref, Name, Listed string // of the highest label
	Labels                           int
	Err                              string
}

// Columns are the names of the added columns, in order.
var Columns = []string{"level", "score", "match", "source", "source_ref", "name", "listed_address", "labels", "error"}

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
	dst = append(dst, t.header...)
	for _, name := range Columns {
		dst = append(append(dst, t.delimiter), name...)
	}
	return t.endLine(dst)
}

// AppendRow appends row and the columns of v.
func (t *Reader) AppendRow(dst []byte, row *Row, v *Verdict) []byte {
	if t.json {
		return t.endLine(t.appendJSON(dst, row, v))
	}
	dst = t.appendInput(dst, row)
	dst = append(append(dst, t.delimiter), v.Level...)
	dst = append(dst, t.delimiter)
	if v.Level != "" {
		dst = strconv.AppendInt(dst, int64(v.Score), 10)
	}
	for _, cell := range [...]string{v.Match, v.Source, v.Ref, v.Name, v.Listed} {
		dst = t.appendCell(append(dst, t.delimiter), cell)
	}
	dst = append(dst, t.delimiter)
	if v.Level != "" {
		dst = strconv.AppendInt(dst, int64(v.Labels), 10)
	}
	return t.endLine(t.appendCell(append(dst, t.delimiter), v.Err))
}

// appendInput appends the cells of row, as many as the header has.
func (t *Reader) appendInput(dst []byte, row *Row) []byte {
	switch {
	case row.columns == t.columns && row.Err != errQuote:
		return append(dst, row.raw...)
	case row.columns < t.columns && row.Err != errQuote:
		dst = append(dst, row.raw...)
		for range t.columns - max(row.columns, 1) {
			dst = append(dst, t.delimiter)
		}
		return dst
	}
	spans := cut(row.raw, t.delimiter)
	if row.Err != errQuote {
		spans = split(row.raw, t.delimiter)
	}
	for i := range t.columns {
		if i > 0 {
			dst = append(dst, t.delimiter)
		}
		switch {
		case i >= len(spans):
		case i == t.columns-1 && len(spans) > t.columns && row.Err != nil: // the rest of the row
			dst = appendQuoted(dst, string(row.raw[spans[i].start:]))
		case row.Err == errQuote && bytes.IndexByte(row.raw[spans[i].start:spans[i].end], '"') >= 0:
			dst = appendQuoted(dst, string(row.raw[spans[i].start:spans[i].end]))
		default:
			dst = append(dst, row.raw[spans[i].start:spans[i].end]...)
		}
	}
	return dst
}

// appendCell appends s, quoted if it must be. A text that a spreadsheet program would
// run as a formula gets an apostrophe.
func (t *Reader) appendCell(dst []byte, s string) []byte {
	if s == "" {
		return dst
	}
	if strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		s = "'" + s
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' || strings.IndexByte(s, t.delimiter) >= 0 || strings.ContainsAny(s, "\"\r\n") {
		return appendQuoted(dst, s)
	}
	return append(dst, s...)
}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}

func (t *Reader) endLine(dst []byte) []byte {
	if t.crlf {
		dst = append(dst, '\r')
	}
	return append(dst, '\n')
}

// appendJSON appends row as an object with the members of v.
func (t *Reader) appendJSON(dst []byte, row *Row, v *Verdict) []byte {
	dst = append(dst, '{')
	for _, m := range row.members {
		if !slices.Contains(Columns, m.name) {
			dst = append(append(appendString(dst, m.name), ':'), m.value...)
			dst = append(dst, ',')
		}
	}
	if v.Level == "" {
		dst = append(dst, `"level":null,"score":null,"match":"","source":"","source_ref":"","name":"","listed_address":"","labels":null`...)
	} else {
		dst = appendString(append(dst, `"level":`...), v.Level)
		dst = strconv.AppendInt(append(dst, `,"score":`...), int64(v.Score), 10)
		for i, s := range [...]string{v.Match, v.Source, v.Ref, v.Name, v.Listed} {
			dst = append(append(append(dst, `,"`...), Columns[2+i]...), `":`...)
			dst = appendString(dst, s)
		}
		dst = strconv.AppendInt(append(dst, `,"labels":`...), int64(v.Labels), 10)
	}
	return append(appendString(append(dst, `,"error":`...), v.Err), '}')
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string cannot fail
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
