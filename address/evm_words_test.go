package address_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/vectors"
)

// TestParseEVM checks that ParseEVM agrees with Parse and Identity on every text that it reads,
// on all chains, and reads "0x" and digits in lower case on all EVM chains.
func TestParseEVM(t *testing.T) {
	const text = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	texts := []string{text, strings.ToUpper(text), "0x" + strings.ToUpper(text[2:]), text[:41], text + "0", text[:41] + "g", "",
		"0xaabbccddfdfdfdfdfdfdfdfdfdfd000000000001"}
	for _, a := range vectors.Addresses(t, "..") {
		texts = append(texts, a.Normalized())
	}
	slices.Sort(texts)
	read := make(map[address.Chain]bool)
	for _, c := range append(address.Chains(), "eip155:424242", "nonesuch", "") {
		for _, s := range slices.Compact(texts) {
			var a address.Address
			words, tag := a.ParseEVM(c, s)
			if tag == (identity.Tag{}) {
				if a.IsValid() {
					t.Errorf("%s %q: no tag, and %v", c, s, a)
				}
				continue
			}
			want, err := address.Parse(c, s)
			wantWords, wantTag := want.Identity()
			if err != nil || a != want || words != wantWords || tag != wantTag || want.Doubt() != "" || want.Normalized() != s {
				t.Errorf("%s %q: %v, and Parse %v, %v, %q", c, s, a, want, err, want.Doubt())
			}
			read[c] = true
		}
	}
	for _, c := range []address.Chain{"ethereum", "bsc", "polygon", "arbitrum"} {
		if !read[c] {
			t.Errorf("nothing is read on %s", c)
		}
	}
}
