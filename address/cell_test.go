package address_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
)

// TestCells reads cells with several addresses.
func TestCells(t *testing.T) {
	const (
		evm, evm2 = "0x57ec89a0c056163a0314e413320f9b3abe761259", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
		sol, sol2 = "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
	)
	for _, tt := range []struct{ chain, text, want string }{
		{"", evm + " " + evm2, "ethereum:" + evm + " ethereum:" + strings.ToLower(evm2)},
		{"bsc", evm + " " + evm2, "bsc:" + evm + " bsc:" + strings.ToLower(evm2)},
		{"BSC", evm + "," + evm2, "bsc:" + evm + " bsc:" + strings.ToLower(evm2)},
		{"", evm + "/" + evm2, "ethereum:" + evm + " ethereum:" + strings.ToLower(evm2)},
		{"", evm + " (old) / " + evm2 + " (new)", "ethereum:" + evm + " ethereum:" + strings.ToLower(evm2)},
		{"", "BTC: " + testBTC + "; TRX: " + testTRX + ".", "bitcoin:" + testBTC + " tron:" + testTRX},
		{"", testBC1 + "\n" + testBTC + " | " + evm, "bitcoin:" + testBC1 + " bitcoin:" + testBTC + " ethereum:" + evm},
		{"solana", sol + "; " + sol2, "solana:" + sol + " solana:" + sol2},
		{"bitcoin", testBTC + " and " + evm, "bitcoin:" + testBTC + " ethereum:" + evm},
		{"bsc", "the account of customer-000001 is " + evm + ", formerly " + evm2, "bsc:" + evm + " bsc:" + strings.ToLower(evm2)},
	} {
		r := address.Interpret(tt.chain, tt.text)
		var got []string
		for _, a := range r.Addresses {
			got = append(got, a.String())
		}
		want := string(rune('0'+len(strings.Fields(tt.want)))) + " addresses in this cell"
		if strings.Join(got, " ") != tt.want || !r.Several || !errors.Is(r.Err, address.ErrSeveral) || !strings.Contains(r.Err.Error(), want) {
			t.Errorf("Interpret(%q, %q) = %s, want %s", tt.chain, tt.text, describe(r), tt.want)
		}
	}
	for text, several := range map[string]bool{
		evm + " " + evm: false, evm + ", " + strings.ToUpper(evm[2:]): false, testTON[:20] + "/" + testTON[21:]: false,
		"https://etherscan.io/address/" + evm: false, "ethereum:" + evm + "@1/transfer?address=" + evm2: false,
		"the-first-1.near the-second-2.near": true,
	} {
		if r := address.Interpret("", text); errors.Is(r.Err, address.ErrSeveral) != several {
			t.Errorf("Interpret(%q) = %s", text, describe(r))
		}
	}
	if r := address.Interpret("no chain", evm+" "+evm2); !errors.Is(r.Err, address.ErrChain) || len(r.Addresses) != 2 {
		t.Errorf("on an unknown chain: %s", describe(r))
	}
}

// TestCellVectors checks that a cell with an address and another one means the account of the
// address, also if its spelling is one of several chains without a key in common.
func TestCellVectors(t *testing.T) {
	count := make(map[address.Chain]int)
	for _, a := range vectors.Addresses(t, "..") {
		if count[a.Chain()]++; !a.Proven() || len(a.Normalized()) < 26 || count[a.Chain()] > 6 || a.Doubt() != "" {
			continue
		}
		r := address.Interpret("", a.Normalized()+"; "+testTRX)
		keys := a.AppendKeys(nil)
		if !slices.ContainsFunc(r.Addresses, func(b address.Address) bool {
			return a.Account() == b.Account() || slices.ContainsFunc(b.AppendKeys(nil), func(k address.Key) bool { return slices.Contains(keys, k) })
		}) {
			t.Errorf("%v in a cell: %s", a, describe(r))
		}
	}
}

func BenchmarkCell(b *testing.B) {
	const evm, evm2 = "0x57ec89a0c056163a0314e413320f9b3abe761259", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for _, text := range []string{evm, evm2, evm + " (ETH)", evm + " " + evm2, testBTC + " " + testBC1, "the account of customer-000001 is " + evm + ", formerly " + evm2} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				address.Interpret("", text)
			}
		})
	}
}
