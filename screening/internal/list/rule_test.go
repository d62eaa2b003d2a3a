package list

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	lazarus   = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	clean     = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	paymentID = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
)

var day = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC)

var update = flag.Bool("update", false, "rewrite testdata/filings.golden")

// filedAs returns as text how e is filed.
func filedAs(e sources.Entry) string {
	keys, form := AppendFilings(nil, &e)
	b := fmt.Appendf(nil, "%s %q %q: %d", e.Address, e.Listed, e.Asset, form)
	for _, k := range keys {
		b = fmt.Appendf(b, " %x:%x", k.Class(), k.AppendBytes(nil))
	}
	return string(b)
}

// shapeOf returns the properties that determine how an entry is filed.
func shapeOf(e sources.Entry) string {
	keys, form := AppendFilings(nil, &e)
	b := fmt.Appendf(nil, "%s %d", e.Address.Chain(), form)
	for _, k := range keys {
		b = fmt.Appendf(b, " %x:%d", k.Class(), k.Len())
	}
	return string(b)
}

// TestRule checks that entries are filed and listings written according to Rule, and
// that no string can be read as an address of another chain than before. If it fails,
// old tables would be misread.
func TestRule(t *testing.T) {
	var literals []sources.Entry
	for _, text := range []string{paymentID, "0xA7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near",
		" bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1"} {
		for _, asset := range []string{"", "ETH", "XBT", "XMR"} {
			literals = append(literals, sources.Entry{Listed: text, Asset: asset, Kind: score.Scam, FirstSeen: day})
		}
	}
	b := newTableBuilder()
	for i, e := range append([]sources.Entry{
		{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("ethereum", clean), Kind: score.Sanctioned, Ref: "1", Name: "name", ListedAt: day, FirstSeen: day.Add(1)},
		{Address: address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Listed: "as listed", Asset: "XBT", Kind: score.Mixer},
	}, literals...) {
		f := b.file(&e)
		if i%2 == 1 {
			f.form |= isRepeated
		}
		b.add(&e, f, i%2, time.Time{})
		b.remove(e, e.FirstSeen)
	}
	table, err := b.build()
	if err != nil {
		t.Fatal(err)
	}
	digest := table.index.Digest()
	head := fmt.Sprintf("rule %s, digest %x", Rule, digest)
	const name = "testdata/filings.golden"
	if *update {
		lines := []string{head}
		for _, e := range literals {
			lines = append(lines, filedAs(e))
		}
		shapes := make(map[string]bool)
		for _, a := range vectors.Addresses(t, "../../..") {
			e := sources.Entry{Address: a}
			if s := shapeOf(e); !shapes[s] {
				shapes[s] = true
				lines = append(lines, filedAs(e))
			}
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
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
		got = append(got, filedAs(e))
	}
	if d := cmp.Diff(lines, got); d != "" {
		t.Errorf("tables that were filed before would be read wrongly: raise Rule, and run go test -run TestRule -update: -want +got\n%s", d)
	}
}
