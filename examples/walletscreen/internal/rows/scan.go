package rows

import (
	"bytes"
)

// A span is where a cell stands in a row, with its quotes.
type span struct {
	start, end int
	quoted     bool
}

// text returns the cell, without quotes. It uses scratch if it must change something.
func (s span) text(row []byte, scratch *[]byte) []byte {
	raw := row[s.start:s.end]
	if !s.quoted {
		return raw
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '"') < 0 {
		return raw
	}
	out := (*scratch)[:0]
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '"')
		if i < 0 || i+1 >= len(raw) {
			out = append(out, raw...)
			break
		}
		out = append(out, raw[:i+1]...)
		raw = raw[i+2:]
	}
	*scratch = out
	return out
}

// literal returns the text that a spreadsheet program shows of a cell whose type it was told:
// of ="0x1" and '0x1 that is 0x1. Any other cell is as it stands.
func literal(cell []byte) []byte {
	text := bytes.TrimSpace(cell)
	switch {
	case len(text) == 0 || text[0] != '=' && text[0] != '\'':
		return cell
	case text[0] == '\'':
		return text[1:]
	case len(text) > 2 && text[1] == '"' && bytes.IndexByte(text[2:], '"') == len(text)-3:
		return text[2 : len(text)-1]
	}
	return cell
}

// scan appends the cells of the row that b begins with to spans, and returns how long
// that row is without its line ending. It reports false if a quote is still open at the
// end of b. A cell whose quotes do not enclose it whole is taken as it stands.
func scan(spans []span, b []byte, delimiter byte) (_ []span, n int, ok bool) {
	for i := 0; ; {
		start, quoted := i, false
		if i < len(b) && b[i] == '"' {
			end := closing(b, i+1)
			if end < 0 {
				return spans, 0, false
			}
			if end == len(b) || b[end] == delimiter || b[end] == '\n' || b[end] == '\r' && (end+1 == len(b) || b[end+1] == '\n') {
				i, quoted = end, true
			}
		}
		if !quoted {
			for i < len(b) && b[i] != delimiter && b[i] != '\n' {
				i++
			}
		}
		end := i
		if !quoted && end > start && b[end-1] == '\r' && (end == len(b) || b[end] == '\n') {
			end--
		}
		spans = append(spans, span{start, end, quoted})
		if i == len(b) || b[i] != delimiter {
			return spans, end, true
		}
		i++
	}
}

// closing returns the index behind the quote that closes the cell whose text begins at
// i, or -1.
func closing(b []byte, i int) int {
	for {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j + 1
		if i == len(b) || b[i] != '"' {
			return i
		}
		i++
	}
}

// cut returns the cells of a line in which quotes have no meaning.
func cut(line []byte, delimiter byte) []span {
	var spans []span
	for start := 0; ; {
		i := bytes.IndexByte(line[start:], delimiter)
		if i < 0 {
			return append(spans, span{start: start, end: len(line)})
		}
		spans = append(spans, span{start: start, end: start + i})
		start += i + 1
	}
}

// sampleRows returns the cells of the first rows of head, at most n, without blank
// ones. It leaves out a last row that may be cut off.
func sampleRows(head []byte, delimiter byte, n int) [][]string {
	var all [][]string
	whole := len(head) < headSize
	for len(head) > 0 && len(all) < n {
		spans, end, ok := scan(nil, head, delimiter)
		if !ok {
			line, _, _ := bytes.Cut(head, []byte("\n"))
			spans, end = cut(line, delimiter), len(line)
		}
		if end == len(head) && len(all) > 0 && !whole {
			break
		}
		cells := make([]string, len(spans))
		for i, s := range spans {
			cells[i] = string(literal(s.text(head, new([]byte))))
		}
		if len(bytes.TrimSpace(head[:end])) > 0 {
			all = append(all, cells)
		}
		head = head[end:]
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			head = head[i+1:]
		} else {
			head = nil
		}
	}
	return all
}

// detectDelimiter returns the delimiter that divides most rows of head as it divides
// the first; of equal ones, that which makes more columns.
func detectDelimiter(head []byte) byte {
	best, bestRows, bestColumns := byte(','), 0, 1
	for _, d := range []byte(",;\t|^~\x1f") {
		sample := sampleRows(head, d, 20)
		if len(sample) == 0 || len(sample[0]) < 2 {
			continue
		}
		same := 0
		for _, row := range sample {
			if len(row) == len(sample[0]) {
				same++
			}
		}
		if same > bestRows || same == bestRows && len(sample[0]) > bestColumns {
			best, bestRows, bestColumns = d, same, len(sample[0])
		}
	}
	return best
}
