package address_test

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/vectors"
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
		case key == 0 && !more && len(keys) > 0, key != 0 && !more && len(keys) > 1:
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

// TestDerived checks that the two addresses of each pair are one account, or have a
// key in common. Screening finds each of a pair if the other is listed.
func TestDerived(t *testing.T) {
	for _, p := range vectors.Pairs(t, "..") {
		if !isDerived(p) {
			t.Errorf("%v and %v: want a match by %s", p.A, p.B, p.Match)
		}
	}
}

type pair = vectors.Pair

// isDerived reports whether the addresses of p are one account, or have a key in
// common, as p says.
func isDerived(p pair) bool {
	if p.Match != "key" || p.A.Account() == p.B.Account() {
		return p.Match != "key" && p.A.Account() == p.B.Account()
	}
	keys := p.B.AppendKeys(nil)
	return slices.ContainsFunc(p.A.AppendKeys(nil), func(k address.Key) bool { return slices.Contains(keys, k) })
}

// pairsOf returns the pairs of derivations.txt by chain.
func pairsOf(t *testing.T) map[address.Chain][]pair {
	byChain := map[address.Chain][]pair{}
	for _, p := range vectors.Pairs(t, "..") {
		byChain[p.A.Chain()] = append(byChain[p.A.Chain()], p)
		byChain[p.B.Chain()] = append(byChain[p.B.Chain()], p)
	}
	return byChain
}

// TestIdentities checks that what reads an address once says the same as what reads it for each
// question.
func TestIdentities(t *testing.T) {
	type id struct {
		words identity.Words
		tag   identity.Tag
	}
	for _, a := range validAddresses(t) {
		want := map[id]int{}
		for _, d := range address.Detect(a.Display()) {
			w, tg := d.Identity()
			want[id{w, tg}]++
		}
		got := map[id]int{}
		for w, tg := range address.Identities(a.Display()) {
			got[id{w, tg}]++
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v: Identities returns %v, want %v", a, got, want)
		}
	}
}
