package address_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// TestNearIsNoHole checks that the addresses of other chains are no names of accounts,
// whatever happened to their letter case and to one character. A text in hex is not
// told from a name that somebody has.
func TestNearIsNoHole(t *testing.T) {
	texts, names := 0, 0
	for _, a := range validAddresses(t) {
		s := strings.ToLower(a.Normalized())
		if len(s) < 27 || a.IsEVM() || strings.ContainsAny(s, ". :") || strings.Trim(strings.TrimPrefix(s, "0x"), "0123456789abcdef") == "" {
			continue
		}
		for _, text := range []string{s, s[:len(s)-1], s + "7", s[:9] + "7" + s[10:]} {
			texts++
			for _, c := range []address.Chain{"near", "eos", "wax"} {
				if b, err := address.Parse(c, text); err == nil {
					names++
					t.Logf("%q of %v is %v", text, a, b)
				}
			}
		}
	}
	if texts < 2000 || names > texts/100 {
		t.Errorf("%d of %d texts are names, want at most 1 %%", names, texts)
	}
}
