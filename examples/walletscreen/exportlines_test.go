package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestExportLines exports OFAC's list of 2025-11-19 and compares the files with those that
// another party's tool has made, byte for byte, by their hashes.
func TestExportLines(t *testing.T) {
	longtest.WithoutRace(t)
	data, out, dir := t.TempDir(), filepath.Join(t.TempDir(), "new", "lines"), t.TempDir()
	if code, _, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", sdn(t, "2025-11-19")); code > 1 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	key := filepath.Join(dir, "signing.key")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key, "-name", "example.com/lists"); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := callIn(t, nil, "", "lists", "export", "-data", data, "-format", "lines", "-out", out, "-receipt-key", key); code != 0 || stderr != "758 lines\n" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	want := map[string]string{}
	golden, err := os.Open("testdata/lines_2025-11-19.sha256")
	if err != nil {
		t.Fatal(err)
	}
	defer golden.Close()
	for sc := bufio.NewScanner(golden); sc.Scan(); {
		hash, name, _ := strings.Cut(sc.Text(), "  ")
		want[name] = hash
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != len(want)+1 || len(want) != 38 {
		t.Fatalf("%d files, want %d and the manifest: %v", len(files), len(want), err)
	}
	manifest := read(t, filepath.Join(out, manifestFile))
	for _, f := range files {
		hash := sha256.Sum256([]byte(read(t, filepath.Join(out, f.Name()))))
		if got := hex.EncodeToString(hash[:]); f.Name() != manifestFile && got != want[f.Name()] {
			t.Errorf("%s has the SHA-256 %s, want %s", f.Name(), got, want[f.Name()])
		} else if f.Name() != manifestFile && !strings.Contains(manifest, "file "+f.Name()+" sha256 "+got+" addresses ") {
			t.Errorf("the manifest lacks %s:\n%s", f.Name(), manifest)
		}
	}
	verifier, err := signed.NewVerifier(strings.TrimSpace(read(t, key+".pub")))
	if err != nil {
		t.Fatal(err)
	}
	note, err := signed.Open([]byte(manifest), signed.VerifierList(verifier))
	if err != nil || !strings.Contains(note.Text, "\nlist OFAC_SDN sha256 ") || !strings.Contains(note.Text, " published 2025-11-19 checked 2025-11-19T00:00:00Z whole, 0 left out\n") {
		t.Errorf("the manifest is\n%s: %v", manifest, err)
	}
	if _, err := signed.Open([]byte(strings.Replace(manifest, "addresses 77", "addresses 76", 1)), signed.VerifierList(verifier)); err == nil {
		t.Error("a changed manifest has a good signature")
	}

	// Programs that compare text find every spelling.
	if code, _, stderr := call(t, "", "lists", "export", "-data", data, "-format", "lines", "-out", out, "-spellings", "-lists", "OFAC_SDN", "-require", "OFAC_SDN"); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var eth, bch []string
	for ticker, to := range map[string]*[]string{"ETH": &eth, "BCH": &bch} {
		name := filepath.Join(out, "sanctioned_addresses_"+ticker)
		if err := json.Unmarshal([]byte(read(t, name+".json")), to); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Fields(read(t, name+".txt")); !slices.Equal(lines, *to) || !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) != len(lines) {
			t.Errorf("%s.txt has %q, the other file %q", name, lines, *to)
		}
	}
	for _, text := range []string{listed, strings.ToLower(listed)} {
		if !slices.Contains(eth, text) {
			t.Errorf("ETH lacks %s", text)
		}
	}
	if n := strings.Count(strings.Join(bch, ","), ",q") + strings.Count(strings.Join(bch, ","), ",1"); !slices.Contains(bch, "18M8bJWMzWHDBMxoLqjHHAffdRy4SrzkfB") || len(bch) < 14 || n < 10 {
		t.Errorf("BCH has %q", bch)
	}

	for args, want := range map[string]string{
		"-format lines": "want -out", "-format lines -out " + out + " -lists FBI_IC3 -require FBI_IC3": "no list has an address with a ticker",
		"-format lines -out " + out + " -max-age 1s": "nothing can be decided", "-out " + out + "/Lists.XLSX": "-out is written as CSV",
	} {
		if code, _, stderr := call(t, "", append([]string{"lists", "export"}, strings.Fields(args)...)...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s, want %q", args, code, stderr, want)
		}
	}
}

// read returns the text of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
