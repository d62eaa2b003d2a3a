package sources_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
)

func TestRepair(t *testing.T) {
	const (
		evm   = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
		evm2  = "0x57ec89a0c056163a0314e413320f9b3abe761259"
		btc   = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
		bc1   = "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
		tron  = "TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU"
		other = "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaK"
	)
	for text, want := range map[string]string{
		"l" + btc[1:]: "bitcoin:" + btc, "I" + btc[1:]: "bitcoin:" + btc,
		tron[:29] + "0" + tron[30:]: "tron:" + tron, tron[:29] + "O" + tron[30:]: "tron:" + tron, "Т" + tron[1:]: "tron:" + tron,
		"l" + btc[1:33] + "h": "", btc[:33] + "J": "", other + "l": "", "Hello, World0": "", "": "",
		evm[2:]: "ethereum:" + evm, "Ox" + evm[2:]: "ethereum:" + evm, evm[2:41]: "", evm + "0": "",
		"bcl" + bc1[3:]: "bitcoin:" + bc1, "Bc1" + bc1[3:]: "bitcoin:" + bc1, bc1[:41] + "m": "",
		evm + " and " + evm2[2:] + "; XBT l" + btc[1:]:                                              "ethereum:" + evm + " ethereum:" + evm2 + " bitcoin:" + btc,
		"wallet of " + evm[2:] + " (BSC)":                                                           "ethereum:" + evm,
		"We have reasonable grounds to suspect AYASH, LEI 5493001KJTIIGC8Y1R12, OGRN 1027700132195": "",
		strings.Repeat("l", 5000):                                                                   "",
		"\u212a12345678901":                                                                         "", "İBRAHİM YILMAZ": "", "WEIẞENBERGER": "", "\u212a" + bc1: "bitcoin:" + bc1,
	} {
		var got []string
		for _, r := range sources.Repair("", text) {
			if r.Start < 0 || r.End <= r.Start || r.End > len(text) {
				t.Errorf("Repair(%.99q): %d to %d is not in the text", text, r.Start, r.End)
			}
			got = append(got, r.Address.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Repair(%.99q) = %q, want %q", text, got, want)
		}
	}
}

// Dogecoin and Verge print an address alike: the ticker says which it is.
func TestRepairTicker(t *testing.T) {
	const text = "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z"
	if found := sources.Repair("XVG", text+" (wallet)"); len(found) != 1 || found[0].Address.String() != "verge:"+text {
		t.Errorf("%v, want %s of Verge", found, text)
	}
}

// Nothing but the chain proves a name or an id with full stops.
func TestRepairName(t *testing.T) {
	const btc = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	for _, tt := range []struct{ asset, text, want string }{
		{"HBAR", "account 0.0.1234567", "hedera:0.0.1234567"},
		{"near", "alice.near, " + btc, "near:alice.near bitcoin:" + btc},
		{"NEAR", "(" + btc + ") or alice.near.", "bitcoin:" + btc + " near:alice.near"},
		{"ETH", "alice.near", ""}, {"", btc + " 0.0.1234567", "bitcoin:" + btc},
	} {
		var got []string
		for _, r := range sources.Repair(tt.asset, tt.text) {
			got = append(got, r.Address.String())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("Repair(%q, %q) = %q, want %q", tt.asset, tt.text, got, tt.want)
		}
	}
}

// What Repair finds is the address without the marks around it, so that it can be read on another chain, too.
func TestRepairPlace(t *testing.T) {
	const tron = "TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU"
	for _, text := range []string{tron + ".", "(" + tron + ")", " \u200b" + tron + "; ", "\"" + tron + "\"", tron[:9] + "\u200b" + tron[9:] + "."} {
		found := sources.Repair("", text)
		if len(found) != 1 || strings.ReplaceAll(sources.TrimListed(text[found[0].Start:found[0].End]), "\u200b", "") != tron {
			t.Errorf("%q: %v, want the place of the address", text, found)
		}
	}
}

// FuzzRepair checks that what Repair finds is a part of the cell.
func FuzzRepair(f *testing.F) {
	const evm, bc1 = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
	for _, s := range []string{evm, evm[2:], bc1, "Bcl" + bc1[3:], "l" + "BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", evm + "; " + bc1} {
		for i := 0; i < len(s); i += longtest.Step(5, 1) {
			for _, r := range []string{"\u212a", "İ", "ẞ", "\u023a", "ſ", "\ufffd", "\xff", "О", "\u200b", "０"} {
				f.Add("ETH", s[:i]+r+s[i:])
				f.Add(r, r+s[:i]+r)
			}
		}
	}
	f.Fuzz(func(t *testing.T, asset, text string) {
		sources.Decode(asset, text)
		address.Interpret(asset, text)
		address.FindLikely(text)
		for _, r := range sources.Repair(asset, text) {
			if !r.Address.IsValid() || r.Start < 0 || r.End <= r.Start || r.End > len(text) {
				t.Errorf("Repair(%q, %q): %v at %d to %d", asset, text, r.Address, r.Start, r.End)
			}
		}
	})
}
