package sources_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

func TestAnomalies(t *testing.T) {
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
		want              []string
	}{
		{"evm", "ETH", evm, nil},
		{"evm in lower case", "ETH", strings.ToLower(evm), nil},
		{"blanks", "ETH", " " + evm + "\u00a0", nil},
		{"ticker in lower case", "eth", evm, nil},
		{"no ticker", "", btc, nil},
		{"token on either of its chains", "USDT", tron, nil},
		{"the other", "USDT", evm, nil},
		{"and on a third", "USDT", btc, []string{sources.WrongTicker}},
		{"tron under XBT", "XBT", tron, []string{sources.WrongTicker}},
		{"evm under XBT", "XBT", evm, []string{sources.WrongTicker}},
		{"wrong capitals", "ETH", wrong, []string{sources.BadChecksum}},
		{"wrong capitals, no ticker", "", wrong, []string{sources.BadChecksum}},
		{"wrong capitals, wrong ticker", "XBT", wrong, []string{sources.WrongTicker, sources.BadChecksum}},
		{"mistyped", "XBT", btc[:33] + "b", []string{sources.BadChecksum}},
		{"mistyped, no ticker", "", btc[:33] + "b", []string{sources.Undecodable}},
		{"a digit short", "ETH", evm[:41], []string{sources.Undecodable}},
		{"text", "", "LAZARUS GROUP", []string{sources.Undecodable}},
		{"unknown ticker", "NOSUCH", btc, []string{sources.UnknownAsset}},
		{"unknown ticker, text", "NOSUCH", "text", []string{sources.UnknownAsset, sources.Undecodable}},
	} {
		if got := entry(tt.asset, tt.text).Anomalies(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s %q has %q, want %q", tt.name, tt.asset, tt.text, got, tt.want)
		}
	}
	if got := normal.Anomalies(); got != nil {
		t.Errorf("an entry without Listed has %q", got)
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
