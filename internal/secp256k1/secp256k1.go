// Package secp256k1 decompresses the public keys of the curve secp256k1. It
// holds nothing secret and takes no care to run in constant time.
package secp256k1

import (
	"encoding/binary"
	"math/bits"
)

// An element is a number modulo the prime of the field, 2^256 - c, its lowest
// 64 bits first. It may be as large as 2^256 - 1 where it is not reduced.
type element [4]uint64

const c = 0x1000003d1

// Decompress returns the coordinates X and Y, big-endian, of the compressed
// public key: 02 or 03 for an even or an odd Y, and X. It reports false if there
// is no such point. It does not allocate.
//
// See SEC 1, section 2.3.4, and SEC 2, section 2.4.1.
func Decompress(key [33]byte) (xy [64]byte, ok bool) {
	if key[0] != 2 && key[0] != 3 {
		return xy, false
	}
	var x element
	for i := range x {
		x[i] = binary.BigEndian.Uint64(key[25-8*i:])
	}
	if x.reduced() != x {
		return xy, false
	}
	// y² = x³ + 7. A square root is the power (p+1)/4, for p is 3 modulo 4.
	square := x.mul(x).mul(x).add7()
	y := square.sqrt()
	if y.mul(y).reduced() != square.reduced() {
		return xy, false
	}
	y = y.reduced()
	if byte(y[0]&1) != key[0]&1 {
		y = y.negated()
	}
	copy(xy[:32], key[1:])
	for i := range y {
		binary.BigEndian.PutUint64(xy[56-8*i:], y[i])
	}
	return xy, true
}

// mul returns a*b.
func (a element) mul(b element) element {
	var t [8]uint64
	for i := range a {
		var carry uint64
		for j := range b {
			hi, lo := bits.Mul64(a[i], b[j])
			var over uint64
			lo, over = bits.Add64(lo, t[i+j], 0)
			hi += over
			lo, over = bits.Add64(lo, carry, 0)
			carry = hi + over
			t[i+j] = lo
		}
		t[i+4] = carry
	}
	// 2^256 is c: the upper half times c is added to the lower, and what that
	// carries again.
	r := element(t[:4])
	top := r.addTimesC(t[4:])
	for top != 0 {
		top = r.addTimesC([]uint64{top})
	}
	return r
}

// addTimesC adds n*c to r, and returns what does not fit.
func (r *element) addTimesC(n []uint64) uint64 {
	var carry uint64
	for i := range r {
		var hi, lo, over uint64
		if i < len(n) {
			hi, lo = bits.Mul64(n[i], c)
		}
		lo, over = bits.Add64(lo, carry, 0)
		hi += over
		r[i], over = bits.Add64(r[i], lo, 0)
		carry = hi + over
	}
	return carry
}

// add7 returns a+7.
func (a element) add7() element {
	var over uint64
	a[0], over = bits.Add64(a[0], 7, 0)
	for i := 1; i < 4; i++ {
		a[i], over = bits.Add64(a[i], 0, over)
	}
	if over != 0 {
		a.addTimesC([]uint64{1})
	}
	return a
}

// sqrt returns the power (p+1)/4 = 2^254 - (c-1)/4 of a.
func (a element) sqrt() element {
	exponent := element{1<<64 - (c-1)/4, 1<<64 - 1, 1<<64 - 1, 1<<62 - 1}
	r := element{1}
	for i := 253; i >= 0; i-- {
		r = r.mul(r)
		if exponent[i/64]>>(i%64)&1 == 1 {
			r = r.mul(a)
		}
	}
	return r
}

// reduced returns a below the prime.
func (a element) reduced() element {
	plus := a
	if plus.addTimesC([]uint64{1}) == 0 { // a + c < 2^256: a is below 2^256 - c
		return a
	}
	return plus
}

// negated returns p-a of a reduced a that is not zero.
func (a element) negated() element {
	p := element{1<<64 - c, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}
	var borrow uint64
	for i := range a {
		a[i], borrow = bits.Sub64(p[i], a[i], borrow)
	}
	return a
}
