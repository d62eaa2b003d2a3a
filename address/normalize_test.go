package address_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

const (
	testEVM  = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	testBTC  = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	testBC1  = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
	testCash = "qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h"
	testSOL  = "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"
	testXMR  = "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"
	testKAS  = "kaspa:qpumuen7l8wthtz45p3ftn58pvrs9xlumvkuu2xet8egzkcklqtes4ypce9sf"
	testTON  = "EQAYYxQ8FMUWaAS9GSAzVtoTbJhWeM1NJ6G4xjKWBJAyYhKQ"
	testTRX  = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct {
		chain   address.Chain
		s, want string
	}{
		{"bitcoin", " \t\r\n" + testBTC + "\u00a0 ", testBTC},
		{"bitcoin", "\u00a0" + testBTC, testBTC},
		{"bitcoin", "bitcoin:" + testBTC, testBTC},
		{"bitcoin", "bitcoin:" + testBTC + "?amount=20.3&label=Luke-Jr", testBTC},
		{"bitcoin", " Bitcoin:" + testBTC + "#fragment ", testBTC},
		{"bitcoin", "bitcoin://" + testBTC, testBTC},
		{"bitcoin", "bitcoin: " + testBTC, testBTC},
		{"bitcoin", "BITCOIN:" + strings.ToUpper(testBC1) + "?AMOUNT=1", testBC1},
		{"bitcoin", "bip122:000000000019d6689c085ae165831e93:" + testBC1, testBC1},
		{"litecoin", "litecoin:MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9", "MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9"},
		{"bitcoin-cash", "bitcoincash:" + testCash + "?amount=1", "bitcoincash:" + testCash},
		{"bitcoin-cash", "BITCOINCASH:" + strings.ToUpper(testCash), "bitcoincash:" + testCash},
		{"bitcoin-cash", "BitcoinCash:" + testCash, "bitcoincash:" + testCash},
		{"bitcoin-cash", "bitcoincash:" + testBTC, testBTC},
		{"kaspa", testKAS + "?amount=1", testKAS},
		{"kaspa", "Kaspa:" + testKAS[6:], testKAS},
		{"conflux", "cfx:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg", "cfx:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg"},
		{"conflux", "conflux:cfx:cfx:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg", "cfx:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg"},
		{"ethereum", "0X" + testEVM[2:], testEVM},
		{"ethereum", "ethereum:" + testEVM, testEVM},
		{"ethereum", "ethereum:" + testEVM + "@1?value=2.014e18", testEVM},
		{"ethereum", "ethereum:pay-" + testEVM + "@1", testEVM},
		{"ethereum", "ETHEREUM:" + testEVM, testEVM},
		{"ethereum", "eth:" + testEVM, testEVM},
		{"ethereum", "eip155:1:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", testEVM},
		{"bsc", "ethereum:" + testEVM, testEVM}, // on the wallet's chain
		{"bsc", "ethereum:" + testEVM + "@56", testEVM},
		{"bsc", "bnb:" + testEVM, testEVM},
		{"ronin", "ronin:" + testEVM[2:] + "?a=b", "ronin:" + testEVM[2:]},
		{"solana", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" + testSOL, testSOL},
		{"solana", "solana:" + testSOL + "?amount=1&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", testSOL},
		{"monero", "monero:" + testXMR + "?tx_amount=1", testXMR},
		{"ton", "ton://transfer/" + testTON + "?amount=1", testTON},
		{"tron", "tron:" + testTRX, testTRX},
		{"tron", "tron:0x2b6653dc:" + testTRX, testTRX},
		{"xrp", "ripple:rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH?dt=1", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH"},
		{"cosmos", "cosmos:cosmoshub-4:cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c", "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c"},
		{"cosmos", "cosmos:cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c", "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c"},
		{"cardano", "web+cardano:addr1v86vvl2jzsp2guht5yfmk7qr4su0f96jecqp86k4ha6q4hq98tjax", "addr1v86vvl2jzsp2guht5yfmk7qr4su0f96jecqp86k4ha6q4hq98tjax"},
	} {
		a, err := address.Normalize(tt.chain, tt.s)
		if err != nil || a.Normalized() != tt.want || a.Chain() != tt.chain {
			t.Errorf("Normalize(%s, %q) = %v, %v, want %s", tt.chain, tt.s, a, err, tt.want)
		}
		if strict, err := address.Parse(tt.chain, tt.s); err == nil && strict != a {
			t.Errorf("Parse(%s, %q) = %v, Normalize gives %v", tt.chain, tt.s, strict, a)
		}
		// The text form of an Address is a URI that Normalize accepts.
		if b, err := address.Normalize(tt.chain, a.String()); err != nil || b != a {
			t.Errorf("Normalize(%s, %q) = %v, %v, want %v", tt.chain, a.String(), b, err, a)
		}
	}
}

func TestNormalizeErrors(t *testing.T) {
	for _, tt := range []struct {
		chain  address.Chain
		s      string
		err    error
		offset int
		other  address.Chain
	}{
		{"ethereum", "ethereum:" + testEVM + "@56", address.ErrOtherChain, 52, "bsc"},
		{"bsc", "ethereum:" + testEVM + "@1", address.ErrOtherChain, 52, "ethereum"},
		{"ethereum", " ethereum:" + testEVM + "@5", address.ErrNetwork, 53, ""},
		{"ethereum", "ethereum:" + testEVM + "@987654321", address.ErrOtherChain, 52, "eip155:987654321"},
		{"ethereum", "eip155:" + testEVM, address.ErrSyntax, 0, ""},
		{"ethereum", "tron:417E5F4552091A69125D5DFCB7B8C2659029395BDF", address.ErrOtherChain, -1, "tron"},
		{"ethereum", "ethereum:" + testEVM + "@", address.ErrSyntax, -1, ""},
		{"ethereum", "ethereum:" + testEVM + "@0x1", address.ErrSyntax, 52, ""},
		{"ethereum", "ethereum:" + testEVM + "/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1", address.ErrSyntax, 51, ""},
		{"ethereum", "ethereum:" + testEVM + "@1/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052", address.ErrSyntax, 53, ""},
		{"ethereum", "eip155:56:" + testEVM, address.ErrOtherChain, 0, "bsc"},
		{"bitcoin", "eip155:1:" + testEVM, address.ErrOtherChain, 0, "ethereum"},
		{"bitcoin", "bip122:12a765e31ffd4059bada1e25190f6e98:" + testBTC, address.ErrOtherChain, 0, "litecoin"},
		{"bitcoin", "bip122:000000000933ea01ad0ee984209779ba:" + testBTC, address.ErrNetwork, 0, ""},
		{"bitcoin", "bip122:ffffffffffffffffffffffffffffffff:" + testBTC, address.ErrSyntax, 0, ""},
		{"solana", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:" + testSOL, address.ErrNetwork, 0, ""},
		{"bitcoin", "litecoin:MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9", address.ErrOtherChain, -1, "litecoin"},
		{"bitcoin-cash", "bitcoin:" + testBTC, address.ErrOtherChain, -1, "bitcoin"},
		{"bitcoin", "bitcoincash:" + testCash, address.ErrOtherChain, -1, "bitcoin-cash"},
		{"litecoin", "bitcoin:nothing", address.ErrSyntax, 0, ""},
		{"ethereum", "bsc:" + testEVM, address.ErrOtherChain, -1, "bsc"},
		{"bitcoin", "bitcoin:" + testBTC + "?req-somethingyoudontunderstand=50", address.ErrSyntax, 43, ""},
		{"bitcoin", "bitcoin:" + testBTC + "?amount=1&req-x=50", address.ErrSyntax, 52, ""},
		{"bitcoin", "bitcoin:" + testBTC + "?bc=" + testBTC + "&req-x=50", address.ErrSyntax, 81, ""},
		{"bitcoin", "bitcoin:" + testBTC + "?bc=" + testBTC + "&tb=tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", address.ErrNetwork, 84, ""},
		{"zcash", "zcash:t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs?amount=1&address.1=t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd", address.ErrSeveral, -1, ""},
		{"bitcoin", "bitcoin:", address.ErrLength, -1, ""},
		{"bitcoin", "bitcoin:?lightning=lnbc1", address.ErrPaymentRequest, -1, ""},
		{"bitcoin", "unknown:" + testBTC, address.ErrCharset, 7, ""},
		{"bitcoin", "bitcoin:" + testBTC[:33] + "h", address.ErrChecksum, -1, ""},
		{"bitcoin", " bitcoin:" + testBTC[:9] + "\u0430" + testBTC[9:], address.ErrCharset, 18, ""},
		{"bitcoin", "\u00a0bitcoin:" + testBTC[:9] + " " + testBTC[9:], address.ErrCharset, 19, ""},
		{"ethereum", "\t ethereum:0x7e5f4552091a69125d5dfcb7b8c2659029395bdg", address.ErrCharset, 52, ""},
		{"bitcoin-cash", "bitcoincash:" + testCash[:41] + "b", address.ErrCharset, 53, ""},
		{"bitcoin-cash", "simpleledger:qp63uahgrxged4z5jswyt5dn5v3lzsem6c8mmsv9k0", address.ErrSyntax, -2, ""},
		{"tron", "solana:" + testTRX, address.ErrSyntax, 0, ""},
		{"bitcoin", "bitcoin:" + testTRX, address.ErrOtherChain, -1, "tron"},
		{"bitcoin", "   ", address.ErrLength, -1, ""},
		{"bitcoin", strings.Repeat(" ", 5000) + testBTC, address.ErrSyntax, -2, ""},
		{"bitcoin", "\u200b" + testBTC, address.ErrCharset, 0, ""},
	} {
		a, err := address.Normalize(tt.chain, tt.s)
		if err == nil {
			t.Errorf("Normalize(%s, %.120q) = %v, want %v", tt.chain, tt.s, a, tt.err)
			continue
		}
		pe := parseError(t, err)
		if !errors.Is(err, tt.err) || pe.Other != tt.other || tt.offset != -2 && pe.Offset != tt.offset {
			t.Errorf(
				"Normalize(%s, %.120q): %v\n got offset %d, other %q\nwant %v, offset %d, other %q",
				tt.chain,
				tt.s,
				err,
				pe.Offset,
				pe.Other,
				tt.err,
				tt.offset,
				tt.other,
			)
		}
	}
}

// TestNormalizeWithoutRow reads what surrounds an address alike on a chain with a row in the
// table and on one without.
func TestNormalizeWithoutRow(t *testing.T) {
	const bare = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	for _, pattern := range []string{
		"ID:ADDRESS", "ethereum:ADDRESS", "ethereum:ADDRESS@N", "ethereum:pay-ADDRESS@N", "ETHEREUM:ADDRESS@N?value=1",
		" ethereum:ADDRESS?value=1e18 ", "ethereum:ADDRESS@N/transfer?uint256=1", "ethereum:ADDRESS@999999999", "ADDRESS@ID",
		"eip155:ADDRESS", "bitcoin:ADDRESS",
	} {
		read := func(c address.Chain, n string) (string, bool) {
			s := strings.NewReplacer("ID", "eip155:"+n, "ADDRESS", bare, "N", n).Replace(pattern)
			a, err := address.Normalize(c, s)
			if err == nil && a.Chain() != c {
				t.Errorf("Normalize(%s, %q) is an address of %s", c, s, a.Chain())
			}
			return a.Normalized(), err == nil
		}
		with, ok := read("bsc", "56")
		without, ok2 := read("eip155:123456789", "123456789")
		if with != without || ok != ok2 {
			t.Errorf("%s: %q, %t on bsc, %q, %t on eip155:123456789", pattern, with, ok, without, ok2)
		}
	}
}

// TestNormalizeStarknet checks that what Normalize returns can be read back, for every number
// of digits, padded or not, in any letter case.
func TestNormalizeStarknet(t *testing.T) {
	const digits = "5fCAB7394BEB7C7dEd081ce2456a097D7474C1b2000000000000000000000ab"
	read := 0
	for zeros := range 64 {
		for n := range min(len(digits), 64-zeros) {
			for _, s := range []string{digits[:n+1], strings.ToLower(digits[:n+1])} {
				if a, err := address.Normalize("starknet", "0x"+strings.Repeat("0", zeros)+s); err == nil {
					read++
					checkLaws(t, a)
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("%d addresses are read", read)
	}
}

// TestManyPayees checks that a URI of more than 4096 bytes is not read: its payees are
// compared with each other, so that a longer one would take seconds.
func TestManyPayees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	uri := "bitcoin:?"
	for n := 1; len(uri) < 4200; n++ {
		uri += "bc=" + toBech32("bc", bech32.Bech32, 0)(randomBytes(rng, 20)) + "&"
		r := address.Interpret("bitcoin", uri)
		if ok := r.Err == nil && len(r.Addresses) == n; ok != (len(uri) <= 4096) {
			t.Fatalf("Interpret of %d bytes returns %d addresses, %v", len(uri), len(r.Addresses), r.Err)
		}
	}
}
