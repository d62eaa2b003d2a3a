package identity_test

import (
	"encoding/hex"
	"testing"

	"github.com/walletscreen/walletscreen/internal/identity"
)

func TestTag(t *testing.T) {
	const account = identity.AccountBit | 7<<5 | 3
	tag := identity.MakeTag(account, identity.Hash160, 20, identity.OnlyScripts)
	if a, k, n := identity.Account(tag), identity.Key(tag), identity.Len(tag); a != account || k != identity.Hash160 || n != 20 {
		t.Errorf("the tag holds %v %v %d", a, k, n)
	}
	if identity.HasMore(tag) || !identity.HasOnlyScripts(tag) {
		t.Errorf("HasMore = %t, HasOnlyScripts = %t", identity.HasMore(tag), identity.HasOnlyScripts(tag))
	}
	tag = identity.MakeTag(account, 0, 32, identity.MoreKeys)
	if k, n := identity.Key(tag), identity.Len(tag); k != 0 || n != 32 || !identity.HasMore(tag) || identity.HasOnlyScripts(tag) {
		t.Errorf("a tag with more keys is %+v", tag)
	}
}

func TestWords(t *testing.T) {
	w := identity.Words{W0: 0x0807060504030201, W1: 0x100f0e0d0c0b0a09, W2: 0x14131211}
	b := identity.Bytes(w)
	if got := hex.EncodeToString(b[:]); got != "0102030405060708090a0b0c0d0e0f1011121314000000000000000000000000" {
		t.Errorf("the words are %s", got)
	}
	if got := identity.FromBytes(&b); got != w {
		t.Errorf("the words of these bytes are %x", got)
	}
}

func TestClassString(t *testing.T) {
	seen := map[string]identity.Class{}
	for c := range identity.Principal + 1 {
		name := c.String()
		if (name == "none") != (c == 0) || seen[name] != 0 || name == "" {
			t.Errorf("class %d is called %q", c, name)
		}
		seen[name] = c
	}
	if name := (identity.AccountBit | 5).String(); name != "account" {
		t.Errorf("the class of an account is called %q", name)
	}
}

// TestWrap uses the vector of BIP-49, and the program of a BIP-173 example.
func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		class         identity.Class
		program, want string
	}{
		{identity.Hash160, "38971f73930f6c141d977ac4fd4a727c854935b3", "336caa13e08b96080a32b5d818d59b4ab3b36742"},
		{identity.WitnessScript, "1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262", "e4300531190587e3880d4c3004f5355d88ff928d"},
	} {
		b, _ := hex.DecodeString(tt.program)
		w, ok := identity.Wrap(tt.class, wordsOf(b))
		got := identity.Bytes(w)
		if hex.EncodeToString(got[:20]) != tt.want || !ok {
			t.Errorf("Wrap(%v, %s) = %x, %t, want %s", tt.class, tt.program, got[:20], ok, tt.want)
		}
	}
	for c := range identity.Principal + 1 {
		if _, ok := identity.Wrap(c, identity.Words{}); ok != (c == identity.Hash160 || c == identity.WitnessScript) {
			t.Errorf("Wrap of class %v reports %t", c, ok)
		}
	}
}

func wordsOf(b []byte) identity.Words {
	var padded [32]byte
	copy(padded[:], b)
	return identity.FromBytes(&padded)
}

func TestWrapAllocates(t *testing.T) {
	w := identity.Words{W0: 1, W1: 2, W2: 3, W3: 4}
	if n := testing.AllocsPerRun(100, func() { identity.Wrap(identity.Hash160, w) }); n != 0 {
		t.Errorf("Wrap allocates %v times", n)
	}
}

func BenchmarkWrap(b *testing.B) {
	w := identity.Words{W0: 1, W1: 2, W2: 3, W3: 4}
	for b.Loop() {
		w, _ = identity.Wrap(identity.Hash160, w)
	}
}

func TestAppendHex(t *testing.T) {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(i*0x9d + 0x0f)
	}
	for n := range len(b) + 1 {
		if got, want := string(identity.AppendHex([]byte("a"), wordsOf(b), n)), "a0x"+hex.EncodeToString(b[:n]); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
	for c := range 256 {
		w := identity.Words{W0: uint64(c)<<24 | 0xf0}
		if got, want := string(identity.AppendHex(nil, w, 4)), "0xf00000"+hex.EncodeToString([]byte{byte(c)}); got != want {
			t.Errorf("AppendHex writes %s, want %s", got, want)
		}
	}
}
