package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sheet returns the markup of a sheet with these rows, which have bars between them, and
// semicolons between their cells.
func sheet(rows string) string {
	cells := strings.NewReplacer("|", "</v></c></row><row><c t='str'><v>", ";", "</v></c><c t='str'><v>").Replace(rows)
	return "<worksheet><sheetData><row><c t='str'><v>" + cells + "</v></c></row></sheetData></worksheet>"
}

// TestWorkbook screens a workbook, and reads what the summary says about it.
func TestWorkbook(t *testing.T) {
	const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="` + rel + `"><sheets><sheet name="March" r:id="a"/><sheet name="April" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="` + rel + `/worksheet" Target="worksheets/1.xml"/><Relationship Id="b" Type="` +
			rel + `/worksheet" Target="worksheets/2.xml"/></Relationships>`,
		"xl/worksheets/1.xml": sheet("Customers of March|Wallet;Netzwerk;Payee wallet no|" + listed + ";ERC-20"),
		"xl/worksheets/2.xml": sheet("Wallet;Note|" + unlisted + ";No quote is out of place here,\nnot of " + listed),
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	z.Close()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.xlsx"), filepath.Join(dir, "out.csv")
	os.WriteFile(in, b.Bytes(), 0o600)
	env := few(t)
	code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", out)
	text, _ := os.ReadFile(out)
	if code != exitMatch || !strings.Contains(string(text), listed+",ERC-20,,CRITICAL,") {
		t.Errorf("exit code %d: %s\n%s", code, text, stderr)
	}
	for _, want := range []string{"addresses: column \"Wallet\"\n", "chains: column \"Netzwerk\"\n",
		"not read, although it looks like addresses or chains: \"Payee wallet no\"\n",
		"read: sheet \"March\"; not read: [\"April\"]\n", "left out: 1 line above the header\n"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the summary lacks %q:\n%s", want, stderr)
		}
	}
	if code, stdout, stderr := callIn(t, env, "", "screen", "-in", in, "-sheet", "april"); code != exitClean ||
		!strings.Contains(stdout, "\",CLEAN_NO_MATCH") {
		t.Errorf("-sheet april: exit code %d: %s\n%s", code, stdout, stderr)
	}
	if code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-sheet", "May"); code != exitUndecided ||
		!strings.Contains(stderr, `no sheet "May"; there are "March", "April"`) {
		t.Errorf("-sheet May: exit code %d: %s", code, stderr)
	}
	if code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", out+".xlsx"); code != exitUndecided ||
		!strings.Contains(stderr, "-out is written as CSV") {
		t.Errorf("-out out.csv.xlsx: exit code %d: %s", code, stderr)
	}
}
