package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// An own list blocks and allows; the file needs no particular form.
func TestOwnLists(t *testing.T) {
	longtest.WithoutRace(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain := write("plain.txt", "# our own\n"+unlisted+" # a customer who left\n\nTJRabPrwbZy45sbavfcjinPJC18kjpRTv8\n")
	table := write(
		"table.csv",
		"address;action;reason;reference\n"+listed+";allow;license 2026-17;\nbc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq;block;fraud;T-7\n",
	)
	for _, test := range []struct {
		lists   []string
		address string
		want    string
	}{
		{[]string{"OWN=" + plain}, unlisted, "CRITICAL  100  ethereum " + unlisted + "\n  BLOCKED  exact match  OWN"},
		{[]string{"OWN=" + plain}, "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "CRITICAL  100  tron TJRabPrwbZy45sbavfcjinPJC18kjpRTv8\n  BLOCKED"},
		{[]string{"OWN=" + table}, listed, "CLEAN_NO_MATCH  0  ethereum " + strings.ToLower(listed) +
			"\n  suppressed  exact match  OFAC_SDN 27307  Lazarus Group  license 2026-17 (OWN)\n"},
		{[]string{"OWN=" + plain + ",MORE=" + table}, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
			"CRITICAL  100  bitcoin bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq\n  BLOCKED  exact match  MORE T-7  fraud\n      listed "},
		{[]string{"OWN=" + write("empty.csv", "")}, unlisted, "CLEAN_NO_MATCH  0  "},
	} {
		var args []string
		for _, l := range test.lists {
			args = append(args, "-list", l)
		}
		code, stdout, stderr := callIn(t, onlyOFAC, "", append(append([]string{"screen"}, args...), test.address)...)
		if !strings.HasPrefix(stdout, test.want) {
			t.Errorf("%q %s: exit code %d, %q, %s, want %q", test.lists, test.address, code, stdout, stderr, test.want)
		}
	}
	for list, want := range map[string]string{
		"OWN":                             `-list: want ID=VALUE, with an ID of capital letters, digits and underscores`,
		"own=" + plain:                    `-list: want ID=VALUE, with an ID of capital letters, digits and underscores`,
		"OFAC_SDN=" + plain:               `-list OFAC_SDN: there is a list of that id already`,
		"OWN=" + dir + "/none":            `list OWN: open ` + dir + `/none: no such file or directory`,
		"OWN=" + write("bad", "hello\nx"): `list OWN: ` + dir + `/bad: line 1: the address may be of several chains: name one in the column chain`,
		"OWN=" + write("word", "address,action\n"+unlisted+",deny\n"): `list OWN: ` + dir + `/word: line 2: action "deny", want block or allow`,
	} {
		code, stdout, stderr := callIn(t, onlyOFAC, "", "screen", "-list", list, unlisted)
		if code != 2 || stdout != "" || stderr != "walletscreen: screen: "+want+"\n" {
			t.Errorf("%s: exit code %d, %q, %q, want %q", list, code, stdout, stderr, want)
		}
	}
}

func TestChooseLists(t *testing.T) {
	_, _, stderr := call(t, "", "screen", "-lists", "OFAC_SDN", unlisted)
	if strings.Contains(stderr, "COMMUNITY_BADLIST") || !strings.Contains(stderr, "OFAC_SDN") {
		t.Error(stderr)
	}
	for _, test := range []struct{ args, want string }{
		{"-lists OFAC_SND", `-lists: there is no list "OFAC_SND"; did you mean OFAC_SDN?`},
		{"-lists OFAC_SDN -require all", "-require EU_CONSOLIDATED: the list is not among -lists"},
		{"-lists SCAMSNIFFER -require SCAMSNIFFER", "nothing can be decided: SCAMSNIFFER not loaded"},
	} {
		code, _, stderr := call(t, "", append(append([]string{"screen"}, strings.Fields(test.args)...), unlisted)...)
		if code != 2 || !strings.HasPrefix(stderr, "walletscreen: screen: "+test.want+"\n") {
			t.Errorf("%s: exit code %d, %q, want %q", test.args, code, stderr, test.want)
		}
	}
}

// TestOfflineWithOwnList checks that an offline server reads its own list, that no alert fires for the lists that it does not fetch, and that
// screen says which lists it has not beside the server.
func TestOfflineWithOwnList(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(own, []byte("address\n"+unlisted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	s := start(t, "-ops-addr", "127.0.0.1:0", "-list", "OWN="+own, "-data", data)
	all := s.scrape(t)
	for _, id := range []string{"OFAC_SDN", "UK_CONSOLIDATED", "OWN"} {
		if value(t, all, "walletscreen_source_failing", "source", id) != 0 {
			t.Errorf("%s is failing", id)
		}
	}
	if n := value(t, all, "walletscreen_source_entries", "source", "OWN"); n != 1 {
		t.Errorf("the own list has %v entries", n)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if strings.Contains(s.said, "level=WARN") {
		t.Error(s.said)
	}
	// A filter is written from other lists than the server has, and says so.
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte("address\n"+listed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "", "lists", "export", "-format", "nitro", "-data", data, "-lists", "OFAC_SDN", "-max-age", "100y", "-list", "OTHER="+other); code != 0 || !strings.Contains(stderr, "not asked here, OWN:") {
		t.Error(code, stderr)
	}
	for flag, isSaid := range map[string]bool{"": true, " -list OWN=" + own: false} {
		_, _, stderr := call(t, "", strings.Fields("lists status -data "+data+flag)...)
		if strings.Contains(stderr, "not asked here, OWN:") != isSaid {
			t.Errorf("lists status%s: %s", flag, stderr)
		}
	}
	// Beside the server, the lists that are not given are named: the account is clean without them.
	for _, test := range []struct{ args, want string }{
		{"", "CLEAN_NO_MATCH"}, {" -lists OFAC_SDN", "CLEAN_NO_MATCH"}, {" -list OWN=" + own, "CRITICAL"},
	} {
		_, stdout, stderr := call(t, "", strings.Fields("screen -data "+data+" -require OFAC_SDN "+unlisted+test.args)...)
		if isSaid := strings.Contains(stderr, "not asked here, OWN:"); !strings.HasPrefix(stdout, test.want) || isSaid != (test.want != "CRITICAL") {
			t.Errorf("%q: %s%s", test.args, stdout, stderr)
		}
		now := time.Now().UTC().Format(time.RFC3339Nano)
		_, stdout, stderr = call(t, "", strings.Fields("screen -at "+now+" -data "+data+" -require OFAC_SDN "+unlisted+test.args)...)
		if isSaid := strings.Contains(stderr, "not asked here, OWN:"); !strings.HasPrefix(stdout, test.want) || isSaid != (test.want != "CRITICAL") {
			t.Errorf("-at %s %q: %s%s", now, test.args, stdout, stderr)
		}
	}
}

// A list with a label of its own comes from a table, a TagPack, or a URL, without Go code.
func TestListsWithKind(t *testing.T) {
	dir := t.TempDir()
	table, pack, own := filepath.Join(dir, "scams.csv"), filepath.Join(dir, "pack.yaml"), filepath.Join(dir, "own.csv")
	const thief = "1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4"
	for name, text := range map[string]string{
		table: "address,comment\n" + unlisted + ",a fake shop\n",
		own:   "address,reason\n" + unlisted + ",ours\n",
		pack: "title: ours\ncurrency: BTC\nsource: https://case.example/7\ntags:\n- address: " + thief + "\n  label: The fake shop\n  abuse: scam\n" +
			"- address: 1NZcj9Gqtj21q4XPdZYMx43HhJyPjE6GqM\n  label: its victim\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{table, pack, own} {
		var file bytes.Buffer
		z := gzip.NewWriter(&file)
		z.Write([]byte(read(t, name)))
		z.Close()
		if err := os.WriteFile(name+".gz", file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	data := filepath.Join(dir, "data")
	remote := "SHOPS=" + server.URL + "/scams.csv,kind=PHISHING"
	for _, test := range []struct {
		list, data, address string
		code                int
		want                string
	}{
		{"SHOPS=" + table + ",kind=scam", "", unlisted, 1, "HIGH  70  ethereum " + unlisted + "\n  SCAM  exact match  SHOPS  a fake shop\n"},
		{"OURS=" + pack, "", thief, 1, "HIGH  70  bitcoin " + thief + "\n  SCAM  exact match  OURS https://case.example/7  The fake shop\n"},
		{"OURS=" + pack + ".gz", "", thief, 1, "HIGH  70  bitcoin " + thief + "\n  SCAM  exact match  OURS https://case.example/7  The fake shop\n"},
		{"OURS=" + own + ".gz", "", unlisted, 1, "CRITICAL  100  ethereum " + unlisted + "\n"},
		{"SHOPS=" + server.URL + "/scams.csv.gz,kind=PHISHING", data, "", 0, "SHOPS"},
		{"OURS=" + pack + ",kind=BLOCKED", "", thief, 1, "CRITICAL  100  bitcoin " + thief + "\n  BLOCKED  exact match  OURS https://case.example/7"},
		{"OURS=" + pack, "", "1NZcj9Gqtj21q4XPdZYMx43HhJyPjE6GqM", 0, "CLEAN_NO_MATCH  0  "},
		{remote, "", unlisted, 2, ""}, // it was never fetched, and is required
		{remote, data, "", 0, "SHOPS"},
		{remote, data, unlisted, 1, "HIGH  75  ethereum " + unlisted + "\n  PHISHING  exact match  SHOPS  a fake shop\n"},
	} {
		args := []string{"screen", "-lists", "FBI_IC3", "-require", "FBI_IC3", "-list", test.list}
		if test.data != "" {
			args = append(args, "-data", test.data)
		}
		if args = append(args, test.address); test.address == "" {
			args = append([]string{"lists", "refresh"}, args[1:len(args)-1]...)
		}
		code, stdout, stderr := call(t, "", args...)
		if code != test.code || !strings.Contains(stdout, test.want) || code == 2 && !strings.Contains(stderr, "SHOPS not loaded") {
			t.Errorf("%q: exit code %d, %q, %s, want %d, %q", args, code, stdout, stderr, test.code, test.want)
		}
	}
	for list, want := range map[string]string{
		"A=" + table + ",kind=SANCTIONED":    `-list A: kind "SANCTIONED": want one of BLOCKED, RANSOMWARE, STOLEN_FUNDS, PHISHING, SCAM, MIXER, COMMUNITY_REPORT`,
		"A=https://x.example/y,kind=BLOCKED": `-list A: kind "BLOCKED": want one of RANSOMWARE, STOLEN_FUNDS, PHISHING, SCAM, MIXER, COMMUNITY_REPORT`,
		"A=http://x.example/y,kind=SCAM":     `-list A: over plain HTTP, anyone on the way can take addresses out of the list; use https://, or accept that with -mirror-over-http`,
		"A=ftp://x.example/y":                `-list A: want a URL that begins with https:// or http://`,
	} {
		if code, _, stderr := call(t, "", "screen", "-list", list, unlisted); code != 2 || !strings.Contains(stderr, want+"\n") {
			t.Errorf("%s: exit code %d, %q, want %q", list, code, stderr, want)
		}
	}
}

// TestRefusedWithKind fetches a list that shrinks. It cannot be imported, and nothing says so.
func TestRefusedWithKind(t *testing.T) {
	text := ""
	for n := range 200 {
		text += evm(n) + "\n"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
	defer server.Close()
	args := []string{"lists", "refresh", "-data", t.TempDir(), "-lists", "FBI_IC3", "-list", "SHOPS=" + server.URL + "/shops.txt,kind=SCAM"}
	if code, stdout, stderr := call(t, "", args...); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	text = evm(1) + "\n"
	if code, stdout, stderr := call(t, "", args...); code != 2 || !strings.Contains(stdout, "SHOPS    REFUSED") || strings.Contains(stdout, "import") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
