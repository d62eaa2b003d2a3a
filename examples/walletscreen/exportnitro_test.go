package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A nitroReader decides about addresses as Arbitrum Nitro does with a file.
type nitroReader struct {
	id, salt string
	hashes   map[string]bool
}

func (n *nitroReader) refuses(address string) bool {
	sum := sha256.Sum256([]byte(n.salt + "::" + strings.ToLower(address)))
	return n.hashes[hex.EncodeToString(sum[:])]
}

func (n *nitroReader) add(text string) error {
	if hash, err := hex.DecodeString(text); err != nil || len(hash) != 32 {
		return fmt.Errorf("hash %q", text)
	}
	n.hashes[strings.ToLower(text)] = true
	return nil
}

// readNitroFirst reads a file as the parser of April 2026 does: the whole object, from which it
// takes address_hashes.
func readNitroFirst(text []byte) (*nitroReader, error) {
	var file struct {
		ID, Salt      string
		AddressHashes []struct{ Hash string } `json:"address_hashes"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	n := &nitroReader{file.ID, file.Salt, map[string]bool{}}
	for _, h := range file.AddressHashes {
		if err := n.add(h.Hash); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// readNitroSecond reads a file as the parser of May 2026 does: token by token. It refuses an
// unknown scheme, hashes a second time, and whatever follows the object.
func readNitroSecond(text []byte) (*nitroReader, error) {
	d, n := json.NewDecoder(bytes.NewReader(text)), &nitroReader{hashes: map[string]bool{}}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("no object: %v", err)
	}
	seen := map[string]bool{}
	scheme := ""
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value any
		switch key := name.(string); key {
		case "id":
			err = d.Decode(&n.id)
		case "salt":
			err = d.Decode(&n.salt)
		case "hashing_scheme":
			err = d.Decode(&scheme)
		case "hashes":
			var hashes []string
			if err = d.Decode(&hashes); seen[key] {
				err = errors.New("hashes a second time")
			}
			for _, h := range hashes {
				if !strings.HasPrefix(h, "0x") {
					return nil, fmt.Errorf("hash %q", h)
				}
				err = errors.Join(err, n.add(h[2:]))
			}
			seen[key] = true
		default:
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	if scheme != "sha256-stringinput" || len(n.id) != 36 || len(n.salt) != 36 {
		return nil, fmt.Errorf("scheme %q, id %q, salt %q", scheme, n.id, n.salt)
	}
	return n, nil
}

// TestNitroVector checks the vector of Nitro's own test.
func TestNitroVector(t *testing.T) {
	f := newNitroFilter(strings.Repeat("ab", 32), "3ccf0cbf-b23f-47ba-9c2f-4e7bd672b4c7", []string{strings.ToLower("0xddfAbCdc4D8FfC6d5beaf154f18B778f892A0740")})
	if want := "0x8fb74f22f0aed996e7548101ae1cea812ccdf86e7ad8a781eebea00f797ce4a6"; f.Hashes[0] != want || f.AddressHashes[0]["hash"] != want[2:] {
		t.Errorf("the hash is %s, want %s", f.Hashes[0], want)
	}
	if want := "abababab-abab-8bab-abab-abababababab"; f.ID != want {
		t.Errorf("the id is %s, want %s", f.ID, want)
	}
}

// TestExportNitro exports lists for Nitro, and asks both generations of its parser about listed
// accounts, accounts of the same key, and others.
func TestExportNitro(t *testing.T) {
	longtest.WithoutRace(t)
	data, name := t.TempDir(), filepath.Join(t.TempDir(), "filter.json")
	own := filepath.Join(t.TempDir(), "own.csv")
	three := []string{"WALLETSCREEN_LISTS=OFAC_SDN,UK_CONSOLIDATED,COMMUNITY_BADLIST", "WALLETSCREEN_REQUIRE=OFAC_SDN"}
	const (
		blocked = "0x3333333333333333333333333333333333333333"
		allowed = "0x7F367cC41522cE07553e823bf3be79A889DEbe1B" // OFAC lists it
		scammer = "0xcc02b920ae227f1be7d01fc241c27e5f74d40436" // on a community list only
		first   = "0x4444444444444444444444444444444444444444" // in one cell with second
		second  = "0x5555555555555555555555555555555555555555"
		twin    = "0x0655b7211f302b42a7bfa16a6c45284ab82fd85b" // has the key of TAYhjpL8pPs8T84FSM329nffQpc6jD8GBM, which OFAC lists
	)
	if err := os.WriteFile(own, []byte("address,action,chain,reason,author\n"+blocked+",block,ethereum,fraud,Ann\n"+first+"; "+second+",block,,fraud,Ann\n"+allowed+",allow,ethereum,license,Ann\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", sdn(t, "2025-11-19")); code > 1 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	export := func(args ...string) (code int, stderr string) {
		code, _, stderr = callIn(t, three, "", append([]string{"lists", "export", "-data", data, "-format", "nitro", "-out", name, "-list", "OWN=" + own}, args...)...)
		return code, stderr
	}
	readers := map[string]func([]byte) (*nitroReader, error){"first": readNitroFirst, "second": readNitroSecond}
	check := func(what string, want map[string]bool) (id string) {
		t.Helper()
		for generation, parse := range readers {
			n, err := parse([]byte(read(t, name)))
			if err != nil {
				t.Fatalf("%s: %s generation: %v", what, generation, err)
			}
			for account, refused := range want {
				if n.refuses(account) != refused {
					t.Errorf("%s: %s generation: %s is refused: %v, want %v", what, generation, account, !refused, refused)
				}
			}
			id = n.id
		}
		return id
	}
	code, stderr := export()
	if code == 0 || !strings.Contains(stderr, "is stale: refresh it") {
		t.Errorf("of stale lists: exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a filter of stale lists was written")
	}
	if code, stderr = export("-max-age", "36500d"); code != 0 || !strings.Contains(stderr, "OFAC_SDN: left out ") || !strings.Contains(stderr, " accounts\n") {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	if code, stdout, _ := callIn(t, three, "", "screen", scammer); code != 1 || !strings.Contains(stdout, "COMMUNITY_BADLIST") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	want := map[string]bool{listed: true, strings.ToLower(listed): true, blocked: true, first: true, second: true, unlisted: false, allowed: false, scammer: false, twin: false}
	id := check("exact", want)
	before := read(t, name)
	for _, args := range [][]string{{"-max-age", "1s"}, {"-salt", "x", "-max-age", "36500d"}, {"-match", "x", "-max-age", "36500d"}, {"-require", "UK_CONSOLIDATED", "-max-age", "36500d"}} {
		if code, stderr = export(args...); code == 0 || read(t, name) != before {
			t.Errorf("%q: exit code %d, %s; the file has changed: %v", args, code, stderr, read(t, name) != before)
		}
	}
	if code, stderr = export("-match", "key", "-max-age", "36500d"); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	want[twin] = true
	if other := check("key", want); other != id || read(t, name) == before {
		t.Errorf("the id is %s, want %s; the same salt: %v", other, id, read(t, name) == before)
	}

	// The id leads to the lists, also when others have come.
	if code, _, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", sdn(t, "2025-03-04")); code > 1 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	salt := "3ccf0cbf-b23f-47ba-9c2f-4e7bd672b4c7"
	if code, stderr = export("-max-age", "36500d", "-salt", salt); code != 0 || strings.Contains(read(t, name), id) {
		t.Errorf("exit code %d, %s; the id is %s", code, stderr, id)
	}
	if code, stdout, stderr := callIn(t, three, "", "lists", "export", "-data", data, "-from-id", id, "-list", "OWN="+own); code != 0 || strings.Count(stdout, "OFAC_SDN,") != 761 {
		t.Errorf("exit code %d, %s: %d rows of OFAC", code, stderr, strings.Count(stdout, "OFAC_SDN,"))
	}
	for _, id := range []string{salt, "x"} {
		if code, _, stderr := callIn(t, three, "", "lists", "export", "-data", data, "-from-id", id); code == 0 || !strings.Contains(stderr, "-from-id") {
			t.Errorf("%s: exit code %d, %s", id, code, stderr)
		}
	}
}
