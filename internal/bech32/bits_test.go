package bech32_test

import (
	"encoding/base32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// encoding checks Size, Read and Unpack: it also pads with zeros.
var encoding = base32.NewEncoding(digits).WithPadding(base32.NoPadding)

func TestReferee(t *testing.T) {
	a := bech32.Std
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 90 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		data := encoding.EncodeToString(b)
		values := bech32.Unpack(nil, b)
		text := ""
		for _, v := range values {
			text += digits[v : v+1]
		}
		if text != data {
			t.Errorf("Unpack of %x gives %s, want %s", b, text, data)
		}
		got := make([]byte, n+7)
		if m := a.Read(got, data); m != n || string(got[:n]) != string(b) {
			t.Errorf("Read of %s gives %x, want %x", data, got[:m], b)
		}
		for short := range n {
			got := make([]byte, short)
			if m := a.Read(got, data); m != short || string(got) != string(b[:short]) {
				t.Errorf("Read of %s into %d bytes gives %x, want %x", data, short, got[:m], b[:short])
			}
		}
	}
}

// TestLeftOver checks more than four bits left over, and some that are not zero.
func TestLeftOver(t *testing.T) {
	a := bech32.Std
	for _, data := range []string{"q", "qqq", "qqqqqq", "qp", "qz", "qqqp", "qqqg", "qqqqp", "qqqqqqp", "qqqqqqqqz"} {
		if got := a.Read(make([]byte, 8), data); got != -1 {
			t.Errorf("Read of %s is %d, want -1", data, got)
		}
	}
}

// TestDigits checks which characters are digits, in which case, and their values.
func TestDigits(t *testing.T) {
	for c := range 256 {
		data := string([]byte{byte(c)}) + "qqqqqq"
		at := strings.IndexByte(digits, byte(c))
		if c >= 'A' && c <= 'Z' {
			at = strings.IndexByte(digits, byte(c)|0x20)
			data = strings.ToUpper(data)
		}
		_, _, bad, f := bech32.Std.VerifyData("bc", data)
		if (f == bech32.Charset) != (at < 0) || at < 0 && bad != 0 {
			t.Errorf("%q: fault %d at %d", data, f, bad)
		}
		if v := bech32.Std.Value(byte(c)); at >= 0 && int(v) != at {
			t.Errorf("%q has the value %d, want %d", byte(c), v, at)
		}
	}
}
