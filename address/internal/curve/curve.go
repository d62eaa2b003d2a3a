// Package curve checks whether bytes encode a point of the curve of ed25519, as
// Solana and Monero addresses require, or of other curves. Begin with [IsEd25519].
//
// It is written by hand for speed. The bytes encode a point if a certain field element
// is a square. filippo.io/edwards25519 computes the square root to return the
// point; computing only the Jacobi symbol takes about half the time
// (BenchmarkIsEd25519, BenchmarkReferee). The tests check the results against
// it. The running time depends on the input, which is public.
package curve

import (
	"encoding/binary"
	"math/bits"
)

// A field element, modulo 2^255 - 19, is represented by any number below 2^256
// that is congruent to it, least significant word first. 2^256 is congruent to
// fold.
const fold = 38

var order = [4]uint64{1<<64 - 19, 1<<64 - 1, 1<<64 - 1, 1<<63 - 1}

// edwardsD is the constant d of ed25519, whose curve is y² - x² = 1 + d*x²*y².
var edwardsD = [4]uint64{0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73}

// IsEd25519 reports whether b is the canonical encoding of a point of the curve
// of ed25519: y is less than the order of the field, and x is not 0 if the sign
// bit is set. Points of small order are accepted.
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
	// x² = (y²-1) / (d*y²+1) is a square if the product of both is. Neither
	// is 0, because -1/d is not a square.
	yy := mul(&y, &y)
	u, v := add(&yy, &minusOne), mul(&yy, &edwardsD)
	v = add(&v, &[4]uint64{1})
	uv := mul(&u, &v)
	return isSquare(&uv)
}

// isSquare reports whether x, which must not be 0, is a square.
func isSquare(x *[4]uint64) bool {
	if symbol := jacobi(x, &order); symbol != 0 {
		return symbol == 1
	}
	return isSquareByEuler(x)
}

// isSquareByEuler implements isSquare by Euler's criterion: x to the power of
// half the order is 1.
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

// contains reports whether x is less than the order of the field.
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

// carry returns x + c*2^256, where c is at most one word.
func carry(x [4]uint64, c uint64) [4]uint64 {
	for c != 0 { // at most twice, and hardly ever more than once
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
	// Multiply the upper half by fold and add it to the lower half.
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
