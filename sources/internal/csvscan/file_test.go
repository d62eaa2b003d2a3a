package csvscan_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
		{"an address behind #, refused", only, "note,address\n#1,x\n", "line 2: begins with #"},
		{"other columns", only, "address,other\n", `line 1: unknown column "other"`},
		{"a column twice", loose, "address,note,Note\n", `line 1: column "note" twice`},
		{"too few columns", loose, "address,note\nx\n", "line 2: 1 columns, want 2"},
		{"two lists", loose, "address\nx\naddress\n", "line 3: a second header"},
		{"a quote that is not closed", loose, "address,note\nx,\"a\ny,b\n", "line 2: unexpected EOF"},
		{"a table", table, "\ufeffb, A ,c\n\"1\",2,3\n\n#4,,6\n", "2 2|1/4 |#4"},
		{"a table without its end", table, "a,b\n1,2", "line 2: unexpected EOF"},
		{"a table with a column less", table, "a,c\n", `line 1: no column "B"`},
		{"no table", table, "x\n", `line 1: no column "a"`},
		{"a refused row", loose, "address\nbad\n", "line 2: refused"},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			var rows []string
			err := tt.file.Read(bufio.NewReaderSize(r, csvscan.MaxLine), func(line int64, cells []string) error {
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

func TestLimit(t *testing.T) {
	for n, want := range map[int64]error{2: csvscan.ErrTooLarge, 3: nil, 4: nil} {
		if text, err := io.ReadAll(csvscan.Limit(strings.NewReader("abc"), n)); !errors.Is(err, want) || err == nil && string(text) != "abc" {
			t.Errorf("limit %d: %q, %v, want %v", n, text, err, want)
		}
	}
}

// A gzip file is read as what it holds, to its end, and within the limit.
func TestGunzip(t *testing.T) {
	var file bytes.Buffer
	for _, text := range []string{"address\n", "0x1\n"} { // two members are one text
		z := gzip.NewWriter(&file)
		z.Write([]byte(text))
		z.Close()
	}
	zip := file.String()
	for in, want := range map[string]string{zip: "address\n0x1\n", "": "", "\x1f": "\x1f", "address\n": "address\n"} {
		if text, err := io.ReadAll(csvscan.Gunzip(iotest.OneByteReader(strings.NewReader(in)))); err != nil || string(text) != want {
			t.Errorf("%q: %q, %v, want %q", in, text, err, want)
		}
	}
	for in, want := range map[string]error{zip[:len(zip)-1]: io.ErrUnexpectedEOF, zip[:2]: io.ErrUnexpectedEOF, zip + "and more than that": gzip.ErrHeader} {
		if _, err := io.ReadAll(csvscan.Gunzip(strings.NewReader(in))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", in, err, want)
		}
	}
	if _, err := io.ReadAll(csvscan.Limit(csvscan.Gunzip(strings.NewReader(zip)), 11)); !errors.Is(err, csvscan.ErrTooLarge) {
		t.Errorf("beyond the limit: %v, want ErrTooLarge", err)
	}
}
