package address

import (
	"crypto/rand"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// shelley returns an address with the given header, n random bytes and tail.
func shelley(hrp string, header byte, n int, tail ...byte) (string, []byte) {
	b := make([]byte, 1+n)
	rand.Read(b)
	b[0] = header
	b = append(b, tail...)
	return bech32.Encode(hrp, bech32.Unpack(nil, b), bech32.Bech32), b
}

func TestShelley(t *testing.T) {
	pointer := []byte{0x82, 0x01, 0x7f, 0x00}
	for _, tt := range []struct {
		name   string
		hrp    string
		header byte
		n      int
		tail   []byte
		want   error
		keys   []identity.Class
	}{
		{"key and key", "addr", 0x01, 56, nil, nil, []identity.Class{identity.PaymentKeyHash, identity.StakeKeyHash}},
		{"script and key", "addr", 0x11, 56, nil, nil, []identity.Class{identity.PaymentScript, identity.StakeKeyHash}},
		{"key and script", "addr", 0x21, 56, nil, nil, []identity.Class{identity.PaymentKeyHash, identity.StakeScript}},
		{"script and script", "addr", 0x31, 56, nil, nil, []identity.Class{identity.PaymentScript, identity.StakeScript}},
		{"key and pointer", "addr", 0x41, 28, pointer, nil, []identity.Class{identity.PaymentKeyHash}},
		{"script and pointer", "addr", 0x51, 28, pointer, nil, []identity.Class{identity.PaymentScript}},
		{"key", "addr", 0x61, 28, nil, nil, []identity.Class{identity.PaymentKeyHash}},
		{"script", "addr", 0x71, 28, nil, nil, []identity.Class{identity.PaymentScript}},
		{"stake key", "stake", 0xe1, 28, nil, nil, []identity.Class{identity.StakeKeyHash}},
		{"stake script", "stake", 0xf1, 28, nil, nil, []identity.Class{identity.StakeScript}},
		{"Byron in Bech32", "addr", 0x81, 56, nil, ErrSyntax, nil},
		{"stake header as payment", "addr", 0xe1, 28, nil, ErrSyntax, nil},
		{"payment header as stake", "stake", 0x61, 28, nil, ErrSyntax, nil},
		{"undefined type", "addr", 0x91, 28, nil, ErrSyntax, nil},
		{"network 0 on main", "addr", 0x00, 56, nil, ErrSyntax, nil},
		{"network 2", "addr", 0x02, 56, nil, ErrSyntax, nil},
		{"network 1 on test", "addr_test", 0x01, 56, nil, ErrSyntax, nil},
		{"test network", "addr_test", 0x00, 56, nil, ErrNetwork, nil},
		{"stake of a test network", "stake_test", 0xe0, 28, nil, ErrNetwork, nil},
		{"trailing byte", "addr", 0x61, 29, nil, ErrLength, nil},
		{"too short", "addr", 0x61, 27, nil, ErrLength, nil},
		{"half a stake credential", "addr", 0x01, 40, nil, ErrLength, nil},
		{"two numbers of a pointer", "addr", 0x41, 28, pointer[:3], ErrSyntax, nil},
		{"four numbers of a pointer", "addr", 0x41, 28, append(pointer[:4:4], 1), ErrLength, nil},
		{"number without an end", "addr", 0x41, 28, []byte{1, 1, 0x80}, ErrSyntax, nil},
		{"number too wide", "addr", 0x41, 28, []byte{1, 1, 0x81, 0x81, 0x81, 0x81, 0x81, 1}, ErrSyntax, nil},
	} {
		s, b := shelley(tt.hrp, tt.header, tt.n, tt.tail...)
		a, err := Parse("cardano", s)
		if tt.want != nil {
			if pe, ok := err.(*ParseError); !ok || pe.Err != tt.want {
				t.Errorf("%s: Parse(%s) = %v, want %v", tt.name, s, err, tt.want)
			}
			continue
		}
		if err != nil || a.Normalized() != s {
			t.Errorf("%s: Parse(%s) = %v, %v", tt.name, s, a, err)
			continue
		}
		keys := a.AppendKeys(nil)
		if len(keys) != len(tt.keys) {
			t.Errorf("%s: keys %v, want %v", tt.name, keys, tt.keys)
			continue
		}
		for i, class := range tt.keys {
			if want := makeKey(class, b[1+28*i:1+28*(i+1)]); keys[i] != want {
				t.Errorf("%s: key %d is %v, want %v", tt.name, i, keys[i], want)
			}
		}
	}
}

// byron returns a Byron address with the given payload.
func byron(payload []byte) string {
	b := append([]byte{0x82, 0xd8, 24, 0x58, byte(len(payload))}, payload...)
	b = append(b, 0x1a)
	return base58.Bitcoin.Encode(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(payload)))
}

func TestByron(t *testing.T) {
	root := make([]byte, 28)
	rand.Read(root)
	// A checksum below 2^24 would have a shorter form, so try until it has none.
	payload := func(tail ...byte) []byte {
		for {
			b := append(append([]byte{0x83, 0x58, 28}, root...), tail...)
			if crc32.ChecksumIEEE(b) >= 1<<16 {
				return b
			}
			rand.Read(root)
		}
	}
	for _, tt := range []struct {
		name    string
		payload []byte
		want    error
	}{
		{"no attributes", payload(0xa0, 0), nil},
		{"derivation path", payload(0xa1, 1, 0x43, 0x42, 1, 2, 0), nil},
		{"redeem", payload(0xa0, 2), nil},
		{"test network", payload(0xa1, 2, 0x45, 0x1a, 0x41, 0x70, 0xcb, 0x17, 0), ErrNetwork},
		{"undefined type", payload(0xa0, 3), ErrSyntax},
		{"type missing", payload(0xa0), ErrSyntax},
		{"something after it", payload(0xa0, 0, 0), ErrSyntax},
		{"more attributes than there are", payload(0xa2, 1, 0x43, 0x42, 1, 2, 0), ErrSyntax},
		{"not the shortest form", payload(0xa0, 0x18, 0), ErrSyntax},
		{"short root", append([]byte{0x83, 0x58, 27}, append(root[:27:27], 0xa0, 0)...), ErrSyntax},
	} {
		s := byron(tt.payload)
		a, err := Parse("cardano", s)
		if tt.want != nil {
			if pe, ok := err.(*ParseError); !ok || pe.Err != tt.want {
				t.Errorf("%s: Parse(%s) = %v, want %v", tt.name, s, err, tt.want)
			}
			continue
		}
		if k, ok := a.Key(); err != nil || a.Normalized() != s || ok {
			t.Errorf("%s: Parse(%s) = %v, %v, key %v", tt.name, s, a, err, k)
		}
	}
}
