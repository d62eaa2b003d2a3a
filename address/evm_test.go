package address_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestEVMCase parses random addresses in all letter cases: on the chains that
// use EIP-55, on one that uses ERC-1191, and on one that inverts EIP-55.
func TestEVMCase(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range longtest.N(100, 500) {
		digits := hex.EncodeToString(randomBytes(rng, 20))
		lower := "0x" + digits
		eip55, erc1191, test := mixedCase("", digits), mixedCase("300x", digits), mixedCase("310x", digits)
		random := []byte(digits)
		for i, c := range random {
			if rng.IntN(2) == 0 {
				random[i] = strings.ToUpper(string(c))[0]
			}
		}
		one := []byte(eip55) // one letter wrong
		for {
			if i := rng.IntN(len(one)); one[i] >= 'A' {
				one[i] ^= 0x20
				break
			}
		}
		inverted := strings.Map(func(c rune) rune {
			if c >= 'A' {
				c ^= 0x20
			}
			return c
		}, eip55)
		upper := strings.ToUpper(digits)
		bare := func(s string) bool { return s == digits || s == upper }
		for _, v := range []struct {
			what, digits string
			right        func(c address.Chain) bool
		}{
			{"lower", digits, func(address.Chain) bool { return true }},
			{"upper", upper, func(address.Chain) bool { return true }},
			{"EIP-55", eip55, func(address.Chain) bool { return true }},
			{"ERC-1191", erc1191, func(c address.Chain) bool { return c == "rootstock" || erc1191 == eip55 || bare(erc1191) }},
			{"EIP-55 inverted", inverted, func(c address.Chain) bool {
				return c == "wanchain" || bare(inverted) || c == "rootstock" && inverted == erc1191
			}},
			{"ERC-1191 of the test network", test, func(address.Chain) bool { return test == eip55 || bare(test) }},
			{"one letter wrong", string(one), func(c address.Chain) bool {
				return bare(string(one)) || c == "rootstock" && string(one) == erc1191
			}},
			{"random", string(random), func(c address.Chain) bool {
				return bare(string(random)) || string(random) == eip55 || c == "rootstock" && string(random) == erc1191 ||
					c == "wanchain" && string(random) == inverted
			}},
		} {
			for _, c := range []address.Chain{"ethereum", "rootstock", "wanchain", "xdc", "ronin"} {
				s := "0x" + v.digits
				a, err := address.Parse(c, s)
				if want := v.right(c); (err == nil) != want {
					t.Errorf("Parse(%s, %q) (%s): %v, want valid: %t", c, s, v.what, err, want)
				} else if err == nil && a.Normalized() != lower {
					t.Errorf("Parse(%s, %q) (%s): normal form %q", c, s, v.what, a.Normalized())
				} else if err != nil && !errors.Is(err, address.ErrChecksum) {
					t.Errorf("Parse(%s, %q) (%s): %v, want ErrChecksum", c, s, v.what, err)
				}
				if a, err := address.Normalize(c, s); err != nil || a.Normalized() != lower {
					t.Errorf("Normalize(%s, %q) (%s) = %v, %v", c, s, v.what, a, err)
				}
			}
		}
	}
}

// TestEVMBadByte puts every byte at every position of the digits.
func TestEVMBadByte(t *testing.T) {
	for _, good := range []string{"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "xdc7e5f4552091a69125d5dfcb7b8c2659029395bdf"} {
		c := address.Chain("xdc")
		from := len(good) - 40
		for at := from; at < len(good); at++ {
			for b := at % longtest.N(7, 1); b < 256; b += longtest.N(7, 1) {
				s := good[:at] + string([]byte{byte(b)}) + good[at+1:]
				if b == ':' && at == from && from == len("xdc") {
					continue // reads as a URI with the scheme xdc
				}
				_, err := address.Normalize(c, s)
				var pe *address.ParseError
				isHex := strings.IndexByte("0123456789abcdefABCDEF", byte(b)) >= 0
				switch {
				case isHex && err != nil:
					t.Errorf("Normalize(%s, %q): %v", c, s, err)
				case !isHex && err == nil:
					t.Errorf("Normalize(%s, %q) gives no error", c, s)
				case !isHex && !errors.As(err, &pe), !isHex && !strings.ContainsRune(" \t\r\n", rune(b)) && pe.Offset != at:
					t.Errorf("Normalize(%s, %q): %v, want the offset %d", c, s, err, at)
				}
			}
		}
	}
}

// TestEVMFamily checks that all spellings on all EVM chains are one account.
func TestEVMFamily(t *testing.T) {
	const digits = "7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	want := address.MustParse("ethereum", "0x"+digits)
	for _, v := range []struct{ chain, text string }{
		{"xdc", "xdc" + digits}, {"xdc", "0x" + digits}, {"ronin", "ronin:" + digits}, {"ronin", "0x" + digits},
		{"rootstock", "0x" + digits}, {"wanchain", "0x" + digits}, {"polygon", "0x" + digits},
	} {
		a := address.MustParse(address.Chain(v.chain), v.text)
		if got := a.Canonical(); got != want {
			t.Errorf("canonical of %v is %v, want %v", a, got, want)
		}
		if got := a.Account(); got != want.Account() {
			t.Errorf("account of %v is %v, want %v", a, got, want.Account())
		}
	}
	for _, c := range address.Chains() {
		if !strings.HasPrefix(c.CAIP2(), "eip155:") {
			continue
		}
		a, err := address.Parse(c, "0x"+digits)
		if err != nil || a.Canonical() != want || a.Account() != want.Account() {
			t.Errorf("Parse(%s, 0x%s) = %v, %v, its canonical form is %v", c, digits, a, err, a.Canonical())
		}
	}
}
