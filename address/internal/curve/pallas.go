package curve

import (
	"encoding/binary"
	"math/bits"
)

// pallasOrder is the order of the field of Pallas, whose curve is y² = x³ + 5.
// It is below 2^255.
var pallasOrder = [4]uint64{0x992d30ed00000001, 0x224698fc094cf91b, 0, 0x4000000000000000}

// IsPallasX reports whether b, least significant byte first, is the x
// coordinate of a point of Pallas, the curve of Mina's keys: x is less than the
// order of the field, and x³ + 5 is a square. No point has y = 0, because the
// order of the curve is an odd prime.
//
// See "The Pasta Curves for Halo 2 and Beyond".
func IsPallasX(b *[32]byte) bool {
	x := [4]uint64{
		binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
	if !isBelow(&x, &pallasOrder) {
		return false
	}
	// Montgomery's product leaves a factor of 2^-256, which is a square. A
	// product with a square has the same symbol.
	yy := product(&x, &x)
	yy = product(&yy, &x)
	yy = addMod(&yy, &pallasFive, &pallasOrder)
	// jacobi fails for some numbers, but not for all multiples of one.
	for k := uint64(2); ; k++ {
		if symbol := jacobi(&yy, &pallasOrder); symbol != 0 {
			return symbol == 1
		}
		yy = product(&yy, &[4]uint64{k * k})
	}
}

// pallasFive is 5 * 2^-512, the sum's other term in the form of x³.
var pallasFive = func() [4]uint64 {
	five := product(&[4]uint64{5}, &[4]uint64{1})
	return product(&five, &[4]uint64{1})
}()

// isBelow reports whether x < m.
func isBelow(x, m *[4]uint64) bool {
	var borrow uint64
	for i := range 4 {
		_, borrow = bits.Sub64(x[i], m[i], borrow)
	}
	return borrow != 0
}

// addMod returns x+y modulo m. Both are below m, and m is below 2^255.
func addMod(x, y, m *[4]uint64) (z [4]uint64) {
	var c uint64
	for i := range 4 {
		z[i], c = bits.Add64(x[i], y[i], c)
	}
	if !isBelow(&z, m) {
		c = 0
		for i := range 4 {
			z[i], c = bits.Sub64(z[i], m[i], c)
		}
	}
	return z
}

// product returns x*y*2^-256 modulo pallasOrder, by Montgomery's method. Both
// are below the order.
func product(x, y *[4]uint64) (z [4]uint64) {
	const inverse = 0x992d30ecffffffff // -1/pallasOrder modulo 2^64
	var top uint64
	for i := range 4 {
		var t uint64 // z += x*y[i]
		t, z = addProduct(&z, x, y[i])
		var c uint64
		top, c = bits.Add64(top, t, 0)
		factor := z[0] * inverse
		t, z = addProduct(&z, &pallasOrder, factor) // z[0] becomes 0
		var c2 uint64
		top, c2 = bits.Add64(top, t, 0)
		z = [4]uint64{z[1], z[2], z[3], top}
		top = c + c2
	}
	if !isBelow(&z, &pallasOrder) {
		var borrow uint64
		for i := range 4 {
			z[i], borrow = bits.Sub64(z[i], pallasOrder[i], borrow)
		}
	}
	return z
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
