package address_test

import (
	"math/rand/v2"
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
