package address_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
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
		hint     string // a part of it, "" for none at all
		tolerant bool   // Normalize takes it
	}{
		{"empty", "ethereum", "", address.ErrLength, -1, "", "", false},
		{"empty on bitcoin", "bitcoin", "", address.ErrLength, -1, "", "", false},
		{"too long", "bitcoin", strings.Repeat("1", 1<<20), address.ErrLength, -1, "", "", false},
		{"too long for a name", "near", strings.Repeat("a", 1<<20), address.ErrLength, -1, "", "", false},
		{"a digit is missing", "ethereum", evm[:41], address.ErrLength, -1, "", "", false},
		{"a wrong digit", "ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdg", address.ErrCharset, 41, "", "", false},
		{"capitals", "ethereum", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", address.ErrChecksum, -1, "", "the lower-case form is 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", true},
		{"hex on tron", "tron", "417E5F4552091A69125D5DFCB7B8C2659029395BDF", address.ErrCharset, 10, "", "the normal form is TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", true},
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
		{"CashAddr on bitcoin-sv", "bitcoin-sv", "bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", address.ErrOtherChain, -1, "bitcoin-cash", "the legacy form is 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", false},
		{"solana on bitcoin", "bitcoin", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", address.ErrLength, -1, "", "", false},
		{"a near name on bitcoin", "bitcoin", "example.near", address.ErrCharset, -2, "", "", false},
		{"a name on ethereum", "ethereum", "vitalik.eth", address.ErrName, -1, "", "resolve it to an address first", false},
		{"OpenAlias", "monero", "donate@getmonero.org", address.ErrName, -1, "", "resolve it to an address first", false},
		{"simpleledger", "bitcoin-cash", "simpleledger:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", address.ErrSyntax, -2, "", "", false},

		{"a test network", "bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", address.ErrNetwork, -1, "", "", false},
		{"a test network in Base58", "bitcoin", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", address.ErrNetwork, -1, "", "", false},

		{"Cyrillic a", "bitcoin", "bc1qcr8te4kr609gc\u0430wutmrza0j4xv80jy8z306fyu", address.ErrCharset, 17, "", "U+0430 CYRILLIC SMALL LETTER A", false},
		{"Cyrillic EN", "tron", "T\u041d96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", address.ErrCharset, 1, "", "U+041D CYRILLIC CAPITAL LETTER EN", false},
		{"Greek omicron", "ethereum", "0x7e5f4552\u03bf91a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 10, "", "U+03BF GREEK SMALL LETTER OMICRON", false},
		{"a full-width digit", "ethereum", "0\uff58\uff17e5f4552091a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 1, "", "U+FF58 FULLWIDTH LATIN SMALL LETTER X", false},
		{"another full-width digit", "bitcoin", "\uff11BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", address.ErrCharset, 0, "", "U+FF11 FULLWIDTH DIGIT ONE", false},
		{"a zero-width space at the end", "bitcoin", btc + "\u200b", address.ErrCharset, 34, "", "U+200B ZERO WIDTH SPACE", false},
		{"a byte order mark", "bitcoin", "\ufeff" + btc, address.ErrCharset, 0, "", "U+FEFF", false},
		{"a soft hyphen", "bitcoin", btc[:5] + "\u00ad" + btc[5:], address.ErrCharset, 5, "", "U+00AD SOFT HYPHEN", false},
		{"right to left", "bitcoin", btc[:5] + "\u202e" + btc[5:], address.ErrCharset, 5, "", "U+202E RIGHT-TO-LEFT OVERRIDE", false},
		{"NUL", "bitcoin", btc + "\x00", address.ErrCharset, 34, "", "U+0000", false},
		{"a control character", "ethereum", evm[:7] + "\x07" + evm[8:], address.ErrCharset, 7, "", "U+0007", false},
		{"no UTF-8", "bitcoin", btc[:9] + "\xff" + btc[9:], address.ErrCharset, 9, "", "0xff", false},
		{"another letter", "bitcoin", btc[:9] + "\u00df" + btc[9:], address.ErrCharset, 9, "", "U+00DF", false},
		{"an inner blank", "bitcoin", btc[:9] + " " + btc[9:], address.ErrCharset, 9, "", "U+0020 SPACE", false},
		{"an inner line feed", "bitcoin", btc[:9] + "\n" + btc[9:], address.ErrCharset, 9, "", "U+000A LINE FEED", false},
		{"the first of two", "bitcoin", btc[:9] + "\u0430\u200b" + btc[9:], address.ErrCharset, 9, "", "U+0430", false},
		{"a foreign sign", "bitcoin", btc + ";", address.ErrCharset, 34, "", "", false},
		{"blanks around", "bitcoin", " " + btc + " ", address.ErrCharset, 0, "", "U+0020 SPACE", true},
		{"a look-alike in another chain's address", "bitcoin", "T\u041d96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", address.ErrCharset, 1, "", "U+041D", false},

		{"0X", "ethereum", "0X7e5f4552091a69125d5dfcb7b8c2659029395bdf", address.ErrCharset, 1, "", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := address.Parse(tt.chain, tt.s)
			pe := parseError(t, err)
			if !errors.Is(err, tt.err) || pe.Chain != tt.chain || pe.Other != tt.other || tt.offset != -2 && pe.Offset != tt.offset ||
				!strings.Contains(pe.Hint(), tt.hint) || tt.hint == "" && pe.Hint() != "" || !strings.HasPrefix(tt.s, pe.Input) {
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
		{second(address.Parse("bitcoin", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d")), `bitcoin address "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d": not an address of this chain but of tron`},
		{second(address.Parse("bitcoin", "1\u0430")), `bitcoin address "1\u0430": not an address of this chain: unexpected character at offset 1; it is U+0430 CYRILLIC SMALL LETTER A`},
		{second(address.Parse("btc", "1")), `chain "btc": unsupported chain; BTC is a ticker; use the slug bitcoin`},
		{second(address.Parse("tron", strings.Repeat("T\n", 600))), `tron address "` + strings.Repeat(`T\n`, 64) + `"…: not an address of this chain: unexpected character at offset 1; it is U+000A LINE FEED`},
		{second(address.Parse("ethereum", "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn")), `ethereum address: not an address of this chain, and possibly a private key or seed; it could be a private key or a seed`},
		{new(address.Address).UnmarshalText([]byte("nothing")), `address "nothing": not an address of this chain; want "chain:address"`},
		{&address.ParseError{}, `address: `},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// wif returns a private key in Base58Check.
func wif(version byte, key string, compressed bool) string {
	b := append([]byte{version}, key...)
	if compressed {
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	sum = sha256.Sum256(sum[:])
	return base58.Bitcoin.Encode(append(b, sum[:4]...))
}

// secrets are publicly known keys: from test vectors of standards, from
// development networks, or small numbers.
func secrets() map[string]string {
	key := "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20"
	long := []byte(strings.Repeat(key, 6)[:169])
	all := map[string]string{
		"WIF":                    "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf",
		"WIF, compressed":        "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
		"WIF of testnet":         "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA",
		"BIP-32":                 "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
		"BIP-84":                 "zprvAWgYBBk7JR8Gjrh4UJQ2uJdG1r3WNRRfURiABBE3RvMXYSrRJL62XuezvGdPvG6GFBZduosCc1YP5wixPox7zhZLfiUm8aunE96BBa4Kei5",
		"BIP-38":                 "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
		"decred":                 "PmQdMn8xafwaQouk8ngs1CccRCB1ZmsqQxBaxNR4vhQi5a5QB5716",
		"stellar":                "SDLVVGABQKYQVN6VJP7NHSLEA45A5YLS6PNKMIZFV4BBU2HXA5IRUDHO",
		"xrp":                    "snoPBrXtMeMyMHUVTgbuqAfg1SUTb",
		"xrp, ed25519":           "sEdTM1uX8pu2do5XvTnutH6HsouMaM2",
		"tezos":                  "edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh",
		"zcash":                  bech32.Encode("secret-extended-key-main", bech32.Unpack(nil, long), bech32.Bech32),
		"sui":                    bech32.Encode("suiprivkey", bech32.Unpack(nil, []byte("\x00"+key)), bech32.Bech32),
		"cardano":                bech32.Encode("ed25519_sk", bech32.Unpack(nil, []byte(key)), bech32.Bech32),
		"solana":                 base58.Bitcoin.Encode([]byte(key + key)),
		"solana, bytes":          strings.ReplaceAll(fmt.Sprint([]byte(key+key)), " ", ","),
		"hex":                    hex.EncodeToString([]byte(key)),
		"hex, 0x":                "0x" + hex.EncodeToString([]byte(key)),
		"hex, upper case":        strings.ToUpper(hex.EncodeToString([]byte(key))),
		"hex, 64 bytes":          hex.EncodeToString([]byte(key + key)),
		"substrate":              "0xe5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a",
		"12 words":               strings.Repeat("abandon ", 11) + "about",
		"15 words":               strings.Repeat("legal winner thank year wave sausage ", 3)[:85],
		"24 words":               strings.Repeat("abandon ", 23) + "art",
		"24 words, a line each":  strings.Repeat("zoo\r\n", 23) + "vote",
		"12 words, numbered":     "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
		"25 words":               strings.Repeat("abandon ", 24) + "invest",
		"12 words, Japanese":     strings.Repeat("あいこくしん\u3000", 11) + "あおぞら",
		"antelope":               "PVT_K1_2bfGi9rYsXQSXXTvJbDAPhHLQUojjaNLomdm3cEJ1XTzMqUt3V",
		"cardano, root key":      bech32.Encode("xprv", bech32.Unpack(nil, []byte(strings.Repeat(key, 3))), bech32.Bech32),
		"hedera, ed25519":        "302e020100300506032b657004220420" + hex.EncodeToString([]byte(key)),
		"hedera, secp256k1":      "3030020100300706052b8104000a04220420" + hex.EncodeToString([]byte(key)),
		"avalanche":              "PrivateKey-" + wif(0, key, false)[1:],
		"aeternity":              "sk_" + wif(0, key, false)[1:],
		"nostr":                  bech32.Encode("nsec", bech32.Unpack(nil, []byte(key)), bech32.Bech32),
		"age":                    strings.ToUpper(bech32.Encode("age-secret-key-", bech32.Unpack(nil, []byte(key)), bech32.Bech32)),
		"mini key":               "S6c56bnXQiBjk9mqSYE7ykVQ7NzrRy",
		"base64, 32 bytes":       "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
		"base64, 64 bytes":       base64.StdEncoding.EncodeToString([]byte(key + key)),
		"base64url, 64 bytes":    base64.RawURLEncoding.EncodeToString([]byte(key + key)),
		"WIF, one short":         "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuD",
		"WIF, one long":          "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWnn",
		"WIF, compressed, short": "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoW",
		"WIF, broken":            "KwDiBf89QgGbjEhKnhXJuH7LrciVr\r\nZi3qYjgd9M7rFU73sVHnoWn",
		"WIF, in groups":         "KwDi Bf89 QgGb jEhK nhXJ uH7L rciV rZi3 qYjg d9M7 rFU7 3sVH noWn",
		"hex, one short":         hex.EncodeToString([]byte(key))[1:],
		"hex, one long":          hex.EncodeToString([]byte(key)) + "a",
		"hex, in bytes":          strings.TrimSpace(fmt.Sprintf("% x", key)),
		"hex, with colons":       strings.ReplaceAll(fmt.Sprintf("% x", key), " ", ":"),
		"hex, broken":            hex.EncodeToString([]byte(key))[:32] + "\r\n" + hex.EncodeToString([]byte(key))[32:],
		"hex, bytes with 0x":     strings.ReplaceAll(fmt.Sprintf("%# x", key), " ", ", "),
		"12 words, Chinese":      "的一是在不了有和人这中大",
		"24 words, Chinese":      strings.Repeat("的一是在不了有和人这中大", 2),
		"11 words":               strings.Repeat("abandon ", 10) + "about",
		"12 words, a digit":      "abandon aband0n " + strings.Repeat("abandon ", 9) + "about",
		"12 words, Korean":       strings.Repeat("가격 ", 11) + "가능",
		"PEM":                    "-----BEGIN PRIVATE KEY----- MC4CAQAwBQYDK2VwBCIEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g",
	}
	for _, v := range []byte{0x80, 0x9e, 0xb0, 0xb7, 0xbc, 0xbf, 0xc7, 0xcc, 0xd2, 0xd4, 0xef, 0xff, 0x1c} {
		all[fmt.Sprintf("WIF, version %x", v)] = wif(v, key, false)
		all[fmt.Sprintf("WIF, version %x, compressed", v)] = wif(v, key, true)
	}
	return all
}

// hexChains are the chains with addresses that look like the named secret: the
// text may be one, or one with a typing error.
var hexChains = map[string]string{
	"hex": "near internet-computer", "hex, upper case": "near internet-computer",
	"base64, 32 bytes": "arweave", "base64, 64 bytes": "arweave", "base64url, 64 bytes": "arweave",
	"hex, one short": "starknet aptos movement sui iota", "hex, one long": "starknet aptos movement sui iota",
	"hex, 0x": "aptos movement sui iota starknet", "substrate": "aptos movement sui iota starknet",
}

// TestSecrets passes secrets to all functions that accept text, unchanged and
// as people paste them, and checks that no result or error contains them.
func TestSecrets(t *testing.T) {
	chains := append(address.Chains(), "nosuchchain", "btc", "")
	for name, secret := range secrets() {
		for i, s := range []string{
			secret, " " + secret + "\r\n", `"` + secret + `"`, "bitcoin:" + secret + "?amount=1", "key: " + secret,
			secret + "\u200b", "\ufeff" + secret, secret[:9] + "\u00ad" + secret[9:],
		} {
			check := func(what string, err error) {
				if err == nil {
					t.Errorf("%s: %s(%q) gives no error", name, what, s)
					return
				}
				pe := parseError(t, err)
				for _, text := range []string{err.Error(), pe.Hint(), pe.Input, string(pe.Chain), string(pe.Other), fmt.Sprintf("%v %+v %#v %q", *pe, *pe, *pe, err)} {
					if strings.Contains(text, secret) || strings.Contains(text, secret[10:]) {
						t.Errorf("%s: %s(%q) leaks: %s", name, what, s, text)
					}
				}
				if pe.Input != "" {
					t.Errorf("%s: %s(%q) has the input %q", name, what, s, pe.Input)
				}
			}
			for j, c := range chains {
				if step := longtest.N(97, 1); (i+j)%step != 0 && c != "bitcoin" && c != "near" && c != "" {
					continue // each chain is asked about some of the secrets
				}
				if i > 2 && c != "bitcoin" && c != "ethereum" && c != "near" && c != "nimiq" {
					continue // all chains do the same
				}
				if strings.Contains(hexChains[name], string(c)) && c != "" {
					continue
				}
				if a, err := address.Normalize(c, s); err != nil {
					check("Normalize "+string(c), err)
					if c.Name() != "" && !errors.Is(err, address.ErrSecret) && !strings.Contains(parseError(t, err).Hint(), "could be") {
						t.Errorf("%s: Normalize(%s, %q): %v", name, c, s, err)
					}
				} else {
					t.Errorf("%s: Normalize(%s, %q) = %v", name, c, s, a)
				}
				check("Parse "+string(c), second(address.Parse(c, s)))
				var a address.Address
				check("UnmarshalText", a.UnmarshalText([]byte(string(c)+":"+s)))
			}
			check("UnmarshalText", new(address.Address).UnmarshalText([]byte(s)))
			check("UnmarshalText", new(address.Address).UnmarshalText([]byte(s+":"+s)))
			check("ParseChain", second(address.ParseChain(s)))
			check("Parse", second(address.Parse(address.Chain(s), s)))
		}
	}
}

// TestMistypedSecret checks that a key with a typing error is treated as a key.
func TestMistypedSecret(t *testing.T) {
	for _, s := range []string{
		"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWm", "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDg",
		"KwDiBf89Qg\u0421bjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn", "SDLVVGABQKYQVN6VJP7NHSLEA45A5YLS6PNKMIZFV4BBU2HXA5IRUDHP",
		"snoPBrXtMeMyMHUVTgbuqAfg1SUTc",
	} {
		for _, c := range []address.Chain{"bitcoin", "ethereum", "xrp", "stellar"} {
			if _, err := address.Parse(c, s); !errors.Is(err, address.ErrSecret) || parseError(t, err).Input != "" {
				t.Errorf("Parse(%s, %q): %v, want ErrSecret", c, s, err)
			}
		}
	}
}

// TestNoSecrets checks that errors still quote public text: addresses of other
// chains, unless they have no checksum and look like a key.
func TestNoSecrets(t *testing.T) {
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			s := v.fields["input"]
			if v.fields["expect"] != "valid" {
				continue
			}
			a, err := address.Parse(address.Chain(v.fields["chain"]), s)
			if err != nil || !a.Proven() || len(s) == 64 || len(s) == 66 && s[:2] == "0x" {
				continue
			}
			other := address.Chain("bitcoin")
			if a.Chain() == other {
				other = "tron"
			}
			if _, err := address.Parse(other, s); err != nil && parseError(t, err).Input != s {
				t.Errorf("%s:%d: Parse(%s, %q) does not quote it: %v", name, v.line, other, s, err)
			}
		}
	}
	for _, s := range []string{
		"", "Not an address, but a sentence which is a bit longer and has a number of words in it, and not one of them is secret.",
		"xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
		"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",  // a public key
		"-1:1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262", // ton
		"EOS6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV",
	} {
		if address.HoldsSecret("bitcoin", s) {
			t.Errorf("%q is called a secret", s)
		}
	}
}

// TestSecretFarInside checks that the part of a long input that an error quotes
// contains no secret and no piece of a truncated one.
func TestSecretFarInside(t *testing.T) {
	for name, secret := range secrets() {
		for _, n := range []int{0, 500, 970, 1000, 1023} {
			s := strings.Repeat("- ", n)[:n] + " " + secret + strings.Repeat(" -", 5000)
			_, err := address.Normalize("bitcoin", s)
			if pe := parseError(t, err); strings.Contains(pe.Input, secret[:min(len(secret), 12)]) {
				t.Errorf("%s after %d bytes: Input is %q", name, n, pe.Input)
			}
		}
	}
}

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
				if got != "" || !errors.Is(err, address.ErrChain) || !strings.Contains(strings.Join(pe.Other.Tickers(), " "), ticker) || !strings.Contains(pe.Hint(), string(pe.Other)) {
					t.Errorf("ParseChain(%q) = %q, %v, other %q, hint %q", s, got, err, pe.Other, pe.Hint())
				}
			}
		}
	}
	for _, s := range []string{"", " ", "nosuchchain", "bitcoin2", "bit coin", "\u0432itcoin", "bitcoin\x00", strings.Repeat("x", 1<<20), strings.Repeat(" ", 1<<20) + "bitcoin"} {
		got, err := address.ParseChain(s)
		if pe := parseError(t, err); got != "" || pe.Err != address.ErrChain || pe.Other != "" || pe.Offset != -1 || len(pe.Chain) > 64 || len(err.Error()) > 600 {
			t.Errorf("ParseChain(%.80q) = %q, %.200v", s, got, err)
		}
	}
}

// TestDiagnosisIsBounded checks that the time and memory of an error do not
// grow with the input.
func TestDiagnosisIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []string{"a", "1", "T", "abandon ", "0x", "12,", "\u0430", " ", "\xff", "bitcoin:", "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn "} {
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
	for _, s := range []string{"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d", strings.Repeat("1", 2000), strings.Repeat("ab ", 1000)} {
		b.Run(s[:10], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Parse("bitcoin", s)
			}
		})
	}
}
