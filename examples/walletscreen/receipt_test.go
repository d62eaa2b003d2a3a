package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// sdn writes an excerpt of the SDN List of a day to a file, and returns it as lists import
// takes it.
func sdn(t *testing.T, day string) string {
	t.Helper()
	f, err := os.Open("../../sources/ofac/testdata/sdn_advanced_excerpt_" + day + ".xml.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	name := filepath.Join(t.TempDir(), "sdn_advanced.xml")
	if err := errors.Join(err, os.WriteFile(name, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	return "OFAC_SDN=" + name
}

// TestReceipts screens an address of Tornado Cash with the lists of before and after it
// was delisted on 21 March 2025, and verifies the receipts later, until a list is deleted.
func TestReceipts(t *testing.T) {
	longtest.WithoutRace(t)
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"
	dir, data := t.TempDir(), t.TempDir()
	key, before, after := filepath.Join(dir, "key"), filepath.Join(dir, "before"), filepath.Join(dir, "after")
	ok := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := call(t, "", args...)
		if code != want {
			t.Fatalf("%q: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
		return stdout, stderr
	}
	lists := []string{"-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN"}
	with := func(lists []string, args ...string) []string { return append(args, lists...) }

	ok(0, "receipt", "key", "-out", key, "-name", "example.org/screening")
	for name, mode := range map[string]os.FileMode{key: 0o600, key + ".pub": 0o644} {
		if s, err := os.Stat(name); err != nil || s.Mode().Perm()&^mode != 0 {
			t.Errorf("%s: %v, %v", name, s.Mode(), err)
		}
	}
	ok(2, "receipt", "key", "-out", key) // a key is never overwritten

	ok(0, append(with(lists, "lists", "import", "-accept"), sdn(t, "2025-03-04"))...)
	ok(1, append(with(lists, "screen", "-receipt", before, "-receipt-key", key), tornado)...)
	ok(0, append(with(lists, "screen", "-receipt", before), "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf")...)
	ok(0, append(with(lists, "lists", "import", "-accept"), sdn(t, "2025-03-21"))...)
	_, stderr := ok(2, append(with(lists, "screen", "-receipt", after, "-receipt-key", key), tornado, "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ")...)
	if !strings.Contains(stderr, "1 of 2 addresses have no receipt") {
		t.Errorf("standard error: %s", stderr)
	}
	receipts, err := os.ReadFile(after)
	if err != nil || strings.Contains(string(receipts), "5Hue") || strings.Count(string(receipts), "\n{")+1 != 1 ||
		!strings.HasPrefix(string(receipts), `{"format"`) {
		t.Errorf("receipts %s, %v", receipts, err)
	}

	verify := func(want int, contains string, args ...string) {
		t.Helper()
		if stdout, _ := ok(want, append([]string{"receipt", "verify"}, args...)...); !strings.Contains(stdout, contains) {
			t.Errorf("receipt verify %q: %s, want %q", args, stdout, contains)
		}
	}
	verify(0, "SAME  CRITICAL  100  ethereum "+strings.ToLower(tornado)+", screened ", before, "-data", data)
	verify(0, "SAME  CLEAN_NO_MATCH  0  ethereum 0x7e5f", "-data", data, before)
	verify(2, "CANNOT TELL  CLEAN_NO_MATCH", before, "-data", data, "-key", key+".pub") // the second is not signed
	verify(0, "  signature of example.org/screening holds\n", after, "-data", data, "-key", key+".pub")
	verify(0, "  signature: not verified, without -key\n", after, "-data", data)
	stdout, _ := ok(0, "receipt", "verify", after, "-data", data, "-json", "-key", key+".pub")
	var v jsonVerdict
	if err := json.Unmarshal([]byte(stdout), &v); err != nil || v.Outcome != "same" || v.Level != "CLEAN_NO_MATCH" || v.Score != 0 ||
		v.SignedBy != "example.org/screening" {
		t.Errorf("%s, %v", stdout, err)
	}

	// Forged: the signature does not hold, and neither does the score.
	forged := filepath.Join(dir, "forged")
	os.WriteFile(forged, []byte(strings.Replace(string(receipts), `"score":0`, `"score":50`, 1)), 0o600)
	verify(1, "the signature is not that of the receipt", forged, "-data", data, "-key", key+".pub")
	verify(1, "DIFFERENT  CLEAN_NO_MATCH  50", forged, "-data", data)
	line, _, _ := strings.Cut(string(receipts), "\n")
	os.WriteFile(forged, []byte(strings.Replace(line, `evidence 1","type":"screening"`, `receipt 2"`, 1)+"\n"), 0o600)
	verify(2, "CANNOT TELL  receipt 1\n  receipt: an earlier version of walletscreen has written this, in another form: verify it with that version\n", forged, "-data", data)
	os.WriteFile(forged, []byte("hello\n"), 0o600)
	verify(2, "CANNOT TELL  receipt 1\n  receipt: not a line of evidence", forged, "-data", data)

	files, _ := filepath.Glob(filepath.Join(data, storeDir, "OFAC_SDN-*.stays"))
	if len(files) < 2 {
		t.Fatal(files)
	}
	for _, f := range files[:len(files)-1] {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	verify(0, "SAME  CRITICAL", before, "-data", data) // any file that answers for the list will do
	verify(0, "SAME  CLEAN_NO_MATCH", after, "-data", data)
	if err := os.Remove(files[len(files)-1]); err != nil {
		t.Fatal(err)
	}
	verify(2, "not in the store", before, "-data", data)

	for _, tt := range []struct{ args, want string }{
		{"screen -in x -receipt x", "-receipt is the same file as -in"},
		{"receipt verify x -data " + data + " -out y", "-out needs -in"},
		{"screen -receipt-key y hello", "-receipt-key needs -receipt"},
		{"screen -receipt " + after + " -receipt-key " + key + ".pub " + tornado, "want the private key"},
		{"screen -receipt " + dir + " " + tornado, "-receipt: "},
		{"receipt", "which command? Want verify, bundle or key"},
		{"receipt verfy", "did you mean verify?"},
		{"receipt verify", "want a FILE"},
		{"receipt verify a b", "unexpected argument"},
		{"receipt verify " + after, "want -data"},
		{"receipt verify " + after + " -data " + dir, "there are no lists"},
		{"receipt verify nowhere -data " + data, "nowhere"},
		{"receipt verify " + after + " -data " + data + " -key " + key, "is the private key"},
		{"receipt verify " + after + " -data " + data + " -key " + after, "want the public key"},
		{"receipt verify " + os.DevNull + " -data " + data, "there is no receipt"},
		{"receipt key", "want -out"},
		{"receipt key x", "unexpected argument"},
		{"receipt key -out " + filepath.Join(dir, "k") + " -name a+b", "-name"},
	} {
		code, stdout, stderr := call(t, "", strings.Fields(tt.args)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, %q, want an error with %q", tt.args, code, stdout, stderr, tt.want)
		}
	}
}

// TestReceiptsServed asks a server for receipts, and verifies them with a copy of its
// lists, as on another machine.
func TestReceiptsServed(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	key, file, elsewhere := filepath.Join(dir, "key"), filepath.Join(dir, "receipts"), filepath.Join(dir, "copy")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key); code != 0 {
		t.Fatal(stderr)
	}
	s := start(t, "-lists", "OFAC_SDN,EU_CONSOLIDATED,UK_CONSOLIDATED", "-data", data, "-receipt-key", key)
	const short = "0x0fcab7394beb7c7ded081ce2456a097d7474c1b2095a3b2f4b2a8d1c8f4c7e1" // of a digit
	for _, a := range []string{listed, unlisted, "0x098B716B8Aaf21512996dC57EB0615e2383E2f9", short} {
		var answer map[string]any
		status := s.do(t, "POST", "/api/v1/screen", map[string]any{"address": a, "chain": map[bool]string{true: "starknet", false: "ethereum"}[a == short], "receipt": true}, &answer)
		receipt, ok := answer["receipt"].(string)
		if ok != (status == 200) || ok && !strings.HasPrefix(receipt, `{"format":"walletscreen evidence 1","type":"screening","screened_at":"`) {
			t.Fatalf("status %d, %v", status, answer)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(receipt); errors.Join(err, f.Close()) != nil {
			t.Fatal(err)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := os.CopyFS(elsewhere, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "", "receipt", "verify", file, "-data", elsewhere, "-key", key+".pub")
	if code != 0 || strings.Count(stdout, "SAME") != 3 || strings.Count(stdout, "signature of walletscreen holds") != 3 ||
		!strings.Contains(stdout, "SAME  NOT DECIDED  starknet "+short+", screened ") || !strings.Contains(stdout, "\n  in doubt: short\n") ||
		strings.Count(stdout, "CLEAN_NO_MATCH") != 1 || !strings.Contains(stdout, "not to be relied on: UK_CONSOLIDATED was partial") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	// The lists are the bundled ones, so the public key is enough.
	code, stdout, stderr = call(t, "", "receipt", "verify", file, "-key", key+".pub")
	if code != 0 || strings.Count(stdout, "SAME  ") != 3 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(elsewhere+".changed", []byte(strings.Replace(string(text), `"score":0`, `"score":9`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = call(t, "", "receipt", "verify", elsewhere+".changed", "-key", key+".pub")
	if code != 1 || strings.Count(stdout, "SAME  ") != 2 || strings.Count(stdout, "DIFFERENT  ") != 1 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := call(t, "", "serve", "-addr", "127.0.0.1:0", "-receipt-key", key+".pub"); code != 2 ||
		!strings.Contains(stderr, "want the private key") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestTableReceiptLines runs the command lines by which a client of the server screens a table, and
// verifies its receipt.
func TestTableReceiptLines(t *testing.T) {
	needPrograms(t, "sh", "curl", "jq", "base64")
	text, err := os.ReadFile("docs/receipt.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^curl .*\njq .*$`).FindString(string(text))
	data, dir := t.TempDir(), t.TempDir()
	s := start(t, "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN")
	defer s.stop()
	lines = strings.NewReplacer("…", "-H 'Authorization: Bearer "+s.key+"'", "http://127.0.0.1:8080", s.url).Replace(lines)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("customers.csv"), []byte("name,address\nA,"+listed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", lines)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", lines, err, out)
	}
	if code, stdout, stderr := call(t, "", "receipt", "verify", at("table.jsonl"), "-data", data, "-in", at("customers.csv"), "-out", at("verdicts.csv")); code != 0 {
		t.Errorf("%s\nverify: exit code %d\n%s%s", lines, code, stdout, stderr)
	}
}

// TestReceiptLine runs the command line by which a client of the server keeps a receipt, and
// verifies the receipt.
func TestReceiptLine(t *testing.T) {
	needPrograms(t, "sh", "curl", "jq")
	text, err := os.ReadFile("docs/receipt.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^curl .*$`).FindString(string(text))
	data := t.TempDir()
	s := start(t, "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN")
	defer s.stop()
	line = strings.NewReplacer(
		"0x…", listed,
		"…", s.url+"/api/v1/screen -H 'Authorization: Bearer "+s.key+"' -H 'Content-Type: application/json'").Replace(line)
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	if code, stdout, stderr := call(t, "", "receipt", "verify", filepath.Join(dir, "receipts.jsonl"), "-data", data); code != 0 ||
		!strings.HasPrefix(stdout, "SAME  CRITICAL") {
		t.Errorf("%s\nverify: exit code %d\n%s%s", line, code, stdout, stderr)
	}
}

// TestEachReceipt reads a file of several receipts, signed and not.
func TestEachReceipt(t *testing.T) {
	const line, signature = `{"format":"walletscreen evidence 1"}` + "\n", "\n— a signature\n"
	all := []string{line + signature, line, line, line + signature}
	var got []string
	if err := eachReceipt(strings.NewReader(strings.Join(all, "")), func(n int, data []byte) error {
		got = append(got, string(data))
		return nil
	}); err != nil || !slices.Equal(got, all) {
		t.Errorf("%v, %q", err, got)
	}
}

// TestReceiptsOfDoubtfulTexts verifies the receipts of listed texts that are in doubt, as they were
// written: each is about a question that gives its answer again.
func TestReceiptsOfDoubtfulTexts(t *testing.T) {
	const evm, starknet = "0x0330070fD38Ec3Bb94f58FA55D40368271e9e54A", "0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
	dir := t.TempDir()
	own := filepath.Join(dir, "own.csv")
	if err := os.WriteFile(own, []byte("address,chain\n"+evm+",ethereum\n"+starknet+",starknet\n5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320,near\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"-data", dir, "-list", "OWN=" + own}, shortest...)
	if code, _, stderr := call(t, "", append([]string{"lists", "refresh"}, flags...)...); code != 0 && code != 2 {
		t.Fatal(stderr)
	}
	written := 0
	for _, text := range []string{
		evm, "0x0330070fd38Ec3Bb94f58FA55D40368271e9e54A", "https://etherscan.io/address/" + evm, "https://etherscan.io/address/" + strings.ToUpper(evm[2:]),
		evm + " and " + starknet, "0x" + starknet[3:], "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320",
	} {
		for _, chain := range []string{"-chain=ethereum", "-chain=ETH", "-chain=starknet", "-chain="} {
			receipts := filepath.Join(t.TempDir(), "receipts")
			code, stdout, stderr := call(t, "", append([]string{"screen", "-receipt", receipts, chain, text}, flags...)...)
			if data, err := os.ReadFile(receipts); err != nil || len(data) == 0 {
				continue
			}
			written++
			if code, again, stderr := call(t, "", "receipt", "verify", "-data", dir, receipts); code != 0 || !strings.HasPrefix(again, "SAME  CRITICAL") {
				t.Errorf("%s on %q: exit code %d: %s%s; the verdict was %s", text, chain, code, again, stderr, stdout)
			}
			_, _ = code, stderr
		}
	}
	if written < 12 {
		t.Errorf("%d receipts are written", written)
	}
}
