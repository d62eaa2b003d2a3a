package bech32_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	referee "github.com/btcsuite/btcd/btcutil/bech32"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// hrpOf returns the part of s before the last 1, in lower case.
func hrpOf(s string) string {
	i := strings.LastIndexByte(s, '1')
	return strings.ToLower(s[:max(i, 0)])
}

// TestVectors checks the vectors of the encoding in the sections "Test vectors" of BIP-173
// and BIP-350. Human-readable parts outside ASCII are Prefix faults here.
func TestVectors(t *testing.T) {
	valid := map[string]bech32.Variant{
		"A12UEL5L": bech32.Bech32,
		"a12uel5l": bech32.Bech32,
		"an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs": bech32.Bech32,
		"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw":                                              bech32.Bech32,
		"11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j": bech32.Bech32,
		"split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w":                               bech32.Bech32,
		"?1ezyfcl": bech32.Bech32,
		"A1LQFN3A": bech32.Bech32m,
		"a1lqfn3a": bech32.Bech32m,
		"an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6": bech32.Bech32m,
		"abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx":                                              bech32.Bech32m,
		"11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8": bech32.Bech32m,
		"split1checkupstagehandshakeupstreamerranterredcaperredlc445v":                               bech32.Bech32m,
		"?1v759aa": bech32.Bech32m,
	}
	for s, want := range valid {
		if v, bad, f := bech32.Std.Verify(hrpOf(s), s); f != bech32.OK || v != want {
			t.Errorf("%q: variant %#x, offset %d, fault %d, want variant %#x", s, v, bad, f, want)
		}
	}
	faults := []struct {
		hrp, s string
		bad    int
		f      bech32.Fault
	}{
		{"a", "pzry9x0s0muk", 0, bech32.Prefix}, // no separator
		{"x", "x1b4n0q5v", 2, bech32.Charset},   // not a digit
		{"li", "li1dgmt3", -1, bech32.Length},   // too short a checksum
		{"de", "de1lg7wt\xff", 8, bech32.Charset},
		{"a", "A1G7SGD8", -1, bech32.Checksum}, // computed with the part in upper case
		{"qyrz", "qyrz8wqd2c9m", 4, bech32.Prefix},
		{"y", "y1b0jsk6g", 2, bech32.Charset},
		{"lt", "lt1igcx5c0", 3, bech32.Charset},
		{"in", "in1muywd", -1, bech32.Length},
		{"mm", "mm1crxm3i", 8, bech32.Charset},
		{"au", "au1s5cgom", 7, bech32.Charset},
		{"m", "M1VUXWEZ", -1, bech32.Checksum},
		{"a", "A12uEL5L", 3, bech32.Charset}, // mixed case in the data
		{"bc", "bC1", 1, bech32.Charset},     // in the human-readable part
		{"bc", "BC1qqqqqqqqqq", 3, bech32.Charset},
		{"bc", "tb1qqqqqqqqqq", 0, bech32.Prefix},
		{"bc", "bcrt1qqqqqqqqqq", 2, bech32.Prefix},
		{"bc", "", -1, bech32.Length},
		{"bc", "bc", -1, bech32.Length},
		{"bc", "bc1", -1, bech32.Length},
		{"bc", "bc1" + strings.Repeat("q", bech32.MaxLen), -1, bech32.Length},
	}
	for _, v := range faults {
		if _, bad, f := bech32.Std.Verify(v.hrp, v.s); bad != v.bad || f != v.f {
			t.Errorf("Verify(%q, %q): offset %d, fault %d; want %d, %d", v.hrp, v.s, bad, f, v.bad, v.f)
		}
	}
}

// TestLongText checks texts of more than one block.
func TestLongText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range bech32.MaxLen - 100 {
		hrp := strings.Repeat("hrp", 28)[:n%84]
		if hrp == "" {
			hrp = "x"
		}
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.IntN(32))
		}
		for _, v := range []bech32.Variant{bech32.Bech32, bech32.Bech32m} {
			s := bech32.Encode(hrp, data, v)
			if want := encode(hrp, data, v); s != want {
				t.Fatalf("Encode of %d values gives %q, the model %q", n, s, want)
			}
			if got, _, f := bech32.Std.Verify(hrp, s); f != bech32.OK || got != v {
				t.Fatalf("%q: variant %#x, fault %d, want %#x", s, got, f, v)
			}
			upper := strings.ToUpper(s)
			if got, _, f := bech32.Std.Verify(hrp, upper); f != bech32.OK || got != v {
				t.Fatalf("%q: variant %#x, fault %d, want %#x", upper, got, f, v)
			}
		}
	}
}

// TestOneWrongCharacter checks that every single error is found; BIP-173 promises four.
func TestOneWrongCharacter(t *testing.T) {
	const s = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	for i := range len(s) {
		for c := range 256 {
			if b := []byte(s); byte(c) != s[i] {
				b[i] = byte(c)
				if _, _, f := bech32.Std.Verify("bc", string(b)); f == bech32.OK {
					t.Errorf("%q passes for %q", b, s)
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	const s = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	if n := testing.AllocsPerRun(100, func() {
		var b [32]byte
		bech32.Std.Verify("bc", s)
		bech32.Std.Verify("tb", s)
		bech32.Std.Read(b[:], s[4:36])
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzVerify compares with the plain model and with btcutil.
func FuzzVerify(f *testing.F) {
	f.Add("bc", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	f.Add("bc", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4")
	f.Add("bc", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8f3t4")
	f.Add("a", "a1lqfn3a")
	f.Add("?", "?1v759aa")
	f.Add("x", "x1b4n0q5v")
	f.Fuzz(func(t *testing.T, hrp, s string) {
		if hrp != strings.ToLower(hrp) || len(hrp) > 83 {
			return
		}
		var want, got [bech32.MaxLen]byte
		wantN, wantV, wantF := decode(want[:], hrp, s)
		v, bad, fault := bech32.Std.Verify(hrp, s)
		n := 0
		if fault == bech32.OK {
			data := s[len(hrp)+1 : len(s)-bech32.Std.ChecksumLen]
			for n = 0; n < len(data); n++ {
				got[n] = bech32.Std.Value(data[n])
			}
		}
		if (fault == bech32.OK) != wantF || n != wantN || v != wantV || got != want {
			t.Fatalf("Verify(%q, %q): %d values, variant %#x, fault %d; the model %d, %#x, %v", hrp, s, n, v, fault, wantN, wantV, wantF)
		}
		if fault != bech32.OK && bad >= len(s) {
			t.Errorf("offset %d in %q", bad, s)
		}
		if len(s) > 90 {
			return
		}
		theirs, values, variant, err := referee.DecodeGeneric(s)
		if (err == nil && theirs == hrp) != (fault == bech32.OK) {
			// BIP-173 requires at least one character, and only printable ASCII.
			if fault == bech32.OK &&
				(hrp == "" || strings.IndexFunc(hrp, func(r rune) bool { return r < 33 || r > 126 }) >= 0 || strings.ContainsRune(s[len(hrp)+1:], '1')) {
				return
			}
			t.Fatalf("Verify(%q, %q): fault %d; btcutil %q, %v", hrp, s, fault, theirs, err)
		}
		if err == nil && fault == bech32.OK {
			if (variant == referee.VersionM) != (v == bech32.Bech32m) || string(values) != string(got[:n]) {
				t.Errorf("Verify(%q, %q): variant %#x, %x; btcutil %v, %x", hrp, s, v, got[:n], variant, values)
			}
		}
	})
}
