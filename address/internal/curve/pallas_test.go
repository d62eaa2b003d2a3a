package curve_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address/internal/curve"
)

// pallas is the order of the field.
var pallas, _ = new(big.Int).SetString("28948022309329048855892746252171976963363056481941560715954676764349967630337", 10)

// isPallasX is the reference, by math/big.
func isPallasX(b [32]byte) bool {
	slices.Reverse(b[:])
	x := new(big.Int).SetBytes(b[:])
	yy := new(big.Int).Exp(x, big.NewInt(3), pallas)
	return x.Cmp(pallas) < 0 && big.Jacobi(yy.Add(yy, big.NewInt(5)), pallas) == 1
}

func TestIsPallasX(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	points := 0
	check := func(b [32]byte) {
		t.Helper()
		got := curve.IsPallasX(&b)
		if want := isPallasX(b); got != want {
			t.Fatalf("IsPallasX(%x) = %t, want %t", b, got, want)
		}
		if got {
			points++
		}
	}
	for range 4000 {
		b := random32(rng)
		b[31] &= 0x3f
		check(b)
	}
	if points < 1000 || points > 3000 {
		t.Errorf("%d of 4000 are points", points)
	}
	for d := int64(-40); d <= 40; d++ {
		for _, near := range []*big.Int{big.NewInt(40), pallas} {
			var b [32]byte
			new(big.Int).Add(near, big.NewInt(d)).FillBytes(b[:])
			slices.Reverse(b[:])
			check(b)
		}
	}
}

func BenchmarkIsPallasX(b *testing.B) {
	x := [32]byte{1, 2, 3}
	for b.Loop() {
		curve.IsPallasX(&x)
	}
}
