// Package groestl implements Grøstl-512, a finalist of the SHA-3 competition, in the version of its
// last round. Groestlcoin uses it for checksums. [Sum512] is the only function.
//
// It is written by hand because no maintained Go library implements Grøstl.
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

// A state is the matrix that Grøstl works on. Each word is a column; its lowest byte is in row 0.
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
	out.permute(&permutationP)
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
	p.permute(&permutationP)
	q.permute(&permutationQ)
	for j := range h {
		h[j] ^= p[j] ^ q[j]
	}
}

// A permutation is P or Q. In each round it inverts bits, adds to one row the number of the round
// and 16 times the number of the column, and rotates each row to the left by a number of bytes.
type permutation struct {
	inverted uint64
	row      int
	left     [8]int
}

var (
	permutationP = permutation{0, 0, [...]int{0, 1, 2, 3, 4, 5, 6, 11}}
	permutationQ = permutation{1<<64 - 1, 7, [...]int{1, 3, 5, 11, 0, 2, 4, 6}}
)

func (s *state) permute(p *permutation) {
	var wide [2 * columns]uint64 // the columns twice, so that an index needs no modulus
	left := &p.left
	for r := range uint64(rounds) {
		for j := range uint64(columns) {
			wide[j] = s[j] ^ p.inverted ^ (j<<4^r)<<(8*p.row)
			wide[columns+j] = wide[j]
		}
		for j := range s {
			s[j] = mix[0][byte(wide[(j+left[0])&31])] ^
				mix[1][byte(wide[(j+left[1])&31]>>8)] ^
				mix[2][byte(wide[(j+left[2])&31]>>16)] ^
				mix[3][byte(wide[(j+left[3])&31]>>24)] ^
				mix[4][byte(wide[(j+left[4])&31]>>32)] ^
				mix[5][byte(wide[(j+left[5])&31]>>40)] ^
				mix[6][byte(wide[(j+left[6])&31]>>48)] ^
				mix[7][byte(wide[(j+left[7])&31]>>56)]
		}
	}
}

// mix maps a row and a byte in it to its contribution to the column after SubBytes and MixBytes.
//
// To initialize quickly and without division, it enumerates the field as powers of 3, in x, and of
// its inverse, in y: this yields every byte but 0 once, together with its inverse.
var mix = func() (t [8][256]uint64) {
	t[0][0] = mixed(0)
	x, y := byte(1), byte(1)
	for range 255 {
		t[0][x] = mixed(y)
		x = mul(3, x)
		y = mul(0xf6, y) // 0xf6 is the inverse of 3
	}
	for row := 1; row < len(t); row++ {
		for x, w := range t[0] {
			t[row][x] = bits.RotateLeft64(w, 8*row)
		}
	}
	return t
}()

// mixed returns the contribution of the byte with inverse y, in row 0, to its column.
func mixed(y byte) (w uint64) {
	// The S-box is the AES S-box: the inverse, then an affine map.
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
