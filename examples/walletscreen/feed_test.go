package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

// TestFeed writes a feed of an excerpt of OFAC's file and of bundled lists, reads it as others
// do, and changes it in 200 places: lists verify notices each.
func TestFeed(t *testing.T) {
	longtest.WithoutRace(t)
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "feed")
	file := sdn(t, "2025-03-21")
	if code, _, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", file); code > 1 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	key := filepath.Join(t.TempDir(), "signing.key")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key, "-name", "example.com/feed"); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := call(t, "", "lists", "export", "-data", data, "-format", "feed", "-out", dir, "-receipt-key", key, "-lists",
		"OFAC_SDN,FBI_IC3,DOJ_FORFEITURE,GRAPHSENSE", "-require", "OFAC_SDN"); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	verify := func(args ...string) (int, string) {
		t.Helper()
		code, stdout, stderr := call(t, "", append([]string{"lists", "verify", "-key", key + ".pub"}, append(args, dir)...)...)
		return code, stdout + stderr
	}
	if code, said := verify(); code != 0 || !strings.Contains(said, "signed by example.com/feed\n") || !strings.Contains(said, "files, as signed\n") {
		t.Fatalf("exit code %d, %s", code, said)
	}
	var stderr bytes.Buffer
	if code := (&program{stdout: full{}, stderr: &stderr}).run(t.Context(), []string{"lists", "verify", "-key", key + ".pub", dir}); code != exitUndecided {
		t.Errorf("without space for the outcome: exit code %d, %s", code, &stderr)
	}

	// Only OFAC's entries are lines; each list is there as JSON and as a TagPack.
	lines := strings.Fields(read(t, filepath.Join(dir, "sanctioned_addresses_ETH.txt")))
	var array []string
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "sanctioned_addresses_ETH.json"))), &array); err != nil || len(array) != len(lines) || len(lines) < 10 {
		t.Errorf("%d lines of ETH, %d in JSON, %v", len(lines), len(array), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sanctioned_addresses_BTC.txt")); err == nil {
		t.Error("the addresses of the Justice Department are among the sanctioned ones")
	}
	for id, n := range map[string]int{"FBI_IC3": 101, "DOJ_FORFEITURE": 155, "GRAPHSENSE": 7690, "OFAC_SDN": 0} {
		var l feedList
		if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, id+".json"))), &l); err != nil || l.Source != id || l.License == "" || l.Published == "" ||
			len(l.Entries) != n && n > 0 || len(l.Entries) == 0 {
			t.Errorf("%s.json: %d entries, %v, want %d", id, len(l.Entries), err, n)
		}
		tags := 0
		_, err := badlist.Parse(strings.NewReader(read(t, filepath.Join(dir, id+".tagpack.yaml"))), func(e sources.Entry) error {
			if l.Entries[tags].Listed != e.Listed || e.Ref == "" || e.Name == "" {
				t.Errorf("%s: tag %d is %+v, want %+v", id, tags, e, l.Entries[tags])
			}
			tags++
			return nil
		})
		if err != nil || tags != len(l.Entries) {
			t.Errorf("%s.tagpack.yaml: %d tags, %v, want %d", id, tags, err, len(l.Entries))
		}
	}

	// Another party that fetched the same bytes, or others, or whose manifest was changed.
	manifest := read(t, filepath.Join(dir, manifestFile))
	_, digest, _ := strings.Cut(manifest, "\nlist OFAC_SDN sha256 ")
	witness := func(name, previous, sum string) (file, hash string) {
		body := fmt.Sprintf(`{"anchored":true,"day":"2025-03-21","previous":{"content_sha256":"%s","day":"2025-03-20"},"schema":"lynceris-manifest/1",`, previous)
		rest := fmt.Sprintf(`"sources":[{"capture_status":"ok","effective_day":"2025-03-21","entry_count":17000,"list_name":"ofac-sdn-advanced","sha256":"%s"}]}`+"\n", sum)
		h := sha256.Sum256([]byte(body + rest))
		hash = hex.EncodeToString(h[:])
		file = filepath.Join(t.TempDir(), name)
		text := body + `"signature":{"content_sha256":"` + hash + `","generated_at":"20250321T055001Z"},` + rest
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file, hash
	}
	first, hash := witness("first", strings.Repeat("0", 64), digest[:64])
	second, _ := witness("second", hash, strings.Repeat("1", 64))
	stray, _ := witness("stray", strings.Repeat("2", 64), digest[:64])
	if code, said := verify("-witness", first+","+second); code != 0 ||
		!strings.Contains(said, "OFAC_SDN: the witness of 2025-03-21 had the same file, of 2025-03-21\nOFAC_SDN: the witness of 2025-03-21 had another file") {
		t.Errorf("exit code %d, %s", code, said)
	}
	if code, said := verify("-witness", first+","+stray); code != 2 || !strings.Contains(said, "the chain is broken") {
		t.Errorf("a broken chain: exit code %d, %s", code, said)
	}
	if err := os.WriteFile(first, []byte(strings.Replace(read(t, first), "17000", "17001", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := verify("-witness", first); code != 2 || !strings.Contains(said, "its hash is wrong") {
		t.Errorf("a changed witness: exit code %d, %s", code, said)
	}

	// Every change is noticed: of the manifest, of a file, a file more and a file less.
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		name := filepath.Join(dir, []string{manifestFile, manifestFile, manifestFile, "sanctioned_addresses_ETH.txt", "FBI_IC3.json"}[i%5])
		good := read(t, name)
		bad := []byte(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(7)
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		l := &listsCall{program: &program{stdout: new(strings.Builder)}, keys: []string{key + ".pub"}}
		if err := l.verify(t.Context(), []string{dir}); err == nil {
			t.Errorf("%s, changed: no error", name)
		}
		if err := os.WriteFile(name, []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	more := filepath.Join(dir, "sanctioned_addresses_DOT.txt")
	if err := os.WriteFile(more, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := verify(); code != 2 || !strings.Contains(said, "sanctioned_addresses_DOT.txt is not in the manifest") {
		t.Errorf("a file more: exit code %d, %s", code, said)
	}
	if err := os.Rename(filepath.Join(dir, "sanctioned_addresses_ETH.txt"), more); err != nil {
		t.Fatal(err)
	}
	if code, said := verify(); code != 2 {
		t.Errorf("a file less: exit code %d, %s", code, said)
	}
	other := filepath.Join(t.TempDir(), "other.key")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", other, "-name", "example.com/feed"); code != 0 {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := call(t, "", "lists", "verify", "-key", other+".pub", dir); code != 2 || stdout != "" {
		t.Errorf("another key: exit code %d, %s%s", code, stdout, stderr)
	}
	text, _, _ := strings.Cut(manifest, "\n\n")
	if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := verify(); code != 2 || !strings.Contains(said, "is not signed") {
		t.Errorf("without a signature: exit code %d, %s", code, said)
	}
}
