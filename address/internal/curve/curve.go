// Package curve checks whether bytes encode a point of the curve of ed25519, as
// Solana and Monero addresses require, or of Pallas. Begin with [IsEd25519].
//
// It is written by hand for speed. The bytes encode a point if a certain field element is a square.
// filippo.io/edwards25519 computes the square root to return the point; computing only the Jacobi
// symbol takes about half the time (BenchmarkIsEd25519, BenchmarkReferee). The tests check the
// results against it. The running time depends on the input, which is public.
package curve

import (
	"encoding/binary"
	"math/bits"
)

// A field is the numbers below an odd prime, least significant word first.
type field struct {
	order   [4]uint64
	inverse uint64 // -1/order modulo 2^64
}

// The fields of the curves. Pallas is the curve of Mina's keys; see "The Pasta Curves
// for Halo 2 and Beyond".
var (
	ed25519 = newField([4]uint64{1<<64 - 19, 1<<64 - 1, 1<<64 - 1, 1<<63 - 1})
	pallas  = newField([4]uint64{0x992d30ed00000001, 0x224698fc094cf91b, 0, 0x4000000000000000})
)

func newField(order [4]uint64) *field {
	inverse := order[0] // right in three bits, and each step doubles them
	for range 5 {
		inverse *= 2 - order[0]*inverse
	}
	return &field{order, -inverse}
}

// The product of a field has a factor of 2^-256, which is a square. Sums of products
// need the same number of these factors.
var (
	pallasFive = pallas.scaled(5)
	ed25519One = ed25519.scaled(1)
	minusOne   = func() [4]uint64 {
		once := ed25519.mul(&[4]uint64{1}, &[4]uint64{1})
		return sub(&ed25519.order, &once)
	}()
)

// scaled returns n with two factors.
func (f *field) scaled(n uint64) [4]uint64 {
	once := f.mul(&[4]uint64{n}, &[4]uint64{1})
	return f.mul(&once, &[4]uint64{1})
}

// edwardsD is the constant d of ed25519, whose curve is y² - x² = 1 + d*x²*y².
var edwardsD = [4]uint64{0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73}

// IsEd25519 reports whether b is the canonical encoding of a point of the curve
// of ed25519: y is less than the order of the field, and x is not 0 if the sign
// bit is set. Points of small order are accepted.
//
// See RFC 8032, section 5.1.3.
func IsEd25519(b *[32]byte) bool {
	f, y := ed25519, load(b)
	negative := y[3]>>63 != 0
	y[3] &= 1<<63 - 1
	if !isBelow(&y, &f.order) {
		return false
	}
	last := f.order
	last[0]--
	if y == [4]uint64{1} || y == last {
		return !negative // x is 0
	}
	// x² = (y²-1) / (d*y²+1) is a square if the product of both is. Neither
	// is 0, because -1/d is not a square.
	yy := f.mul(&y, &y)
	u, v := f.add(&yy, &minusOne), f.mul(&yy, &edwardsD)
	v = f.add(&v, &ed25519One)
	uv := f.mul(&u, &v)
	return f.isSquare(&uv)
}

// IsPallasX reports whether b, least significant byte first, is the x coordinate of a point of
// Pallas, whose curve is y² = x³ + 5. No point has y = 0, because the order of the curve is an odd
// prime.
func IsPallasX(b *[32]byte) bool {
	f, x := pallas, load(b)
	if !isBelow(&x, &f.order) {
		return false
	}
	yy := f.mul(&x, &x)
	yy = f.mul(&yy, &x)
	yy = f.add(&yy, &pallasFive)
	return f.isSquare(&yy)
}

// isSquare reports whether x, which must not be 0, is a square.
func (f *field) isSquare(x *[4]uint64) bool {
	// jacobi fails for some numbers, but not for all multiples of one.
	for k := uint64(2); ; k++ {
		if symbol := jacobi(x, &f.order); symbol != 0 {
			return symbol == 1
		}
		next := f.mul(x, &[4]uint64{k * k})
		x = &next
	}
}

// load returns the number of 32 bytes, least significant first.
func load(b *[32]byte) [4]uint64 {
	return [4]uint64{
		binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
}

// isBelow reports whether x < m.
func isBelow(x, m *[4]uint64) bool {
	var borrow uint64
	for i := range 4 {
		_, borrow = bits.Sub64(x[i], m[i], borrow)
	}
	return borrow != 0
}

// sub returns x-y modulo 2^256.
func sub(x, y *[4]uint64) (z [4]uint64) {
	var borrow uint64
	for i := range 4 {
		z[i], borrow = bits.Sub64(x[i], y[i], borrow)
	}
	return z
}

// add returns x+y.
func (f *field) add(x, y *[4]uint64) (z [4]uint64) {
	var c uint64
	for i := range 4 {
		z[i], c = bits.Add64(x[i], y[i], c)
	}
	return f.reduce(z, c)
}

// reduce returns z + top*2^256, which is below twice the order, modulo the order.
func (f *field) reduce(z [4]uint64, top uint64) [4]uint64 {
	if top != 0 || !isBelow(&z, &f.order) {
		return sub(&z, &f.order)
	}
	return z
}

// mul returns x*y*2^-256, by Montgomery's method.
func (f *field) mul(x, y *[4]uint64) (z [4]uint64) {
	var top uint64
	for i := range 4 {
		var t, c, c2 uint64 // z += x*y[i]
		t, z = addProduct(&z, x, y[i])
		top, c = bits.Add64(top, t, 0)
		t, z = addProduct(&z, &f.order, z[0]*f.inverse) // z[0] becomes 0
		top, c2 = bits.Add64(top, t, 0)
		z = [4]uint64{z[1], z[2], z[3], top}
		top = c + c2
	}
	return f.reduce(z, top)
}

// addProduct returns z + x*factor as a sum and a carry.
func addProduct(z, x *[4]uint64, factor uint64) (carry uint64, sum [4]uint64) {
	for i := range 4 {
		h, l := bits.Mul64(x[i], factor)
		var c uint64
		l, c = bits.Add64(l, z[i], 0)
		h += c
		sum[i], c = bits.Add64(l, carry, 0)
		carry = h + c
	}
	return carry, sum
}
