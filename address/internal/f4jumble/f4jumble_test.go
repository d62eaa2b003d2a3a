package f4jumble_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
)

// From f4jumble.json of the Zcash test vectors.
var vectors = []struct{ normal, jumbled string }{
	{
		"5d7a8f739a2d9e945b0ce152a8049e294c4d6e66b164939daffa2ef6ee6921481cdd86b3cc4318d9614fc820905d042b",
		"0304d029141b995da5387c125970673504d6c764d91ea6c082123770c7139ccd88ee27368cd0c0921a0444c8e5858d22",
	},
	{
		"b1ef9ca3f24988c7b3534201cfb1cd8dbf69b8250c18ef41294ca97993db546c1fe01f7e9c8e36d6a5e29d4e30a73594bf5098421c69378af1e40f64e125946f",
		"5271fa3321f3adbcfb075196883d542b438ec6339176537daf859841fe6a56222bff76d1662b5509a9e1079e446eeedd2e683c31aae3ee1851d7954328526be1",
	},
	{
		"62c2fa7b2fecbcb64b6968912a6381ce3dc166d56a1d62f5a8d7551db5fd9313e8c7203d996af7d477083756d59af80d06a745f44ab023752cb5b406ed8985e18130ab33362697b0e4e" +
			"4c763ccb8f676495c222f7fba1e31defa3d5a57efc2e1e9b01a035587d5fb1a38e01d94903d3c3e0ad3360c1d3710acd20b183e31d49f",
		"498cf1b1ba6f4577effe64151d67469adc30acc325e326207e7d78487085b4162669f82f02f9774c0cc26ae6e1a76f1e266c6a9a8a2f4ffe8d2d676b1ed71cc47195a3f19208998f7d8" +
			"cdfc0b74d2a96364d733a62b4273c77d9828aa1fa061588a7c4c88dd3d3dde02239557acfaad35c55854f4541e1a1b3bc8c17076e7316",
	},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		b, err := hex.DecodeString(v.normal)
		if err != nil {
			t.Fatal(err)
		}
		f4jumble.Jumble(b)
		if got := hex.EncodeToString(b); got != v.jumbled {
			t.Errorf("Jumble(%s)\n got %s\nwant %s", v.normal, got, v.jumbled)
		}
		f4jumble.Unjumble(b)
		if got := hex.EncodeToString(b); got != v.normal {
			t.Errorf("Unjumble does not give back %s but %s", v.normal, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := f4jumble.MinLen; n < 700; n++ {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		want := bytes.Clone(b)
		f4jumble.Jumble(b)
		if bytes.Equal(b, want) {
			t.Fatalf("%d bytes are not changed", n)
		}
		f4jumble.Unjumble(b)
		if !bytes.Equal(b, want) {
			t.Fatalf("%d bytes do not come back", n)
		}
	}
}
