package correct_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/correct"
)

// TestCorrect undoes one copying error in addresses with a checksum, at each place.
func TestCorrect(t *testing.T) {
	const evm, tron, btc = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
	for _, c := range []struct {
		chain         address.Chain
		text          string
		cause, want   string
		offset, wrong int
	}{
		{"", evm[2:], "missing_prefix", evm, 0, 0},
		{"ethereum", " " + evm[2:], "missing_prefix", evm, 1, 0},
		{"bsc", strings.ToLower(evm[2:]), "missing_prefix", strings.ToLower(evm), 0, 0},
		{"", "O" + evm[1:], "look_alike", evm, 0, 1},
		{"", strings.Replace(evm, "0615", "O6I5", 1), "look_alike", evm, 28, 1},
		{"", strings.Replace(tron, "o", "0", 1), "look_alike", tron, 24, 1},
		{"bitcoin", "l" + btc[1:], "look_alike", btc, 0, 1},
		{"", evm[:20] + "7" + evm[20:], "extra_character", evm, 20, 1},
		{"tron", tron[:9] + "x" + tron[9:], "extra_character", tron, 9, 1},
		{"", btc[:9] + btc[10:], "missing_character", btc, 9, 0},
		{"", evm[:20] + evm[21:], "missing_character", evm, 20, 0},
		{"", strings.ToLower(evm[:20] + evm[21:]), "", "", 0, 0}, // no checksum: not guessed
		{"", strings.ToLower(evm[:20] + "7" + evm[20:]), "", "", 0, 0},
		{"", strings.Replace(evm, "8Aaf", "8aaf", 1), "capitals", evm, 11, 1},
		{"", strings.Replace(tron, "KQx", "kQx", 1), "capitals", tron, 8, 1},
		{"", "0x" + strings.ToUpper(evm[2:]), "", "", 0, 0},         // no checksum, no doubt
		{"", strings.Replace(evm, "8Aaf", "8aAf", 1), "", "", 0, 0}, // two errors
		{"", strings.Replace(evm, "8Aaf", "9Aaf", 1), "", "", 0, 0}, // a digit: nobody can say which
		{"", "hello", "", "", 0, 0},
		// What no checksum proves is not proposed.
		{"", "hx" + strings.ToLower(evm[2:]), "", "", 0, 0},
		{"", "hx" + evm[2:], "", "", 0, 0},
		{"", "xdc" + strings.ToLower(evm[2:]), "", "", 0, 0},
		{"", "xdc" + strings.ToLower(evm[2:20]) + evm[21:], "", "", 0, 0},
		{"", strings.Replace(strings.ToLower(evm), "0615", "o615", 1), "", "", 0, 0},
		{"", strings.Replace(strings.ToLower(evm), "b", "B", 1), "", "", 0, 0},
		{"", strings.Repeat("1", 200), "", "", 0, 0},
		{"tron", evm[2:], "", "", 0, 0},
		{"", evm[:20] + "00" + evm[22:], "", "", 0, 0}, // two errors
	} {
		got := correct.Text(c.chain, c.text)
		if got == nil {
			got = &correct.Correction{}
		}
		if got.Cause != c.cause || got.Address != c.want || got.Offset != c.offset || got.Length != c.wrong {
			t.Errorf("correct(%q, %q) = %+v, want %s %s at %d, %d", c.chain, c.text, *got, c.cause, c.want, c.offset, c.wrong)
		}
	}
}

// TestCorrectChains undoes copying errors in addresses of ten chains, whether their chain is
// named or not.
func TestCorrectChains(t *testing.T) {
	for _, c := range []struct {
		chain   address.Chain
		address string
		similar string // with one letter that looks like another one
	}{
		{"ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x098B716B8Aaf21512996dC57EBO615e2383E2f96"},
		{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1AlzP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
		{"bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1qw5O8d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
		{"tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TR7NHqjeKQxGTCi8q8ZY4pL80tSzgjLj6t"},
		{"litecoin", "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", "LM2WMpRlRp6j3Sa59cMXMs1SPzj9eXpGc1"},
		{"dogecoin", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "DH5yaieq0ZN36fDVciNyRueRGvGLR3mr7L"},
		{"xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "rHb9CJAWyB4rj9lVRWn96DkukG4bwdtyTh"},
		{"stellar", "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7", "GAAZI4TCR3TY50JHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7"},
		{"polkadot", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5", "150F4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"},
		{"cosmos", "cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl", "cosmos1jv65s3grqf6v6jI3dp4t6c9t9rk99cd88lyufl"},
		{"bitcoin-cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdxba"},
	} {
		half := len(c.address)*2/3 + 1
		for cause, text := range map[string]string{
			"look_alike":        c.similar,
			"extra_character":   c.address[:half] + "7" + c.address[half:],
			"missing_character": c.address[:half] + c.address[half+1:],
			"capitals":          swapCase(c.address, half),
		} {
			for _, chain := range []address.Chain{"", c.chain} {
				if got := correct.Text(chain, text); got == nil && text != c.address {
					t.Errorf("correct(%q, %q): nothing, want %s", chain, text, cause)
				} else if got != nil && (got.Cause != cause || got.Address != c.address || got.Chain != c.chain) {
					t.Errorf("correct(%q, %q) = %+v, want %s", chain, text, *got, cause)
				}
			}
		}
	}
}

// swapCase swaps the case of the first letter of s from i on that looks like no other.
func swapCase(s string, i int) string {
	for ; i < len(s); i++ {
		if c := s[i] &^ 0x20; 'A' <= c && c <= 'Z' && !strings.Contains("OIL", string(c)) {
			return s[:i] + string(rune(s[i]^0x20)) + s[i+1:]
		}
	}
	return s
}
