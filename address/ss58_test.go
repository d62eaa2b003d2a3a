package address_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address"
)

// ss58Raw encodes prefix and id, of any lengths, with their checksum.
func ss58Raw(prefix, id []byte) string {
	b := append(append([]byte(nil), prefix...), id...)
	sum := blake2b.Sum512(append([]byte("SS58PRE"), b...))
	return base58.Encode(append(b, sum[:2]...))
}

func TestSS58Prefix(t *testing.T) {
	id := randomBytes(rand.New(rand.NewPCG(19, 20)), 32)
	for _, v := range []struct {
		name   string
		chain  address.Chain
		prefix []byte
		id     []byte
		want   error // nil: valid
	}{
		{"its own", "polkadot", []byte{0}, id, nil},
		{"of another chain", "polkadot", []byte{2}, id, address.ErrSyntax},
		{"the generic one", "polkadot", []byte{42}, id, address.ErrSyntax},
		{"of two bytes", "polkadot", []byte{0x50, 0x00}, id, address.ErrSyntax},                       // 64
		{"0 in two bytes", "polkadot", []byte{0x40, 0x00}, id, address.ErrSyntax},                     // a needless byte
		{"2 in two bytes", "kusama", []byte{0x40, 0x80}, id, address.ErrSyntax},                       // a needless byte
		{"reserved", "polkadot", []byte{46}, id, address.ErrSyntax},                                   //
		{"no prefix at all", "polkadot", []byte{0x80}, id, address.ErrSyntax},                         //
		{"a first byte of two", "polkadot", []byte{0x40}, id, address.ErrLength},                      //
		{"the last of one byte", "hydration", []byte{63}, id, nil},                                    //
		{"a short id", "polkadot", []byte{0}, id[:31], address.ErrLength},                             //
		{"a long id", "polkadot", []byte{0}, append([]byte{1}, id...), address.ErrSyntax},             //
		{"an id of eight bytes", "polkadot", []byte{0}, id[:8], address.ErrLength},                    //
		{"only zeros", "polkadot", []byte{0}, make([]byte, 32), nil},                                  // the checksum is not
		{"too long", "polkadot", []byte{0}, append([]byte{9, 9, 9, 9}, id...), address.ErrLength},     //
		{"much too long", "polkadot", []byte{0}, append(make([]byte, 400), id...), address.ErrLength}, //
	} {
		s := ss58Raw(v.prefix, v.id)
		a, err := address.Parse(v.chain, s)
		if !errors.Is(err, v.want) || errors.Is(err, address.ErrLength) && v.want != address.ErrLength {
			t.Errorf("%s: Parse(%s, %.90q) = %v, %v, want %v", v.name, v.chain, s, a, err, v.want)
		}
	}
}

// TestSS58Generic checks that Normalize accepts prefix 42 on every chain, and
// replaces it by the prefix of the chain.
func TestSS58Generic(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, c := range ss58Prefixes {
		id := randomBytes(rng, 32)
		generic := ss58Text(42, id)
		a, err := address.Normalize(c.chain, generic)
		if want := ss58Text(c.prefix, id); err != nil || a.Normalized() != want {
			t.Errorf("Normalize(%s, %q) = %v, %v, want %q", c.chain, generic, a, err, want)
		}
		if _, err := address.Parse(c.chain, generic); (err == nil) != (c.prefix == 42) {
			t.Errorf("Parse(%s, %q): %v", c.chain, generic, err)
		}
		if other := ss58Text(1, id); true {
			if a, err := address.Normalize(c.chain, other); err == nil {
				t.Errorf("Normalize(%s, %q) = %v, a foreign prefix", c.chain, other, a)
			}
		}
	}
}
