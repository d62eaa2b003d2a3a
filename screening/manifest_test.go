package screening_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestIndexFormat holds that entries are filed, and listings written, as in the files of
// indexFormat, and that no string can be read as an address of another chain.
func TestIndexFormat(t *testing.T) {
	var literals []sources.Entry
	for _, text := range []string{paymentID, "0xA7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near", " bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1"} {
		for _, asset := range []string{"", "ETH", "XBT", "XMR"} {
			literals = append(literals, sources.Entry{Listed: text, Asset: asset, Kind: score.Scam, FirstSeen: day})
		}
	}
	digest, err := screening.IndexDigest(append([]sources.Entry{
		{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("ethereum", clean), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Listed: "as listed", Asset: "XBT", Kind: score.Mixer},
	}, literals...))
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("format %d, digest %s, chains %s", screening.IndexFormat, digest, address.Chains())
	const name = "testdata/filings.golden"
	if *update {
		entries := literals
		for _, a := range valid(t) {
			entries = append(entries, sources.Entry{Address: a})
		}
		text := head + "\n" + strings.Join(screening.Filed(entries), "\n") + "\n"
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	got := []string{head}
	for _, line := range lines[1:] {
		var e sources.Entry
		var of string
		if _, err := fmt.Sscanf(line, "%s", &of); err != nil {
			t.Fatal(err)
		}
		if a := new(address.Address); a.UnmarshalText([]byte(of)) == nil {
			e.Address = *a
		} else if _, err := fmt.Sscanf(line, "invalid address %q %q:", &e.Listed, &e.Asset); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, screening.Filed([]sources.Entry{e})...)
	}
	if d := cmp.Diff(lines, got); d != "" {
		t.Errorf("an index that was written before would be read wrongly. Raise indexFormat in manifest.go, and go test -run TestIndexFormat -update: -want +got\n%s", d)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/filings.golden")
