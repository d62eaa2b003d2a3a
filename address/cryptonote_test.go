package address_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// TestCryptonoteErrors parses addresses with a valid checksum and another
// fault.
func TestCryptonoteErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	point := randomPoint(rng)
	pair := append(bytes.Clone(point), randomPoint(rng)...)
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	bad := map[string][]byte{
		"no point":                unhex("0200000000000000000000000000000000000000000000000000000000000000"),
		"y is the field's order":  unhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		"y = 1 + the order":       unhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		"y = 2^255 - 1":           unhex("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		"x = 0, y = 1 and a sign": unhex("0100000000000000000000000000000000000000000000000000000000000080"),
		"x = 0, y = -1, a sign":   unhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
	}
	for name, key := range bad {
		for _, s := range []string{
			cryptonoteText([]byte{18}, key, point),
			cryptonoteText([]byte{18}, point, key),
			cryptonoteText([]byte{42}, key, point),
			cryptonoteText([]byte{19}, point, key, make([]byte, 8)),
		} {
			if a, err := address.Parse("monero", s); err == nil || errors.Is(err, address.ErrChecksum) || !errors.Is(err, address.ErrSyntax) {
				t.Errorf("%s: Parse(monero, %q) = %v, %v, want ErrSyntax", name, s, a, err)
			}
		}
	}
	for name, key := range map[string][]byte{
		"the identity":   unhex("0100000000000000000000000000000000000000000000000000000000000000"),
		"of order two":   unhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		"of order four":  make([]byte, 32),
		"of order four,": append(make([]byte, 31), 0x80),
	} {
		// The node accepts points of small order.
		if _, err := address.Parse("monero", cryptonoteText([]byte{18}, key, point)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	id := make([]byte, 8)
	for _, v := range []struct {
		name  string
		chain address.Chain
		text  string
		want  error
	}{
		{"testnet", "monero", cryptonoteText([]byte{53}, pair), address.ErrNetwork},
		{"stagenet subaddress", "monero", cryptonoteText([]byte{36}, pair), address.ErrNetwork},
		{"another tag", "monero", cryptonoteText([]byte{20}, pair), address.ErrSyntax},
		{"oxen on monero", "monero", cryptonoteText([]byte{114}, pair), address.ErrSyntax},
		{"monero on oxen", "oxen", cryptonoteText([]byte{18}, pair), address.ErrSyntax},
		{"oxen testnet, a tag of two bytes", "oxen", cryptonoteText([]byte{0x9c, 0x01}, pair), address.ErrNetwork},
		{"oxen testnet, integrated", "oxen", cryptonoteText([]byte{0x9d, 0x01}, pair, id), address.ErrNetwork},
		{"oxen devnet", "oxen", cryptonoteText([]byte{0xda, 0x1e}, pair), address.ErrNetwork},
		{"a tag with a needless byte", "monero", cryptonoteText([]byte{0x92, 0x00}, pair), address.ErrSyntax},
		{"a payment id in a standard address", "monero", cryptonoteText([]byte{18}, pair, id), address.ErrLength},
		{"no payment id in an integrated address", "monero", cryptonoteText([]byte{19}, pair), address.ErrLength},
		{"a short payment id", "monero", cryptonoteText([]byte{19}, pair, id[:7]), address.ErrLength},
		{"a character too many", "monero", cryptonoteText([]byte{18}, pair) + "1", address.ErrLength},
		{"nothing", "monero", "", address.ErrLength},
		{"very long", "monero", strings.Repeat("4", 1<<16), address.ErrLength},
		{"64 digits with 0x", "monero", "0x" + strings.Repeat("1f", 32), address.ErrCharset},
	} {
		a, err := address.Parse(v.chain, v.text)
		if !errors.Is(err, v.want) || v.want == address.ErrSyntax && (errors.Is(err, address.ErrLength) || errors.Is(err, address.ErrCharset)) {
			t.Errorf("%s: Parse(%s, %.120q) = %v, %v, want %v", v.name, v.chain, v.text, a, err, v.want)
		}
	}
}

// TestCryptonoteOverflow checks that a block of digits whose value exceeds the
// size of its bytes is refused. Otherwise it would be a second spelling of the
// remainder.
func TestCryptonoteOverflow(t *testing.T) {
	// The largest number of eight bytes is jpXCZedGfVQ, of five bytes 7YXq9G + 1 digit.
	rng := rand.New(rand.NewPCG(17, 18))
	s := cryptonoteText([]byte{18}, randomPoint(rng), randomPoint(rng))
	for _, v := range []struct {
		name string
		at   int
		put  string
		want error
	}{
		{"the largest block", 11, "jpXCZedGfVQ", address.ErrChecksum},
		{"one more", 11, "jpXCZedGfVR", address.ErrSyntax},
		{"all digits the highest", 11, "zzzzzzzzzzz", address.ErrSyntax},
		{"the last block", 88, "zzzzzzz", address.ErrSyntax},
	} {
		bad := s[:v.at] + v.put + s[v.at+len(v.put):]
		_, err := address.Parse("monero", bad)
		if !errors.Is(err, v.want) {
			t.Errorf("%s: Parse(monero, %q): %v, want %v", v.name, bad, err, v.want)
		}
	}
}
