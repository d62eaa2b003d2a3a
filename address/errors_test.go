package address_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// parseError returns err as a *ParseError.
func parseError(t testing.TB, err error) *address.ParseError {
	t.Helper()
	pe, ok := err.(*address.ParseError)
	if !ok {
		t.Fatalf("got %v (%T), want a *ParseError", err, err)
	}
	return pe
}

func TestReasons(t *testing.T) {
	const (
		evm = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
		btc = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
		trx = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
	)
	for _, tt := range []struct {
		name     string
		chain    address.Chain
		s        string
		err      error
		offset   int
		other    address.Chain
		hint     string // a part of the hint, "" for none at all
		tolerant bool   // Normalize takes it
	}{
		{"empty", "ethereum", "", address.ErrLength, -1, "", "", false},
		{"empty on bitcoin", "bitcoin", "", address.ErrLength, -1, "", "", false},
		{"too long", "bitcoin", strings.Repeat("1", 1<<20), address.ErrLength, -1, "", "", false},
		{"too long for a name", "near", strings.Repeat("a", 1<<20), address.ErrLength, -1, "", "", false},
		{"a digit is missing", "ethereum", evm[:41], address.ErrLength, -1, "", "one character is missing", false},
		{"a wrong digit", "ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdg", address.ErrCharset, 41, "", `character 42 is "g"`, false},
		{"capitals", "ethereum", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", address.ErrChecksum, -1, "", "compare it with the original", true},
		{"hex on tron", "tron", "417E5F4552091A69125D5DFCB7B8C2659029395BDF", address.ErrCharset, 10, "", "not in the normal form", true},
		{"letter case of Base58", "bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh", address.ErrChecksum, -1, "", "", false},
		{"a lower-case tron address", "tron", strings.ToLower("TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ"), address.ErrChecksum, -1, "", "", false},
		{"a typing error", "tron", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2e", address.ErrChecksum, -1, "", "", false},

		{"tron on bitcoin", "bitcoin", trx, address.ErrOtherChain, -1, "tron", "", false},
		{"tron on ethereum", "ethereum", trx, address.ErrOtherChain, -1, "tron", "", false},
		{"ethereum on bitcoin", "bitcoin", evm, address.ErrOtherChain, -1, "ethereum", "", false},
		{"ethereum with wrong capitals on bitcoin", "bitcoin", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", address.ErrOtherChain, -1, "ethereum", "", false},
		{"ethereum on tron", "tron", evm, address.ErrOtherChain, -1, "ethereum", "", false},
		{"bitcoin on litecoin", "litecoin", btc, address.ErrOtherChain, -1, "bitcoin", "", false},
		{"bitcoin on groestlcoin", "groestlcoin", btc, address.ErrOtherChain, -1, "bitcoin", "", false},
		{"segwit on dogecoin", "dogecoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", address.ErrOtherChain, -1, "bitcoin", "", false},
		{"harmony on ethereum", "ethereum", "one10e0525sfrf53yh2aljmm3sn9jq5njk7ltpz8tw", address.ErrOtherChain, -1, "harmony", "", false},
		{"CashAddr on bitcoin-sv", "bitcoin-sv", "bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", address.ErrOtherChain, -1, "bitcoin-cash",
			"use the legacy form", false},
		{"solana on bitcoin", "bitcoin", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", address.ErrLength, -1, "", "", false},
		{"a near name on bitcoin", "bitcoin", "example.near", address.ErrCharset, -2, "", `character 6 is "l"`, false},
		{"a name on ethereum", "ethereum", "vitalik.eth", address.ErrName, -1, "", "resolve it to an address first", false},
		{"OpenAlias", "monero", "donate@getmonero.org", address.ErrName, -1, "", "resolve it to an address first", false},
		{"a near name that ends with a separator", "near", "alice-", address.ErrCharset, 5, "", `character 6 is "-"`, false},
		{"simpleledger", "bitcoin-cash", "simpleledger:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", address.ErrSyntax, -2, "", `character 1 is "s"`, false},

		{"a test network", "bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", address.ErrNetwork, -1, "", "", false},
		{"a test network in Base58", "bitcoin", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", address.ErrNetwork, -1, "", "", false},

		{"Cyrillic a", "bitcoin", "bc1qcr8te4kr609gc\u0430wutmrza0j4xv80jy8z306fyu", address.ErrCharset, 17, "", "U+0430, a Cyrillic letter", false},
		{"Cyrillic EN", "tron", "T\u041d96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", address.ErrCharset, 1, "", "U+041D, a Cyrillic letter", false},
		{"Greek omicron", "ethereum", "0x7e5f4552\u03bf91a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 10, "", "U+03BF, a Greek letter", false},
		{"a full-width digit", "ethereum", "0\uff58\uff17e5f4552091a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 1, "", "U+FF58, a full-width character",
			false},
		{"another full-width digit", "bitcoin", "\uff11BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", address.ErrCharset, 0, "", "U+FF11, a full-width character", false},
		{"a zero-width space at the end", "bitcoin", btc + "\u200b", address.ErrCharset, 34, "", "U+200B, an invisible character", false},
		{"a byte order mark", "bitcoin", "\ufeff" + btc, address.ErrCharset, 0, "", "U+FEFF, an invisible character", false},
		{"a soft hyphen", "bitcoin", btc[:5] + "\u00ad" + btc[5:], address.ErrCharset, 5, "", "U+00AD, an invisible character", false},
		{"right to left", "bitcoin", btc[:5] + "\u202e" + btc[5:], address.ErrCharset, 5, "", "U+202E, an invisible character", false},
		{"NUL", "bitcoin", btc + "\x00", address.ErrCharset, 34, "", "U+0000, a control character", false},
		{"a control character", "ethereum", evm[:7] + "\x07" + evm[8:], address.ErrCharset, 7, "", "U+0007, a control character", false},
		{"no UTF-8", "bitcoin", btc[:9] + "\xff" + btc[9:], address.ErrCharset, 9, "", "0xff", false},
		{"another letter", "bitcoin", btc[:9] + "\u00df" + btc[9:], address.ErrCharset, 9, "", "U+00DF", false},
		{"an inner blank", "bitcoin", btc[:9] + " " + btc[9:], address.ErrCharset, 9, "", "U+0020, a space", false},
		{"an inner line feed", "bitcoin", btc[:9] + "\n" + btc[9:], address.ErrCharset, 9, "", "U+000A, a line break", false},
		{"the first of two", "bitcoin", btc[:9] + "\u0430\u200b" + btc[9:], address.ErrCharset, 9, "", "U+0430", false},
		{"a foreign sign", "bitcoin", btc + ";", address.ErrCharset, 34, "", `character 35 is ";"`, false},
		{"blanks around", "bitcoin", " " + btc + " ", address.ErrCharset, 0, "", "U+0020, a space", true},
		{"a look-alike in another chain's address", "bitcoin", "T\u041d96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", address.ErrCharset, 1, "", "U+041D", false},

		{"0X", "ethereum", "0X7e5f4552091a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 1, "", "not in the normal form", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := address.Parse(tt.chain, tt.s)
			pe := parseError(t, err)
			if !errors.Is(err, tt.err) || pe.Chain != tt.chain || pe.Other != tt.other || tt.offset != -2 && pe.Offset != tt.offset ||
				!strings.Contains(pe.Hint(), tt.hint) || tt.hint == "" && pe.Hint() != "" {
				t.Errorf("Parse(%s, %.99q) = %v\n got offset %d, other %q, hint %q\nwant %v, offset %d, other %q, hint %q",
					tt.chain, tt.s, err, pe.Offset, pe.Other, pe.Hint(), tt.err, tt.offset, tt.other, tt.hint)
			}
			if len(err.Error()) > 600 {
				t.Errorf("%d bytes of message: %.200s…", len(err.Error()), err)
			}
			if _, err := address.Normalize(tt.chain, tt.s); (err == nil) != tt.tolerant {
				t.Errorf("Normalize(%s, %.99q): %v", tt.chain, tt.s, err)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(address.Parse("bitcoin", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d")), `not an address of bitcoin but of tron`},
		{second(address.Parse("bitcoin", "1\u0430")), `not an address of bitcoin: unexpected character 2: U+0430, a ` +
			`Cyrillic letter`},
		{second(address.Parse("btc", "1")), `chain "btc": unsupported chain; BTC is a ticker; use the slug bitcoin`},
		{second(address.Parse("tron", strings.Repeat("T\n", 600))),
			`not an address of tron: unexpected character 2: U+000A, a line break`},
		{second(address.Parse("ethereum", "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn")),
			`not an address of ethereum but a private key or seed; delete it here, and move the funds if others have seen it`},
		{new(address.Address).UnmarshalText([]byte("nothing")), `not an address; want "chain:address"`},
		{address.Interpret("", "nothing at all").Err, `not an address; give the address alone, without other words`},
		{address.Interpret("", "x!").Err, `not an address: unexpected character 2: "!"`},
		{address.Interpret("bitcoin", "“1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM0”").Err, `not an address of bitcoin: unexpected character 35: "0"`},
		{address.Interpret("bitcoin", " bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyua").Err, `bitcoin address: checksum mismatch: probably a typing error`},
		{second(address.Parse("ethereum", testEVM+"00")), `not an address of ethereum: wrong length; there are 2 characters too many`},
		{address.Interpret("", "0x098B716B8Aaf21512996dC57EB0615e2383E2f966").Err, `not an address: wrong length; there is one character too many`},
		{address.Interpret("", "0x098B716B8Aaf21512996dC57EB0615e2383E2f9O").Err, `not an address: unexpected character 42: "O"`},
		{address.Interpret("", "lightning:lnbc1x").Err, `not an address of any chain`},
		{address.Interpret("", "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn").Err,
			`not an address but a private key or seed; delete it here, and move the funds if others have seen it`},
		{second(address.ParseChain("my-chain")), `chain "my-chain": unsupported chain; any EVM chain is eip155: and its number`},
		{second(address.ParseChain(" 137")), `chain " 137": unsupported chain; if it is the id of an EVM chain, write eip155:137`},
		{second(address.ParseChain("Aleo")), `chain "Aleo": unsupported chain; no exact rule for its addresses is known`},
		{&address.ParseError{}, `address: `},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestParseChain(t *testing.T) {
	for _, c := range address.Chains() {
		names := append([]string{string(c)}, c.Aliases()...)
		for _, name := range names {
			for _, s := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], " " + name + "\t"} {
				if got, err := address.ParseChain(s); err != nil || got != c {
					t.Errorf("ParseChain(%q) = %q, %v, want %s", s, got, err, c)
				}
			}
		}
		// Parse itself only accepts slugs, and its error names the slug.
		for _, s := range append(c.Aliases(), strings.ToUpper(string(c)), " "+string(c)) {
			_, err := address.Parse(address.Chain(s), "x")
			if pe := parseError(t, err); pe.Err != address.ErrChain || pe.Other != c || !strings.Contains(pe.Hint(), string(c)) {
				t.Errorf("Parse(%q): %v, other %q, want %s", s, err, pe.Other, c)
			}
		}
		for _, ticker := range c.Tickers() {
			if _, err := address.ParseChain(ticker); err == nil {
				continue // also a name
			}
			for _, s := range []string{ticker, strings.ToLower(ticker), " " + ticker} {
				got, err := address.ParseChain(s)
				pe := parseError(t, err)
				if got != "" || !errors.Is(err, address.ErrChain) || !strings.Contains(strings.Join(pe.Other.Tickers(), " "), ticker) ||
					!strings.Contains(pe.Hint(), string(pe.Other)) {
					t.Errorf("ParseChain(%q) = %q, %v, other %q, hint %q", s, got, err, pe.Other, pe.Hint())
				}
			}
		}
	}
	for _, s := range []string{"", " ", "nosuchchain", "bitcoin2", "bit coin", "\u0432itcoin", "bitcoin\x00", strings.Repeat("x", 1<<20),
		strings.Repeat(" ", 1<<20) + "bitcoin"} {
		got, err := address.ParseChain(s)
		if pe := parseError(t, err); got != "" || pe.Err != address.ErrChain || pe.Other != "" || pe.Offset != -1 || len(pe.Chain) > 64 ||
			len(err.Error()) > 600 {
			t.Errorf("ParseChain(%.80q) = %q, %.200v", s, got, err)
		}
	}
}

// TestDiagnosisIsBounded checks that the time and memory of an error do not
// grow with the input.
func TestDiagnosisIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []string{"a", "1", "T", "abandon ", "0x", "12,", "\u0430", " ", "\xff", "bitcoin:",
		"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn "} {
		allocs := func(n int) float64 {
			s := strings.Repeat(unit, n/len(unit)) + fmt.Sprint(rng.Uint32())
			return testing.AllocsPerRun(5, func() {
				for _, c := range []address.Chain{"bitcoin", "ethereum", "near", "nosuchchain"} {
					if _, err := address.Normalize(c, s); err == nil {
						t.Errorf("Normalize(%s, %.80q) gives no error", c, s)
					}
				}
			})
		}
		// A few more allocations are caused by pools that the garbage collector
		// has emptied.
		if short, long := allocs(8<<10), allocs(longtest.N(1<<18, 1<<20)); long > 2*short {
			t.Errorf("%q: %v allocations for 8 KiB, %v for much more", unit, short, long)
		}
	}
}

func BenchmarkDiagnose(b *testing.B) {
	for _, s := range []string{"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv",
		"0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d", strings.Repeat("1", 2000), strings.Repeat("ab ", 1000)} {
		b.Run(s[:10], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Parse("bitcoin", s)
			}
		})
	}
}
