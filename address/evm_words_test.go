package address_test

import (
	"math/rand/v2"
	"reflect"
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

// TestPlainEVM checks that Interpret without the name of a chain reads "0x" and 40 digits by its
// short path as it reads all other texts: digits of all kinds, with the capitals of EIP-55, others or
// none, and texts that differ from such a text by a character.
func TestPlainEVM(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 40))
	digits := func(set string) string {
		b := make([]byte, 40)
		for i := range b {
			b[i] = set[random.IntN(len(set))]
		}
		return string(b)
	}
	texts := []string{"0xaabbccddfdfdfdfdfdfdfdfdfdfd000000000001", "0x" + strings.Repeat("0", 40), "0x" + strings.Repeat("0", 32) + "000fdfd1",
		"0x41" + strings.Repeat("a", 38), "0x20c0" + strings.Repeat("0", 36), "0x" + strings.Repeat("f", 40), "0xff" + strings.Repeat("0", 36) + "01"}
	for _, set := range []string{"0123456789", "abcdef", "0123456789abcdef", "0f", "0d", "e1"} {
		for range 8 {
			texts = append(texts, "0x"+digits(set))
		}
	}
	short := 0
	check := func(s string) {
		got, want := address.Interpret("", s), address.InterpretSlowly("", s)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
		if address.IsPlainEVM(s) {
			short++
		}
	}
	for _, s := range texts {
		shown := address.MustParse("ethereum", s).Display()
		for _, s := range []string{s, shown, "0x" + strings.ToUpper(s[2:]), strings.ToUpper(s)} {
			check(s)
			at := random.IntN(len(s))
			for _, c := range []string{"g", "0", "f", "F", "x", "", " ", "é", "\x00", "af"} {
				check(s[:at] + c + s[at+1:])
			}
		}
	}
	if short < 2*len(texts) {
		t.Errorf("%d texts of %d took the short path", short, len(texts))
	}
}
