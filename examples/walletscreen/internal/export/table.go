package export

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// A Format is how a table is written.
type Format string

// The formats. CSV has a line with the names of the columns, and commas. SQL has
// a statement that creates the table, statements that insert the rows, and one
// that creates the index that the join needs, in a transaction; it is written
// for PostgreSQL.
const (
	CSV Format = "csv"
	SQL Format = "sql"
)

// ParseFormat returns the Format of a name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case CSV, SQL:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: want csv or sql", name)
}

// A column is a name and a type.
type column struct{ name, sqlType string }

// columnTypes are the columns of Write. An empty field is NULL where the column
// may be null.
var columnTypes = [...]column{
	{"chain", "text not null"}, {"address", "text not null"}, {"any_case", "boolean not null"},
	{"match", "text not null"}, {"kind", "text not null"}, {"score", "smallint not null"}, {"level", "text not null"},
	{"source", "text not null"}, {"source_ref", "text not null"}, {"name", "text not null"}, {"listed_address", "text not null"},
	{"added_at", "timestamptz"}, {"not_listed_on", "timestamptz"}, {"entity_listed_at", "timestamptz"}, {"published_at", "timestamptz"}, {"snapshot", "text not null"},
}

// values returns the fields of r in the order of the columns. show returns how a text of a
// list is written.
func (r row) values(show func(string) string) []string {
	text := r.address
	if r.chain == Any && !isAddressLike(text) {
		text = show(text)
	}
	return []string{
		r.chain, text, strconv.FormatBool(r.anyCase), r.Match.String(), string(r.Kind), strconv.Itoa(r.Points), string(r.level),
		r.Source, show(r.Ref), show(r.Name), show(r.Listed),
		date(r.AddedAt), date(r.NotListedOn), date(r.EntityListedAt), date(r.published), r.snapshot,
	}
}

// isAddressLike reports whether a listed string has only what addresses have. It is never
// altered, so that it joins with itself, and runs nothing in a spreadsheet program.
func isAddressLike(text string) bool {
	return !strings.ContainsFunc(strings.TrimPrefix(text, "-"), func(c rune) bool {
		return c != ':' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
	})
}

// date returns t as RFC 3339, or "" for the zero time.
func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// A table writes rows in a Format.
type table struct {
	format  Format
	name    string
	columns []column
	csv     *csv.Writer
	sql     *bufio.Writer
	rows    int // of the statement that is being written
}

// rowsPerInsert bounds the length of a statement.
const rowsPerInsert = 500

// show returns a text of a list as it is written: in CSV, for people with spreadsheet
// programs, never as a formula and without characters that nobody sees. SQL escapes these.
func (t *table) show(text string) string {
	if t.format == CSV {
		return visible.Cell(text)
	}
	return text
}

// newTable writes the statements before the rows.
func newTable(w io.Writer, f Format, name string, columns []column) (*table, error) {
	t := &table{format: f, name: name, columns: columns}
	switch f {
	case CSV:
		t.csv = csv.NewWriter(w)
		var names []string
		for _, c := range columns {
			names = append(names, c.name)
		}
		return t, t.csv.Write(names)
	case SQL:
		t.sql = bufio.NewWriter(w)
		fmt.Fprintf(t.sql, "begin;\nset local client_encoding = 'UTF8';\ncreate table %s (\n", name)
		for i, c := range columns {
			fmt.Fprintf(t.sql, "\t%s %s%s\n", c.name, c.sqlType, map[bool]string{true: ","}[i+1 < len(columns)])
		}
		_, err := t.sql.WriteString(");\n")
		return t, err
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// row writes a row.
func (t *table) row(values []string) error {
	for i, v := range values {
		values[i] = strings.ReplaceAll(v, "\x00", "\uFFFD") // PostgreSQL has no text with it
	}
	if t.format == CSV {
		return t.csv.Write(values)
	}
	separator := ",\n("
	if t.rows == 0 {
		separator = "insert into " + t.name + " values\n("
	}
	t.sql.WriteString(separator)
	for i, v := range values {
		if i > 0 {
			t.sql.WriteString(", ")
		}
		if v == "" && !strings.HasSuffix(t.columns[i].sqlType, "not null") {
			t.sql.WriteString("null")
			continue
		}
		t.sql.WriteString(literal(v))
	}
	t.rows++
	_, err := t.sql.WriteString(")")
	if t.rows == rowsPerInsert {
		err = t.endInsert()
	}
	return err
}

// literal returns v as a string of SQL. One with a backslash says how it is to be read: where
// standard_conforming_strings is off, a name that ends with one would go on behind its quote.
// Characters that nobody sees are escaped, which changes no value.
func literal(v string) string {
	if !strings.ContainsFunc(v, func(c rune) bool { return c == '\\' || visible.Hidden(c) }) {
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	b := []byte("E'")
	for _, c := range v {
		switch {
		case c == '\\', c == '\'':
			b = append(b, string([]rune{c, c})...)
		case visible.Hidden(c):
			b = fmt.Appendf(b, `\U%08x`, c)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return string(append(b, '\''))
}

func (t *table) endInsert() error {
	if t.rows == 0 {
		return nil
	}
	t.rows = 0
	_, err := t.sql.WriteString(";\n")
	return err
}

// close writes the statements after the rows.
func (t *table) close() error {
	if t.format == CSV {
		t.csv.Flush()
		return t.csv.Error()
	}
	if err := t.endInsert(); err != nil {
		return err
	}
	if t.name == "listed_addresses" {
		fmt.Fprintf(t.sql, "create index on %s (lower(address));\n", t.name)
	}
	t.sql.WriteString("commit;\n")
	return t.sql.Flush()
}
