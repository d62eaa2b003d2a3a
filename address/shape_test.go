package address_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// TestRandomSolana reads 32 random bytes as an account of solana, also where the text begins like an
// address in Bech32: nobody chooses the beginning of a key. A real one in mixed case is no account of
// solana.
func TestRandomSolana(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	like := 0
	for range 200_000 {
		var key [32]byte
		for i := range key {
			key[i] = byte(rng.Uint32())
		}
		text := base58.Bitcoin.Encode(key[:])
		if _, err := address.Parse("solana", text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if strings.HasPrefix(text, "F1") || strings.HasPrefix(text, "41") || strings.HasPrefix(text, "Bc1") {
			like++
			for _, chain := range []string{"solana", ""} {
				if r := address.Interpret(chain, text); r.Err != nil || len(r.Doubts) > 0 {
					t.Errorf("%s on %q: %+v", text, chain, r)
				}
			}
		}
	}
	if like < 20 {
		t.Errorf("%d texts begin like an address in Bech32", like)
	}
	mixed := 0
	for range 20_000 {
		var key [20]byte
		for i := range key {
			key[i] = byte(rng.Uint32())
		}
		text := []byte(bech32.Encode("osmo", bech32.Unpack(nil, key[:]), bech32.Bech32))
		for i := range text {
			if text[i] >= 'a' && rng.IntN(2) == 0 {
				text[i] -= 'a' - 'A'
			}
		}
		if n, bad := base58.Bitcoin.Decode(make([]byte, base58.MaxLen), string(text)); bad >= 0 || n != 32 {
			continue
		}
		mixed++
		if _, err := address.Parse("solana", string(text)); err == nil {
			t.Errorf("%s is an account of solana", text)
		}
	}
	if mixed == 0 {
		t.Error("no text in mixed case is Base58")
	}
}

// TestInsideSolana reads addresses with a checksum between other digits that together are 32 bytes:
// nobody can tell whether that is an account of solana, so the text is in doubt, and both are shown.
func TestInsideSolana(t *testing.T) {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rng := rand.New(rand.NewPCG(43, 44))
	tried := 0
	for _, version := range []string{"\x00", "\x05", "\x10", "\x16", "\x1e", "\x30", "\x32", "\x41", "\x4c", "\x1c\xb8", "\x06\xa1\x9f"} {
		in := sha256Check(version + randomPayload(rng, 20))
		for n := range 100 {
			text := make([]byte, 43+n%2)
			for i := range text {
				text[i] = digits[rng.IntN(len(digits))]
			}
			copy(text[rng.IntN(len(text)-len(in)+1):], in)
			if size, _ := base58.Bitcoin.Decode(make([]byte, base58.MaxLen), string(text)); size != 32 {
				continue
			}
			tried++
			if a := address.MustParse("solana", string(text)); a.Doubt() != address.DoubtAmbiguous {
				t.Errorf("%s, with %s in it, has the doubt %q", text, in, a.Doubt())
			}
			for _, chain := range []string{"", "solana", "SOL", "arweave"} {
				r := address.Interpret(chain, string(text))
				if !slices.ContainsFunc(r.Addresses, func(a address.Address) bool { return a.Normalized() == in }) || r.Err == nil && !slices.Contains(r.Doubts, address.DoubtAmbiguous) {
					t.Errorf("Interpret(%q, %q), with %s in it: %+v", chain, text, in, r)
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d texts", tried)
	}
}
