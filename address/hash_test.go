package address_test

import (
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// TestIsSecp256k1Key compares the check of a public key with its decompression.
func TestIsSecp256k1Key(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	points := 0
	for i := range 2000 {
		key := [33]byte([]byte(randomPayload(rng, 33)))
		key[0] = byte(2 + i%2)
		switch i % 10 {
		case 0: // about the order of the field
			for j := 1; j < 33-i/10%7; j++ {
				key[j] = 0xff
			}
		case 1: // a small number
			clear(key[1:30])
		case 2:
			key[0] = byte(i / 10)
		}
		_, want := address.Decompress(key)
		if got := address.IsSecp256k1Key(key); got != want {
			t.Fatalf("isSecp256k1Key(%x) = %t, want %t", key, got, want)
		}
		if want {
			points++
		}
	}
	if points < 500 || points > 1200 {
		t.Errorf("%d of 2000 are points", points)
	}
}
