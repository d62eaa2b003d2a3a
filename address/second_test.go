package address

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestSecondAddress checks that no address goes unread beside another one that is certain: it is
// among the accounts of the reading, or the text is in doubt or an error. The second address may
// have a wrong character.
func TestSecondAddress(t *testing.T) {
	first := []string{
		"0x00000000219ab540356cBB839Cbe05303d7705Fa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "0.0.800", "alice.near",
	}
	second := []string{
		"0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x57ec89a0c056163a0314e413320f9b3abe761259", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h",
		"1CUEL8MVWapQC4HEhXe42EybNPT5gMcA8c", "3FXVLv8TmcHNmnfwLfc5g7f2a32xp3XugW", "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml", "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d",
	}
	joins := strings.Split(`%s %s|%s,%s|%s; %s|%s/%s|%s / %s|%s %[1]s %s|%s %[1]s?%s|%s ETH %s|%s ethereum:%s|%s BTC: %s|%s to %s|%s?%s|%s?to=%s|%s&to=%s|%s#%s|`+
		`bitcoin:%s?bc=%s|bitcoin:%s?x=%s|bitcoin:%s?	bc=%s|bitcoin:%s?label=%s|ethereum:%s@1?to=%s|ethereum:%s/transfer?address=%s|solana:%s?recipient=%s|`+
		`https://e.io/%s/%s|https://e.io/address/%s?a=%s|https://e.io/address/%s#%s|https://e.io/tx?from=%s&to=%s|https://e.io/#/address/bitcoin:%s?bc=%s`, "|")
	spoil := []struct {
		name  string
		spoil func(string) string
		wrong bool // it is not the address any more
	}{
		{"nothing", func(s string) string { return s }, false},
		{"an invisible character", func(s string) string { return s[:20] + "\u200b" + s[20:] }, false},
		{"a filler", func(s string) string { return s[:20] + "\u3164" + s[20:] }, false},
		{"full width", func(s string) string { return strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s) }, false},
		{"an escape of a URL", func(s string) string { return fmt.Sprintf("%s%%%x%s", s[:20], s[20], s[21:]) }, false},
		{"an escape of HTML", func(s string) string { return fmt.Sprintf("%s&#%d;%s", s[:20], s[20], s[21:]) }, false},
		{"an escape of HTML without its end", func(s string) string { return fmt.Sprintf("%s&#%d%s", s[:20], s[20], s[21:]) }, false},
		{"an escape in braces", func(s string) string { return fmt.Sprintf(`%s\u{%x}%s`, s[:20], s[20], s[21:]) }, false},
		{"Thai digits", func(s string) string { return strings.Map(func(r rune) rune { return digitFrom('๐', r) }, s) }, false},
		{"digits of mathematics", func(s string) string { return strings.Map(func(r rune) rune { return digitFrom('𝟬', r) }, s) }, false},
		{"signs in it", func(s string) string { return s[:7] + "+" + s[7:20] + "*" + s[20:] }, true},
		{"small letters", strings.ToLower, true},
		{"capitals", strings.ToUpper, true},
		{"a byte that is no text", func(s string) string { return s[:17] + "\xff" + s[17:] }, true},
		{"a letter of no Latin alphabet", func(s string) string { return s[:17] + "ж" + s[18:] }, true},
		{"all escaped", func(s string) string { return url.QueryEscape("bitcoin:" + s) }, false},
		{"a wrong character", func(s string) string {
			return s[:20] + string("78"[s[20]%2]) + s[21:]
		}, true},
		{"one too many", func(s string) string { return s[:20] + "2" + s[20:] }, true},
	}
	step, number := longtest.Step(17, 1), 0
	tried, undecided := 0, 0
	for _, a := range first {
		for _, b := range second {
			want := MustParse(Detect(b)[0].Chain(), b)
			for _, join := range joins {
				for _, s := range spoil {
					for _, name := range []string{"", "BTC", "ethereum"} {
						if number++; number%step != 0 {
							continue
						}
						text := fmt.Sprintf(join, a, s.spoil(b))
						if isLower := strings.ToLower(b) == b; s.name == "a wrong character" && isLower && hasHexPrefix(b) || s.name == "an escape of HTML without its end" && isDigit(b[21]) {
							continue // it is another address, or the escape does not end there
						}
						r := Interpret(name, text)
						tried++
						if r.Err != nil || r.Doubts != nil {
							undecided++
							if s.wrong || slices.ContainsFunc(r.Addresses, want.isControlledLike) || len(text) > maxSearched {
								continue
							}
							t.Errorf("Interpret(%q, %q), %s: %v, %v: %s is not shown", name, text, s.name, r.Addresses, r.Err, b)
							continue
						}
						if !slices.ContainsFunc(r.Addresses, want.isControlledLike) {
							t.Errorf("Interpret(%q, %q), %s: %v is certain", name, text, s.name, r.Addresses)
						}
					}
				}
			}
		}
	}
	if tried < 30000/step || undecided < tried/2 {
		t.Errorf("%d texts, %d undecided", tried, undecided)
	}
}

// digitFrom returns the digit of the script whose zero is given, for a digit of ASCII, and any other
// character itself.
func digitFrom(zero, r rune) rune {
	if '0' <= r && r <= '9' {
		return zero + r - '0'
	}
	return r
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// TestLikelySecond checks that the remains of an address are seen beside another one, and that other
// texts are no address: misread characters, the beginning and the end alone, and a number of hedera.
func TestLikelySecond(t *testing.T) {
	const btc = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	beside := func(second string) bool {
		r := Interpret("", "bitcoin:"+btc+"?label="+second)
		return r.Err != nil || r.Doubts != nil
	}
	for _, second := range []string{
		"tlUYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", "SDfLDGtVCPtYgWALRZgVrLEnMMbiSHhiNLTtqdEbQEvmLZtb", "bclqarosrrrxfkvyslbaelydnwqreqgtzzwfsmdq",
		"EXXR93…qiSi", "0x57EC…1259", "0x57EC…abcd", "0x…1259", "bc1...5mdq", "addr1…xyz", "ecash:…2elz", "ECASH:QPM2...2ELZ", "kaspa:qq…xyz", "cfx:aak…dfg",
		"nano_3...pyae", "nano_3abc...pyae", "ak_2gw...sWu", "0.0.98-oljoz", "0.0.98-OLJOR", "0.0.1234567", "to 0.0.1234567-abcde, please",
		"1A1...vfNa", "1A1…test", "3FXV...ugWx", "bitcoinc...09m2r", "kava....n6u6", "mantra…7vz", "0x57EC[...]1259", "TA1h(…)LR2d", "1A1z####vfNa", "0x57EC~1259", "bc1•••5mdq", "TA1h····LR2d", "EXXR93⋯qiSi", "O.O.1234567", "0.0.l234567",
	} {
		if !beside(second) {
			t.Errorf("%q beside an address is not seen", second)
		}
	}
	for _, text := range []string{btc + "#N7Fdko...KpAR", btc + " 5HN4dV…MoA2 " + btc} {
		if r := Interpret("", text); r.Err == nil && r.Doubts == nil {
			t.Errorf("%q: %v is certain", text, r.Addresses)
		}
	}
	for _, other := range []string{
		"Order...later", "No. 12... see 2026", "pc1...pc2", "Kaspa: see...below", "nano_donation", "kaspa:donation", "MyFavouriteCharityDonationWallet", "sendToMyOwnBtcWalletAtKraken",
		"donaudampfschifffahrtsgesellschaft", "0.0.800", "1.0.0.1234567", "10.0.0.12345", "v0.0.12", "0.0.0.0:8080", "0.05...0.1",
		"see order 12...later", "mantra…later", "Satoshi[...]Nakamoto", "0.0.lab", "at 10am~12pm", "100k~2000USDT", "10~12ETH",
	} {
		if beside(other) {
			t.Errorf("%q beside an address is taken for another one", other)
		}
	}
}
