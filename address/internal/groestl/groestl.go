// Package groestl implements Grøstl-512, a finalist of the SHA-3 competition,
// in the version of its last round. Groestlcoin uses it for checksums. [Sum512]
// is the only function.
//
// It is by hand because no maintained Go library implements Grøstl.
//
// See P. Gauravaram and others, "Grøstl – a SHA-3 candidate", 2011.
package groestl

import (
	"encoding/binary"
	"math/bits"
)

const (
	blockLen = 128
	columns  = 16 // of eight bytes each; the state is one block
	rounds   = 14
)

// A state is the matrix that Grøstl works on. Each word is a column; its lowest
// byte is in row 0.
type state [columns]uint64

// Sum512 returns the Grøstl-512 hash of b.
func Sum512(b []byte) [64]byte {
	var h state
	h[columns-1] = bits.ReverseBytes64(512) // the initial value is the size of the hash in bits
	blocks := uint64(0)
	for ; len(b) >= blockLen; b = b[blockLen:] {
		h.compress(b)
		blocks++
	}
	// The padding is a one bit, zeros, and the total number of blocks.
	var last [2 * blockLen]byte
	n := copy(last[:], b)
	last[n] = 0x80
	end := blockLen
	if n+1+8 > blockLen {
		end = 2 * blockLen
	}
	blocks += uint64(end / blockLen)
	binary.BigEndian.PutUint64(last[end-8:], blocks)
	for at := 0; at < end; at += blockLen {
		h.compress(last[at:])
	}

	out := h
	out.permute(&shiftP, constantP)
	var sum [64]byte
	for j := range 8 {
		binary.LittleEndian.PutUint64(sum[8*j:], out[8+j]^h[8+j])
	}
	return sum
}

// compress mixes the first block of b into h.
func (h *state) compress(b []byte) {
	var p, q state
	for j := range columns {
		q[j] = binary.LittleEndian.Uint64(b[8*j:])
		p[j] = q[j] ^ h[j]
	}
	p.permute(&shiftP, constantP)
	q.permute(&shiftQ, constantQ)
	for j := range h {
		h[j] ^= p[j] ^ q[j]
	}
}

// The number of bytes by which the permutations P and Q rotate each row to the
// left.
var (
	shiftP = [8]int{0, 1, 2, 3, 4, 5, 6, 11}
	shiftQ = [8]int{1, 3, 5, 11, 0, 2, 4, 6}
)

// The constants that P and Q add to column 0 in round 0: P to row 0, Q to all
// rows. P also adds the number of the round and 16 times that of the column to
// row 0, and Q to row 7.
const (
	constantP uint64 = 0
	constantQ uint64 = 0xffffffffffffffff
)

// permute applies P or Q, depending on shift and constant.
func (s *state) permute(shift *[8]int, constant uint64) {
	row := 0
	if constant != 0 {
		row = 8 * 7
	}
	for r := range uint64(rounds) {
		for j := range s {
			s[j] ^= constant ^ (uint64(j)<<4^r)<<row
		}
		var next state
		for j := range next {
			var w uint64
			for i := range 8 {
				w ^= bits.RotateLeft64(mix[byte(s[(j+shift[i])%columns]>>(8*i))], 8*i)
			}
			next[j] = w
		}
		*s = next
	}
}

// mix maps a byte in row 0 to its contribution to the column after SubBytes and
// MixBytes. For other rows, the contribution is rotated by bytes.
//
// To initialize quickly and without division, it enumerates the field as powers
// of 3, in x, and of its inverse, in y: this yields every byte but 0 once,
// together with its inverse.
var mix = func() (t [256]uint64) {
	t[0] = mixed(0)
	x, y := byte(1), byte(1)
	for range 255 {
		t[x] = mixed(y)
		x = mul(3, x)
		y = mul(0xf6, y) // 0xf6 is the inverse of 3
	}
	return t
}()

// mixed returns the contribution of the byte with inverse y, in row 0, to its
// column.
func mixed(y byte) (w uint64) {
	// The S-box is that of AES: the inverse, then an affine map.
	y ^= bits.RotateLeft8(y, 1) ^ bits.RotateLeft8(y, 2) ^ bits.RotateLeft8(y, 3) ^ bits.RotateLeft8(y, 4) ^ 0x63
	first := [8]byte{2, 7, 5, 3, 5, 4, 3, 2} // the first column of the matrix of MixBytes
	for i, c := range first {
		w |= uint64(mul(c, y)) << (8 * i)
	}
	return w
}

// mul multiplies in GF(256) modulo x^8 + x^4 + x^3 + x + 1.
func mul(a, b byte) (p byte) {
	for ; a != 0; a >>= 1 {
		if a&1 != 0 {
			p ^= b
		}
		carry := b >> 7
		b = b<<1 ^ carry*0x1b
	}
	return p
}
