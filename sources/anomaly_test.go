package sources_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// inspect returns the anomalies of entries, in the order of the list.
func inspect(entries []sources.Entry) (a sources.Anomalies) {
	seen := make(map[sources.Entry]bool)
	for _, e := range entries {
		a.Add(e, seen[e.Identity()])
		seen[e.Identity()] = true
	}
	return a
}

func TestInspect(t *testing.T) {
	const (
		evm   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
		wrong = "0x098B716B8AAF21512996dC57EB0615e2383E2f96" // capitals that do not verify
		btc   = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
		tron  = "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq"
	)
	entry := func(asset, text string) sources.Entry {
		a, _ := sources.Decode(asset, text)
		return sources.Entry{Address: a, Listed: text, Asset: asset, Kind: score.Sanctioned, Ref: "1"}
	}
	normal := entry("ETH", evm)
	normal.Listed = ""
	for _, tt := range []struct {
		name, asset, text string
		want              []sources.AnomalyKind
	}{
		{"evm", "ETH", evm, nil},
		{"evm in lower case", "ETH", strings.ToLower(evm), nil},
		{"blanks", "ETH", " " + evm + "\u00a0", nil},
		{"ticker in lower case", "eth", evm, nil},
		{"no ticker", "", btc, nil},
		{"token on either of its chains", "USDT", tron, nil},
		{"the other", "USDT", evm, nil},
		{"and on a third", "USDT", btc, []sources.AnomalyKind{sources.WrongTicker}},
		{"tron under XBT", "XBT", tron, []sources.AnomalyKind{sources.WrongTicker}},
		{"evm under XBT", "XBT", evm, []sources.AnomalyKind{sources.WrongTicker}},
		{"wrong capitals", "ETH", wrong, []sources.AnomalyKind{sources.BadChecksum}},
		{"wrong capitals, no ticker", "", wrong, []sources.AnomalyKind{sources.BadChecksum}},
		{"wrong capitals, wrong ticker", "XBT", wrong, []sources.AnomalyKind{sources.WrongTicker, sources.BadChecksum}},
		{"mistyped", "XBT", btc[:33] + "b", []sources.AnomalyKind{sources.BadChecksum}},
		{"mistyped, no ticker", "", btc[:33] + "b", []sources.AnomalyKind{sources.Undecodable}},
		{"a digit short", "ETH", evm[:41], []sources.AnomalyKind{sources.Undecodable}},
		{"text", "", "LAZARUS GROUP", []sources.AnomalyKind{sources.Undecodable}},
		{"unknown ticker", "NOSUCH", btc, []sources.AnomalyKind{sources.UnknownAsset}},
		{"unknown ticker, text", "NOSUCH", "text", []sources.AnomalyKind{sources.UnknownAsset, sources.Undecodable}},
	} {
		a := inspect([]sources.Entry{entry(tt.asset, tt.text)})
		var got []sources.AnomalyKind
		for _, x := range a.First {
			got = append(got, x.Kind)
		}
		if !slices.Equal(got, tt.want) || a.Total() != len(got) {
			t.Errorf("%s: %s %q has %q (%v), want %q", tt.name, tt.asset, tt.text, got, a.Counts, tt.want)
		}
	}
	if a := inspect([]sources.Entry{normal}); a.Total() != 0 {
		t.Errorf("an entry without Listed has %v", a.Counts)
	}
	if a := inspect(nil); a.Total() != 0 || a.First != nil {
		t.Errorf("no entries have %v", a)
	}

	// An equal entry is a duplicate, whatever its name; an entry that differs in
	// anything else is not.
	other := entry("USDT", tron)
	other.Ref = "2"
	renamed := entry("USDT", tron)
	renamed.Name = "renamed"
	a := inspect([]sources.Entry{entry("USDT", tron), entry("TRX", tron), other, renamed, entry("USDT", tron), normal, {Address: normal.Address, Listed: normal.Address.Normalized(), Asset: "ETH", Kind: score.Sanctioned, Ref: "1"}})
	if want := map[sources.AnomalyKind]int{sources.Duplicate: 3}; !maps.Equal(a.Counts, want) || a.First[0].Entry != renamed {
		t.Errorf("anomalies %v, %+v, want %v", a.Counts, a.First, want)
	}

	// The number of examples is bounded, the count is not.
	var many []sources.Entry
	for i := range 1000 {
		many = append(many, entry("", fmt.Sprint("text ", i)))
	}
	if a := inspect(append(many, entry("XBT", tron))); a.Counts[sources.Undecodable] != 1000 || len(a.First) != 101 || a.First[100].Kind != sources.WrongTicker {
		t.Errorf("of a thousand %v are counted and %d shown", a.Counts, len(a.First))
	}
}

func TestSeed(t *testing.T) {
	live, seed := sources.Static(info, list...), sources.Static(info, list[0])
	if got, ok := sources.Seed(sources.Seeded(live, seed)); !ok || got != seed {
		t.Errorf("Seed = %v, %v, want the seed", got, ok)
	}
	if got, ok := sources.Seed(live); ok || got != nil {
		t.Errorf("Seed of another source = %v, %v", got, ok)
	}
}
