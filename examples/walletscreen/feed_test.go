package main

import (
	"encoding/json"
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
}
