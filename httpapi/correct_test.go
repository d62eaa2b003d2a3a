package httpapi

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
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
		{"", strings.Repeat("1", 200), "", "", 0, 0},
		{"tron", evm[2:], "", "", 0, 0},
		{"", evm[:20] + "00" + evm[22:], "", "", 0, 0}, // two errors
	} {
		got := correct(c.chain, c.text)
		if got == nil {
			got = &correction{}
		}
		if got.Cause != c.cause || got.Address != c.want || got.Offset != c.offset || got.Length != c.wrong {
			t.Errorf("correct(%q, %q) = %+v, want %s %s at %d, %d", c.chain, c.text, *got, c.cause, c.want, c.offset, c.wrong)
		}
	}
}
