package rows

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// plausible takes what begins with 0x for an address.
func plausible(s string) bool { return strings.HasPrefix(s, "0x") }

// with returns opts with functions: no cell is a name, and each names a chain.
func with(opts Options) Options {
	opts.Plausible = plausible
	opts.IsName, opts.IsChain = func(string) bool { return false }, func(string) bool { return true }
	return opts
}

// added are columns of all types.
var added = []Column{{"level", Word}, {"score", Number}, {"match", Text}, {"valid", Bool}, {"error", Text}}

// read returns the address, the chain and the error of each row of a table, and the
// table with verdicts.
func read(t *testing.T, r io.Reader, opts Options) (cells [][3]string, out string) {
	t.Helper()
	opts.Add = added
	table, err := NewReader(r, with(opts))
	if err != nil {
		t.Fatal(err)
	}
	b := table.AppendHeader(nil)
	for {
		row, err := table.Next()
		if err == io.EOF {
			return cells, string(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		c := [3]string{string(row.Address), string(row.Chain), ""}
		v := []string{"X", "1", "", "true", ""}
		if row.Err != nil {
			c[2] = row.Err.Error()
			v = []string{"", "", "", "", "bad"}
		}
		cells = append(cells, c)
		b = table.AppendRow(b, &row, v...)
	}
}

func utf16LE(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestOwn checks which columns tell people which row is which: the first one and one that is named like
// an id.
func TestOwn(t *testing.T) {
	for header, want := range map[string]string{
		"address,name":                       "",
		"address,name,iban":                  "iban",
		"date,address,no":                    "date no",
		"name,note,Nr.,address":              "name Nr.",
		"name,paid,case_id,address":          "name case_id",
		"name,customerId,address":            "name customerId",
		"name,grid,GRID,Customer ID,address": "name Customer ID",
		"id,name,ref,address":                "id ref",
		"chain,case,iban,ref,address":        "case iban",
		"name,amount,valid,address,network":  "name",
		",account,address":                   "1 account",
	} {
		r, err := NewReader(strings.NewReader(header+"\n"), with(Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range r.Columns().Own {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	const tail, verdict, bad = ",level,score,match,valid,error\n", ",X,1,,true,\n", ",,,,,bad\n"
	for _, test := range []struct {
		name, in string
		opts     Options
		cells    [][3]string
		out      string
	}{
		{"plain", "id,address,chain\n1,0xa,ethereum\n2,0xb,\n", Options{},
			[][3]string{{"0xa", "ethereum"}, {"0xb"}},
			"id,address,chain" + tail + "1,0xa,ethereum" + verdict + "2,0xb," + verdict},
		{"no final line ending", "address\n0xa", Options{}, [][3]string{{"0xa"}}, "address" + tail + "0xa" + verdict},
		{"quoted", "address,note\n\"0xa\",\"two\nlines, \"\"quoted\"\"\"\n0xb,z\n", Options{},
			[][3]string{{"0xa"}, {"0xb"}}, "address,note" + tail + "\"0xa\",\"two\nlines, \"\"quoted\"\"\"" + verdict + "0xb,z" + verdict},
		{"quotes in the address", "address\n\"a\"\"b\"\n", Options{}, [][3]string{{"a\"b"}}, "address" + tail + "\"a\"\"b\"" + verdict},
		{"quotes inside a cell", "address,size\n0xa,5\" disk\n0xb,\"7\"x\n", Options{}, [][3]string{{"0xa"}, {"0xb"}},
			"address,size" + tail + "0xa,\"5\"\" disk\"" + verdict + "0xb,\"\"\"7\"\"x\"" + verdict},
		{"quote never closed", "address,note\n0xa,\"open\n0xb,z\n", Options{}, [][3]string{{"0xa", "", errQuote.Error()}, {"0xb"}},
			"address,note" + tail + "0xa,\"\"\"open\"" + bad + "0xb,z" + verdict},
		{"quote closed in the wrong place", "address,note\n0xa,\"open\n0xb,\"z\"\n", Options{}, [][3]string{{"0xa", "", errQuote.Error()}, {"0xb"}},
			"address,note" + tail + "0xa,\"\"\"open\"" + bad + "0xb,\"z\"" + verdict},
		{"semicolons", "name;address\n\"a,b\";0xa\n1,5;0xb\n", Options{}, [][3]string{{"0xa"}, {"0xb"}},
			"name;address" + strings.ReplaceAll(tail, ",", ";") + "\"a,b\";0xa" + strings.ReplaceAll(verdict, ",", ";") + "1,5;0xb" + strings.ReplaceAll(verdict,
				",", ";")},
		{"tabs", "name\taddress\na\t0xa\n", Options{}, [][3]string{{"0xa"}},
			"name\taddress" + strings.ReplaceAll(tail, ",", "\t") + "a\t0xa" + strings.ReplaceAll(verdict, ",", "\t")},
		{"directive", "sep=|\naddress|x\n0xa|1\n", Options{}, [][3]string{{"0xa"}},
			"sep=|\naddress|x" + strings.ReplaceAll(tail, ",", "|") + "0xa|1" + strings.ReplaceAll(verdict, ",", "|")},
		{"byte order mark and CRLF", "\ufeffaddress,x\r\n0xa,1\r\n", Options{}, [][3]string{{"0xa"}},
			"\ufeff" + strings.ReplaceAll("address,x"+tail+"0xa,1"+verdict, "\n", "\r\n")},
		{"CR CR LF", "address,x\r\r\n0xa,1\r\r\n", Options{}, [][3]string{{"0xa"}},
			strings.ReplaceAll("address,x"+tail+"0xa,1"+verdict, "\n", "\r\n")},
		{"UTF-16", utf16LE("name\taddress\r\nZoë 😀\t0xa\r\n"), Options{}, [][3]string{{"0xa"}},
			"\ufeff" + strings.ReplaceAll(strings.ReplaceAll("name,address"+tail+"Zoë 😀,0xa"+verdict, "\n", "\r\n"), ",", "\t")},
		{"CR", "address,x\r0xa,1\r0xb,2\r", Options{}, [][3]string{{"0xa"}, {"0xb"}}, "address,x" + tail + "0xa,1" + verdict + "0xb,2" + verdict},
		{"no header", "1,0xa\n2,0xb\n", Options{}, [][3]string{{"0xa"}, {"0xb"}}, "1,0xa" + verdict + "2,0xb" + verdict},
		{"one column", "customer\n0xa\n", Options{}, [][3]string{{"0xa"}}, "customer" + tail + "0xa" + verdict},
		{"blank rows", "\naddress,x\n0xa,1\n\n  \n0xb,2\n\n", Options{},
			[][3]string{{"0xa"}, {"", "", ErrBlank.Error()}, {"", "", ErrBlank.Error()}, {"0xb"}, {"", "", ErrBlank.Error()}},
			"address,x" + tail + "0xa,1" + verdict + "," + bad + "," + bad + "0xb,2" + verdict + "," + bad},
		{"too few cells", "x,address,y\n1,0xa\n2\n", Options{}, [][3]string{{"0xa"}, {""}}, "x,address,y" + tail + "1,0xa," + verdict + "2,," + verdict},
		{"empty cells too many", "x,address\n1,0xa,,\n", Options{}, [][3]string{{"0xa"}}, "x,address" + tail + "1,0xa" + verdict},
		{"too many cells", "x,address,y\n1,Smith, Jo,0xa,\"z\"\n", Options{},
			[][3]string{{"Smith", "", "the row has 5 columns, the header has 3: the last one holds the rest"}},
			"x,address,y" + tail + "1,Smith,\" Jo,0xa,z\"" + bad},
		{"too many cells and a quote", "x,address\n\",a\"b,0xa\n", Options{},
			[][3]string{{"a\"b", "", "the row has 3 columns, the header has 2: the last one holds the rest"}},
			"x,address" + tail + "\"\"\"\",\"a\"\"b,0xa\"" + bad},
		{"columns by name", "address,To\nMain Street,0xa\n", Options{Address: "to"}, [][3]string{{"0xa"}}, "address,To" + tail + "Main Street,0xa" + verdict},
		{"columns by number", "a,b,c\n1,0xa,tron\n", Options{Address: "2", Chain: "3"}, [][3]string{{"0xa", "tron"}}, "a,b,c" + tail + "1,0xa,tron" + verdict},
		{"street and wallet", "address,wallet_address,email_address\nMain Street,0xa,a@b\n", Options{}, [][3]string{{"0xa"}},
			"address,wallet_address,email_address" + tail + "Main Street,0xa,a@b" + verdict},
		{"JSON lines", "{\"id\": 1, \"address\":\"0xa\",\"chain\":null}\n[]\n\n{\"address\":7}\n{\"address\":\"0xb\",\"level\":\"old\"}", Options{},
			[][3]string{{"0xa"}, {"", "", "the line is not a JSON object"}, {"", "", ErrBlank.Error()}, {"", "", "the member \"address\" is not a string"}, {"0xb"}},
			`{"id":1,"address":"0xa","chain":null,"walletscreen_level":"X","score":1,"match":"","valid":true,"error":""}
{"input":"[]","walletscreen_level":null,"score":null,"match":"","valid":false,"error":"bad"}
{"walletscreen_level":null,"score":null,"match":"","valid":false,"error":"bad"}
{"address":7,"walletscreen_level":null,"score":null,"match":"","valid":false,"error":"bad"}
{"address":"0xb","level":"old","walletscreen_level":"X","score":1,"match":"","valid":true,"error":""}
`},
		{"names taken", "Error,address, level ,walletscreen_level\na,0xa,old,b\n", Options{}, [][3]string{{"0xa"}},
			"Error,address, level ,walletscreen_level,walletscreen_walletscreen_level,score,match,valid,walletscreen_error\na,0xa,old,b" + verdict},
		{"NUL in a row", "address,x\n0xa,\x00\n0x\x00,\n", Options{}, [][3]string{{"0xa"}, {"0x\x00"}},
			"address,x" + tail + "0xa,\x00" + verdict + "0x\x00," + verdict},
		{"formulas", "address,chain\n=\"0xa\",=\"tron\"\n\"=\"\"0xb\"\"\", '\n '0xc ,=\"x\n=\"\",=\"\n", Options{},
			[][3]string{{"0xa", "tron"}, {"0xb", ""}, {"0xc", "=\"x"}, {"", "=\""}},
			"address,chain" + tail + "\"=\"\"0xa\"\"\",\"=\"\"tron\"\"\"" + verdict + "\"=\"\"0xb\"\"\", '" + verdict + "\" '0xc \",\"=\"\"x\"" + verdict + "\"=\"\"\"\"\",\"=\"\"\"" + verdict},
		{"a formula and a line break", "address,note\n=\"0xa\",\"two\nlines\"\n=\"0xb\",\"open\n0xc,\n", Options{},
			[][3]string{{"0xa"}, {"0xb", "", errQuote.Error()}, {"0xc"}},
			"address,note" + tail + "\"=\"\"0xa\"\"\",\"two\nlines\"" + verdict + "\"=\"\"0xb\"\"\",\"\"\"open\"" + bad + "0xc," + verdict},
		{"JSON with a member twice", "{\"address\":\"0xa\",\"chain\":\"tron\"}\n{\"chain\":\"bsc\",\"address\":\"0xa\",\"chain\":\"tron\",\"\":\"x\"}\n",
			Options{}, [][3]string{{"0xa", "tron"}, {"0xa", "tron", "the member \"chain\" is given twice"}},
			`{"address":"0xa","chain":"tron","level":"X","score":1,"match":"","valid":true,"error":""}
{"chain":"bsc","address":"0xa","chain":"tron","":"x","level":null,"score":null,"match":"","valid":false,"error":"bad"}
`},
		{"UTF-16 without a mark", utf16LE("address\n0xa\n")[2:], Options{}, [][3]string{{"0xa"}}, "address" + tail + "0xa" + verdict},
	} {
		t.Run(test.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(test.in), "bytewise": iotest.OneByteReader(strings.NewReader(test.in))} {
				cells, out := read(t, r, test.opts)
				if d := cmp.Diff(test.cells, cells); d != "" {
					t.Errorf("%s: rows (-want +got):\n%s", how, d)
				}
				if d := cmp.Diff(test.out, out); d != "" {
					t.Errorf("%s: output (-want +got):\n%s", how, d)
				}
			}
		})
	}
}

func TestGzip(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, "\ufeffaddress\n0xa\n")
	w.Close()
	if cells, _ := read(t, bytes.NewReader(z.Bytes()), with(Options{})); !cmp.Equal(cells, [][3]string{{"0xa"}}) {
		t.Error(cells)
	}
	cut, err := NewReader(bytes.NewReader(z.Bytes()[:z.Len()-6]), with(Options{}))
	for err == nil {
		_, err = cut.Next()
	}
	if err == io.EOF {
		t.Error("a file that is cut short ends without an error")
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "the input is empty",
		"\n\n ":                   "the input is empty",
		"PK\x03\x04...":           "the workbook is damaged or cut short: zip: not a valid zip file",
		"a\x00b":                  "the input is not text; save it as XLSX, or as CSV in UTF-8",
		"\n\na\x00bc\n0xa\n":      "the input is not text; save it as XLSX, or as CSV in UTF-8",
		"\n\xff\xfea\n0xa\n":      "the input is not text; save it as XLSX, or as CSV in UTF-8",
		"[{\"address\":\"0xa\"}]": "the input is a JSON array; write one object a line instead, as jq -c '.[]' does",
		"0xa,0xb\n0xc,0xd\n":      `several columns may have the addresses: "1", "2"; name one with -address-column`,
		"a,b\n1,2\n":              `no column is named address, of "a", "b"; name it with -address-column`,
		"address," + strings.Repeat("x", 1<<20) + "\n0xa,1\n":                                           "the first row is longer than 64 KiB", // 0xa must not become the header
		"\n" + strings.Repeat("x", 1<<20):                                                               "the input has no header",
		"from_address,to_address\n0xa,0xb\n":                                                            `several columns may have the addresses: "from_address", "to_address"; name one with -address-column`,
		strings.Repeat("x,", 30) + "Payee Wallet,to_address\n" + strings.Repeat("1,", 30) + "0xa,0xb\n": `several columns may have the addresses: "Payee Wallet", "to_address"; name one with -address-column`,
	} {
		if _, err := NewReader(strings.NewReader(in), with(Options{})); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
	_, err := NewReader(strings.NewReader("a,b\n1,2\n"), with(Options{Address: "wallet"}))
	if want := `-address-column: no column is named "wallet"; there are "a", "b"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A member with the name of an added one, too late for another name of that, is kept.
func TestLateName(t *testing.T) {
	in := strings.Repeat("{\"address\":\"0xa\"}\n", headSize/10) + "{\"address\":\"0xb\",\"level\":\"old\"}\n"
	_, out := read(t, strings.NewReader(in), with(Options{}))
	if want := "\n{\"address\":\"0xb\",\"input_level\":\"old\",\"level\":\"X\",\"score\":1,\"match\":\"\",\"valid\":true,\"error\":\"\"}\n"; !strings.HasSuffix(
		out,
		want,
	) {
		t.Errorf("%q", out[len(out)-200:])
	}
}

// A row of several lines ends with its line ending, also if that arrives in two parts.
func TestPartOfLineEnding(t *testing.T) {
	row := "0xa,\"two\nlines\"\r\n"
	in := "address,note\r\n" + strings.Repeat(row, headSize/len(row)+2)
	cells, _ := read(t, iotest.OneByteReader(strings.NewReader(in)), Options{})
	if len(cells) != headSize/len(row)+2 {
		t.Errorf("%d rows, want %d: %q", len(cells), headSize/len(row)+2, cells[len(cells)-3:])
	}
}

// A row of any length takes bounded memory, and those after it are not lost.
func TestLongRow(t *testing.T) {
	in := "address,x\n0xa," + strings.Repeat("y", 3<<20) + "\n0xb,\"" + strings.Repeat(strings.Repeat("z", 63)+"\n", 1<<15) + "\n"
	cells, _ := read(t, strings.NewReader(in), with(Options{}))
	if len(cells) != 2+1<<15 || cells[0][2] != errTooLong.Error() || cells[1] != [3]string{"0xb", "", errQuote.Error()} {
		t.Errorf("%d rows, %v", len(cells), cells[:2])
	}
}

// TestExact writes the normal form of an address that begins as a formula does: it is not
// altered, because it is compared with others.
func TestExact(t *testing.T) {
	table, err := NewReader(strings.NewReader("address\n0xa\n"), with(Options{Add: []Column{{Name: "normalized", Type: Exact}, {Name: "name"}}}))
	if err != nil {
		t.Fatal(err)
	}
	row, err := table.Next()
	if got, want := string(table.AppendRow(nil, &row, "-1:e567", "-1:e567")), "0xa,-1:e567,'-1:e567\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// Cells of lists are quoted, have no control characters, and are not run as formulas.
func TestCells(t *testing.T) {
	table, err := NewReader(strings.NewReader("address\n0xa\n"), with(Options{Add: added}))
	if err != nil {
		t.Fatal(err)
	}
	row, _ := table.Next()
	out := table.AppendRow(nil, &row, "HIGH", "70", "=1+1", "A, \"B\"\nC", " x")
	got, err := csv.NewReader(bytes.NewReader(out)).Read()
	if want := []string{"0xa", "HIGH", "70", "'=1+1", "A, \"B\" C", " x"}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// FuzzRows reads a table, writes it, and reads that: there are as many rows, with the
// same addresses. Where encoding/csv takes the input it finds the same rows.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"address\n0xa\n", "a;address\n\"x\n\";0xa\n\"b;c\n", "{\"address\":\"0xa\"}\n", "sep=;\na;address\n1;2;3\n",
		"address,b\r\n0xa,\"\"\"\r\n\"\r\n", "1\t0xa\r2\r", ",,!,,\"\n1 ,\",,00\n0\"\n0",
		",c,;M,,\"s\n\",,\"\x19,,Ess\n,\x98\n,MM,,,s,,,,,,,;M,,\n\"\x98\n\"M,NN;M,,,,,,c\n"} { // a quote that a later row closes
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		opts := Options{Add: added, Delimiter: ',', Address: "1"}
		if bytes.HasPrefix(in, []byte("{")) {
			opts = Options{Add: added, Format: "jsonl", Address: "address"}
		}
		skipped := 0
		all := func(in []byte) (cells []string, out []byte, header bool, err error) {
			table, err := NewReader(bytes.NewReader(in), with(opts))
			if err != nil {
				return nil, nil, false, err
			}
			out, skipped = table.AppendHeader(nil), table.Columns().Skipped
			for {
				row, err := table.Next()
				if err == io.EOF {
					return cells, out, table.header != nil, nil
				}
				if err != nil {
					return nil, nil, false, err
				}
				cell := string(row.Address)
				if row.Err != nil {
					cell = "" // its last column may hold more than before
				}
				cells = append(cells, cell)
				out = table.AppendRow(out, &row, "", "", "", "", "x")
			}
		}
		if strings.Contains(strings.ReplaceAll(string(in), "\r\n", ""), "\r") && bytes.IndexByte(in, '"') >= 0 {
			return // whether such a carriage return is in a cell, and ends a row, is a guess
		}
		if bytes.IndexByte(in, 0) >= 0 {
			return // it is text as long as another line is the first
		}
		cells, out, header, err := all(in)
		above := skipped
		if err != nil || len(cells) == 0 {
			return
		}
		again, _, header2, err := all(out)
		if err == nil && header2 != header {
			return // a blank first row looks like a header in the output
		}
		if err != nil || len(again) != len(cells) {
			t.Fatalf("%d rows of %q were written as %q, and read as %d, %v", len(cells), in, out, len(again), err)
		}
		for i := range cells {
			if cells[i] != "" && opts.Delimiter == ',' && !strings.ContainsAny(cells[i], "\"\r") && !strings.Contains(string(in), "\"") &&
				strings.TrimSpace(again[i]) != strings.TrimSpace(cells[i]) {
				t.Fatalf("address %q of row %d of %q was written as %q", cells[i], i, in, again[i])
			}
		}
		if opts.Delimiter != ',' || bytes.IndexByte(in, '\r') >= 0 || bytes.HasPrefix(bytes.ToLower(in), []byte("sep=")) ||
			bytes.Contains(in, []byte("\n\n")) ||
			in[0] == '\n' ||
			strings.TrimSpace(string(in)) != string(in) {
			return
		}
		if records, err := csv.NewReader(bytes.NewReader(in)).ReadAll(); err == nil {
			want := len(records) - above
			if header {
				want--
			}
			blank := 0
			for _, c := range cells {
				if strings.TrimSpace(c) == "" {
					blank++
				}
			}
			if len(cells) < want || len(cells)-blank > want {
				t.Fatalf("%d rows of %q, encoding/csv finds %d", len(cells), in, want)
			}
		}
	})
}

// A file that is compressed twice is refused: one that holds itself would be read without end.
func TestCompressedTwice(t *testing.T) {
	text := []byte("address\n")
	for n, want := range []string{"", "the input is compressed twice; unpack it once"} {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(text)
		w.Close()
		text = z.Bytes()
		got := ""
		if _, _, err := Decode(bytes.NewReader(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("compressed %d times: %q, want %q", n+1, got, want)
		}
		_, err := NewReader(bytes.NewReader(text), with(Options{}))
		if (err != nil) != (want != "") && n > 0 {
			t.Errorf("compressed %d times: a table is read: %v", n+1, err)
		}
	}
}
