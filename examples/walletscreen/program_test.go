package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

const (
	listed   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96" // by OFAC
	unlisted = "0x098b716b8aaf21512996dc57eb0615e2383e2f95"
)

// call runs the program, without the longest of the bundled lists, and returns what it prints.
func call(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return callIn(t, short, stdin, args...)
}

// short is an environment that chooses the usual lists without GRAPHSENSE, which takes as long to
// load as all others together.
var short = []string{"WALLETSCREEN_LISTS=OFAC_SDN,EU_CONSOLIDATED,UK_CONSOLIDATED,FBI_IC3,DOJ_FORFEITURE,COMMUNITY_BADLIST"}

func callIn(t *testing.T, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	p := &program{env: env, stdin: strings.NewReader(stdin), stdout: &out, stderr: &err}
	code = p.run(t.Context(), args)
	return code, out.String(), err.String()
}

// shortest chooses the bundled list that loads fastest, for tests of other things.
var shortest = []string{"-lists", "FBI_IC3", "-require", "FBI_IC3"}

// onlyOFAC is an environment that chooses the list of OFAC, for tests that ask nothing of others.
var onlyOFAC = []string{"WALLETSCREEN_LISTS=OFAC_SDN", "WALLETSCREEN_REQUIRE=OFAC_SDN"}

// few returns an environment that chooses the shortest list, and an own list that blocks listed.
func few(t *testing.T) []string {
	t.Helper()
	own := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(own, []byte("address\n"+listed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + own}
}

// ages hides what depends on the day of the test.
func ages(s string) string {
	s = regexp.MustCompile(` *\d+ (days|h)`).ReplaceAllString(s, " N days")
	return regexp.MustCompile(`in [0-9.]+[mµn]?s( \([0-9,]+ rows/s\))?`).ReplaceAllString(s, "in 1ms")
}

func TestScreenAddresses(t *testing.T) {
	longtest.WithoutRace(t)
	dated := regexp.MustCompile(`OFAC_SDN +` + bundled(t, bundle.OFAC()).Published.Format(time.DateOnly))
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{unlisted}, 0, "CLEAN_NO_MATCH  0  ethereum " + unlisted + "\n"},
		{[]string{listed}, 1, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"-chain", "polygon", listed}, 1, "CRITICAL  100  polygon " + strings.ToLower(listed) + "\n" +
			"  SANCTIONED  family match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"eip155:1:" + listed}, 1, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"0xdAC17F958D2ee523a2206206994597C13D831ec8"}, 2,
			"UNDECIDED  0xdAC17F958D2ee523a2206206994597C13D831ec8\n" +
				fold("  no match, but the capitals do not match the checksum of the address: compare it with the original") + "\n"},
		{[]string{strings.ToUpper(listed[:2]) + strings.ToLower(listed[2:])}, 1, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"0x098b716B8Aaf21512996dC57EB0615e2383E2f96"}, 2, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			fold("  the capitals do not match the checksum of the address: compare it with the original") + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"-chain", "solana-x", listed}, 2, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			fold("  chain \"solana-x\": unsupported chain; any EVM chain is eip155: and its number; did you mean solana?") + "\n" +
			fold("  it is not an address of the chain that was named: check which chain is meant") + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n"},
		{[]string{"-chain", "solana-x", unlisted}, 2, "UNDECIDED  " + unlisted + "\n" +
			fold("  chain \"solana-x\": unsupported chain; any EVM chain is eip155: and its number; did you mean solana?") + "\n"},
		// Several chains fit, and the lists say the same of all.
		{[]string{"0x" + strings.Repeat("4c", 32)}, 0, "CLEAN_NO_MATCH  0  sui 0x" + strings.Repeat("4c", 32) + "\n"},
		{[]string{"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}, 0, "CLEAN_NO_MATCH  0  bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n"},
		{[]string{"--chain=bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}, 0, "CLEAN_NO_MATCH  0  bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n"},
		// 2 wins over 1.
		{[]string{listed, "0xdAC17F958D2ee523a2206206994597C13D831ec8"}, 2, "CRITICAL  100  ethereum " + strings.ToLower(listed) + "\n" +
			"  SANCTIONED  exact match  OFAC_SDN 27307  Lazarus Group\n      listed 2022-09-03 as " + listed + "\n\n" +
			"UNDECIDED  0xdAC17F958D2ee523a2206206994597C13D831ec8\n" +
			fold("  no match, but the capitals do not match the checksum of the address: compare it with the original") + "\n"},
		// Each account that a text pays is screened.
		{[]string{payBoth}, 1, "CLEAN_NO_MATCH  0  bitcoin bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq\n\n" +
			"CRITICAL  100  bitcoin 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\n" +
			"  SANCTIONED  exact match  OFAC_SDN 25308  YAN Xiaobing\n      entity listed 2019-08-21, as 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\n"},
		{[]string{strings.ReplaceAll(payBoth, "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")}, 0,
			"CLEAN_NO_MATCH  0  bitcoin bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq\n\n" +
				"CLEAN_NO_MATCH  0  bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\n"},
		{[]string{"bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?lightning=lnbc10n1pj"}, 2, "UNDECIDED  bitcoin bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq\n" +
			fold("  no match, but "+address.DoubtUnscreenable.Explain()) + "\n"},
	} {
		code, stdout, stderr := callIn(t, onlyOFAC, "", append([]string{"screen"}, test.args...)...)
		if d := cmp.Diff(test.want, stdout); code != test.code || d != "" {
			t.Errorf("%q: exit code %d, want %d; (-want +got):\n%s", test.args, code, test.code, d)
		}
		if !dated.MatchString(stderr) {
			t.Errorf("%q: the date of a list is missing from %q", test.args, stderr)
		}
	}
}

// payBoth pays an account that is not listed, or one that is.
const payBoth = "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?bc=12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"

func TestScreenJSON(t *testing.T) {
	code, stdout, stderr := call(t, "", "screen", "-json", listed, "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 2 || stderr != "" || len(lines) != 2 {
		t.Fatal(code, stdout, stderr)
	}
	var r jsonResult
	if err := json.Unmarshal([]byte(lines[0]), &r); err != nil || r.Input != listed || r.Level != "CRITICAL" || *r.Score != 100 || len(r.Labels) != 1 ||
		r.Labels[0].Ref != "27307" ||
		r.Snapshot == "" {
		t.Errorf("%s, %v", lines[0], err)
	}
	if strings.Contains(lines[1], "5Hue") || !strings.Contains(lines[1], `"error":"`) || strings.Contains(lines[1], "level") {
		t.Error(lines[1])
	}
}

func TestScreenTable(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	os.WriteFile(in, []byte("\ufeffid;Wallet Address;Network\r\n"+
		"1;"+listed+";Ethereum\r\n"+
		"2;"+unlisted+";\r\n"+
		"3;"+listed+";ETH\r\n"+
		"\"4\r\n\";;\r\n"+
		"5;"+listed+";polygno\r\n"+
		"6;1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2;\r\n"), 0o600)
	code, stdout, stderr := call(t, "", "screen", "-in", in, "-out", out)
	got, _ := os.ReadFile(out)
	hit := ";CRITICAL;;100;exact;OFAC_SDN;27307;Lazarus Group;" + listed + ";2022-09-03;2021-07-06;2019-09-13;1;OFAC_SDN;;;"
	want := "\ufeffid;Wallet Address;Network;level;doubt;score;match;source;source_ref;name;listed_address;added_at;not_listed_on;entity_listed_at;labels" +
		";lists;formerly;suppressed;error\n" +
		"1;" + listed + ";Ethereum" + hit + "\n" +
		"2;" + unlisted + ";;CLEAN_NO_MATCH;;0;;;;;;;;;0;;;;\n" +
		"3;" + listed + ";ETH" + hit + "\n" +
		"\"4\n\";;;;;;;;;;;;;;;;;;no address\n" +
		"5;" + listed + ";polygno" + strings.Replace(hit, "CRITICAL;;", "CRITICAL;wrong_chain;", 1) + "\n" +
		"6;1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2;;CLEAN_NO_MATCH;;0;;;;;;;;;0;;;;\n"
	lines := strings.SplitAfter(strings.ReplaceAll(string(got), "\r\n", "\n"), "\n")
	if d := cmp.Diff(want, strings.Join(lines, "")); code != 2 || stdout != "" || d != "" {
		t.Errorf("exit code %d, standard output %q, (-want +got):\n%s", code, stdout, d)
	}
	wantSummary := "6 rows in 1ms\n" +
		"  CRITICAL                3\n" +
		"  UNDECIDED               1   see the columns doubt and error\n" +
		"  CLEAN_NO_MATCH          2\n" +
		"  1 of the listed rows also have a doubt or an error\n" +
		"addresses: column \"Wallet Address\"\nchains: column \"Network\"\n\n"
	if d := cmp.Diff(wantSummary, strings.SplitAfter(ages(stderr), "\n\n")[0]); d != "" {
		t.Errorf("summary (-want +got):\n%s", d)
	}
}

// The formats of the standard streams, of compression and of exit codes.
func TestScreenStreams(t *testing.T) {
	code, stdout, _ := call(t, "address\n"+unlisted+"\n", "screen", "-in", "-")
	if want := "address,level,doubt,score,match,source,source_ref,name,listed_address,added_at,not_listed_on,entity_listed_at,labels,lists,formerly,suppr" +
		"essed,error\n" + unlisted + ",CLEAN_NO_MATCH,,0,,,,,,,,,0,,,,\n"; code != 0 ||
		stdout != want {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	if code, _, _ := call(t, "address\n"+unlisted+"\n"+listed+"\n", "screen", "-in", "-", "-out", "-"); code != 1 {
		t.Errorf("exit code %d of a listed address", code)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, "{\"wallet\":\""+listed+"\"}\n")
	w.Close()
	out := filepath.Join(t.TempDir(), "out.jsonl.gz")
	code, stdout, stderr := callIn(t, nil, z.String(), "screen", "-in", "-", "-out", out, "-json")
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if !strings.HasPrefix(string(text), `{"wallet":"`+listed+`","level":"CRITICAL","doubt":"","score":100,`) || err != nil {
		t.Error(string(text), err)
	}
	var s struct {
		Rows   int
		Levels map[string]int
		Lists  []struct{ ID string }
	}
	if json.Unmarshal([]byte(stdout), &s); code != 1 || stderr != "" || s.Rows != 1 || s.Levels["CRITICAL"] != 1 || len(s.Lists) != 7 {
		t.Errorf("exit code %d, summary %s, %s", code, stdout, stderr)
	}
}

// TestSameStream screens a table from the standard input into the same file: it must not be lost.
func TestSameStream(t *testing.T) {
	name, env := filepath.Join(t.TempDir(), "table.csv"), few(t)
	table := "address\n" + strings.Repeat(unlisted+"\n", 10_000)
	for _, args := range [][]string{{"-in", "-", "-out", name}, {"-in", name}, {"-in", "-"}, {"-in", "-", "-out", os.DevNull, "-report", name}} {
		if err := os.WriteFile(name, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var stderr bytes.Buffer
		p := &program{env: env, stdin: f, stdout: f, stderr: &stderr}
		if code := p.run(t.Context(), append([]string{"screen"}, args...)); code != exitUndecided || read(t, name) != table {
			t.Errorf("%q: exit code %d, %s", args, code, &stderr)
		}
	}
}

// A call that is wrong does nothing, and says in one line how to mend it.
func TestWrongCalls(t *testing.T) {
	longtest.WithoutRace(t)
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	os.WriteFile(in, []byte("a,b\n1,2\n"), 0o600)
	const secret = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	for _, test := range []struct {
		env  string
		args []string
		want string
	}{
		{"", []string{"sreen", "x"}, `unknown command "sreen"; did you mean screen?`},
		{"", []string{"screen", "-chian", "x", "y"}, "screen: unknown flag -chian; did you mean -chain?"},
		{"", []string{"screen", "--chian=x", "y"}, "screen: unknown flag -chian; did you mean -chain?"},
		{"", []string{"screen", "-i", "y"}, "screen: unknown flag -i; did you mean -in?"},
		{"", []string{"version", "snoPBrXtMeMyMHUVTgbuqAfg1SUTb"}, "version: unexpected argument of 29 characters"},
		{"", []string{"screen", "-offline", "y"}, "screen: unknown flag -offline; did you mean walletscreen serve -offline?"},
		{"", []string{"screen", "-quota", "1", "y"}, "screen: unknown flag -quota; did you mean walletscreen keys create -quota?"},
		{"", []string{"-in", "y"}, "serve: unknown flag -in; did you mean walletscreen screen -in?"},
		{"", []string{"completion", "-hepl"}, "completion: unknown flag -hepl; did you mean -help?"},
		{"", []string{"completion", "bash", "-hepl"}, "completion bash: unknown flag -hepl; did you mean -help?"},
		{"WALLETSCREEN_CHIAN=x", []string{"screen", "y"}, "unknown environment variable WALLETSCREEN_CHIAN; did you mean WALLETSCREEN_CHAIN?"},
		{"WALLETSCREEN_CHAIN=etherium", []string{"screen", "-in", "-"},
			`screen: -chain: chain "etherium": unsupported chain; any EVM chain is eip155: and its number; did you mean ethereum?`},
		{"WALLETSCREEN_MAX_AGE=2w", []string{"screen", "y"}, "WALLETSCREEN_MAX_AGE: want a time, such as 30m, 48h, 7d or 10y"},
		{"", []string{"screen", "-max-age", "2w", "y"}, "screen: -max-age: want a time, such as 30m, 48h, 7d or 10y"},
		{"", []string{"screen", "-max-age", "0", "y"}, "screen: -max-age: want a time above zero"},
		{"WALLETSCREEN_MAX_AGE=0s", []string{"screen", "y"}, "WALLETSCREEN_MAX_AGE: want a time above zero"},
		{"", []string{"serve", "-drain-delay", "0", "-max-age", "0"}, "serve: -max-age: want a time above zero"},
		{"", []string{"screen", "-require", "OFAC", "y"},
			`screen: -require: there is no list "OFAC"; did you mean OFAC_SDN?`},
		{"", []string{"screen", "-require", "OFAC_SND", "y"}, `screen: -require: there is no list "OFAC_SND"; did you mean OFAC_SDN?`},
		{"", []string{"screen"}, "screen: want an ADDRESS, or -in FILE for a table; see -help"},
		{"", []string{"screen", "-chain"}, "screen: -chain needs a value"},
		{"", []string{"screen", "-out", "x"}, "screen: -out needs -in, the table to read"},
		{"", []string{"screen", "-in", in, "-out", in}, "screen: -in and -out are the same file, " + in},
		{"", []string{"screen", "-receipt", in, "-receipt-key", in, "y"}, "screen: -receipt-key is the same file as -receipt, -report or -out, " + in + ": the key would be lost"},
		{"", []string{"screen", "-in", in, "-report", "-"}, "screen: -receipt and -report want the name of a file"},
		{"", []string{"screen", "-in", in, "-out", dir + "/out.csv"}, "screen: " + in + `: no column is named address, of "a", "b"; name it with -address-column`},
		{"", []string{"screen", "-in", in, "-address-column", "c", "-out", dir + "/out.csv"}, "screen: " + in + `: -address-column: no column is named "c"; there are "a", "b"`},
		{"", []string{"screen", "-in", dir + "/none.csv"}, "screen: -in: open " + dir + "/none.csv: no such file or directory"},
		{"", []string{"screen", "-in", in, "-delimiter", "\xe9"}, `screen: -delimiter "\xe9": want one ASCII character, or tab`},
		{"", []string{"screen", "-in", in, "-in", dir}, "screen: -in: it is given twice"},
		{"", []string{"screen", "-in", dir}, "screen: -in: " + dir + " is a directory; want a file"},
		{"", []string{"screen", "-max-age", "1h", unlisted},
			"screen: nothing can be decided: OFAC_SDN is N days old and EU_CONSOLIDATED is N days old, older than -max-age 1h0m0s"},
		{"WALLETSCREEN_OFFLINE=maybe", []string{"serve"}, "WALLETSCREEN_OFFLINE: want true or false"},
		{"", []string{"serve", "-offline=maybe"}, "serve: -offline: want true or false"},
		{"", []string{"keys", "list", "-db", "postgres://u:hidden@127.0.0.1:1/x"},
			"keys list: the database cannot be opened: postgres: sqlstore: failed to connect to `user=u database=x`: 127.0.0.1:1 (127.0.0.1): dial error: dial " +
				"tcp 127.0.0.1:1: connect: connection refused"},
		{"", []string{"validate"}, "validate: want an ADDRESS, or -in FILE for a table; see -help"},
		{"", []string{"version", "x"}, `version: unexpected argument "x"`},
		{"", []string{"lists", "status", "-lists", "ofac_sdn"}, `lists status: -lists: there is no list "ofac_sdn"; did you mean OFAC_SDN?`},
		{"", []string{"lists", "export", "-receipt-key", "k"}, "lists export: -spellings and -receipt-key are for -format lines and feed, not csv"},
		{"", []string{"lists", "export", "-format", "lines", "-out", dir, "-match", "key"}, "lists export: -match and -salt are for -format nitro, not lines"},
		{"", []string{"audit", "search", "-audit", dir, "x"}, "audit search: there is no trail in " + dir},
		{"", []string{"audit", "search", "-audit", dir, "-chain", "Aleo", "x"},
			`audit search: -chain: chain "Aleo": unsupported chain; no exact rule for its addresses is known`},
		{"", []string{"screen", "-chain", "Aleo", "-in", "-"}, `screen: -chain: chain "Aleo": unsupported chain; no exact rule for its addresses is known`},
		{"", []string{"screen", "-chain", "137", "-in", "-"}, `screen: -chain: chain "137": unsupported chain; if it is the id of an EVM chain, write eip155:137`},
		// What could be a private key is not quoted.
		{"", []string{secret}, "unknown command of 51 characters; to screen an address: walletscreen screen ADDRESS"},
		{"", []string{"serve", secret}, "serve: unexpected argument of 51 characters"},
		{"", []string{"screen", "-in", "x", secret}, "screen: unexpected argument of 51 characters beside -in"},
		{"", []string{"lists", "status", secret}, "lists status: unexpected argument of 51 characters"},
	} {
		env := []string{test.env}
		if test.env == "" {
			env = onlyOFAC
		}
		if strings.Contains(test.want, "EU_CONSOLIDATED") {
			env = nil
		}
		code, stdout, stderr := callIn(t, env, "", test.args...)
		if got := strings.ReplaceAll(ages(stderr), "  N", " N"); code != 2 || stdout != "" || got != "walletscreen: "+test.want+"\n" {
			t.Errorf("%s %q: exit code %d, %q, %q, want %q", test.env, test.args, code, stdout, got, test.want)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Error("a wrong call has made a file")
	}
	// Variables that Kubernetes sets for a service of this name are not mistakes.
	if code, _, stderr := callIn(t, []string{"WALLETSCREEN_PORT=tcp://10.0.0.1:80", "WALLETSCREEN_SERVICE_HOST=10.0.0.1", "WALLETSCREEN_PORT_80_TCP_ADDR=x"},
		"", "version"); code != 0 {
		t.Error(stderr)
	}
	if code, _, _ := callIn(t, []string{"WALLETSCREEN_CHAIN=bitcoin"}, "", "screen", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"); code != 0 {
		t.Error("WALLETSCREEN_CHAIN has no effect")
	}
}

// Help is on the standard output, and names all commands and flags.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}, {"help"}} {
		code, stdout, stderr := call(t, "", args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "  screen ") || !strings.Contains(stdout, "Exit codes: 0 ") {
			t.Errorf("%q: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"screen", "-help"}, {"help", "screen"}, {"screen", "-in", "x", "-h"}} {
		code, stdout, _ := call(t, "", args...)
		if code != 0 || !strings.Contains(stdout, "  -address-column COLUMN\n") {
			t.Errorf("%q: exit code %d, %q", args, code, stdout)
		}
	}
	// Each command explains itself and each of its flags, which are variables too.
	p := &program{}
	var check func(c *cli.Command, path ...string)
	check = func(c *cli.Command, path ...string) {
		code, stdout, stderr := call(t, "", append(path, "-help")...)
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, strings.Join(append([]string{"walletscreen"}, path...), " ")+" "+c.Usage+".\n") {
			t.Errorf("%q: exit code %d, %.80q, %q", path, code, stdout, stderr)
		}
		for _, f := range c.Flags {
			name := f.Names()[0]
			seen := ""
			f.(*cli.GenericFlag).Value.(*flagValue).set = func(text string) error { seen = text; return nil }
			p.env = []string{"WALLETSCREEN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "=x"}
			if err := errors.Join(p.checkEnvironment(c), p.setFlags("", []cli.Flag{f})); err != nil || seen != "x" {
				t.Errorf("%q: -%s is %q by its variable: %v", path, name, seen, err)
			}
			if i := strings.Index(stdout, "\n  -"+name); i < 0 || len(strings.Split(stdout[i:], "\n")[2]) < 20 {
				t.Errorf("%q: -%s is not explained", path, name)
			}
		}
		for _, sub := range c.Commands {
			check(sub, append(slices.Clone(path), sub.Name)...)
		}
	}
	check(p.root())
}

func TestValidate(t *testing.T) {
	code, stdout, _ := call(t, "", "validate", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8")
	if want := "valid    TJRabPrwbZy45sbavfcjinPJC18kjpRTv8\n  tron  TJRabPrwbZy45sbavfcjinPJC18kjpRTv8  "; code != 0 || !strings.HasPrefix(stdout, want) {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	code, stdout, _ = call(t, "", "validate", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv9", " "+listed)
	first, second, _ := strings.Cut(stdout, "\n\n")
	if code != 2 || !strings.HasPrefix(first, "INVALID  TJRabPrwbZy45sbavfcjinPJC18kjpRTv9\n") || !strings.Contains(first, ": checksum mismatch") ||
		!strings.HasPrefix(second, "valid     "+listed+"\n  ethereum  "+strings.ToLower(listed)+"  ") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	if _, stdout, _ := call(t, "", "validate", "-json", "bitcoincash:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy"); !strings.Contains(stdout, `"valid":true`) ||
		!strings.Contains(stdout, `"caip10":"bip122:000000000000000000651ef99cb9fcbe:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy"`) {
		t.Errorf("CAIP-10 allows no colon in an address: %s", stdout)
	}
	code, stdout, _ = call(t, "", "validate", "-json", "-chain", "polygon", listed, "0x12")
	var a, b validation
	dec := json.NewDecoder(strings.NewReader(stdout))
	if dec.Decode(&a) != nil || dec.Decode(&b) != nil || code != 2 || !a.Valid || a.Addresses[0].CAIP10 != "eip155:137:"+strings.ToLower(listed) || b.Valid ||
		b.Reason != "bad_length" {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

func TestValidateTable(t *testing.T) {
	code, stdout, stderr := call(t, "address,chain\n"+listed+",ethereum\nTJRabPrwbZy45sbavfcjinPJC18kjpRTv9,tron\n,\nx,etherium\n", "validate", "-in", "-")
	want := "address,chain,valid,chain_detected,normalized,doubt,reason,offset,error\n" +
		listed + ",ethereum,true,ethereum," + strings.ToLower(listed) + ",,,,\n" +
		"TJRabPrwbZy45sbavfcjinPJC18kjpRTv9,tron,false,,,,bad_checksum,,tron address: checksum mismatch: probably a typing error\n" +
		",,false,,,,bad_length,,no address\n" +
		"x,etherium,false,,,,unsupported_chain,,\"chain \"\"etherium\"\": unsupported chain; any EVM chain is eip155: and its number; did you mean " +
		"ethereum?\"\n"
	if d := cmp.Diff(want, stdout); code != 2 || d != "" || stderr != "4 rows, 1 valid, 3 invalid\naddresses: column \"address\"\nchains: column \"chain\"\n" {
		t.Errorf("exit code %d, %q, (-want +got):\n%s", code, stderr, d)
	}
	if code, _, _ := call(t, "address\n"+listed+"\n", "validate", "-in", "-"); code != 0 {
		t.Errorf("exit code %d of a valid table", code)
	}
}

// TestNormalForm validates a table: a normal form that begins like a formula is not altered.
func TestNormalForm(t *testing.T) {
	const vault = "-1:e56754f83426f69b09267bd876ac97c44821345b7e266bd956a7bfbfb98df35c"
	code, stdout, _ := call(t, "chain,address\nton,"+vault+"\n", "validate", "-in", "-")
	if want := "\nton," + vault + ",true,ton," + vault + ",,,,\n"; code != 0 || !strings.HasSuffix(stdout, want) {
		t.Errorf("exit code %d, %q, want %q", code, stdout, want)
	}
}

func TestExtract(t *testing.T) {
	longtest.WithoutRace(t)
	text := "Dear all,\n\n  pay to " + listed + " or\nbc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq.\n"
	file := filepath.Join(t.TempDir(), "mail.txt")
	os.WriteFile(file, []byte(text), 0o600)
	code, stdout, _ := callIn(t, onlyOFAC, "", "extract", file)
	if code != 1 || !strings.Contains(stdout, file+":3:10  CRITICAL          100  ethereum:") ||
		!strings.Contains(stdout, file+":4:1   CLEAN_NO_MATCH      0  bitcoin:bc1q") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	// A listed address that is interrupted is found; what cannot be read is listed without a level.
	lower := strings.ToLower(listed)
	code, stdout, _ = callIn(t, onlyOFAC, lower[:20]+"-\n"+lower[20:]+" x\u200b", "extract", "-")
	if code != 1 || !strings.Contains(stdout, "CRITICAL") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	for _, piece := range []string{lower[:38], lower[:8] + "…" + lower[38:]} {
		code, stdout, _ = callIn(t, onlyOFAC, "from: "+piece+"\n", "extract", "-")
		if code != 2 || !strings.Contains(stdout, "(standard input):1:7") && !strings.Contains(stdout, "-:1:7") || !strings.Contains(stdout, piece) ||
			strings.Contains(stdout, "CLEAN") {
			t.Errorf("exit code %d, %s", code, stdout)
		}
		code, stdout, _ = callIn(t, onlyOFAC, "from: "+piece+"\n", "extract", "-json", "-")
		if code != 2 || !strings.Contains(stdout, `"error"`) || strings.Contains(stdout, "CLEAN") {
			t.Errorf("exit code %d, %s", code, stdout)
		}
	}
	// Positions refer to the whole text, wherever it is cut for the search.
	var long strings.Builder
	want := 0
	for long.Len() < 3*chunkSize {
		long.WriteString(strings.Repeat("x ", 997) + "\n" + listed + " ")
		want++
	}
	code, stdout, _ = callIn(t, onlyOFAC, long.String(), "extract", "-json", "-")
	dec := json.NewDecoder(strings.NewReader(stdout))
	got := 0
	for dec.More() {
		var f struct {
			Offset, Line, Column int
			Level                string
		}
		if err := dec.Decode(&f); err != nil || !strings.HasPrefix(long.String()[f.Offset:], listed) || f.Column != 1 || f.Line != got+2 ||
			f.Level != "CRITICAL" {
			t.Fatal(f, err)
		}
		got++
	}
	if code != 1 || got != want {
		t.Errorf("exit code %d, %d addresses, want %d", code, got, want)
	}
}

func TestVersion(t *testing.T) {
	longtest.WithoutRace(t)
	code, stdout, _ := call(t, "", "version")
	if code != 0 || !strings.Contains(stdout, "scoring       v1") ||
		!strings.Contains(stdout, "OFAC_SDN           "+bundled(t, bundle.OFAC()).Published.Format(time.DateOnly)) {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	code, stdout, _ = call(t, "", "version", "-json")
	var v buildVersion
	if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil || len(v.Bundled) != 7 || v.Scoring == "" {
		t.Errorf("exit code %d, %v, %s", code, err, stdout)
	}
}

// An interrupted call leaves whole rows, and says how many.
func TestInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var stderr bytes.Buffer
	p := &program{stdin: r, stdout: io.Discard, stderr: &stderr}
	done := make(chan int)
	go func() { done <- p.run(ctx, []string{"screen", "-in", "-", "-out", out}) }()
	io.WriteString(w, "id,address\n"+strings.Repeat("1,"+unlisted+"\n", 5000)+"2,0x09") // and nothing more comes
	cancel()
	code := <-done
	got, _ := os.ReadFile(out)
	n := bytes.Count(got, []byte("1,"+unlisted+",CLEAN_NO_MATCH,,0,,,,,,,,,0,,,,\n"))
	if want := "interrupted: " + grouped(int64(n)) + " whole rows in " + out; code != 2 || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d, %q, want %q", code, stderr.String(), want)
	}
	if bytes.Count(got, []byte("\n")) != n+1 && len(got) > 0 {
		t.Errorf("%d whole rows of %d", n, bytes.Count(got, []byte("\n"))-1)
	}
}

// What the help of completion says to paste is each a line of its own, and a shell can read it.
func TestCompletionHelp(t *testing.T) {
	_, help, _ := call(t, "", "completion", "-help")
	for _, line := range []string{
		"  echo 'source <(walletscreen completion bash)' >> ~/.bashrc", "  echo 'source <(walletscreen completion zsh)' >> ~/.zshrc",
		"  walletscreen completion fish > ~/.config/fish/completions/walletscreen.fish", "  walletscreen completion pwsh > $HOME/walletscreen.ps1", "  Add-Content $PROFILE '. $HOME/walletscreen.ps1'",
	} {
		if !strings.Contains(help, "\n"+line+"\n") {
			t.Errorf("want the line %q in\n%s", line, help)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		if code, out, _ := call(t, "", "completion", shell); code != 0 || len(out) < 100 {
			t.Errorf("%s: exit code %d, %q", shell, code, out)
		}
	}
}
