package address_test

import (
	"crypto/ed25519"
	"crypto/sha256"
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
		"WIF":                   "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf",
		"WIF, compressed":       "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
		"WIF of testnet":        "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA",
		"BIP-32":                "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
		"BIP-84":                "zprvAWgYBBk7JR8Gjrh4UJQ2uJdG1r3WNRRfURiABBE3RvMXYSrRJL62XuezvGdPvG6GFBZduosCc1YP5wixPox7zhZLfiUm8aunE96BBa4Kei5",
		"BIP-38":                "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
		"decred":                "PmQdMn8xafwaQouk8ngs1CccRCB1ZmsqQxBaxNR4vhQi5a5QB5716",
		"stellar":               "SDLVVGABQKYQVN6VJP7NHSLEA45A5YLS6PNKMIZFV4BBU2HXA5IRUDHO",
		"xrp":                   "snoPBrXtMeMyMHUVTgbuqAfg1SUTb",
		"xrp, ed25519":          "sEdTM1uX8pu2do5XvTnutH6HsouMaM2",
		"tezos":                 "edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh",
		"zcash":                 bech32.Encode("secret-extended-key-main", bech32.Unpack(nil, long), bech32.Bech32),
		"sui":                   bech32.Encode("suiprivkey", bech32.Unpack(nil, []byte("\x00"+key)), bech32.Bech32),
		"cardano":               bech32.Encode("ed25519_sk", bech32.Unpack(nil, []byte(key)), bech32.Bech32),
		"solana, bytes":         strings.ReplaceAll(fmt.Sprint([]byte(key+key)), " ", ","),
		"12 words":              strings.Repeat("abandon ", 11) + "about",
		"15 words":              strings.Repeat("legal winner thank year wave sausage ", 3)[:85],
		"24 words":              strings.Repeat("abandon ", 23) + "art",
		"24 words, a line each": strings.Repeat("zoo\r\n", 23) + "vote",
		"12 words, numbered":    "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
		"25 words":              strings.Repeat("abandon ", 24) + "invest",
		"12 words, Japanese":    strings.Repeat("あいこくしん\u3000", 11) + "あおぞら",
		"antelope":              "PVT_K1_2bfGi9rYsXQSXXTvJbDAPhHLQUojjaNLomdm3cEJ1XTzMqUt3V",
		"cardano, root key":     bech32.Encode("xprv", bech32.Unpack(nil, []byte(strings.Repeat(key, 3))), bech32.Bech32),
		"hedera, ed25519":       "302e020100300506032b657004220420" + hex.EncodeToString([]byte(key)),
		"hedera, secp256k1":     "3030020100300706052b8104000a04220420" + hex.EncodeToString([]byte(key)),
		"avalanche":             "PrivateKey-" + wif(0, key, false)[1:],
		"aeternity":             "sk_" + wif(0, key, false)[1:],
		"nostr":                 bech32.Encode("nsec", bech32.Unpack(nil, []byte(key)), bech32.Bech32),
		"age":                   strings.ToUpper(bech32.Encode("age-secret-key-", bech32.Unpack(nil, []byte(key)), bech32.Bech32)),
		"mini key":              "S6c56bnXQiBjk9mqSYE7ykVQ7NzrRy",
		"WIF, broken":           "KwDiBf89QgGbjEhKnhXJuH7LrciVr\r\nZi3qYjgd9M7rFU73sVHnoWn",
		"WIF, in groups":        "KwDi Bf89 QgGb jEhK nhXJ uH7L rciV rZi3 qYjg d9M7 rFU7 3sVH noWn",
		"12 words, Chinese":     "的一是在不了有和人这中大",
		"24 words, Chinese":     strings.Repeat("的一是在不了有和人这中大", 2),
		"12 words, Korean":      strings.Repeat("가격 ", 11) + "가능",
		"PEM":                   "-----BEGIN PRIVATE KEY----- MC4CAQAwBQYDK2VwBCIEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g",
	}
	all["solana"] = base58.Bitcoin.Encode(ed25519.NewKeyFromSeed([]byte(key)))
	all["BIP-32, letter by letter"] = strings.Join(strings.Split(all["BIP-32"], ""), " ") // the budget lasts to its end
	all["words run together"] = strings.Repeat("abandon", 11) + "about"
	all["words run together, Japanese"] = strings.Repeat("あいこくしん", 12)
	all["words with accents"] = strings.Repeat("ábaco ", 11) + "zurdo"
	all["Xaman"] = "554872 394230 209376 323698 140250 387423 652803 258676"
	all["Xaman, lettered"] = "A: 554872 B: 394230 C: 209376 D: 323698 E: 140250 F: 387423 G: 652803 H: 258676"
	all["SeedQR"] = "011513251154012711900771041507421289190620080870026613431420201617920614089619290300152408010643"
	all["SeedQR, 12 words"] = "192402220235174306311124037817700641198012901210"
	all["codex32"] = "ms10testsxxxxxxxxxxxxxxxxxxxxxxxxxx4nzvca9cmczlw"
	for _, v := range []byte{0x80, 0x9e, 0xb0, 0xb7, 0xbc, 0xbf, 0xc7, 0xcc, 0xd2, 0xd4, 0xef, 0xff, 0x1c} {
		all[fmt.Sprintf("WIF, version %x", v)] = wif(v, key, false)
		all[fmt.Sprintf("WIF, version %x, compressed", v)] = wif(v, key, true)
	}
	return all
}

// TestSecrets gives secrets to all functions that accept text, unchanged and as
// people paste them, and checks that each is reported as one on every chain.
func TestSecrets(t *testing.T) {
	chains := append(address.Chains(), "eip155:98865")
	for name, secret := range secrets() {
		for i, s := range []string{
			secret, " " + secret + "\r\n", `"` + secret + `"`, "key: " + secret, "bitcoin:" + secret + "?amount=1", "my key is " + secret,
			secret + "\u200b", "\ufeff" + secret,
		} {
			for j, c := range chains {
				if (i+j)%longtest.N(41, 1) != 0 && c != "near" && c != "bitcoin" {
					continue
				}
				a, err := address.Normalize(c, s)
				if !errors.Is(err, address.ErrSecret) {
					t.Errorf("%s: Normalize(%s, %q) = %v, %v", name, c, s, a, err)
				}
				if r := address.Interpret(string(c), s); !errors.Is(r.Err, address.ErrSecret) {
					t.Errorf("%s: Interpret(%s, %q) = %s", name, c, s, describe(r))
				}
			}
			if r := address.Interpret("", s); !errors.Is(r.Err, address.ErrSecret) {
				t.Errorf("%s: Interpret(%q) = %s", name, s, describe(r))
			}
			for _, err := range []error{second(address.ParseChain(s)), second(address.Parse(address.Chain(s), "x")), new(address.Address).UnmarshalText([]byte(s))} {
				if err == nil || quotes(err, secret) {
					t.Errorf("%s: %q: %v", name, s, err)
				}
			}
		}
	}
}

// quotes reports whether err contains eight characters of s in a row.
func quotes(err error, s string) bool {
	text := err.Error() + fmt.Sprintf("\n%+v\n%#v", err, err)
	for i := 0; i+8 <= len(s); i++ {
		if strings.ContainsAny(s[i:i+8], "0123456789") && strings.Contains(text, s[i:i+8]) {
			return true
		}
	}
	return false
}

// TestErrorsQuoteNothing checks that no error holds a part of the text, whatever
// is wrong with it.
func TestErrorsQuoteNothing(t *testing.T) {
	for i, s := range inputs(t) {
		if len(s) < 16 || strings.Contains(s, "address") {
			continue
		}
		if r := address.Interpret("", s); r.Err != nil && quotes(r.Err, s) {
			t.Errorf("Interpret(%q): %v", s, r.Err)
		}
		for j, c := range address.Chains() {
			if (i+j)%longtest.N(131, 53) != 0 {
				continue
			}
			for _, text := range []string{s, " " + s, "bitcoin:" + s} {
				if _, err := address.Normalize(c, text); err != nil && quotes(err, s) {
					t.Errorf("Normalize(%s, %q): %v", c, text, err)
				}
			}
		}
	}
}

// TestNotSecrets has public text that resembles secrets, and secrets that cannot
// be told from public text.
func TestNotSecrets(t *testing.T) {
	for _, s := range []string{
		"000000000000000000000000098b716b8aaf21512996dc57eb0615e2383e2f96", // an EVM address in a log
		"0x000000000000000000000000098b716b8aaf21512996dc57eb0615e2383e2f96",
		"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
		"0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20",
		"Not an address, but a sentence which is a bit longer and has a number of words in it, and not one of them is secret.",
		"xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
		"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", // a public key
		"EOS6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV",
		"12 + 3,456.78 on 2026-10-01",
		"Pay 3nKbutduFhQ2DS9uGeBJ4c3QRW2Fho5DRqR4dssfWQBNKFnxNp.", // concordium: 37 bytes in Base58Check, as of a WIF
	} {
		for _, c := range address.Chains() {
			if _, err := address.Normalize(c, s); errors.Is(err, address.ErrSecret) {
				t.Errorf("Normalize(%s, %q): %v", c, s, err)
			}
		}
	}
	for _, c := range []address.Chain{"bitcoin", "ethereum", "tron", "solana", "ton", "stellar", "cardano"} {
		const key = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
		for _, s := range []string{key, "0x" + key, strings.ToUpper(key), " " + key} {
			if _, err := address.Normalize(c, s); !errors.Is(err, address.ErrSyntax) || quotes(err, s) {
				t.Errorf("Normalize(%s, %q): %v", c, s, err)
			}
		}
	}
}

// TestNamedKeys reads 64 hex digits behind a word for a private key.
func TestNamedKeys(t *testing.T) {
	const key = "e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a"
	for _, s := range []string{
		"key:%", "key: %", "key=%", "Key = 0x%", "private key: %", "Private Key (hex): 0x%", "priv=%", "privkey:%", "private_key=%", "export PRIVATE_KEY=%",
		`{"privateKey":"0x%"}`, "secret: %", "secret:%", "seed: %", "sk: %", "pk=%", "my key is %", "my private key for the wallet is %", "key\n%", "wallet key - %", "Schlüssel: %",
		"ключ: %", "私钥：%", "key: " + key[:32] + " " + key[32:], "key: " + key[:16] + "\r\n" + key[16:40] + "\n" + key[40:], "spend key %", "key be a %", "<key>%</key>", "https://x.io/?key=%",
	} {
		for _, digits := range []string{key, strings.ToUpper(key)} {
			s := strings.ReplaceAll(s, "%", digits)
			for _, chain := range []string{"", "ethereum", "near", "secret", "ETH", "no chain"} {
				if r := address.Interpret(chain, s); !errors.Is(r.Err, address.ErrSecret) || len(r.Addresses) > 0 {
					t.Errorf("Interpret(%s, %q) = %s", chain, s, describe(r))
				}
				if _, err := address.Normalize(address.Chain(chain), s); address.Chain(chain).Name() != "" && !errors.Is(err, address.ErrSecret) {
					t.Errorf("Normalize(%s, %q): %v", chain, s, err)
				}
			}
		}
	}
	for _, s := range []string{key, "public key: " + key, "pubkey=" + key, "tx " + key, "key: " + key + key, "key: " + key[1:], "hash of the transaction: " + key, "0x" + key} {
		if r := address.Interpret("bitcoin", s); errors.Is(r.Err, address.ErrSecret) {
			t.Errorf("Interpret(%q): %v", s, r.Err)
		}
	}
}

// TestTypos makes typing errors of one character in the vectors of each chain, and
// checks that hardly any of them is called a secret.
func TestTypos(t *testing.T) {
	const keys = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	rng := rand.New(rand.NewPCG(4, 19))
	typos, secret := map[address.Chain]int{}, map[address.Chain]int{}
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			c, s := address.Chain(v.fields["chain"]), v.fields["input"]
			if e := v.fields["expect"]; e != "valid" && e != "tolerant" {
				continue
			}
			for range longtest.N(30, 100) {
				i, key := rng.IntN(len(s)), keys[rng.IntN(len(keys))]
				typo := s[:i] + string(key) + s[i+1:]
				switch rng.IntN(3) {
				case 0:
					typo = s[:i] + string(key) + s[i:]
				case 1:
					typo = s[:i] + s[i+1:]
				}
				typos[c]++
				if _, err := address.Normalize(c, typo); errors.Is(err, address.ErrSecret) {
					secret[c]++
				}
			}
		}
	}
	for c, n := range typos {
		if 50*secret[c] > n {
			t.Errorf("%s: %d of %d typing errors are called secrets", c, secret[c], n)
		}
	}
}
