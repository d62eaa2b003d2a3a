package curve_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"

	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// isEd25519 is the reference: the point decodes, and encodes to the same bytes.
func isEd25519(b [32]byte) bool {
	p, err := new(edwards25519.Point).SetBytes(b[:])
	return err == nil && [32]byte(p.Bytes()) == b
}

func random32(rng *rand.Rand) (b [32]byte) {
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	switch rng.IntN(8) { // numbers at the ends of the field, and sparse ones
	case 0:
		clear(b[1:])
	case 1:
		for i := range b[1:31] {
			b[1+i] = 0xff
		}
		b[31] |= 0x7f
	case 2:
		for i := range b[:31] {
			b[i] = 0xff
		}
	case 3:
		clear(b[:rng.IntN(32)])
	}
	return b
}

func TestIsEd25519(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	points, n := 0, longtest.N(4000, 20_000)
	for range n {
		b := random32(rng)
		got, want := curve.IsEd25519(&b), isEd25519(b)
		if got != want {
			t.Fatalf("IsEd25519(%x) = %t, the library says %t", b, got, want)
		}
		if got {
			points++
		}
	}
	if points < n/4 || points > 3*n/4 {
		t.Errorf("%d of %d are points", points, n)
	}
}

// TestIsEd25519Edges checks all y near 0, the order of the field and the powers
// of two, with and without a sign.
func TestIsEd25519Edges(t *testing.T) {
	order := toBig(curve.Ed25519.Order())
	centres := []*big.Int{new(big.Int), order, new(big.Int).Lsh(big.NewInt(1), 255)}
	for i := range uint(255) {
		centres = append(centres, new(big.Int).Lsh(big.NewInt(1), i))
	}
	wide := int64(longtest.N(2, 40))
	for _, c := range centres {
		for d := -wide; d <= wide; d++ {
			y := new(big.Int).Add(c, big.NewInt(d))
			if y.Sign() < 0 || y.BitLen() > 255 {
				continue
			}
			for sign := range byte(2) {
				var b [32]byte
				for i, v := range y.FillBytes(make([]byte, 32)) {
					b[31-i] = v
				}
				b[31] |= sign << 7
				if got, want := curve.IsEd25519(&b), isEd25519(b); got != want {
					t.Errorf("IsEd25519(%x) = %t, the library says %t", b, got, want)
				}
			}
		}
	}
}

// TestJacobi compares the symbol with math/big, for the order of the field and
// for odd numbers that need not be prime.
func TestJacobi(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	unknown, n := 0, longtest.N(2000, 20_000)
	for i := range n {
		x, m := randomWords(rng), randomWords(rng)
		m[0] |= 1
		if i%2 == 0 {
			m = curve.Ed25519.Order()
		}
		if x == ([4]uint64{}) {
			continue
		}
		got, want := curve.Jacobi(&x, &m), big.Jacobi(toBig(x), toBig(m))
		if got == 0 && want != 0 {
			unknown++
		} else if got != want {
			t.Fatalf("jacobi(%#x, %#x) = %d, math/big says %d", x, m, got, want)
		}
	}
	if unknown > n/100 {
		t.Errorf("unknown for %d of %d numbers, many of them special", unknown, n)
	}
}

// TestSlow uses a number for which the symbol takes too many batches, so that the
// fields look at a multiple of the point.
func TestSlow(t *testing.T) {
	x, order := [4]uint64{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}, curve.Ed25519.Order() // 37 modulo the order
	if got := curve.Jacobi(&x, &order); got != 0 {
		t.Errorf("jacobi(%#x) = %d, want 0 for unknown", x, got)
	}
	if !curve.Ed25519.IsSquare(&x) {
		t.Errorf("%#x is not a square, math/big says %d", x, big.Jacobi(toBig(x), toBig(order)))
	}
}

// TestFields compares with math/big. A product has a factor of 2^-256.
func TestFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, f := range []interface {
		Order() [4]uint64
		IsSquare(x *[4]uint64) bool
		Mul(x, y *[4]uint64) [4]uint64
		Add(x, y *[4]uint64) [4]uint64
	}{curve.Ed25519, curve.Pallas} {
		p := toBig(f.Order())
		random := func() (x [4]uint64, n *big.Int) {
			for x = randomWords(rng); toBig(x).Cmp(p) >= 0; x = randomWords(rng) {
			}
			return x, toBig(x)
		}
		for range longtest.N(4000, 20_000) {
			x, xn := random()
			y, yn := random()
			product := f.Mul(&x, &y)
			sum := f.Add(&x, &y)
			for _, v := range []struct {
				op    string
				got   [4]uint64
				times uint
				want  *big.Int
			}{
				{"*", product, 256, new(big.Int).Mul(xn, yn)},
				{"+", sum, 0, new(big.Int).Add(xn, yn)},
			} {
				got := toBig(v.got)
				d := new(big.Int).Lsh(got, v.times)
				if d.Sub(d, v.want).Mod(d, p).Sign() != 0 || got.Cmp(p) >= 0 {
					t.Fatalf("modulo %#x: %#x %s %#x = %#x, math/big says %#x", p, x, v.op, y, v.got, v.want)
				}
			}
			if xn.Sign() != 0 && f.IsSquare(&x) != (big.Jacobi(xn, p) == 1) {
				t.Fatalf("modulo %#x: %#x is a square: %t, want %t", p, x, f.IsSquare(&x), big.Jacobi(xn, p) == 1)
			}
		}
	}
}

func randomWords(rng *rand.Rand) (w [4]uint64) {
	for i := range w {
		switch rng.IntN(6) {
		case 0:
		case 1:
			w[i] = 1<<64 - 1
		case 2:
			w[i] = ^uint64(0) << rng.IntN(64)
		default:
			w[i] = rng.Uint64()
		}
	}
	return w
}

func toBig(w [4]uint64) *big.Int {
	x := new(big.Int)
	for i := 3; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(w[i]))
	}
	return x
}

const benchPoints = 1 << 12

func benchInputs() (all [benchPoints][32]byte) {
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range all {
		for j := range all[i] {
			all[i][j] = byte(rng.Uint32())
		}
		all[i][31] &= 0x7f
	}
	return all
}

func BenchmarkIsEd25519(b *testing.B) {
	all := benchInputs()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		curve.IsEd25519(&all[i%benchPoints])
	}
}

// BenchmarkReferee measures the reference library, without comparing the
// encoding.
func BenchmarkReferee(b *testing.B) {
	all := benchInputs()
	var p edwards25519.Point
	for i := 0; b.Loop(); i++ {
		p.SetBytes(all[i%benchPoints][:])
	}
}
