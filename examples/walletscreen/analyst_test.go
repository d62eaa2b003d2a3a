package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestOddTables screens tables as people and programs write them. Each row of a table is
// one row of the output, in order, and the worst row decides the exit code.
func TestOddTables(t *testing.T) {
	const clean, hit, none = "CLEAN_NO_MATCH", "CRITICAL", ""
	const u, l = unlisted, listed
	env := few(t)
	for _, test := range []struct {
		name, in string
		code     int
		levels   []string // of the rows, one each
		args     []string
	}{
		{"all clean", "id,address\n1," + u + "\n2," + u + "\n", 0, []string{clean, clean}, nil},
		{"one listed", "id,address\n1," + u + "\n2," + l + "\n", 1, []string{clean, hit}, nil},
		{"one undecided, which wins", "id,address\n1," + l + "\n2,x\n3," + u + "\n", 2, []string{hit, none, clean}, nil},
		{"header alone", "id,address\n", 0, nil, nil},
		{"formulas of a spreadsheet", "id,address\n1,=\"" + l + "\"\n2,\"=\"\"" + u + "\"\"\"\n3,'" + l + "\n4,=A1\n5,=" + l + "\n6,=" + u + "\n", 2,
			[]string{hit, clean, hit, none, hit, none}, nil},
		{"formulas without a header", "=\"" + l + "\"\n=\"" + u + "\"\n", 1, []string{hit, clean}, nil},
		{"rounded numbers", "chain,address\n,5.28E+40\nethereum,\"1,23E+48\"\n," + l + "\n", 2, []string{none, none, hit}, nil},
		{"the first is cut short", "0x" + l[2:24] + "\n" + l + "\n", 2, []string{none, hit}, nil},
		{"the first has a blank in it", l[:9] + " " + l[9:] + "\n" + u + "\n", 1, []string{hit, clean}, nil},
		{"the first has a quote in it", l[:9] + "\"" + l[9:] + "\n" + u + "\n", 2, []string{none, clean}, nil},
		{"hex beside the addresses", "flags,customer\n0x1f00," + l + "\n0x0001," + u + "\n", 1, []string{hit, clean}, nil},
		{"no header, a character in the first that no address has", l[:20] + "'" + l[20:] + "\n" + u + "\n", 2, []string{none, clean}, nil},
		{"header alone, no line ending", "id,address", 0, nil, nil},
		{"a title above the header", "Report of March;;\n\nid;address;Netzwerk\n1;" + l + ";ETH\n2;" + u + ";ERC-20\n", 1, []string{hit, clean}, nil},
		{"a color in Spanish or English", "address,red\n" + l + ",rojo\n" + u + ",ETH\n" + u + ",255\n", 1, []string{hit, clean, clean}, nil},
		{"chains in Spanish", "dirección;red\n" + u + ";Ethereum\nTJRabPrwbZy45sbavfcjinPJC18kjpRTv8;TRC20\n" + l + ";\n" + u + ";rojo\n", 2,
			[]string{clean, clean, hit, none}, nil},
		{"a network without chains", "address,Network,Kette\n" + l + ",vodafone,\n" + u + ",o2,Gold\n", 1, []string{hit, clean}, nil},
		{"byte order mark", "\ufeffaddress,id\n" + u + ",1\n" + l + ",2\n", 1, []string{clean, hit}, nil},
		{"UTF-16", "\xff\xfea\x00d\x00d\x00r\x00\n\x00" + strings.Join(strings.Split(l, ""), "\x00") + "\x00\n\x00", 1, []string{hit}, nil},
		{"UTF-16, big-endian, without a mark", "\x00a\x00d\x00d\x00r\x00\n\x00" + strings.Join(strings.Split(l, ""), "\x00") + "\x00\n", 1, []string{hit}, nil},
		{"semicolons and decimal commas", "id;amount;address\n1;1,5;" + u + "\n2;7,25;" + l + "\n", 1, []string{clean, hit}, nil},
		{"tabs", "id\taddress\n1\t" + u + "\n2\t" + l + "\n", 1, []string{clean, hit}, nil},
		{"tabs that are named, fewer than commas", "a,b,c\taddress\n1,2,3\t" + l + "\n", 1, []string{hit}, []string{"-format", "tsv"}},
		{"a bracket in the header", "[id],address\n1," + l + "\n", 1, []string{hit}, []string{"-format", "csv"}},
		{"bars", "id|address\n1|" + u + "\n2|" + l + "\n", 1, []string{clean, hit}, nil},
		{"another delimiter", "id!address\n1!" + u + "\n2!" + l + "\n", 1, []string{clean, hit}, []string{"-delimiter", "!"}},
		{"a delimiter for a spreadsheet", "sep=;\nid;address\n1;" + l + "\n", 1, []string{hit}, nil},
		{"quoted line breaks", "id,note,address\n1,\"a\r\nb\n\n,c\"," + u + "\n2,\"x \"\"y\"\"\"," + l + "\n", 1, []string{clean, hit}, nil},
		{"a line break in the header", "\"id\nnumber\",address\n1," + u + "\n", 0, []string{clean}, nil},
		{"all quoted", "\"id\",\"address\"\n\"1\",\"" + u + "\"\n\"2\",\"" + l + "\"\n", 1, []string{clean, hit}, nil},
		{"a quote never closed", "id,address,note\n1," + u + ",\"open\n2," + l + ",x\n3," + u + ",\n", 2, []string{none, hit, clean}, nil},
		{"a quote never closed, and none after it", "id,address,note\n1," + u + ",\n2," + l + ",\"", 2, []string{clean, hit}, nil},
		{"quotes inside", "id,size,address\n1,5\" disk," + u + "\n2,5\"\" disk," + l + "\n", 1, []string{clean, hit}, nil},
		{"empty lines", "id,address\n1," + u + "\n\n2," + l + "\n   \n", 2, []string{clean, none, hit, none}, nil},
		{"empty cells", "id,address\n1,\n2," + l + "\n,\n", 2, []string{none, hit, none}, nil},
		{"carriage returns, and a line feed in a cell", "id,note,address\r1,\"a\nb\"," + u + "\r2,," + l + "\r", 1, []string{clean, hit}, nil},
		{"carriage returns behind the line that names the delimiter", "sep=;\nid;address\r1;" + u + "\r2;" + l + "\r", 1, []string{clean, hit}, nil},
		{"a carriage return within a line", "id,address\n1," + u + "\r2," + l + "\n3," + u + "\n", 2, []string{none, clean}, nil},
		{"a carriage return in quotes", "id,note,address\n1,\"a\rb\"," + u + "\n", 0, []string{clean}, nil},
		{"two quotes out of place", "address,id,note\n" + u + ",1,\"\n" + l + ",2,\"\n" + u + ",3,x\n", 2, []string{none, clean}, nil},
		{"quotes around two cells", "note,address,id\nx," + u + ",1\n\"y," + l + "\"," + u + "\n", 2, []string{clean, none}, nil},
		{"rows too short", "id,address,note\n1," + u + "\n2\n3," + l + ",x\n", 2, []string{clean, none, hit}, nil},
		{"rows too long", "id,address,note\n1," + u + ",Smith, Jo\n2," + l + ",x,,\n", 2, []string{none, hit}, nil},
		{"a column twice", "id,address,id\n1," + u + ",2\n3," + l + ",4\n", 1, []string{clean, hit}, nil},
		{"the address twice", "address,address\n" + u + ",x\n" + l + ",x\n", 1, []string{clean, hit}, []string{"-address-column", "1"}},
		{"our names", "name,score,level,address,labels,error\nJo,7,gold," + u + ",a,b\nBo,8,tin," + l + ",c,d\n", 1, []string{clean, hit}, nil},
		{"screened before", "address,level,score,match,source,source_ref,name,listed_address,labels,error\n" + l + ",CLEAN_NO_MATCH,0,,,,,,0,\n", 1,
			[]string{hit}, nil},
		{"no header", "1," + u + "\n2," + l + "\n", 1, []string{clean, hit}, nil},
		{"a named account in the first row", "1,lazarus.near\n2," + l + "\n", 1, []string{clean, hit}, nil},
		{"a name in the first row", "1,vitalik.eth\n2," + u + "\n", 2, []string{none, clean}, nil},
		{"a header with a dot", "id,user.wallet\n1," + l + "\n", 1, []string{hit}, nil},
		{"only addresses", u + "\n" + l + "\n\n", 2, []string{clean, hit, none}, nil},
		{"only addresses, the first misspelled", l[:41] + "\n" + l + "\n", 2, []string{none, hit}, nil},
		{"mixed chains", "chain,address\nethereum," + u + "\nTron,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8\nbitcoin,1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\neip155:137," +
			l + "\nBTC,1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\ntron," + l + "\n,1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n",
			2, []string{clean, clean, clean, hit, clean, hit, clean}, nil},
		{"a chain for all", "address\n1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n", 0, []string{clean}, []string{"-chain", "bitcoin"}},
		{"blanks", " id , Wallet Address \n1,  " + u + "\t\n2,\"" + l + " \"\n", 1, []string{clean, hit}, nil},
		{"blanks that do not show", "id,address\n1,\u200b" + u + "\u00a0\n2,\ufeff" + l + "\n", 1, []string{clean, hit}, nil},
		{"NUL bytes", "id,address\n1," + u + "\n\x00," + l + "\n3," + u + "\x00\n", 1, []string{clean, hit, clean}, nil},
		{"a very long cell", "id,note,address\n1," + strings.Repeat("x", 900_000) + "," + l + "\n2,y," + u + "\n", 1, []string{hit, clean}, nil},
		{"a line that is too long", "id,note,address\n1," + strings.Repeat("x", 3<<20) + "," + u + "\n2,y," + l + "\n", 2, []string{none, hit}, nil},
		{"CRLF", "id,address\r\n1," + u + "\r\n2," + l + "\r\n", 1, []string{clean, hit}, nil},
		{"CR", "id,address\r1," + u + "\r2," + l + "\r", 1, []string{clean, hit}, nil},
		{"LF and CRLF", "id,address\n1," + u + "\r\n2," + l + "\n", 1, []string{clean, hit}, nil},
		{"not UTF-8", "id,name,address\n1,M\xfcller," + u + "\n2,\xff\xfe," + l + "\n3,x,\xfc" + l + "\n", 2, []string{clean, hit, hit}, nil},
		{"a private key", "id,address\n1,5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ\n2," + u + "\n", 2, []string{none, clean}, nil},
		{"two addresses in a cell", "id,address\n1,\"" + u + ", " + l + "\"\n", 2, []string{hit}, nil},
		{"JSON lines", `{"address":"` + u + `","x":{"a":[1,"2"]},"n":1.50}` + "\n" + `{"address":"` + l + `","level":"gold"}` + "\n", 1, []string{clean, hit}, nil},
		{"JSON lines, a member twice", `{"address":"` + l + `","address":"` + u + `"}` + "\n" + `{"address":"` + u + `"}` + "\n", 2, []string{none, clean}, nil},
		{"JSON lines that are none", `{"address":"` + u + "\"}\nnope\n\n[]\n{\"address\":7}\n{}\n{\"address\":\"" + l + "\"", 2,
			[]string{clean, none, none, none, none, none, none}, nil},
		{"JSON lines, the first broken", "nope\n{\"address\":\"" + l + "\"}\n", 2, []string{none, hit}, []string{"-format", "jsonl"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
			os.WriteFile(in, []byte(test.in), 0o600)
			code, stdout, stderr := callIn(t, env, "", append([]string{"screen", "-in", in, "-out", out}, test.args...)...)
			if code != test.code || stdout != "" {
				t.Errorf("exit code %d, want %d: %s%s", code, test.code, stdout, stderr)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			levels := levelsOf(t, text, strings.HasPrefix(test.name, "JSON"), strings.ContainsRune("01=", rune(strings.ReplaceAll(test.in, "\x00", "")[0])))
			if !slices.Equal(levels, test.levels) {
				t.Errorf("levels %q, want %q:\n%.2000q", levels, test.levels, text)
			}
			if strings.Contains(stderr, "5Hue") {
				t.Error("the private key is quoted")
			}
		})
	}
}

// TestNoTable screens input that is not a table. Nothing is written, the exit code differs
// from the code of a clean table, and the error says what to do but quotes no secret.
func TestNoTable(t *testing.T) {
	const seed = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	env := few(t)
	for in, want := range map[string]string{
		"":                                   "the input is empty",
		"bob\n":                              `the first row, "bob", is neither an address nor a header with a column named address`,
		listed + " (ETH)," + unlisted + "\n": `several columns may have the addresses: "1", "2"; name one with -address-column`,
		"[\"" + listed + "\"]\n":             "the input is a JSON array; write one object a line instead, as jq -c '.[]' does",
		"[\n  \"" + listed + "\"\n]\n":       "the input is a JSON array; write one object a line instead, as jq -c '.[]' does",
		"<html><title>Log in</title></html>": "is neither an address nor a header with a column named address",
		"bob\nalice\n":                       `the first row, "bob", is neither an address nor a header with a column named address; if it is an account, write address above it`,
		seed + "\n":                          "the first row, (75 characters), is neither an address nor",
		"bob," + seed + "\n":                 `no column is named address, of "bob", (75 characters); name it with -address-column`,
		"[id],address\n1," + unlisted + "\n": "the input is a JSON array",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03": "the compressed file is cut short",
	} {
		code, stdout, stderr := callIn(t, env, in, "screen", "-in", "-")
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "legal") {
			t.Errorf("%q: exit code %d, %q, %s, want %q", in, code, stdout, stderr, want)
		}
	}
}

// TestNumberedAccounts screens tables without a header whose accounts are numbers: each row has a verdict.
func TestNumberedAccounts(t *testing.T) {
	for _, rows := range []string{"0.0.1234\n0.0.5678\n", "f01234\nf05678\n"} {
		if _, stdout, _ := callIn(t, few(t), rows, "screen", "-in", "-"); strings.Count(stdout, "CLEAN_NO_MATCH") != 2 {
			t.Errorf("%q: %s", rows, stdout)
		}
	}
}

// TestExtractNoText extracts from input that is encoded, compressed or not text. Input that
// cannot be read never counts as a file without addresses.
func TestExtractNoText(t *testing.T) {
	longtest.WithoutRace(t)
	wide := "\xff\xfe" + strings.Join(strings.Split("to "+listed+"\n", ""), "\x00") + "\x00"
	var z bytes.Buffer
	zip := gzip.NewWriter(&z)
	zip.Write([]byte(listed))
	zip.Close()
	env := few(t)
	for _, test := range []struct {
		name, text string
		code       int
		want       string // in the outputs
	}{
		{"UTF-16", wide, 1, "-:1:4  CRITICAL"},
		{"gzip", z.String(), 1, "-:1:1  CRITICAL"},
		{"gzip cut short", z.String()[:len(z.String())-9], 2, "cut short"},
		{"a zip archive", "PK\x03\x04", 2, "unpack the archive"},
		{"bytes that are not text", "a\n" + listed + " \x00" + unlisted, 2, "-:2:1   CRITICAL"},
		{"bytes that are not text, at the end", strings.Repeat("x\n", chunkSize/2) + "\x00", 2,
			"the standard input is not all text: byte 1048576 is zero, and addresses in what is not text are not found"},
		{"mail", "Subject: pay\r\nContent-transfer-encoding: Base64\r\n\r\nMTJRdEQ1QkZ3UnNkTnNBWlk3NlVWRTF4eUNHTlRvakg5aA==\r\n", 2, "a part in Base64 at byte 14"},
		{"mail, long", strings.Repeat("x\n", chunkSize-100) + "\nContent-Transfer-Encoding: base64\n", 2, "a part in Base64 at byte 2096953"},
		{"mail, encoded from the first line on", "Content-Transfer-Encoding:base64\n\nMTJRdEQ1", 2, "a part in Base64 at byte 0"},
		{"mail, a folded line", "To: a\nContent-Transfer-Encoding:\r\n\tbase64\n", 2, "a part in Base64 at byte 6"},
		{"a PDF without a zero", "%PDF-1.4\nBT [(0x098B716B8Aaf21512996) -3 (dC57EB0615e2383E2f96)] TJ ET\n", 2, "a PDF, RTF or an archive"},
		{"RTF", `{\rtf1\ansi{\b 0x098B716B8Aaf21512996}{\i dC57EB0615e2383E2f96}}`, 2, "a PDF, RTF or an archive"},
		{"a bzip2 archive without a zero", "BZh91AY&SY\x01\x02", 2, "a PDF, RTF or an archive"},
		{"nothing", "", 0, "no address found"},
	} {
		code, stdout, stderr := callIn(t, env, test.text, "extract", "-")
		if code != test.code || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit code %d, %s%s, want %d and %q", test.name, code, stdout, stderr, test.code, test.want)
		}
	}
	// Finds are shown although another file cannot be read.
	file := filepath.Join(t.TempDir(), "mail.txt")
	os.WriteFile(file, []byte(listed), 0o600)
	if code, stdout, stderr := callIn(t, env, "", "extract", file+".none", file); code != 2 || !strings.Contains(stdout, file+":1:1  CRITICAL") ||
		!strings.Contains(stderr, "mail.txt.none") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk writes where there is no space: that is never the exit code of a clean table.
func TestFullDisk(t *testing.T) {
	longtest.WithoutRace(t)
	env := few(t)
	for _, args := range []string{"screen " + unlisted, "screen -json " + unlisted, "screen -in -", "validate " + unlisted, "validate nonsense",
		"validate -json " + unlisted,
		"validate -in -", "extract -", "extract -json -", "lists status", "lists export", "lists anomalies -lists OFAC_SDN -require OFAC_SDN", "version",
		"version -json", "history " + unlisted, "screen -json -in - -out " + os.DevNull,
		"validate -json -in - -out " + os.DevNull} {
		var stderr bytes.Buffer
		p := &program{env: env, stdin: strings.NewReader("address\n" + unlisted + "\n"), stdout: full{}, stderr: &stderr}
		if code := p.run(t.Context(), strings.Fields(args)); code != exitUndecided || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
	}
	// A long text is not searched to its end for nothing.
	text := strings.Repeat(unlisted+strings.Repeat("\n", 1000), 8000)
	for _, args := range []string{"extract -", "extract -json -"} {
		in := strings.NewReader(text)
		p := &program{env: env, stdin: in, stdout: full{}, stderr: new(bytes.Buffer)}
		if code := p.run(t.Context(), strings.Fields(args)); code != exitUndecided || in.Len() < len(text)/2 {
			t.Errorf("%s: exit code %d, %d of %d bytes are left", args, code, in.Len(), len(text))
		}
	}
	if runtime.GOOS != "linux" {
		return // no file is always full there
	}
	out := filepath.Join(t.TempDir(), "OUT.CSV.GZ")
	if err := os.Symlink("/dev/full", out); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := callIn(t, env, "address\n"+unlisted+"\n", "screen", "-in", "-", "-out", out)
	if want := out + " is cut short: make it again\n"; code != exitUndecided || !strings.HasSuffix(stderr, want) {
		t.Errorf("exit code %d, %s, want %s", code, stderr, want)
	}
	// A device is written to, and neither replaced nor deleted.
	for _, args := range []string{"screen -in - -out " + os.DevNull + " -report ", "lists export -format nitro -lists OFAC_SDN -require OFAC_SDN -max-age 99999h -out "} {
		device := filepath.Join(t.TempDir(), "out")
		if err := os.Symlink("/dev/full", device); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := callIn(t, env, "address\n"+unlisted+"\n", strings.Fields(args+device)...)
		if to, err := os.Readlink(device); code != exitUndecided || err != nil || to != "/dev/full" {
			t.Errorf("%s: exit code %d, %s; the file is %q, %v", args, code, stderr, to, err)
		}
	}
}

// levelsOf returns the level of each row of an output, and fails if the rows do not have
// the same columns.
func levelsOf(t *testing.T, text []byte, isJSON, headless bool) (levels []string) {
	t.Helper()
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if isJSON {
		for line := range bytes.Lines(text) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			level, ok := row["walletscreen_level"]
			if !ok {
				level = row["level"]
			}
			name, _ := level.(string)
			levels = append(levels, name)
		}
		return levels
	}
	r := csv.NewReader(bytes.NewReader(text))
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, d := range ";\t|!" {
		if bytes.Count(first, []byte{byte(d)}) >= len(verdictColumns) {
			r.Comma = d
		}
	}
	if bytes.HasPrefix(text, []byte("sep=")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
		r = csv.NewReader(bytes.NewReader(text))
		r.Comma = ';'
	}
	r.LazyQuotes = true // cells of the input stay as they are
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v:\n%.2000q", err, text)
	}
	at := len(rows[0]) - len(verdictColumns)
	if !headless {
		if name := strings.TrimPrefix(rows[0][at], "walletscreen_"); name != "level" {
			t.Errorf("column %q, want level", name)
		}
		rows = rows[1:]
	}
	for _, row := range rows {
		levels = append(levels, row[at])
	}
	return levels
}

// TestValidateBlanks validates text that is an address on several chains, but only
// without the blanks around it.
func TestValidateBlanks(t *testing.T) {
	for _, text := range []string{"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH ", " 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "\u00a01BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH\n"} {
		if v := validate("", text); !v.Valid || v.Addresses[0].Normalized != "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH" {
			t.Errorf("validate(%q) = %+v", text, v)
		}
	}
}

// TestNamedLines screens a file whose name says that it has JSON lines, whatever its first line
// has, and no other table of that name. The receipt says how it was read.
func TestNamedLines(t *testing.T) {
	longtest.WithoutRace(t)
	env, data := few(t), t.TempDir()
	keepOwn(t, data, env, func(int) bool { return false })
	for _, name := range []string{"in.jsonl", "IN.NDJSON"} {
		dir := t.TempDir()
		in, out, receipt := filepath.Join(dir, name), filepath.Join(dir, "out"), filepath.Join(dir, "receipt")
		os.WriteFile(in, []byte("bad line\n{\"id\":1,\"address\":\""+listed+"\"}\n{\"id\":2,\"address\":\""+unlisted+"\"}\n"), 0o600)
		code, _, stderr := callIn(t, env, "", "screen", "-data", data, "-in", in, "-out", out, "-receipt", receipt)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatalf("%s: %v, %s", name, err, stderr)
		}
		if levels := levelsOf(t, text, true, false); code != 2 || !slices.Equal(levels, []string{"", "CRITICAL", "CLEAN_NO_MATCH"}) {
			t.Errorf("%s: exit code %d, levels %q", name, code, levels)
		}
		elsewhere := filepath.Join(dir, "copy") // which has another name
		if err := os.Rename(in, elsewhere); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(receipt); err != nil || !strings.Contains(string(kept), `"format":"jsonl"`) {
			t.Errorf("%s: the receipt %s, %v", name, kept, err)
		}
		if code, stdout, stderr := call(t, "", "receipt", "verify", receipt, "-data", data, "-in", elsewhere, "-out", out); code != 0 || !strings.HasPrefix(stdout, "SAME") {
			t.Errorf("%s: exit code %d: %s%s", name, code, stdout, stderr)
		}
		os.WriteFile(in, []byte("id,address\n1,"+unlisted+"\n"), 0o600)
		if code, stdout, stderr := callIn(t, env, "", "screen", "-in", in); code != 2 || stdout != "" || !strings.Contains(stderr, "the first lines have no JSON object") {
			t.Errorf("%s: CSV: exit code %d: %s%s", name, code, stdout, stderr)
		}
	}
}

// TestMentions screens tables with addresses among other words: a column of addresses is read although
// another column mentions some, which the summary names, and of two columns of addresses neither is left out.
func TestMentions(t *testing.T) {
	const l, u = listed, unlisted
	env := few(t)
	for _, test := range []struct {
		in              string
		code            int
		address, unused string // empty if the table is refused
	}{
		{"wallet notes,wallet\nsee " + u + "," + l + "\n", 1, `"wallet"`, `"wallet notes"`},
		{"wallet notes,wallet\n" + u + " is his," + l + "\n", 1, `"wallet"`, `"wallet notes"`},
		{"wallet,wallet notes\nnone,see " + l + "\n", 2, `"wallet"`, `"wallet notes"`},
		{"address,wallet\npaid to " + u + "," + l + "\n", 1, `"wallet"`, `"address"`},
		{"address,wallet\n" + l + " (ETH)," + u + "\n", 1, `"address"`, `"wallet"`},
		{"address,wallet\nnone," + l + " (ETH)\n", 1, `"wallet"`, `"address"`},
		{"account,notes\n" + l + ",paid to " + u + "\n", 1, `"account"`, `"notes"`},
		{l + ",paid to " + u + "\n", 1, "1", "2"},
		{"paid to " + u + "," + l + "\n", 1, "2", "1"},
		{"bob,paid to " + l + "\n", 2, "2", ""},
		{l + " (ETH)," + u + "\n", 2, "", ""},
		{"ETH: " + l + "," + u + "\n", 2, "", ""},
		{u + ",<" + l + ">\n", 2, "", ""},
		{"from,to\n" + l + " (ETH)," + u + "\n", 2, "", ""},
		{"wallet,deposit address\n" + l + " (ETH)," + u + "\n", 2, "", ""},
	} {
		code, stdout, stderr := callIn(t, env, test.in, "screen", "-json", "-in", "-", "-out", os.DevNull)
		var s struct {
			Columns struct {
				Address string
				Unused  []string
			}
		}
		json.Unmarshal([]byte(stdout), &s) // nothing if the table is refused
		if unused := strings.Join(s.Columns.Unused, ", "); code != test.code || s.Columns.Address != test.address || unused != test.unused {
			t.Errorf("%q: exit code %d, column %s, not read: %s, want %d, %s and %s; %s", test.in, code, s.Columns.Address, unused, test.code, test.address, test.unused, stderr)
		}
		if test.address == "" && !strings.Contains(stderr, "with -address-column") {
			t.Errorf("%q: %s", test.in, stderr)
		}
	}
}

// TestScreenedAgain screens and validates a table three times, each time with what was added before: the address is
// read from the same column.
func TestScreenedAgain(t *testing.T) {
	for _, name := range []string{"account", "wallet", "deposit wallet", "address"} {
		table := "id," + name + "\n1," + unlisted + "\n2," + listed + "\n"
		for i := range 3 {
			for _, command := range []string{"screen", "validate"} {
				code, stdout, stderr := call(t, table, command, "-in", "-")
				if want := map[string]int{"screen": exitMatch}[command]; code != want || !strings.Contains(stderr, fmt.Sprintf("addresses: column %q\n", name)) ||
					strings.Contains(stderr, "not read") {
					t.Errorf("%s, %s %d: exit code %d, %s", name, command, i, code, stderr)
				}
				table = stdout
			}
		}
	}
}

// TestColumnsLikeAddedOnes screens tables that were not screened before, with columns that are named like those that are added: a
// column of addresses is read, or the table is refused, or the column is named as not read.
func TestColumnsLikeAddedOnes(t *testing.T) {
	for _, test := range []struct {
		names string
		code  int
		want  string // is printed
	}{
		{"user,normalized,memo", 2, "several columns may have the addresses"},
		{"user,normalized,payee address", exitClean, `not read, although it looks like addresses or chains: "normalized"`},
		{"user,walletscreen_address,memo", exitMatch, `addresses: column "walletscreen_address"`},
		{"user,Walletscreen wallet,memo", exitMatch, `addresses: column "Walletscreen wallet"`},
		{"user,listed_address,counterparty", 2, "several columns may have the addresses"},
		{"user,listed_address,payee address", exitClean, `not read, although it looks like addresses or chains: "listed_address"`},
		{"user,walletscreen_address,payee address", 2, "several columns may have the addresses"},
	} {
		code, _, stderr := call(t, test.names+"\n1,"+listed+","+unlisted+"\n", "screen", "-in", "-")
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, want %d: %s", test.names, code, test.code, stderr)
		}
	}
}
