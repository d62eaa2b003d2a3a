package curve

import "math/bits"

// jacobi returns the Jacobi symbol of x over m, which is 1 or -1 if they have no common factor. m
// must be odd and x must not be zero. It returns 0 if maxBatches do not suffice: if there is a
// common factor, and for a few numbers constructed to be slow. Random numbers of 256 bits take
// about 13 batches and rarely 16.
//
// It runs the variant of Bernstein and Yang's greatest common divisor algorithm ("Fast
// constant-time gcd computation and modular inversion") that only adds. Its numbers stay positive,
// which the symbol requires. The algorithm performs many steps on the lowest words alone, collects
// them in a matrix, and then applies the matrix to the long numbers. Each step preserves the symbol
// of g over f or negates it, by the two laws of reciprocity, which depend only on the lowest three
// bits of both.
func jacobi(x, m *[4]uint64) int {
	f, g := *m, *x
	eta := -1       // roughly, how much shorter f is than g
	var sign uint64 // bit 0: the symbol is negated
	for range maxBatches {
		var t matrix
		t, eta, sign = batch(f[0], g[0], eta, sign)
		f, g = t.apply(&f, &g)
		if f == [4]uint64{1} {
			return 1 - 2*int(sign&1)
		}
	}
	return 0
}

const (
	// batchSteps leaves room in a word for the sum of two entries of a matrix, and keeps three
	// valid bits of the lowest words until the last step.
	batchSteps = 62
	maxBatches = 25
)

// A matrix represents the effect of a batch of steps: f' = (u*f + v*g) / 2^62
// and g' = (q*f + r*g) / 2^62. u+v and q+r are at most 2^62.
type matrix struct {
	u, v, q, r uint64
}

// batch performs batchSteps steps on the lowest words of f, which must be odd, and g. A step halves
// an even g. If g is odd, the step first adds f, after exchanging f and g if eta is negative.
func batch(f, g uint64, eta int, sign uint64) (matrix, int, uint64) {
	t := matrix{u: 1, r: 1}
	for left := uint(batchSteps); ; {
		// Halve as often as possible. The symbol of 2^n over f is
		// (2|f)^n, and (2|f) is -1 if f is 3 or 5 modulo 8.
		n := uint(bits.TrailingZeros64(g | ^uint64(0)<<left))
		g >>= n
		t.u <<= n
		t.v <<= n
		eta -= int(n)
		left -= n
		sign ^= uint64(n) & (f>>1 ^ f>>2)
		if left == 0 {
			return t, eta, sign
		}
		if eta < 0 {
			// The exchange negates the symbol if both are 3 modulo
			// 4.
			eta = -eta
			sign ^= f & g >> 1
			f, g = g, f
			t.u, t.v, t.q, t.r = t.q, t.r, t.u, t.v
		}
		// Combine the additions of the next steps: add the multiple of f that clears the lowest
		// bits of g, as many as there are steps until the next exchange, and at most six. The
		// inverse of f modulo 64 is f*(2-f*f).
		k := min(uint(eta)+1, left, 6)
		w := f * g * (f*f - 2) & (1<<k - 1)
		g += f * w
		t.q += t.u * w
		t.r += t.v * w
	}
}

// apply returns f and g after the steps that t represents.
func (t *matrix) apply(f, g *[4]uint64) (f1, g1 [4]uint64) {
	return combine(t.u, t.v, f, g), combine(t.q, t.r, f, g)
}

// combine returns (a*f + b*g) / 2^62, where a+b is at most 2^62 and the
// division is exact. The result fits in four words because f and g do.
func combine(a, b uint64, f, g *[4]uint64) (sum [4]uint64) {
	var carry, low uint64
	for i := range 4 {
		h1, l1 := bits.Mul64(a, f[i])
		h2, l2 := bits.Mul64(b, g[i])
		l, c := bits.Add64(l1, l2, 0)
		h, _ := bits.Add64(h1, h2, c)
		l, c = bits.Add64(l, carry, 0)
		carry = h + c
		if i > 0 {
			sum[i-1] = low>>batchSteps | l<<(64-batchSteps)
		}
		low = l
	}
	sum[3] = low>>batchSteps | carry<<(64-batchSteps)
	return sum
}
