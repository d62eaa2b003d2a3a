package csvscan_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

func TestFile(t *testing.T) {
	loose := csvscan.File{Columns: []string{"address", "", "note"}, Comment: 2}
	only := csvscan.File{Columns: []string{"address", "action", "note"}, Comment: 2, ByHand: true}
	table := csvscan.File{Columns: []string{"a", "B"}, Table: true}
	for _, tt := range []struct {
		name string
		file csvscan.File
		in   string
		want string // the rows, or a part of the error
	}{
		{"nothing", loose, "", ""},
		{"text", loose, "\ufeff# list\r\n\r\n x # a note\n\ty\n", "3 x||a note/4 y||"},
		{"text without its end", loose, "x\ny", "line 2: the last line has no end"},
		{"text without its end, allowed", only, "x\ny", "1 x||/2 y||"},
		{"a sentence", loose, "not found\n", "line 1: blanks"},
		{"blanks in an address", only, "x y\n", "1 x y||"},
		{"a hidden line", loose, "x # a\u2028y\n", "line 1: a line break"},
		{"a long line", loose, strings.Repeat("x", csvscan.MaxLine+1), "line 1: more than"},
		{"commas", loose, "Note,ADDRESS ,other\n\"a, b\",x,1\n\n,y,2\n", "2 x||a, b/4 y||"},
		{"semicolons, comments and a mark", loose, "\ufeff\n# ours\naddress;note\n#x;y\nx;#1\n", "5 x||#1"},
		{"tabs", loose, "note\taddress\na\tx\n", "2 x||a"},
		{"an address behind #", loose, "note,address\n#1,x\n#2,\n", "2 x||#1"},
		{"an address in the line of a comment", loose, "address,note\n#x\ry\n", "line 2: a line break"},
		{"an address behind # in a row too long", loose, "note,address\n#1, a note,0x098B716B8Aaf21512996dC57EB0615e2383E2f96\n", "line 2: 3 columns"},
		{"a long comment", loose, "note,address\n# made on 1 May, by hand, of x\nx,y\n", "3 y||x"},
		{"an address behind #, refused", only, "note,address\n#1,x\n", "line 2: begins with #"},
		{"other columns", only, "address,other\n", `line 1: unknown column "other"`},
		{"a column twice", loose, "address,note,Note\n", `line 1: column "note" twice`},
		{"too few columns", loose, "address,note\nx\n", "line 2: 1 columns, want 2"},
		{"two lists", loose, "address\nx\naddress\n", "line 3: a second header"},
		{"a quote that is not closed", loose, "address,note\nx,\"a\ny,b\n", "line 2: unexpected EOF"},
		{"a table", table, "\ufeffb, A ,c\n\"1\",2,3\n\n#4,,6\n", "2 2|1/4 |#4"},
		{"a table without its end", table, "a,b\n1,2", "line 2: the last line has no end: unexpected EOF"},
		{"a table with a column less", table, "a,c\n", `line 1: no column "B"`},
		{"no table", table, "x\n", `line 1: no column "a"`},
		{"a refused row", loose, "address\nbad\n", "line 2: refused"},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			var rows []string
			err := tt.file.Read(bufio.NewReaderSize(r, csvscan.MaxLine), func(line int64, cells, _ []string) error {
				if cells[0] == "bad" {
					return errors.New("refused")
				}
				for i := range cells {
					cells[i] = strings.TrimSpace(cells[i])
				}
				rows = append(rows, fmt.Sprint(line, " ", strings.Join(cells, "|")))
				return nil
			})
			got := strings.Join(rows, "/")
			if err != nil {
				got = err.Error()
			}
			var at *sources.RecordError
			if err == nil && got != tt.want || err != nil && (!errors.As(err, &at) || tt.want == "" || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("%s, %s: %q, want %q", tt.name, how, got, tt.want)
			}
		}
	}
}
