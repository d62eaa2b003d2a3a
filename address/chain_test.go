package address_test

import (
	"errors"
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
		"world-chain": "worldchain", "arbitrum-one": "arbitrum", "binance-smart-chain": "bsc", "klay-token": "kaia",
		"metis-andromeda": "metis", "manta-pacific": "manta", "the-open-network": "ton", "harmony-shard-0": "harmony", "xdc-network": "xdc",
		// Ids of Trust Wallet's registry.
		"smartchain": "bsc", "avalanchec": "avalanche", "internet_computer": "internet-computer", "kavaevm": "kava-evm", "classic": "ethereum-classic",
		// Short names by EIP-3770.
		"arb1": "arbitrum", "oeth": "optimism", "obnb": "opbnb", "arb-nova": "arbitrum-nova", "zkevm": "polygon-zkevm",
	} {
		if got, err := address.ParseChain(name); err != nil || got != want {
			t.Errorf("ParseChain(%q) = %q, %v, want %s", name, got, err, want)
		}
	}
}

// TestOtherEVM reads addresses on EVM chains that have no row.
func TestOtherEVM(t *testing.T) {
	const text = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
	ethereum := address.MustParse("ethereum", text)
	for _, c := range []address.Chain{"eip155:2", "eip155:98865", "eip155:18446744073709551616", "eip155:" + address.Chain(strings.Repeat("9", 32))} {
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
		for _, s := range []string{" " + text + "\n", string(c) + ":" + text, "ethereum:" + text + "@" + string(c)[7:], "ethereum:" + text, "0X" + strings.ToUpper(text[2:])} {
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
