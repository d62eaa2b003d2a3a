package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestUndecided screens texts that are not addresses of any chain: they are never clean,
// and a private key is shown nowhere.
func TestUndecided(t *testing.T) {
	for text, want := range map[string]string{
		"hello": "UNDECIDED  ",
		"pending_verification_by_the_compliance_team": "UNDECIDED  ",
		"vitalik.eth": "resolve it to an address first",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdx":          "checksum mismatch",
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ": "UNDECIDED  (not shown)\n",
		// An account of near, the hash of a transaction, or a private key:
		"e9873d79c6d87dc0fb6a5778633389f4453213303da61f20bd67fc233aa33262": "UNDECIDED  ",
		"": "no address",
	} {
		code, stdout, stderr := callIn(t, few(t), "", "screen", text)
		if code != 2 || strings.Contains(stdout, "CLEAN") || strings.Contains(stdout+stderr, "5Hue") || !strings.Contains(stdout, want) {
			t.Errorf("%q: exit code %d, %s, want %q", text, code, stdout, want)
		}
		if code, stdout, _ := callIn(t, few(t), "", "screen", "-json", text); code != 2 || strings.Contains(stdout, `"level"`) ||
			!strings.Contains(stdout, `"all_clear":false`) {
			t.Errorf("%q: exit code %d, %s", text, code, stdout)
		}
	}
}

// TestDoubts shows the doubt about an account on every surface.
func TestDoubts(t *testing.T) {
	const doubtful = "0xdAC17F958D2ee523a2206206994597C13D831ec8"
	env := few(t)
	for _, test := range []struct{ stdin, args, want string }{
		{"", "screen " + doubtful, "no match, but the capitals"},
		{"", "screen -json " + doubtful, `"doubts":["capitals"],"caveats":[],"all_clear":false`},
		{"address\n" + doubtful + "\n", "screen -in -", doubtful + ",,capitals,,,,,,,,,,,,,,\n"},
		{doubtful, "extract -", "UNDECIDED"},
		{doubtful, "extract -json -", `"doubts":["capitals"],"caveats":[],"all_clear":false`},
		{"", "validate " + doubtful, "\n  ethereum  0xdac17f958d2ee523a2206206994597c13d831ec8  "},
		{"", "validate -json " + doubtful, `"doubts":["capitals"]`},
		{"chain,address\nETH," + doubtful + "\n", "validate -in -",
			"ETH," + doubtful + ",true,ethereum,0xdac17f958d2ee523a2206206994597c13d831ec8,capitals,,,\n"},
	} {
		code, stdout, stderr := callIn(t, env, test.stdin, strings.Fields(test.args)...)
		if code != 2 || !strings.Contains(stdout, test.want) || strings.Contains(stdout, "CLEAN") {
			t.Errorf("%s: exit code %d, want 2 and %q:\n%s%s", test.args, code, test.want, stdout, stderr)
		}
	}
}

// TestSuppressed shows what an own list allows on every surface.
func TestSuppressed(t *testing.T) {
	longtest.WithoutRace(t)
	own := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(own, []byte("address,action,reason,author\n"+listed+",allow,Court order 7,Jo Roe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"WALLETSCREEN_LISTS=OFAC_SDN", "WALLETSCREEN_REQUIRE=OFAC_SDN", "WALLETSCREEN_LIST=OWN=" + own}
	for _, test := range []struct{ stdin, args, want string }{
		{"", "screen " + listed, "  suppressed  exact match  OFAC_SDN 27307  Lazarus Group  Court order 7 (Jo Roe)\n"},
		{"", "screen -json " + listed, `"suppressed":[{"label":"SANCTIONED","source":`},
		{"", "screen -json " + listed, `"reason":"Court order 7","author":"Jo Roe"`},
		{"address\n" + listed + "\n", "screen -in -", listed + ",CLEAN_NO_MATCH,,0,,,,,,,,,0,,,OFAC_SDN 27307: Court order 7 (Jo Roe),\n"},
		{listed, "extract -", "suppressed: OFAC_SDN 27307: Court order 7 (Jo Roe)"},
		{listed, "extract -json -", `"reason":"Court order 7","author":"Jo Roe"`},
	} {
		if code, stdout, stderr := callIn(t, env, test.stdin, strings.Fields(test.args)...); code != 0 || !strings.Contains(stdout, test.want) {
			t.Errorf("%s: exit code %d, want 0 and %q:\n%s%s", test.args, code, test.want, stdout, stderr)
		}
	}
}

// TestDefect screens a table with a row that panics: the others have their verdicts.
func TestDefect(t *testing.T) {
	var stdout bytes.Buffer
	p := &program{stdin: strings.NewReader("address\na\nb\nc\n"), stdout: &stdout, stderr: io.Discard}
	job := &tableJob{program: p, options: tableOptions{in: "-", addressColumn: "address"}, add: []rows.Column{{Name: "level"}, {Name: "error"}},
		cells: func(dst []string, row *rows.Row, total *tally) []string {
			if row.Address == "b" {
				panic("b")
			}
			total.count("CLEAN_NO_MATCH", false)
			return append(dst, "CLEAN_NO_MATCH", "")
		}}
	err := job.run(t.Context())
	want := "address,level,error\na,CLEAN_NO_MATCH,\nb,,\"this row has met a defect of the program, and has no verdict: please report it\"\nc,CLEAN_NO_MATCH,\n"
	if err != nil || stdout.String() != want || job.total.code() != exitUndecided || job.total.rows != 3 {
		t.Errorf("%v, exit code %d, %d rows:\n%s\nwant\n%s", err, job.total.code(), job.total.rows, &stdout, want)
	}
}

// TestKeysNotShown gives a private key in hex, with words around it, to each command. No output
// has only a part.
func TestKeysNotShown(t *testing.T) {
	longtest.WithoutRace(t)
	const key = "e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a"
	env, dir := few(t), t.TempDir()
	for i, text := range []string{
		"key:%", "private key: %", "priv=%", "PRIVATE_KEY=0x%", "secret: %", "secret:%", "my key is %", "wallet %", "x:%", "bitcoin: %", "tx/%",
		"key: " + key[:32] + " " + key[32:], "Schlüssel: %", "ключ: %",
	} {
		text = strings.ReplaceAll(text, "%", key)
		report := filepath.Join(dir, fmt.Sprint(i, ".html"))
		for _, args := range [][]string{
			{"screen", text}, {"screen", "-json", text}, {"screen", "-chain", "bitcoin", text}, {"screen", "-chain", "x", text}, {"validate", text}, {"validate", "-json", "-chain", "bitcoin", text},
			{"screen", "-in", "-", "-out", filepath.Join(dir, fmt.Sprint(i, ".csv")), "-report", report},
		} {
			_, stdout, stderr := callIn(t, env, "address\n\""+text+"\"\n"+listed+"\n", args...)
			html, _ := os.ReadFile(report)
			all := strings.ToLower(stdout + stderr + string(html))
			if strings.Contains(all, key[:16]) || strings.Contains(all, key[48:]) {
				t.Errorf("%.20q: %s", args, all)
			}
		}
	}
}

// TestKeysOfDamagedRows reports on rows that are not well formed, or look like formulas: their keys are
// not shown either, nor those in the column of names.
func TestKeysOfDamagedRows(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.json")
	const key, seed = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "legal winner thank year wave sausage worth useful legal winner thank yellow"
	table := "name,address\n1," + key + ",x\n2," + seed + ",x\n3,=" + key + "\nkey " + key + "," + listed + "\n"
	callIn(t, few(t), table, "screen", "-in", "-", "-report", report)
	_, stdout, _ := callIn(t, few(t), "", "screen", "="+key, "="+seed)
	if all := read(t, report) + stdout; strings.Contains(all, key) || strings.Contains(all, "legal winner") || strings.Count(all, "(not shown)") != 6 {
		t.Error(all)
	}
}

// TestTwoInCell screens cells with two addresses in a table: the worst is shown, with its
// address and the reason, and no row is clean.
func TestTwoInCell(t *testing.T) {
	table := "chain,address\nbsc," + unlisted + " / " + listed + "\n,\"" + unlisted + ", bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4\"\n"
	code, stdout, stderr := callIn(t, few(t), table, "screen", "-in", "-")
	rows := strings.Split(stdout, "\n")
	const reason = "2 addresses in this cell"
	if code != 1 && code != 2 || len(rows) != 4 || !strings.Contains(rows[1], "CRITICAL") || !strings.Contains(strings.ToLower(rows[1]), ","+strings.ToLower(listed)+",") ||
		!strings.Contains(rows[1], reason) || !strings.Contains(rows[2], reason) || strings.Contains(stdout, "CLEAN") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
}

// The program says of one text what the page says: what may be wrong, and where that is proven.
func TestCorrection(t *testing.T) {
	const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for text, want := range map[string]string{
		tron[:33]:       "address: checksum mismatch: probably a typing error\n  one character is missing: perhaps it is\n      " + tron + "; compare it with the original\n",
		tron[:33] + "T": "\n  a small letter and a capital are mixed up: perhaps it is\n      " + tron + "; compare it with the original\n",
		listed[:41]:     "  no match, but digits of the address are missing: compare it with the original\n  one character is missing: perhaps it is\n      " + listed + "; compare it with the original\n",
	} {
		if code, stdout, stderr := callIn(t, few(t), "", "screen", text); code != 2 || !strings.HasPrefix(stdout, "UNDECIDED  "+text+"\n") || !strings.Contains(stdout, want) {
			t.Errorf("screen %s: code %d, %s%s, want %s", text, code, stdout, stderr, want)
		}
		want = want[strings.Index(want, "  one ")+1:] // without what validate calls invalid
		if code, stdout, _ := call(t, "", "validate", text); code != 2 || strings.Contains(want, "one") && !strings.Contains(stdout, want) {
			t.Errorf("validate %s: code %d, %s, want %s", text, code, stdout, want)
		}
		if _, stdout, _ := call(t, "", "validate", "-json", text); !strings.Contains(stdout, `"correction":{"cause":`) {
			t.Errorf("validate -json %s: %s", text, stdout)
		}
	}
	if _, stdout, _ := callIn(t, few(t), "", "screen", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"); strings.Contains(stdout, "perhaps") {
		t.Errorf("a private key: %s", stdout)
	}
}
