package address_test

import (
	"encoding/base32"
	"math/rand/v2"
	"testing"

	own "github.com/walletscreen/walletscreen/address/internal/base32"
)

// The vectors of RFC 4648 section 10, without their padding.
func TestBase32Vectors(t *testing.T) {
	for plain, text := range map[string]string{
		"": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB", "foobar": "MZXW6YTBOI",
	} {
		if got := string(own.Upper.Append(nil, []byte(plain))); got != text {
			t.Errorf("Append(%q) = %q, want %q", plain, got, text)
		}
		got := make([]byte, len(plain))
		if bad := own.Decode(own.Upper, got, text); bad != -1 || string(got) != plain {
			t.Errorf("Decode(%q) = %q, %d; want %q", text, got, bad, plain)
		}
	}
}

func TestBase32Refuses(t *testing.T) {
	for _, test := range []struct {
		name, text string
		bad        int
	}{
		{"small letter", "MZXw6", 3},
		{"digit outside the alphabet", "MZ1W6", 2},
		{"padding", "MY======", 2},
		{"trailing bit", "MZ", 1},
		{"one character", "A", 0},
		{"a character too many", "MZX", 2},
		{"high byte", "M\xc3", 1},
	} {
		dst := make([]byte, len(test.text)*5/8)
		if bad := own.Decode(own.Upper, dst, test.text); bad != test.bad {
			t.Errorf("%s: Decode(%q) names %d, want %d", test.name, test.text, bad, test.bad)
		}
	}
}

// The standard library encodes the same, and accepts everything that Decode
// accepts.
func TestBase32AsStandardLibrary(t *testing.T) {
	std := base32.StdEncoding.WithPadding(base32.NoPadding)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		text := own.Upper.Append(nil, b)
		if want := std.EncodeToString(b); string(text) != want {
			t.Fatalf("Append(%x) = %q, want %q", b, text, want)
		}
		got := make([]byte, n)
		if bad := own.Decode(own.Upper, got, text); bad != -1 || string(got) != string(b) {
			t.Errorf("Decode(%q) = %x, %d; want %x", text, got, bad, b)
		}
	}
}
