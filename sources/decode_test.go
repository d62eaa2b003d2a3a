package sources_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

func TestDecode(t *testing.T) {
	const (
		evm     = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96" // OFAC: Lazarus Group
		wrong   = "0x098B716B8AAF21512996dC57EB0615e2383E2f96" // capitals that do not verify
		btc     = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"         // the genesis block
		segwit  = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" // BIP-173 form, common test vector
		tron    = "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq"         // OFAC, listed under XBT
		ofacXMR = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
	)
	tests := []struct {
		name, asset, text string
		want              string // chain:address, "" for none
	}{
		{"of the ticker", "ETH", evm, "ethereum:" + strings.ToLower(evm)},
		{"ticker in lower case", "eth", evm, "ethereum:" + strings.ToLower(evm)},
		{"of a ticker of two chains", "USDT", evm, "ethereum:" + strings.ToLower(evm)},
		{"tron under USDT", "USDT", tron, "tron:" + tron},
		{"bitcoin under USDT", "USDT", btc, "bitcoin:" + btc},
		{"tron under XBT", "XBT", tron, "tron:" + tron},
		{"bitcoin under XBT", "XBT", btc, "bitcoin:" + btc},
		{"segwit under XBT", "XBT", segwit, "bitcoin:" + segwit},
		{"evm under XBT", "XBT", evm, "ethereum:" + strings.ToLower(evm)},
		{"of a named chain", "Polygon", evm, "polygon:" + strings.ToLower(evm)},
		{"1… of a named chain", "bitcoin-sv", btc, "bitcoin-sv:" + btc},
		{"of another chain than is named", "bitcoin", tron, "tron:" + tron},
		{"1… under BSV", "BSV", btc, "bitcoin-sv:" + btc},
		{"D… under XVG", "XVG", "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "verge:DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z"}, // OFAC
		{
			"CashAddr without its prefix",
			"BCH",
			"qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq",
			"bitcoin-cash:bitcoincash:qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq",
		}, // OFAC
		{"evm under a chain of its own", "ARB", evm, "arbitrum:" + strings.ToLower(evm)},

		{"no ticker, evm", "", evm, "ethereum:" + strings.ToLower(evm)},
		{"no ticker, bitcoin", "", btc, "bitcoin:" + btc},
		{"no ticker, tron", "", tron, "tron:" + tron},
		{"unknown ticker, evm", "NOSUCH", evm, "ethereum:" + strings.ToLower(evm)},
		{"unknown ticker, bitcoin", "NOSUCH", btc, "bitcoin:" + btc},
		{"capitals that do not verify", "ETH", wrong, "ethereum:" + strings.ToLower(evm)},
		{"the same, no ticker", "", wrong, "ethereum:" + strings.ToLower(evm)},
		{"the same, unknown ticker", "NOSUCH", wrong, "ethereum:" + strings.ToLower(evm)},
		{"the same, ticker of another chain", "XBT", wrong, "ethereum:" + strings.ToLower(evm)},
		{"0X", "", "0X" + evm[2:], "ethereum:" + strings.ToLower(evm)},

		{"blanks", "ETH", "\ufeff \t" + evm + "\u00a0\u200b\r\n", "ethereum:" + strings.ToLower(evm)},
		{"blanks, no ticker", "", " " + btc + " ", "bitcoin:" + btc},

		{"a digit short", "ETH", evm[:41], ""},
		{"a digit too many", "ETH", evm + "0", ""},
		{"64 hex digits under XMR", "XMR", ofacXMR, ""},
		{"64 hex digits, no ticker", "", ofacXMR, ""},
		{"checksum wrong", "XBT", btc[:33] + "b", ""},
		{"letter case wrong", "XBT", strings.ToLower(btc), ""},
		{"text", "", "LAZARUS GROUP", ""},
		{"empty", "", "", ""},
		{"empty, with a ticker", "ETH", "", ""},
		{"two addresses", "ETH", evm + " " + evm, ""},
		{"CAIP-10", "", "eip155:56:" + evm, "bsc:" + strings.ToLower(evm)},
		{"CAIP-10 of an EVM chain without a name", "USDT", "eip155:98865:" + evm, "eip155:98865:" + strings.ToLower(evm)},
		{"a URI of another chain", "", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
		{"long", "ETH", strings.Repeat("0", 1<<20), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, ok := sources.Decode(tt.asset, tt.text)
			if ok != (tt.want != "") || ok != a.IsValid() || ok && a.String() != tt.want {
				t.Errorf("Decode(%q, %.100q) = %v, %v, want %q", tt.asset, tt.text, a, ok, tt.want)
			}
		})
	}
}

// TestDecodeTickers checks that an EVM address is found under each ticker of an EVM
// chain, even if the asset lives on another chain: the same key controls it.
func TestDecodeTickers(t *testing.T) {
	evm := address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	want, _ := evm.Key()
	for _, c := range address.Chains() {
		if !strings.HasPrefix(c.CAIP2(), "eip155:") {
			continue
		}
		for _, ticker := range c.Tickers() {
			a, ok := sources.Decode(ticker, evm.Normalized())
			if got, _ := a.Key(); !ok || got != want {
				t.Errorf("Decode(%q, %q) = %v, %v, want an address of the key %v", ticker, evm.Normalized(), a, ok, want)
			}
		}
	}
}

func TestTrimListed(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{" \t\r\n\u00a0\u3000\u200b\u200c\u200d\ufeff", ""},
		{"a", "a"},
		{"\ufeff a b\u200b ", "a b"},
		{"a\u200bb", "a\u200bb"}, // within it is not a blank around
	}
	for _, tt := range tests {
		if got := sources.TrimListed(tt.in); got != tt.want {
			t.Errorf("TrimListed(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("ETH", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	f.Add("XBT", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq")
	f.Add("", " 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
	f.Add("BCH", "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2")
	f.Fuzz(func(t *testing.T, asset, text string) {
		a, ok := sources.Decode(asset, text)
		if ok != a.IsValid() {
			t.Fatalf("Decode(%q, %q) = %v, %v", asset, text, a, ok)
		}
		if !ok {
			return
		}
		again, err := address.Normalize(a.Chain(), sources.TrimListed(text))
		if err != nil || again.Account() != a.Account() {
			t.Errorf("Decode(%q, %q) = %v, and Normalize on its chain %v, %v", asset, text, a, again, err)
		}
	})
}
