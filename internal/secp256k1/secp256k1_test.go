package secp256k1_test

import (
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/internal/secp256k1"
)

var p, _ = new(big.Int).SetString("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", 16)

// The generator, SEC 2 section 2.4.1.
func TestGenerator(t *testing.T) {
	const x = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	const y = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
	b, _ := hex.DecodeString("02" + x)
	got, ok := secp256k1.Decompress([33]byte(b))
	if !ok || hex.EncodeToString(got[:]) != x+y {
		t.Errorf("Decompress(%x) = %x, %v; want %s", b, got, ok, x+y)
	}
}

// math/big finds the same points, and none where there is none.
func TestRefereeAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	points := 0
	for n := range 400 {
		var key [33]byte
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		key[0] = byte(2 + n%2)
		x := new(big.Int).SetBytes(key[1:])
		switch n {
		case 0: // small X
			x.SetInt64(1)
		case 1: // the largest
			x.Sub(p, big.NewInt(1))
		case 2: // not below the prime
			x.Add(p, big.NewInt(1))
		case 3:
			x.Set(p)
		}
		x.FillBytes(key[1:])
		y := new(big.Int).Exp(x, big.NewInt(3), p)
		y.Add(y, big.NewInt(7))
		want := y.ModSqrt(y, p) != nil && x.Cmp(p) < 0
		got, ok := secp256k1.Decompress(key)
		if ok != want {
			t.Errorf("Decompress(%x): %v, want %v", key, ok, want)
		}
		if !ok || !want {
			continue
		}
		points++
		if y.Bit(0) != uint(key[0]&1) {
			y.Sub(p, y)
		}
		var xy [64]byte
		copy(xy[:], key[1:])
		y.FillBytes(xy[32:])
		if got != xy {
			t.Errorf("Decompress(%x) = %x, want %x", key, got, xy)
		}
	}
	if points < 100 {
		t.Errorf("only %d points were compared", points)
	}
}

func TestOtherPrefixes(t *testing.T) {
	b, _ := hex.DecodeString("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	for _, prefix := range []byte{0, 1, 4, 5, 6, 7, 0x82} {
		b[0] = prefix
		if _, ok := secp256k1.Decompress([33]byte(b)); ok {
			t.Errorf("Decompress(%x) finds a point", b)
		}
	}
}

func BenchmarkDecompress(b *testing.B) {
	key, _ := hex.DecodeString("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	b.ReportAllocs()
	for b.Loop() {
		secp256k1.Decompress([33]byte(key))
	}
}
