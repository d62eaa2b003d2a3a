// Package curve tells whether bytes name a point of the curve of ed25519.
//
// They do if a number made of them is a square in the field. A library that has
// to know the point takes the root, which is a power with an exponent as long as
// the field; the Jacobi symbol tells as much as we want in about half the time.
// The library is the referee in the tests. All inputs are public, and the time
// depends on them.
package curve

import (
	"encoding/binary"
	"math/bits"
)

// The elements of the field of ed25519, of order 2^255 - 19, are kept as any
// number below 2^256, the lowest word first. 2^256 counts as much as fold.
const fold = 38

var order = [4]uint64{1<<64 - 19, 1<<64 - 1, 1<<64 - 1, 1<<63 - 1}

// edwardsD is the constant d of ed25519, whose curve is y² - x² = 1 + d*x²*y².
var edwardsD = [4]uint64{0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73}

// IsEd25519 reports whether b is the one encoding of a point of the curve of
// ed25519: y below the order of the field, and x not 0 if it has a sign. Points
// of small order are points.
//
// See RFC 8032, section 5.1.3.
func IsEd25519(b *[32]byte) bool {
	y := [4]uint64{
		binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
	negative := y[3]>>63 != 0
	y[3] &= 1<<63 - 1
	if !contains(&y) {
		return false
	}
	minusOne := order
	minusOne[0]--
	if y == [4]uint64{1} || y == minusOne {
		return !negative // x is 0
	}
	// x² is (y²-1) / (d*y²+1), which is a square if the product is one. Neither
	// is 0: -1/d is no square.
	yy := mul(&y, &y)
	u, v := add(&yy, &minusOne), mul(&yy, &edwardsD)
	v = add(&v, &[4]uint64{1})
	uv := mul(&u, &v)
	return isSquare(&uv)
}

// isSquare reports whether x, which is not 0, is the square of something.
func isSquare(x *[4]uint64) bool {
	if symbol := jacobi(x, &order); symbol != 0 {
		return symbol == 1
	}
	return isSquareByEuler(x)
}

// isSquareByEuler is isSquare by the criterion of Euler: x to the power of half
// the order is 1.
func isSquareByEuler(x *[4]uint64) bool {
	power := [4]uint64{1}
	for bit := 255; bit > 0; bit-- {
		power = mul(&power, &power)
		if order[bit/64]>>(bit%64)&1 != 0 {
			power = mul(&power, x)
		}
	}
	for !contains(&power) {
		var borrow uint64
		for i := range 4 {
			power[i], borrow = bits.Sub64(power[i], order[i], borrow)
		}
	}
	return power == [4]uint64{1}
}

// contains reports whether x is below the order.
func contains(x *[4]uint64) bool {
	var borrow uint64
	for i := range 4 {
		_, borrow = bits.Sub64(x[i], order[i], borrow)
	}
	return borrow != 0
}

// add returns x+y.
func add(x, y *[4]uint64) (z [4]uint64) {
	var c uint64
	for i := range 4 {
		z[i], c = bits.Add64(x[i], y[i], c)
	}
	return carry(z, c)
}

// carry returns x + c*2^256, for a c of at most one word.
func carry(x [4]uint64, c uint64) [4]uint64 {
	for c != 0 { // twice at most, and hardly ever twice
		h, l := bits.Mul64(c, fold)
		x[0], c = bits.Add64(x[0], l, 0)
		x[1], c = bits.Add64(x[1], h, c)
		x[2], c = bits.Add64(x[2], 0, c)
		x[3], c = bits.Add64(x[3], 0, c)
	}
	return x
}

// mul returns x*y.
func mul(x, y *[4]uint64) [4]uint64 {
	var w [8]uint64
	for i := range 4 {
		var high uint64
		for j := range 4 {
			h, l := bits.Mul64(x[i], y[j])
			l, c := bits.Add64(l, high, 0)
			h += c
			w[i+j], c = bits.Add64(w[i+j], l, 0)
			high = h + c
		}
		w[i+4] = high
	}
	// The upper half counts fold times.
	var z [4]uint64
	var high uint64
	for i := range 4 {
		h, l := bits.Mul64(w[i+4], fold)
		l, c := bits.Add64(l, high, 0)
		h += c
		z[i], c = bits.Add64(w[i], l, 0)
		high = h + c
	}
	return carry(z, high)
}
