package address

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// An item is a receiver of a unified address.
type item struct {
	typecode byte
	size     int
}

// unified returns a unified address with random receivers of the given kinds,
// encoded by ZIP-316, and the bytes of its receivers.
func unified(hrp, padding string, items ...item) (string, [][]byte) {
	var b []byte
	var receivers [][]byte
	for _, it := range items {
		data := make([]byte, it.size)
		rand.Read(data)
		b = append(append(b, it.typecode, byte(it.size)), data...)
		receivers = append(receivers, data)
	}
	b = append(b, (padding + strings.Repeat("\x00", 16-len(padding)))...)
	f4jumble.Jumble(b)
	return bech32.Encode(hrp, bech32.Unpack(nil, b), bech32.Bech32m), receivers
}

// hashedKeyOf returns the Key of class c with the SHA-256 hash of b.
func hashedKeyOf(c identity.Class, b []byte) Key {
	var ks keys
	ks.addHashed(c, b)
	return ks.all[0]
}

func TestUnifiedAddress(t *testing.T) {
	for _, tt := range []struct {
		name         string
		hrp, padding string
		items        []item
		want         error
	}{
		{"orchard", "u", "u", []item{{3, 43}}, nil},
		{"sapling", "u", "u", []item{{2, 43}}, nil},
		{"all", "u", "u", []item{{0, 20}, {2, 43}, {3, 43}}, nil},
		{"script and orchard", "u", "u", []item{{1, 20}, {3, 43}}, nil},
		{"with one that is not known", "u", "u", []item{{0, 20}, {3, 43}, {0x7f, 9}}, nil},
		{"only one that is not known", "u", "u", []item{{0x20, 60}}, nil},
		{"only transparent", "u", "u", []item{{0, 20}}, ErrLength}, // shorter than the permutation takes
		{"only transparent, and a script", "u", "u", []item{{0, 20}, {1, 20}}, ErrSyntax},
		{"key and script", "u", "u", []item{{0, 20}, {1, 20}, {3, 43}}, ErrSyntax},
		{"not in order", "u", "u", []item{{3, 43}, {2, 43}}, ErrSyntax},
		{"twice", "u", "u", []item{{3, 43}, {3, 43}}, ErrSyntax},
		{"short sapling", "u", "u", []item{{2, 42}}, ErrSyntax},
		{"long key hash", "u", "u", []item{{0, 21}, {3, 43}}, ErrSyntax},
		{"must be understood", "u", "u", []item{{3, 43}, {0xe0, 4}}, ErrSyntax},
		{"padding of a test network", "u", "utest", []item{{3, 43}}, ErrSyntax},
		{"padding missing", "u", "", []item{{3, 43}}, ErrSyntax},
		{"test network", "utest", "utest", []item{{3, 43}}, ErrNetwork},
	} {
		s, receivers := unified(tt.hrp, tt.padding, tt.items...)
		a, err := Parse("zcash", s)
		if tt.want != nil {
			if pe, ok := err.(*ParseError); !ok || pe.Err != tt.want {
				t.Errorf("%s: Parse(%s) = %v, want %v", tt.name, s, err, tt.want)
			}
			continue
		}
		if err != nil || a.Normalized() != s || a.Canonical() != a {
			t.Errorf("%s: Parse(%s) = %v, %v", tt.name, s, a, err)
			continue
		}
		if up, err := Parse("zcash", strings.ToUpper(s)); err != nil || up != a {
			t.Errorf("%s: in upper case: %v, %v", tt.name, up, err)
		}
		var want []Key
		for i, it := range tt.items {
			switch it.typecode {
			case receiverPKH:
				want = append(want, makeKey(identity.Hash160, receivers[i]))
			case receiverSH:
				want = append(want, makeKey(identity.ScriptHash, receivers[i]))
			case receiverSapling:
				want = append(want, hashedKeyOf(identity.Sapling, receivers[i]))
			case receiverOrchard:
				want = append(want, hashedKeyOf(identity.Orchard, receivers[i]))
			}
		}
		got := a.AppendKeys(nil)
		if len(got) > len(want) { // what follows from the transparent one
			got = got[:len(want)]
		}
		if len(got) != len(want) {
			t.Errorf("%s: keys %v, want %v", tt.name, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: key %d is %v, want %v", tt.name, i, got[i], want[i])
			}
		}
	}
}

// A listed transparent address must not hide inside a unified one.
func TestUnifiedAddressShowsItsTransparentReceiver(t *testing.T) {
	s, receivers := unified("u", "u", item{0, 20}, item{3, 43})
	plain := MustParse("zcash", text58("\x1c\xb8", receivers[0]))
	tex := MustParse("zcash", bech32.Encode("tex", bech32.Unpack(nil, receivers[0]), bech32.Bech32m))
	k, _ := MustParse("zcash", s).Key()
	if want, _ := plain.Key(); k != want {
		t.Errorf("key of %s is %v, that of %v is %v", s, k, plain, want)
	}
	if tex.Canonical() != plain || tex.Account() != plain.Account() {
		t.Errorf("canonical form of %v is %v, want %v", tex, tex.Canonical(), plain)
	}
}

func TestZcashSecretsAndOthers(t *testing.T) {
	random := make([]byte, 64)
	rand.Read(random)
	for _, tt := range []struct {
		s    string
		want error
	}{
		{bech32.Encode("secret-extended-key-main", bech32.Unpack(nil, random), bech32.Bech32), ErrSecret},
		{bech32.Encode("ztestsapling", bech32.Unpack(nil, random[:43]), bech32.Bech32), ErrNetwork},
		{bech32.Encode("textest", bech32.Unpack(nil, random[:20]), bech32.Bech32m), ErrNetwork},
		{bech32.Encode("tex", bech32.Unpack(nil, random[:20]), bech32.Bech32), ErrChecksum},
		{bech32.Encode("tex", bech32.Unpack(nil, random[:32]), bech32.Bech32m), ErrLength},
		{bech32.Encode("zs", bech32.Unpack(nil, random[:43]), bech32.Bech32m), ErrChecksum},
	} {
		_, err := Parse("zcash", tt.s)
		if pe, ok := err.(*ParseError); !ok || pe.Err != tt.want {
			t.Errorf("Parse(%s): %v, want %v", tt.s, err, tt.want)
		} else if tt.want == ErrSecret && strings.Contains(err.Error(), tt.s[:40]) {
			t.Errorf("the error holds the secret: %v", err)
		}
	}
}
