package fivebit_test

import (
	"encoding/base32"
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/internal/fivebit"
)

const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// encoding checks the package: it also pads with zeros.
var encoding = base32.NewEncoding(digits).WithPadding(base32.NoPadding)

func TestReferee(t *testing.T) {
	a := fivebit.New(digits)
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 90 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		data := encoding.EncodeToString(b)
		values := fivebit.Unpack(nil, b)
		text := ""
		for _, v := range values {
			text += digits[v : v+1]
		}
		if text != data {
			t.Errorf("Unpack of %x gives %s, want %s", b, text, data)
		}
		if got := a.Size(data); got != n {
			t.Errorf("Size of %s is %d, want %d", data, got, n)
		}
		got := make([]byte, n+7)
		if m := a.Read(got, data); m != n || string(got[:n]) != string(b) {
			t.Errorf("Read of %s gives %x, want %x", data, got[:m], b)
		}
		packed := make([]byte, n)
		if m := fivebit.Pack(packed, values); m != n || string(packed) != string(b) {
			t.Errorf("Pack of %v gives %x, want %x", values, packed, b)
		}
		for short := range n {
			got := make([]byte, short)
			if m := a.Read(got, data); m != short || string(got) != string(b[:short]) {
				t.Errorf("Read of %s into %d bytes gives %x, want %x", data, short, got[:m], b[:short])
			}
			if m := fivebit.Pack(got, values); m != -1 {
				t.Errorf("Pack of %d bytes into %d gives %d, want -1", n, short, m)
			}
		}
	}
}

// TestLeftOver checks more than four bits left over, and some that are not zero.
func TestLeftOver(t *testing.T) {
	a := fivebit.New(digits)
	for _, data := range []string{"q", "qqq", "qqqqqq", "qp", "qz", "qqqp", "qqqg", "qqqqp", "qqqqqqp", "qqqqqqqqz"} {
		if got := a.Size(data); got != -1 {
			t.Errorf("Size of %s is %d, want -1", data, got)
		}
		var values []byte
		for i := range len(data) {
			values = append(values, a[data[i]]&fivebit.Value)
		}
		if got := fivebit.Pack(make([]byte, 9), values); got != -1 {
			t.Errorf("Pack of %v gives %d, want -1", values, got)
		}
	}
}

func TestMarks(t *testing.T) {
	a := fivebit.New(digits)
	for c, want := range map[byte]byte{
		'q': fivebit.Lower, 'Q': fivebit.Upper, 'l': 31 | fivebit.Lower, 'L': 31 | fivebit.Upper, '0': 15,
		'b': fivebit.Foreign, 'B': fivebit.Foreign, '1': fivebit.Foreign, 0: fivebit.Foreign, 0xf1: fivebit.Foreign,
	} {
		if a[c] != want {
			t.Errorf("%q has mark %#02x, want %#02x", c, a[c], want)
		}
	}
}
