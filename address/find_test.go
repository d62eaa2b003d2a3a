package address_test

import (
	"encoding/base64"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// Texts of lists, as printed. The EU text is the remark on Garantex in the
// consolidated list of 22 September 2026; the UK texts are from the Sanctions
// List of 21 September 2026 (CTD0004, RUS1421, RUS3602).
const (
	euRemark = `Place of registration: Moscow, Russian Federation
Known Garantex blockchain wallet addresses:
ETH: 0x002471b8A185f9980708d0eAEC5B289714F56f8d
BTC: bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml
bc1qwxqxd25yk2dtw2ml04vxj9atq3huv4rdytf6vt
3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t
BSC: 0x3051Ca7cB7f6C599fA2f27385AD75010cf0f2bbF
TRX: TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d`
	ukReasons = "subject to the asset freeze on AYASH: (1) ETH: 0x175d44451403Edf28469dF03A9280c1197ADb92c (2) BNB:  " +
		"0x175d44451403Edf28469dF03A9280c1197ADb92c (3) USDT:  TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU (6) USDT: TTgcTTNbNuFdbrhvbjMZVrdU5KALyzDaPw \n(7) BNB: " +
		"0xE950DC316b836e4EeFb8308bf32Bf7C72a1358FF (10) BTC: 3Q8H2ZWMtc4R1M3mkmhnTjCoYKTeCFigDP The Director Disqualification Sanction was imposed on 09/04/2025."
	ukOther = "Digital Currency Address: XBT 3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1\t \t \t  \t \t \nDigital Currency Address: ETH " +
		"0x7FF9cFad3877F21d41Da833E2F775dB0569eE3D9\t \t \t \nDigital Currency Address: USDT 3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV The Director"
	ukBare = "crypto wallet addresses: \nTJqUC56SDZ373JYRurzXtMcor2HQvN9BaU\nTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ \nTCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN "
)

func TestFindAll(t *testing.T) {
	const (
		eip55   = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
		lower   = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
		digits  = "7e5f4552091a69125d5dfcb7b8c2659029395bdf"
		btc     = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
		segwit  = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
		trx     = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
		xrp     = "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH"
		ton     = "EQAYYxQ8FMUWaAS9GSAzVtoTbJhWeM1NJ6G4xjKWBJAyYhKQ"
		icp     = "rrkah-fqaaa-aaaaa-aaaaq-cai"
		monero  = "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"
		avax    = "X-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9"
		nano    = "nano_3ottm11r7eacpzcnqzpms7k1ggigw7sh9po86ekty1itf5uignatnb14pyae"
		tezos   = "tz1N7tYGMGs3GGjeJAJKtbycAWcvoPNSUYgu"
		hash    = "0x5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
		solana  = "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"
		taproot = "bc1pfeessrawgf"
		nem     = "NAIKOG-SJDNQI-5WKYLG-DLUR3X-XLSDGK-MB6DER-DBYR"
	)
	tests := []struct {
		name, text string
		want       []string // chain, a colon, and what stands in the text
	}{
		{"nothing", "", nil},
		{"EU remark", euRemark, []string{
			"ethereum:0x002471b8A185f9980708d0eAEC5B289714F56f8d", "bitcoin:bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml",
			"bitcoin:bc1qwxqxd25yk2dtw2ml04vxj9atq3huv4rdytf6vt", "bitcoin:3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t",
			"ethereum:0x3051Ca7cB7f6C599fA2f27385AD75010cf0f2bbF", "tron:TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"}},
		{"UK statement of reasons", ukReasons, []string{
			"ethereum:0x175d44451403Edf28469dF03A9280c1197ADb92c", "ethereum:0x175d44451403Edf28469dF03A9280c1197ADb92c",
			"tron:TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU", "tron:TTgcTTNbNuFdbrhvbjMZVrdU5KALyzDaPw",
			"ethereum:0xE950DC316b836e4EeFb8308bf32Bf7C72a1358FF", "bitcoin:3Q8H2ZWMtc4R1M3mkmhnTjCoYKTeCFigDP"}},
		{"UK other information", ukOther, []string{
			"bitcoin:3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1", "ethereum:0x7FF9cFad3877F21d41Da833E2F775dB0569eE3D9",
			"bitcoin:3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV"}},
		{"UK bare lines", ukBare, []string{
			"tron:TJqUC56SDZ373JYRurzXtMcor2HQvN9BaU", "tron:TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ", "tron:TCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN"}},
		{
			"trailing marks",
			btc + "; " + trx + ", (" + segwit + ") " + lower + ".",
			[]string{"bitcoin:" + btc, "tron:" + trx, "bitcoin:" + segwit, "ethereum:" + lower},
		},
		{"labels without blanks", "BTC:" + btc + "/ETH=" + eip55 + "-TRX_" + trx, []string{"bitcoin:" + btc, "ethereum:" + eip55, "tron:" + trx}},
		{"in a URL", "https://example.org/address/" + btc + "?a=1", []string{"bitcoin:" + btc}},
		{"upper case", strings.ToUpper(segwit), []string{"bitcoin:" + strings.ToUpper(segwit)}},

		{"glued to letters", "wallet" + btc + "and" + trx + "XRP" + xrp + "0", []string{"bitcoin:" + btc, "tron:" + trx, "xrp:" + xrp}},
		{
			"glued to each other",
			btc + trx + segwit + tezos + taproot + btc,
			[]string{"bitcoin:" + btc, "tron:" + trx, "bitcoin:" + segwit, "tezos:" + tezos, "bitcoin:" + taproot, "bitcoin:" + btc},
		},
		{"glued to a label", "BTC" + segwit + "LTC", []string{"bitcoin:" + segwit}},
		{"hex behind a letter", "ETH" + lower, []string{"ethereum:" + lower}},
		{"hex behind a hex digit", "a" + lower, nil},
		{"capitals that verify behind a hex digit", "cafe" + eip55 + "cafe", []string{"ethereum:" + eip55}},
		{"hex behind an escape", "?to%3D" + lower + "%2F" + lower, []string{"ethereum:" + lower, "ethereum:" + lower}},
		{"hex behind an escaped line feed", `a\n` + lower + `\n` + lower, []string{"ethereum:" + lower, "ethereum:" + lower}},
		{"hex glued to hex", lower + lower + eip55, []string{"ethereum:" + lower, "ethereum:" + lower, "ethereum:" + eip55}},
		{
			"before a slash or underscore",
			ton + "/x " + icp + "/x " + btc + "_x " + nem + "/" + icp + "_",
			[]string{"ton:" + ton, "internet-computer:" + icp, "bitcoin:" + btc, "nem:" + nem, "internet-computer:" + icp},
		},
		{"of ton before a word", ton + "alice.near", []string{"ton:" + ton}},
		{"hex before a hex digit", lower + "a", nil},
		{"hex before a letter", lower + "TRX", []string{"ethereum:" + lower}},
		{"hex before an address", lower + trx, []string{"ethereum:" + lower, "tron:" + trx}},
		{"hex without 0x", digits, nil},

		{"broken", "wallets:\n" + segwit[:20] + "\n" + segwit[20:] + "; more", []string{"bitcoin:" + segwit[:20] + "\n" + segwit[20:]}},
		{"whole, above a rule", btc + "\n\n-----\nId", []string{"bitcoin:" + btc}},
		{"broken behind a label", "BTC:" + btc[:11] + " \t\r\n" + btc[11:] + ".", []string{"bitcoin:" + btc[:11] + " \t\r\n" + btc[11:]}},
		{"broken after one character", btc[:1] + "\n" + btc[1:], []string{"bitcoin:" + btc[:1] + "\n" + btc[1:]}},
		{"broken before the last character", btc[:33] + "\n" + btc[33:], []string{"bitcoin:" + btc[:33] + "\n" + btc[33:]}},
		{
			"two broken ones",
			btc[:11] + "\n" + btc[11:] + "\n" + trx[:30] + "\n" + trx[30:],
			[]string{"bitcoin:" + btc[:11] + "\n" + btc[11:], "tron:" + trx[:30] + "\n" + trx[30:]},
		},
		{"broken twice", btc[:11] + "\n" + btc[11:20] + "\n" + btc[20:], []string{"bitcoin:" + btc[:11] + "\n" + btc[11:20] + "\n" + btc[20:]}},
		{"broken three times", btc[:11] + "\n" + btc[11:20] + "\n" + btc[20:25] + "\n" + btc[25:], nil},
		{"broken by quoted-printable", segwit[:20] + "=\r\n" + segwit[20:], []string{"bitcoin:" + segwit[:20] + "=\r\n" + segwit[20:]}},
		{"broken in a quotation", "> pay " + segwit[:20] + "\n> " + segwit[20:], []string{"bitcoin:" + segwit[:20] + "\n> " + segwit[20:]}},
		{"an empty line between", btc[:11] + "\n\n" + btc[11:], []string{"bitcoin:" + btc[:11] + "\n\n" + btc[11:]}},
		{"broken hex with capitals", eip55[:30] + "\n" + eip55[30:], []string{"ethereum:" + eip55[:30] + "\n" + eip55[30:]}},
		{"broken hex with wrong capitals", eip55[:30] + "\n" + lower[30:], nil},
		{"broken hex without capitals", lower[:30] + "\n" + lower[30:], []string{"ethereum:" + lower[:30] + "\n" + lower[30:]}},
		{"broken with separators", "a: " + ton[:20] + "\n" + ton[20:], []string{"ton:" + ton[:20] + "\n" + ton[20:]}},
		{"broken behind its prefix", "x\nnano_\n" + nano[5:], []string{"nano:nano_\n" + nano[5:]}},
		{"broken principal", icp[:14] + "\n" + icp[14:], []string{"internet-computer:" + icp[:14] + "\n" + icp[14:]}},
		{
			"lines of whole ones",
			btc + "\n" + trx + "\n" + lower + "\n" + segwit,
			[]string{"bitcoin:" + btc, "tron:" + trx, "ethereum:" + lower, "bitcoin:" + segwit},
		},

		{"capitals that do not verify", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", []string{"ethereum:0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf"}},
		{
			"many formats",
			strings.Join([]string{ton, icp, monero, avax, nano, tezos}, " "),
			[]string{"ton:" + ton, "internet-computer:" + icp, "monero:" + monero, "avalanche-x:" + avax, "nano:" + nano, "tezos:" + tezos},
		},
		{
			"many formats behind labels",
			"TON:" + ton + "; ICP=" + icp + "; XMR:" + monero,
			[]string{"ton:" + ton, "internet-computer:" + icp, "monero:" + monero},
		},
		{"without a checksum", solana + " example.near 0.0.2 eosio.token 1234567890", nil},
		{"a homoglyph", "T\u041d96tFMn8KGiYSLiw\u0441V3E2UiaJc8jmcbz3", nil},
		{"any bytes", "\xff\xfe\x00" + btc + "\x00\xc3(" + trx + "\xf0\x9f", []string{"bitcoin:" + btc, "tron:" + trx}},
		{"not ASCII around", "кошелёк" + lower + "。" + btc + "é", []string{"ethereum:" + lower, "bitcoin:" + btc}},
		{"a typing error", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh", nil},
		{"no addresses", strings.Join([]string{
			"LEI 5493001KJTIIGC8Y1R12, OGRN 1027700132195, INN 7707083893, IMO 9187629, IMO number: 9595321,",
			hash, hash[2:], hash[2:34], "phone +74957870710 +7 (495) 787-07-10, MMSI 273346000,",
			"https://www.interpol.int/en/How-we-work/Notices/View-UN-Notices-Individuals#2011-12345",
			"https://eur-lex.europa.eu/LexUriServ/LexUriServ.do?uri=OJ:L:2003:169:0006:0023:EN:PDF",
			"550e8400-e29b-41d4-a716-446655440000 d41d8cd98f00b204e9800998ecf8427e 20b2e02a8e1f09b2b3a4f9d3bd0df8a1",
			"GB29NWBK60161331926819 DE89370400440532013000 deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
			"QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKtVoL bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
		}, "\n"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			end := 0
			for _, f := range address.FindAll(tt.text) {
				if f.Start < end || f.End <= f.Start {
					t.Errorf("%v at %d to %d, after one that ends at %d", f.Address, f.Start, f.End, end)
				}
				end = f.End
				got = append(got, string(f.Address.Chain())+":"+tt.text[f.Start:f.End])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("FindAll(%q)\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

func BenchmarkFindAll(b *testing.B) {
	texts := map[string]string{
		"prose": strings.Repeat(ukReasons, 100),
		"prose2": strings.Repeat(
			"We have reasonable grounds to suspect that at least the following entities are controlled by AYASH and are therefore also subject to the asset "+
				"freeze on AYASH: Gaza Now. ",
			500,
		),
		"ones":     strings.Repeat("1", 100000),
		"r":        strings.Repeat("r", 100000),
		"base58":   strings.Repeat("A9zQ7", 20000),
		"base58b":  strings.Repeat("1A9zQ7mmWx", 10000),
		"bech":     strings.Repeat("bc1qqqqqqqqqq", 10000),
		"bech2":    strings.Repeat("nc1qqqqnc", 10000),
		"dashes":   strings.Repeat("a-", 50000),
		"dashes2":  strings.Repeat("a-a-a-a-a-a-a-a-a-a-a-a-a-a-a\n", 50000/15),
		"dashes3":  strings.Repeat("aaaaa-aaaaa-aaaaa-aaaaa-aaa ", 50000/15),
		"dots":     strings.Repeat("0.0.1-aaaaa ", 50000/6),
		"hex":      strings.Repeat("0x5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320 ", 1500),
		"hex2":     strings.Repeat("5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320\n", 1500),
		"uuids":    strings.Repeat("550e8400-e29b-41d4-a716-446655440000\n", 2000),
		"base64":   base64Lines(100_000),
		"noise":    noiseText(200_000),
		"b58words": strings.Repeat("7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv\n", 2000),
		"words34":  base58Words("13TLDr", 34, " "),
		"lines34":  base58Words("13TLDr", 34, "\n"),
		"lines17":  base58Words("13TLDr", 17, "\n"), // two are as long as an address
		"groups":   base58Words("1A", 4, " "),
		"numbers":  strings.Repeat("2024 1055 ", 10000),
		"endless":  base58Words("1", 100_000, ""),
		"groestl":  base58Words("F", 34, " "),
		"ones2":    base58Words("1", 2, ""),
		"glued":    strings.Repeat(testBTC, 3000),
		"found":    strings.Repeat(testTRX+"\n", 3000),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				address.FindAll(text)
			}
		})
	}
}

// base58Words returns about 100,000 bytes of words of n random Base58 digits with
// sep behind each. The words begin with the digits in first, in turn.
func base58Words(first string, n int, sep string) string {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rng := rand.New(rand.NewPCG(9, 3))
	var b strings.Builder
	for i := 0; b.Len() < 100_000; i++ {
		b.WriteByte(first[i%len(first)])
		for range n - 1 {
			b.WriteByte(digits[rng.IntN(len(digits))])
		}
		b.WriteString(sep)
	}
	return b.String()
}

// slowFindAll is a simple model of FindAll: at every position it takes the
// longest piece that proves to be an address by itself or without a line break,
// and that either stands apart or is of a kind that may touch letters.
func slowFindAll(text string) []address.Found {
	alnum := func(i int) bool {
		return i >= 0 && i < len(text) && strings.IndexByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", text[i]) >= 0
	}
	var all []address.Found
	afterHex := -1 // the end of the last EVM address
	for start := 0; start < len(text); start++ {
		if !alnum(start) {
			continue
		}
		for end := min(start+130, len(text)); end > start+13; end-- {
			a, ok := slowProven(text, start, end, !alnum(start-1), !alnum(end), afterHex)
			if ok && alnum(end-1) {
				if strings.HasPrefix(text[start:], "0x") {
					afterHex = end
				}
				all = append(all, address.Found{Address: a, Start: start, End: end})
				start = end - 1
				break
			}
		}
	}
	return all
}

var lineBreak = regexp.MustCompile(`=?[ \t\r]*\n[ \t\r>]*(?:\n[ \t\r>]*)?`)

func slowProven(text string, start, end int, apartBefore, apartBehind bool, afterHex int) (address.Address, bool) {
	s := text[start:end]
	if strings.ContainsAny(s, " \t\r\n") {
		at := lineBreak.FindAllStringIndex(s, -1)
		if len(at) < 1 || len(at) > 2 || !apartBefore || !apartBehind {
			return address.Address{}, false
		}
		s = lineBreak.ReplaceAllString(s, "")
		if strings.ContainsAny(s, " \t\r\n") || strings.HasPrefix(s, "0x") && (strings.ToLower(s) == s || strings.ToUpper(s[2:]) == s[2:]) {
			return address.Address{}, false
		}
	} else if len(s) == 42 && s[:2] == "0x" {
		// An EVM address that stands alone need not have the right capitals.
		isHex := func(i int) bool {
			return i >= 0 && i < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[i]) >= 0
		}
		escape := start >= 3 && text[start-3] == '%' && isHex(start-2)
		alone := (!isHex(start-1) || escape || start == afterHex) && (!isHex(end) || strings.HasPrefix(text[end:], "0x"))
		a, err := address.Normalize("ethereum", s)
		if _, bad := address.Parse("ethereum", s); bad == nil && strings.ToLower(s) != s && strings.ToUpper(s[2:]) != s[2:] {
			alone = true
		}
		return a, err == nil && alone
	}
	found := address.Detect(s)
	if len(found) == 0 || !found[0].Proven() {
		return address.Address{}, false
	}
	if apartBefore && apartBehind {
		return found[0], true
	}
	switch found[0].Chain() {
	case "bitcoin", "litecoin", "dogecoin", "dash", "zcash", "tron", "tezos", "xrp", "neo", "cosmos", "osmosis", "thorchain", "harmony":
		return found[0], len(s) < 70 && !strings.Contains(s, ":")
	}
	return address.Address{}, false
}

// glued are addresses that are found between letters; apart are addresses that
// are not.
var (
	glued = []string{
		testBTC, testBC1, testTRX, "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
		"BC1QCR8TE4KR609GCAWUTMRZA0J4XV80JY8Z306FYU", "MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH",
		"t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", "tz1N7tYGMGs3GGjeJAJKtbycAWcvoPNSUYgu", "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c",
		"1111111111111111111114oLvT2", // bitcoin, of 20 zeros
	}
	apart = []string{
		testEVM, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf", testXMR, testTON,
		"nano_3ottm11r7eacpzcnqzpms7k1ggigw7sh9po86ekty1itf5uignatnb14pyae", "X-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9",
		"25NJQAMCWEFLPVKL73J4SZAHHIHOC4XT3KTCGJNPAINGR5YHKENMEF5QTE", "15sND1xy2556eoAx6eGV6zkURiPJ9T9qJ8XMDHsYTuZezp7f",
		"rrkah-fqaaa-aaaaa-aaaaq-cai",
	}
	noise = []string{
		"a", "0", "1", "x", "XBT", "BTC: ", "0x", "ff", "; ", ", ", "(", ") ", "\n", " \t\r\n ", "\n\n", " ", ". ", "é", "\xff", "wallet", "bc1", "q",
		"5493001KJTIIGC8Y1R12", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh",
	}
)

// randomText returns a sequence of addresses, pieces of addresses, and noise.
func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(8) {
		switch s := glued[rng.IntN(len(glued))]; rng.IntN(6) {
		case 0:
			b.WriteString(s)
		case 1: // broken
			n := 1 + rng.IntN(len(s)-1)
			b.WriteString(s[:n] + []string{"\n", "\r\n", " \n", "\n ", "\n\n"}[rng.IntN(5)] + s[n:])
		case 2: // cut
			b.WriteString(s[rng.IntN(3) : len(s)-rng.IntN(3)])
		case 3:
			b.WriteString(" " + apart[rng.IntN(len(apart))] + " ")
		default:
			b.WriteString(noise[rng.IntN(len(noise))])
		}
	}
	return b.String()
}

func TestFindAllAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range longtest.N(6, 250) {
		text := randomText(rng)
		got, want := address.FindAll(text), slowFindAll(text)
		found += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("FindAll(%q)\n got %v\nwant %v", text, got, want)
		}
	}
	if found < longtest.N(3, 200) {
		t.Errorf("only %d addresses in the texts", found)
	}
}

// TestAddressesAreNoPieces checks that FindAll tries an address on a line once, and not also with
// the lines behind it.
func TestAddressesAreNoPieces(t *testing.T) {
	const lines = 50
	for _, a := range []string{testTRX, testBTC, testBC1} {
		text := strings.Repeat(a+"\n", lines)
		if n, found := address.CountTries(text), len(address.FindAll(text)); n != lines || found != lines {
			t.Errorf("%q on %d lines: %d tries, %d found", a, lines, n, found)
		}
	}
}

// TestFindAllIsLinear counts the strings that FindAll tries as addresses: for
// any text, doubling it doubles the number, which is less than the number of bytes.
func TestFindAllIsLinear(t *testing.T) {
	for _, unit := range []string{
		"1", "r", "A9zQ7", "1A9zQ7mmWx", "bc1qqqqqqqqqq", "nc1qqqqnc", "a-", "aaaaa-", "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a\n", "0.0.1-aaaaa ",
		"a\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "0x", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", testBTC, testBTC + "\n", testBC1 + ":",
		testTON + "-", "E-", "EQ_", "usr/", "ab_", "abc:", "cfx:", "0.", "0.0.", "X-", "hello-", " ", "\n", ":", "bitcoincash:", "\xff", "1:", "1\t2 ", "T\tR ", "r\ts ", "3\nJ\t",
	} {
		const size = 1 << 13
		text := strings.Repeat(unit, 2*size/len(unit))
		once, twice := address.CountTries(text[:size]), address.CountTries(text)
		if twice > 2*once+300 || once > size {
			t.Errorf("%q: %d tries for %d bytes, %d for %d", unit, once, size, twice, 2*size)
		}
	}
}

// TestFindAllProse checks that FindAll does not allocate for text without
// addresses.
func TestFindAllProse(t *testing.T) {
	text := strings.Repeat(
		"We have reasonable grounds to suspect that at least the following entities (see https://www.gov.uk/x) are controlled by AYASH,\n",
		50,
	)
	if n := testing.AllocsPerRun(10, func() { address.FindAll(text) }); n != 0 {
		t.Errorf("FindAll of prose allocates %v times", n)
	}
}

// base64Lines returns n random bytes in lines of Base64.
func base64Lines(n int) string {
	rng := rand.New(rand.NewPCG(9, 1))
	var b strings.Builder
	line := make([]byte, 57)
	for b.Len() < n {
		for i := range line {
			line[i] = byte(rng.Uint32())
		}
		b.WriteString(base64.StdEncoding.EncodeToString(line) + "\n")
	}
	return b.String()
}

// noiseText returns about n bytes of text that resembles addresses: hashes,
// UUIDs, Base64, source code, numbers and prose.
func noiseText(n int) string {
	rng := rand.New(rand.NewPCG(9, 2))
	random := func(digits string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = digits[rng.IntN(len(digits))]
		}
		return string(b)
	}
	const hex = "0123456789abcdef"
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	var b strings.Builder
	for b.Len() < n {
		switch rng.IntN(9) {
		case 0:
			b.WriteString(random(hex, 64))
		case 1:
			b.WriteString(random(hex, 8) + "-" + random(hex, 4) + "-4" + random(hex, 3) + "-a" + random(hex, 3) + "-" + random(hex, 12))
		case 2:
			b.WriteString(base64Lines(50 + rng.IntN(200)))
		case 3:
			b.WriteString("for i := range len(buf) { sum += int(buf[i]) << (8 * (i % 4)) } // " + random(hex, 7))
		case 4:
			b.WriteString(random("0123456789", 4+rng.IntN(20)))
		case 5:
			b.WriteString(random(base58, 20+rng.IntN(40)))
		case 6:
			b.WriteString("https://example.org/" + random("abcdefghijklmnopqrstuvwxyz", 6) + "/" + random(hex, 40) + "?id=" + random("0123456789", 6))
		case 7:
			b.WriteString("the asset freeze on the following entities, which are owned or controlled by")
		default:
			b.WriteString("bc1" + random("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 20+rng.IntN(40)))
		}
		b.WriteByte(" \n,;\t"[rng.IntN(5)])
	}
	return b.String()
}

// TestFindAllNoise searches text without addresses. With WALLETSCREEN_LONG=1 it
// searches 50 MB.
func TestFindAllNoise(t *testing.T) {
	if found := address.FindAll(noiseText(longtest.N(1<<18, 50<<20))); len(found) != 0 {
		t.Errorf("%d addresses in noise, the first %v", len(found), found[0])
	}
}

// TestFindAllVectors checks that FindAll finds each address of the test vectors
// that is proven, if it stands apart.
func TestFindAllVectors(t *testing.T) {
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			s := v.fields["input"]
			a, err := address.Parse(address.Chain(v.fields["chain"]), s)
			if err != nil || !a.Proven() || len(s) < 14 || a.Chain() == "nem" && strings.ToLower(s) == s {
				continue
			}
			if all := address.Detect(s); len(all) == 0 || !all[0].Proven() {
				continue
			}
			if found := address.FindAll("(" + s + ") x"); len(found) != 1 || found[0].Start != 1 && s[0] != 'E' || found[0].End != 1+len(s) {
				t.Errorf("%s:%d: FindAll(%q) = %v", name, v.line, s, found)
			}
		}
	}
}

// TestFindZeros finds addresses whose hashes begin with zeros between other letters and digits.
func TestFindZeros(t *testing.T) {
	for _, a := range []string{"11111sgF3FW6nsEcFomJuVGxeYXMiTt4", "111112EN1fTK7owYwKkRuKduX3UvsMKsu", "1111111111111111111114oLvT2", "rrrrrrrrrrrrrrrrrrrrrhoLvTp"} {
		for _, text := range []string{a, "0x" + a, "addr" + a, a + "_"} {
			if got := address.FindAll(text); len(got) != 1 || got[0].Address.Normalized() != a {
				t.Errorf("FindAll(%q) = %v, want %s", text, got, a)
			}
		}
	}
}

// TestFindOverBlanks finds addresses that two blanks or a tab interrupt, and those in groups before
// another column.
func TestFindOverBlanks(t *testing.T) {
	const btc, evm, lower = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x57ec89a0c056163a0314e413320f9b3abe761259"
	const groups = "0x57 ec 89 a0 c0 56 16 3a 03 14 e4 13 32 0f 9b 3a be 76 12 59"
	for text, want := range map[string]string{
		btc[:12] + "  " + btc[12:]:                              btc,
		"to " + btc[:12] + "\t" + btc[12:] + "\tBTC":            btc,
		evm[:20] + "\t" + evm[20:]:                              strings.ToLower(evm),
		lower[:20] + "  " + lower[20:] + " ETH":                 lower,
		groups + "  DE":                                         lower,
		"to 12Qt D5BF wRsd NsAZ Y76U VE1x yCGN TojH 9h from me": btc, // a word as long as a group behind a shorter one
		"to 12QtD 5BFwR sdNsA ZY76U VE1xy CGNTo jH9h today":     btc,
		groups + "\tUS\tx":                                      lower,
		strings.ReplaceAll(groups, " ", "\t"):                   lower,
		btc[:12] + "   " + btc[12:]:                             "",
		btc[:12] + " \t " + btc[12:]:                            "",
	} {
		got := ""
		for _, f := range address.FindAll(text) {
			got += f.Address.Normalized()
		}
		if got != want {
			t.Errorf("FindAll(%q) finds %q, want %q", text, got, want)
		}
	}
}
