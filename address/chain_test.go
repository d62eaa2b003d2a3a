package address_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// TestChainNames parses all names of all chains, and the names that other tools
// use.
func TestChainNames(t *testing.T) {
	for _, c := range address.Chains() {
		names := append([]string{string(c), c.Name()}, c.Aliases()...)
		if id := c.CAIP2(); id != "" {
			names = append(names, id)
		}
		for _, name := range names {
			for _, s := range []string{name, strings.ToUpper(name), " " + strings.ToLower(name) + "\n"} {
				if got, err := address.ParseChain(s); err != nil || got != c {
					t.Errorf("ParseChain(%q) = %q, %v, want %s", s, got, err, c)
				}
			}
		}
	}
	for name, want := range map[string]address.Chain{
		// CoinGecko's ids of platforms.
		"polygon-pos": "polygon", "optimistic-ethereum": "optimism", "near-protocol": "near", "hedera-hashgraph": "hedera",
		"world-chain": "worldchain", "arbitrum-one": "arbitrum", "binance-smart-chain": "bsc", "klay-token": "kaia", "xdai": "gnosis",
		"metis-andromeda": "metis", "manta-pacific": "manta", "the-open-network": "ton", "harmony-shard-0": "harmony", "xdc-network": "xdc",
		"flare-network": "flare", "okex-chain": "okx-chain", "tomochain": "viction", "zora-network": "zora", "neon-evm": "neon", "immutable": "immutable-zkevm",
		"sei-network": "sei", "sei-v2": "sei", "polygon-zkevm": "polygon-zkevm", "plume-network": "plume", "x-layer": "x-layer",
		// Ids of Trust Wallet's registry.
		"smartchain": "bsc", "avalanchec": "avalanche", "internet_computer": "internet-computer", "kavaevm": "kava-evm", "classic": "ethereum-classic",
		"doge": "dogecoin", "ripple": "xrp", "bitcoincash": "bitcoin-cash", "bitcoindiamond": "bitcoin-diamond", "cryptoorg": "crypto-org",
		"binance":     "binance-beacon",
		"nativecanto": "canto", "nativeevmos": "evmos", "nativeinjective": "injective", "nativezetachain": "zetachain", "zetaevm": "zetachain",
		"terrav2": "terra", "elrond": "multiversx", "zelcash": "flux", "cfxevm": "conflux-espace", "iotexevm": "iotex", "okc": "okx-chain", "fetchai": "fetch-ai",
		"polygonzkevm": "polygon-zkevm", "mantapacific": "manta", "zcoin": "firo",
		// Short names by EIP-3770.
		"arb1": "arbitrum", "oeth": "optimism", "obnb": "opbnb", "arb-nova": "arbitrum-nova", "zkevm": "polygon-zkevm", "rsk": "rootstock", "telosevm": "telos",
		"tko-mainnet": "taiko", "neonevm-mainnet": "neon", "mbeam": "moonbeam", "mriver": "moonriver", "hmy-s0": "harmony", "cypress": "kaia",
		"blastmainnet":  "blast",
		"iotex-mainnet": "iotex", "zetachain-mainnet": "zetachain", "wc": "worldchain",
		// A space, an underscore and a hyphen are alike.
		"bitcoin_cash": "bitcoin-cash", "Binance Smart Chain": "bsc", "Hyper_EVM": "hyperevm", "BNB-Smart-Chain": "bsc",
	} {
		if got, err := address.ParseChain(name); err != nil || got != want {
			t.Errorf("ParseChain(%q) = %q, %v, want %s", name, got, err, want)
		}
	}
}

// TestTickers checks that a ticker alone is an error that names a slug.
func TestTickers(t *testing.T) {
	for _, c := range address.Chains() {
		for _, ticker := range c.Tickers() {
			name := strings.ToLower(ticker)
			got, err := address.ParseChain(name)
			switch {
			case err == nil: // also a full name, of this chain or another
				if string(got) != name && !slices.Contains(got.Aliases(), name) && !strings.EqualFold(got.Name(), name) {
					t.Errorf("ParseChain(%q) = %s", name, got)
				}
			case !errors.Is(err, address.ErrChain) || !slices.Contains(parseError(t, err).Other.Tickers(), ticker):
				t.Errorf("ParseChain(%q): %v", name, err)
			}
		}
	}
}

// update makes TestPapers and TestIDs write what they would compare; see table.go.
var update = flag.Bool("update", false, "write what follows from the table of chains")

// TestPapers checks the lists of chains in CONTRIBUTING.md and in the OpenAPI
// description, and the number of chains in other papers, against the table.
func TestPapers(t *testing.T) {
	var all, evm, others []string
	for _, c := range address.Chains() {
		all = append(all, string(c))
		if address.IsEVM(c) {
			evm = append(evm, string(c))
		} else {
			others = append(others, string(c))
		}
	}
	number := fmt.Sprintf("%d chains", len(all))
	for _, tt := range []struct {
		name, text string // a file, and a pattern with a group for the text
		want       string
	}{
		{"../CONTRIBUTING.md", `EVM chains:\n\n((?s:.*?))\n\n`, wrapped(evm, "", 88) + "."},
		{"../CONTRIBUTING.md", `Other chains:\n\n((?s:.*?))\n\n`, wrapped(others, "", 88) + "."},
		{"../httpapi/openapi.yaml", `x-extensible-enum:\n        \[\n((?s:.*?))\n        \]`, wrapped(all, "          ", 150) + ","},
		{"../README.md", "addresses of ([0-9]+ chains)", number},
		{"../CHANGELOG.md", "address: ([0-9]+ chains)", number},
	} {
		b, err := os.ReadFile(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		at := regexp.MustCompile(tt.text).FindSubmatchIndex(b)
		if at == nil {
			t.Fatalf("%s has no text %s", tt.name, tt.text)
		}
		switch got := string(b[at[2]:at[3]]); {
		case got == tt.want:
		case *update:
			if err := os.WriteFile(tt.name, slices.Concat(b[:at[2]], []byte(tt.want), b[at[3]:]), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s, %s: run go generate ./address: got\n%s\nwant\n%s", tt.name, tt.text, got, tt.want)
		}
	}
}

// wrapped returns words with commas between them, in lines of at most width characters.
func wrapped(words []string, indent string, width int) string {
	text, line := "", indent+words[0]
	for _, w := range words[1:] {
		if len(line)+len(", ,")+len(w) > width {
			text += line + ",\n"
			line = indent + w
			continue
		}
		line += ", " + w
	}
	return text + line
}

// TestOtherEVM reads addresses on EVM chains that have no row.
func TestOtherEVM(t *testing.T) {
	const text = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
	ethereum := address.MustParse("ethereum", text)
	for _, c := range []address.Chain{"eip155:2", "eip155:98865", "eip155:9223372036854775807"} {
		a, err := address.Parse(c, text)
		if err != nil || a.Chain() != c || a.Normalized() != strings.ToLower(text) || a.Canonical() != ethereum || a.Account() != ethereum.Account() {
			t.Errorf("Parse(%s) = %v, %v, its canonical form %v", c, a, err, a.Canonical())
		}
		if k, ok := a.Key(); !ok || k != must(ethereum.Key()) {
			t.Errorf("the key of %v is %v", a, k)
		}
		if a.String() != string(c)+":"+strings.ToLower(text) || c.Name() == "" || c.CAIP2() != string(c) {
			t.Errorf("%v has the text %q and the name %q", a, a.String(), c.Name())
		}
		var again address.Address
		if b, err := a.MarshalText(); err != nil || again.UnmarshalText(b) != nil || again != a {
			t.Errorf("UnmarshalText of %s gives %v", b, again)
		}
		for _, s := range []string{" " + text + "\n", string(c) + ":" + text, "ethereum:" + text + "@" + string(c)[7:], "ethereum:" + text,
			"0X" + strings.ToUpper(text[2:])} {
			if b, err := address.Normalize(c, s); err != nil || b != a {
				t.Errorf("Normalize(%s, %q) = %v, %v", c, s, b, err)
			}
		}
		if _, err := address.Parse(c, text[:41]); !errors.Is(err, address.ErrLength) || parseError(t, err).Chain != c {
			t.Errorf("Parse(%s, %q): %v", c, text[:41], err)
		}
		if got, err := address.ParseChain(strings.ToUpper(string(c))); err != nil || got != c {
			t.Errorf("ParseChain(%s) = %q, %v", c, got, err)
		}
	}
	if a, err := address.Parse("eip155:56", text); err != nil || a.Chain() != "bsc" {
		t.Errorf("Parse(eip155:56) = %v, %v, want one of bsc", a, err)
	}
	if _, err := address.Normalize("ethereum", "eip155:98865:"+text); !errors.Is(err, address.ErrOtherChain) || parseError(t, err).Other != "eip155:98865" {
		t.Errorf("eip155:98865 on ethereum: %v", err)
	}
	for _, c := range []address.Chain{"eip155", "eip155:", "eip155:01", "eip155:0", "eip155:1x", "eip155:-1", "eip155:" + address.Chain(strings.Repeat("9", 33))} {
		if a, err := address.Parse(c, text); !errors.Is(err, address.ErrChain) {
			t.Errorf("Parse(%s) = %v, %v", c, a, err)
		}
		if got, err := address.ParseChain(string(c)); err == nil {
			t.Errorf("ParseChain(%s) = %s", c, got)
		}
	}
}

// must returns v, whose second value is true.
func must[T any](v T, _ bool) T { return v }
