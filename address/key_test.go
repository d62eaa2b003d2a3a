package address_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// TestKeyBytes reads the keys and accounts of addresses as bytes, words and
// text: payloads of 20 and 32 bytes, shorter and odd ones, numbers and names.
func TestKeyBytes(t *testing.T) {
	for _, v := range []struct {
		chain   address.Chain
		text    string
		account string // in hex
		class   identity.Class
		key     string // in hex, "" for none
	}{
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
			"7e5f4552091a69125d5dfcb7b8c2659029395bdf", identity.KeccakHash, "7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", // the key 1
			"751e76e8199196d454941c45d1b3a323f1433bd6", identity.Hash160, "751e76e8199196d454941c45d1b3a323f1433bd6"},
		{"bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", // BIP-173
			"751e76e8199196d454941c45d1b3a323f1433bd6", identity.Hash160, "751e76e8199196d454941c45d1b3a323f1433bd6"},
		{"bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", // BIP-350
			"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", identity.Taproot, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"},
		{"bitcoin", "bc1sw50qgdz25j", "10751e", 0, ""}, // BIP-350; the version is part of the account
		{"solana", "11111111111111111111111111111111",
			"0000000000000000000000000000000000000000000000000000000000000000", 0, ""},
		{"hedera", "0.0.258", "0000000000000102", 0, ""},
		{"near", "alice.near", hex.EncodeToString([]byte("alice.near")), 0, ""},
	} {
		a := address.MustParse(v.chain, v.text)
		account := a.Account()
		checkKey(t, a, account, v.account)
		if account.Class().String() != "account" {
			t.Errorf("the account of %v has the class %d", a, account.Class())
		}
		key, ok := a.Key()
		if ok != (v.key != "") || key.IsZero() == ok {
			t.Errorf("%v: Key() = %v, %t, want %q", a, key, ok, v.key)
		}
		if !ok {
			continue
		}
		checkKey(t, a, key, v.key)
		if key.Class() != v.class {
			t.Errorf("the key of %v has the class %v, want %v", a, key.Class(), v.class)
		}
		if got, want := key.String(), v.class.String()+":"+v.key; got != want {
			t.Errorf("the key of %v is %q, want %q", a, got, want)
		}
	}
}

// TestIdentity compares the identity of addresses of all formats with their
// accounts and keys.
func TestIdentity(t *testing.T) {
	shared := 0
	for _, a := range append(validAddresses(t), address.Address{}) {
		words, tag := a.Identity()
		key, more := identity.Key(tag), identity.HasMore(tag)
		account := a.Account()
		if w, of := account.Identity(); w != words || identity.Account(of) != identity.Account(tag) || identity.Len(of) != identity.Len(tag) {
			t.Errorf("the account of %v is %v, in its identity %x %x", a, account, words, tag)
		}
		keys := a.AppendKeys(nil)
		switch {
		case key == 0 && more != (len(keys) > 0), key != 0 && (more || len(keys) != 1):
			t.Errorf("the keys of %v are %v, the one of its identity %v; more: %t", a, keys, key, more)
		case key != 0:
			shared++
			got, want := keys[0].AppendBytes(nil), account.AppendBytes(nil)
			if key != keys[0].Class() || !bytes.Equal(got, want) {
				t.Errorf("%v: the identity has a key %v like the account %x, want %v", a, key, want, keys[0])
			}
		}
	}
	if shared == 0 {
		t.Error("no address has a key of the bytes of its account")
	}
}

// checkKey reports the differences between k and the bytes in want.
func checkKey(t *testing.T, a address.Address, k address.Key, want string) {
	t.Helper()
	if got := hex.EncodeToString(k.AppendBytes([]byte("x"))); got != "78"+want {
		t.Errorf("%v: AppendBytes wrote %q, want %q", a, got, "78"+want)
	}
	w, tag := k.Identity()
	words, n := identity.Bytes(w), identity.Len(tag)
	if got := hex.EncodeToString(words[:n]); got != want {
		t.Errorf("%v: the words spell %q, want %q", a, got, want)
	}
	if words != [32]byte(append(append([]byte{}, words[:n]...), make([]byte, 32-n)...)) {
		t.Errorf("%v: %x is not filled up with zeros behind %d bytes", a, words, n)
	}
}

// TestDerived lists pairs of addresses that one key controls, of different
// accounts and of equal ones. Screening finds each of a pair if the other is
// listed.
func TestDerived(t *testing.T) {
	const (
		owner = "k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae"
		icp   = address.Chain("internet-computer")
	)
	for _, tt := range []struct {
		name   string
		a, b   address.Address
		shared string // the class of a key that both have, or "account"
	}{
		{"ICP owner and subaccount", address.MustParse(icp, owner),
			address.MustParse(icp, owner+"-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"), "icp-principal"},
		{"two subaccounts of an ICP owner", address.MustParse(icp, owner+"-6cc627i.1"),
			address.MustParse(icp, owner+"-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"), "icp-principal"},
		{"the EVM of sei and ethereum", address.MustParse("sei", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"),
			address.MustParse("ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"), "account"},
		{"neo and neo-n3", address.MustParse("neo", "AST9CekEhDWuxHPynRmeyjg5biNFSijvb3"),
			address.MustParse("neo-n3", "NWbEjugszdRCVHaaX1mDXVqgUr6Yk1uQ8U"), "script"},
		{"muxed stellar", address.MustParse("stellar", "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK"),
			address.MustParse("stellar", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"), "account"},
		{"X-address", address.MustParse("xrp", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ"),
			address.MustParse("xrp", "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"), "account"},
	} {
		shared := ""
		if tt.a.Account() == tt.b.Account() {
			shared = "account"
		} else {
			ks := tt.b.AppendKeys(nil)
			for _, k := range tt.a.AppendKeys(nil) {
				if slices.Contains(ks, k) {
					shared = k.Class().String()
				}
			}
		}
		if shared != tt.shared {
			t.Errorf("%s: %v and %v share %q, want %q", tt.name, tt.a, tt.b, shared, tt.shared)
		}
	}
}
