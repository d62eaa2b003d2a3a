package curve

import "math/bits"

// jacobi returns the Jacobi symbol of x over m, which is 1 or -1 if they have no
// common factor. m is odd and x is not zero. It returns 0 if it has not found
// out in maxBatches. That is so if there is a common factor, and for a few
// numbers made to be slow; random ones of 256 bits take about 13, and 16 hardly
// ever.
//
// It runs the variant of the greatest common divisor of Bernstein and Yang
// ("Fast constant-time gcd computation and modular inversion") that only adds:
// its numbers stay positive, without which the symbol means nothing. As they
// do, it makes many steps at a time on the lowest word alone, collects them in
// a matrix, and then applies that to the long numbers. Each step keeps the
// symbol of g over f, or turns its sign by the two laws of reciprocity, which
// only look at the lowest three bits of both.
func jacobi(x, m *[4]uint64) int {
	f, g := *m, *x
	eta := -1       // the less it is, the longer f is than g, roughly
	var sign uint64 // bit 0: whether the sign has turned
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
	// batchSteps leaves room for the sum of two entries of a matrix in a word,
	// and three valid bits of the lowest words up to the last step.
	batchSteps = 62
	maxBatches = 25
)

// A matrix is what a batch of steps does to f and g: f' = (u*f + v*g) / 2^62 and
// g' = (q*f + r*g) / 2^62. u+v and q+r are at most 2^62.
type matrix struct {
	u, v, q, r uint64
}

// batch makes batchSteps steps on the lowest words of f, which is odd, and g.
// A step halves an even g; to an odd one it first adds f, after having
// exchanged both if eta is negative.
func batch(f, g uint64, eta int, sign uint64) (matrix, int, uint64) {
	t := matrix{u: 1, r: 1}
	for left := uint(batchSteps); ; {
		// All halvings at once. The power of two 2^n has the symbol (2|f)^n, and
		// (2|f) is -1 where f is 3 or 5 modulo 8.
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
			// Exchanged, the symbol changes where both are 3 modulo 4.
			eta = -eta
			sign ^= f & g >> 1
			f, g = g, f
			t.u, t.v, t.q, t.r = t.q, t.r, t.u, t.v
		}
		// The additions of the next steps at once: the multiple of f that clears
		// the lowest bits of g, as many as there are steps until the next
		// exchange, and at most six. The inverse of f modulo 64 is f*(2-f*f).
		k := min(uint(eta)+1, left, 6)
		w := f * g * (f*f - 2) & (1<<k - 1)
		g += f * w
		t.q += t.u * w
		t.r += t.v * w
	}
}

// apply returns what t makes of f and g.
func (t *matrix) apply(f, g *[4]uint64) (f1, g1 [4]uint64) {
	return combine(t.u, t.v, f, g), combine(t.q, t.r, f, g)
}

// combine returns (a*f + b*g) / 2^62, where a+b is at most 2^62 and the division
// leaves no rest. So it fits where f and g do.
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
