package rows

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// pack returns a workbook of parts, by their names and with them in pairs.
func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

const xmlns = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// book packs a workbook with two sheets as spreadsheet programs write it, the rows of the
// first one being given.
func book(t testing.TB, rows string) []byte {
	link := func(id int, kind, target string) string {
		return fmt.Sprintf(
			`<Relationship Id="rId%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`,
			id,
			kind,
			target,
		)
	}
	sheet := func(rows string) string {
		return `<?xml version="1.0" encoding="UTF-8"?><worksheet` + xmlns + `><sheetData>` + rows + `</sheetData><pageMargins left="1"/></worksheet>`
	}
	return pack(
		t,
		"[Content_Types].xml",
		"<Types/>",
		"xl/workbook.xml",
		`<workbook`+xmlns+`><workbookPr/><sheets><sheet name="Chart" r:id="rId3"/><sheet name="Kunden" sheetId="1" r:id="rId1"/><sheet name="Old &amp; `+
			`gone" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		`<Relationships>`+link(
			1,
			"worksheet",
			"worksheets/sheet1.xml",
		)+link(
			2,
			"worksheet",
			"/xl/worksheets/sheet2.xml",
		)+link(
			3,
			"chartsheet",
			"x.xml",
		)+`</Relationships>`,
		"xl/sharedStrings.xml",
		`<sst`+xmlns+`><si><t>address</t></si><si><r><t>0x</t></r><r><t>a</t></r><rPh><t>no</t></rPh></si><si><t xml:space="preserve">two, "three"</t></si></sst>`,
		"xl/styles.xml",
		`<styleSheet`+xmlns+`><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy;@"/><numFmt numFmtId="165" formatCode="[Red]0.00&quot; `+
			`days&quot;"/></numFmts>`+
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml",
		sheet(rows),
		"xl/worksheets/sheet2.xml",
		sheet(`<row><c t="inlineStr"><is><t>wallet</t></is></c></row><row><c t="inlineStr"><is><t>0xold</t></is></c></row>`),
	)
}

const bookRows = `<row r="1"><c r="A1" t="inlineStr"><is><t>Report of March</t></is></c></row>
<row r="3"><c r="A3" t="str"><f>"I"&amp;"D"</f><v>ID</v></c><c r="B3" t="s"><v>0</v></c>
  <c r="C3" t="inlineStr"><is><t>note</t></is></c><c r="D3" t="inlineStr"><is><t>since</t></is></c></row>
<row r="4"><c r="A4"><v>1</v></c><c r="B4" t="s"><v>1</v></c><c r="C4" t="s"><v>2</v></c><c r="D4" s="1"><v>45717</v></c></row>
<row r="5"><c r="A5" s="2"><v>2.5</v></c><c r="C5" t="b"><v>1</v></c><c r="D5" s="3"><v>45717.75</v></c></row>
<row r="7"><c r="B7" t="inlineStr"><is><t>0xb_x000D_</t></is></c><c r="D7" s="3"><v>0.5</v></c></row>
<row r="8"><c r="B8" s="1"/></row>`

func TestWorkbook(t *testing.T) {
	cells, out := read(t, bytes.NewReader(book(t, bookRows)), with(Options{}))
	if d := cmp.Diff([][3]string{{"0xa"}, {""}, {"", "", ErrBlank.Error()}, {"0xb\r"}}, cells); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	want := "\ufeffID,address,note,since,level,score,match,valid,error\n" +
		"1,0xa,\"two, \"\"three\"\"\",2025-03-01,X,1,,true,\n2.5,,1,2025-03-01 18:00:00,X,1,,true,\n,,,,,,,,bad\n,\"0xb\r\",,12:00:00,X,1,,true,\n"
	if d := cmp.Diff(want, out); d != "" {
		t.Errorf("output (-want +got):\n%s", d)
	}
	table, err := NewReader(bytes.NewReader(book(t, bookRows)), with(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Columns{Address: `"address"`, Skipped: 2, Sheet: "Kunden", OtherSheets: []string{"Old & gone"}}, published(table)); d != "" {
		t.Errorf("columns (-want +got):\n%s", d)
	}
	if cells, _ := read(t, bytes.NewReader(book(t, bookRows)), with(Options{Sheet: "old & GONE"})); !cmp.Equal(cells, [][3]string{{"0xold"}}) {
		t.Errorf("the other sheet: %q", cells)
	}
	if _, out := read(t, bytes.NewReader(book(t, bookRows)), with(Options{Delimiter: ';'})); !strings.Contains(out, "1;0xa;\"two, \"\"three\"\"\";2025-03-01;X") {
		t.Errorf("with semicolons: %s", out)
	}
}

// TestBrokenWorkbook reads workbooks that are damaged, or that would take too much: none
// ends as if it were whole.
func TestBrokenWorkbook(t *testing.T) {
	whole := book(t, bookRows)
	long := strings.Repeat("x", maxMarkup+1<<16)
	for name, in := range map[string][]byte{
		"cut short":             whole[:len(whole)-40],
		"a document":            pack(t, "word/document.xml", "<x/>"),
		"another text":          book(t, `<row><c t="s"><v>0</v></c></row><row><c t="s"><v>3</v></c></row>`),
		"rows out of order":     book(t, `<row r="2"><c t="s"><v>0</v></c></row><row r="2"><c t="s"><v>1</v></c></row>`),
		"a row too far":         book(t, `<row r="9999999"><c t="s"><v>0</v></c></row>`),
		"cells out of order":    book(t, `<row r="2"><c r="B1" t="s"><v>0</v></c><c r="A1" t="s"><v>1</v></c></row>`),
		"a column too far":      book(t, `<row r="2"><c r="ZZZZ1" t="s"><v>0</v></c></row>`),
		"a long cell":           book(t, `<row><c t="s"><v>0</v></c></row><row><c t="str"><v>`+long+`</v></c></row>`),
		"markup that ends":      book(t, `<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c>`),
		"no such sheet":         nil,
		"a sheet of plain text": nil,
	} {
		opts := with(Options{})
		switch name {
		case "no such sheet":
			in, opts.Sheet = whole, "Chart"
		case "a sheet of plain text":
			in, opts.Sheet = []byte("address\n0xa\n"), "Kunden"
		}
		table, err := NewReader(bytes.NewReader(in), opts)
		for err == nil {
			_, err = table.Next()
		}
		if err == io.EOF {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCoverSheet reads workbooks whose first sheet has no table: the error names the others.
func TestCoverSheet(t *testing.T) {
	for rows, want := range map[string]string{
		"": "the input is empty",
		`<row><c t="str"><v>Report</v></c></row>`: `the first row, "Report", is neither an address nor a header`,
	} {
		_, err := NewReader(bytes.NewReader(book(t, rows)), with(Options{}))
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), `; only the sheet "Kunden" is read, not "Old & gone": make one of them the first, or name it with -sheet`) {
			t.Errorf("%q: error %v", rows, err)
		}
	}
}

// TestSharedTexts reads a workbook with as many texts as are allowed, and with one more.
func TestSharedTexts(t *testing.T) {
	defer func(n int) { maxShared = n }(maxShared)
	for n, want := range map[int]string{3: "", 2: "the workbook is damaged: it has more than 2 texts; save the sheet as CSV"} {
		maxShared = n
		got := ""
		if _, err := NewReader(bytes.NewReader(book(t, bookRows)), with(Options{})); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("at most %d texts: %q, want %q", n, got, want)
		}
	}
}

func FuzzWorkbook(f *testing.F) {
	f.Add(bookRows)
	f.Add(`<row r="7"><c r="XFD7"><v>1E+99</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) {
		table, err := NewReader(bytes.NewReader(book(t, rows)), with(Options{}))
		for err == nil {
			_, err = table.Next()
		}
	})
}

// published returns the columns that users are told about.
func published(t *Reader) Columns {
	c := t.Columns()
	c.ID, c.Own = 0, nil
	return c
}

// TestColumns checks which columns are read of tables with a title, and in other languages.
func TestColumns(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Columns
		rows [][3]string
	}{
		{"Report\n\nid;address\n1;0xa\n", Columns{Address: `"address"`, Skipped: 2}, [][3]string{{"0xa"}}},
		{"Kundenliste;;\nStand;01.03.;\nID;Wallet;Netzwerk\n1;0xa;ETH\n", Columns{Address: `"Wallet"`, Chain: `"Netzwerk"`, Skipped: 2}, [][3]string{{"0xa", "ETH"}}},
		{"Wallets of March;;\nID;Wallet;Kette\n1;0xa;ETH\n", Columns{Address: `"Wallet"`, Chain: `"Kette"`, Skipped: 1}, [][3]string{{"0xa", "ETH"}}},
		{"# by us\naddress\n0xa\n", Columns{Address: `"address"`, Skipped: 1}, [][3]string{{"0xa"}}},
		{"customers\n0xa\n", Columns{Address: `"customers"`}, [][3]string{{"0xa"}}},
		{"0xa\naddress\n0xb\n", Columns{Address: "1"}, [][3]string{{"0xa"}, {"address"}, {"0xb"}}},
		{"type,value\nwallet,\nwallet,0xa\n", Columns{Address: `"value"`}, [][3]string{{""}, {"0xa"}}},
		{"Empf\xe4nger,Adresse,R\xe9seau,W\xe4hrung\nx,0xa,tron,TRX\n", Columns{Address: `"Adresse"`, Chain: `"Réseau"`, Unused: []string{`"Währung"`}},
			[][3]string{{"0xa", "tron"}}},
		{"dirección,Red\n0xa,tron\n", Columns{Address: `"dirección"`, Chain: `"Red"`}, [][3]string{{"0xa", "tron"}}},
		{"adresse,Réseau,tx\n0xa,tron,0xhash\n", Columns{Address: `"adresse"`, Chain: `"Réseau"`, Unused: []string{`"tx"`}}, [][3]string{{"0xa", "tron"}}},
		{"address,network,chain,recipient address,E-Mail-Adresse\n0xa,,tron,,\n",
			Columns{Address: `"address"`, Chain: `"chain"`, Unused: []string{`"network"`, `"recipient address"`}}, [][3]string{{"0xa", "tron"}}},
		{"{\"wallet\":\"0xa\",\"kette\":\"tron\",\"to\":\"0xb\"}\n", Columns{Address: `"wallet"`, Chain: `"kette"`, Unused: []string{`"to"`}},
			[][3]string{{"0xa", "tron"}}},
	} {
		table, err := NewReader(strings.NewReader(test.in), with(Options{}))
		if err != nil {
			t.Errorf("%q: %v", test.in, err)
			continue
		}
		if d := cmp.Diff(test.want, published(table)); d != "" {
			t.Errorf("%q: columns (-want +got):\n%s", test.in, d)
		}
		if cells, _ := read(t, strings.NewReader(test.in), with(Options{})); !cmp.Equal(cells, test.rows) {
			t.Errorf("%q: rows %q, want %q", test.in, cells, test.rows)
		}
	}
	if _, err := NewReader(strings.NewReader("Report\nid;Konto\n1;0xa\n"), with(Options{Plausible: plausible, Address: "konto"})); err != nil {
		t.Error(err)
	}
	// A title is left out if the column is given by its number, too.
	table, err := NewReader(strings.NewReader("Report;;\n;;\nid;payee wallet;payer wallet\n1;0xa;0xb\n"), with(Options{Address: "3"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Columns{Address: `"payer wallet"`, Unused: []string{`"payee wallet"`}, Skipped: 2}); !cmp.Equal(want, published(table)) {
		t.Errorf("column 3: %+v, want %+v", published(table), want)
	}
	// A table without a header may have a note in place of an address; the rows above it are no title.
	for in, column := range map[string]string{
		"Ida;;EUR\nEva;;EUR\nMax;old wallet;EUR\nTom;0xa;EUR\n": "2", "Eva;\nMax;old wallet\n": "2",
		"Konto\nold wallet\n0xa\n": "1", "Konto\nold wallet\n": "1",
	} {
		table, err := NewReader(strings.NewReader(in), with(Options{Address: column}))
		if err != nil || table.Columns().Skipped != 0 {
			t.Errorf("%q: %v, %d lines are left out", in, err, table.Columns().Skipped)
		}
	}
}

// TestCustomerColumn names customers by the usual column, whatever stands before it.
func TestCustomerColumn(t *testing.T) {
	for header, want := range map[string]int{
		"address,Konto,Kunde": 1, "Konto,Kundennummer,address": 1, "address,customer_id,id": 1, "name,address,kunde": 0, "address,owner": -1,
	} {
		table, err := NewReader(strings.NewReader(header+"\n"), with(Options{}))
		if err != nil || table.Columns().ID != want {
			t.Errorf("%s: %v, want column %d", header, err, want)
		}
	}
}

// TestForgedTables reads small tables that would take hours, or all memory, if each part of them met
// each other part.
func TestForgedTables(t *testing.T) {
	longtest.WithoutRace(t)
	const part = maxMarkup / 4
	fill := func(text string, n int) string { return strings.Repeat(text, n/len(text)) }
	workbook := func(sheets, links, styles, texts, row string) string {
		return string(pack(t,
			"xl/workbook.xml", `<workbook><sheets><sheet name="A" id="a"/>`+sheets+`</sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="/worksheet" Target="s.xml"/>`+links+`</Relationships>`,
			"xl/styles.xml", `<styleSheet>`+styles+`</styleSheet>`,
			"xl/sharedStrings.xml", `<sst><si><t>address</t></si><si>`+texts+`</si></sst>`,
			"xl/s.xml", `<worksheet><row><c t="s"><v>0</v></c></row><row>`+row+`</row></worksheet>`))
	}
	shared := `<c t="s"><v>1</v></c>`
	read := func(in string) error {
		table, err := NewReader(strings.NewReader(in), with(Options{}))
		for err == nil {
			_, err = table.Next()
		}
		return err
	}
	var members strings.Builder
	for n := range 6000 {
		fmt.Fprintf(&members, `,"%04d":1`, n)
	}
	first := `{"address":"0xa"` + members.String() + "}\n"
	row := `{"address":"0xa"` + fill(`,"5999":1`, 1<<19) + "}\n"
	for name, test := range map[string]struct{ in, want string }{
		"sheets and links": {workbook(fill(`<sheet name="B" id="b"/>`, part), fill(`<Relationship Id="b" Type="/worksheet" Target="s.xml"/>`, part), "", "", shared), "EOF"},
		"styles": {workbook("", "", `<numFmts>`+fill(`<numFmt numFmtId="1" formatCode="0"/>`, part)+`</numFmts><cellXfs>`+fill(`<xf numFmtId="1"/>`, part)+`</cellXfs>`,
			"", shared), "EOF"},
		"pieces of a text": {workbook("", "", "", fill(`<r><t>x</t></r>`, maxMarkup-100), shared), "EOF"},
		"one text in many cells": {workbook("", "", "", `<t>`+strings.Repeat("x", 1<<20)+`</t>`, strings.Repeat(shared, 100)),
			"the workbook is damaged: a row after row 1 has more than 4 MiB of text"},
		"members": {first + strings.Repeat(row, 20), "EOF"},
	} {
		done := make(chan error, 1)
		go func() { done <- read(test.in) }()
		select {
		case err := <-done:
			if err == nil || err.Error() != test.want {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
		case <-time.After(time.Minute): // it takes some seconds at most
			t.Errorf("%s: no end within a minute", name)
		}
	}
}
