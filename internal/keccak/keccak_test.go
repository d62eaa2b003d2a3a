package keccak_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/internal/keccak"
)

func TestSum256Vectors(t *testing.T) {
	for _, v := range []struct{ name, data, want string }{
		{"empty", "", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
		{"event signature of ERC-20", "Transfer(address,address,uint256)", "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"},
	} {
		if got := keccak.Sum256([]byte(v.data)); hex.EncodeToString(got[:]) != v.want {
			t.Errorf("%s: Sum256(%q) = %x, want %s", v.name, v.data, got, v.want)
		}
	}
}

// TestSum256AgainstReferees hashes random data of all lengths about the block
// boundaries, and checks it against two others: the hash of x/crypto, and the
// permutation as it is specified.
func TestSum256AgainstReferees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 600 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		before := bytes.Clone(data)
		got := keccak.Sum256(data)
		if !bytes.Equal(data, before) {
			t.Fatalf("length %d: Sum256 changed its argument", n)
		}
		h := sha3.NewLegacyKeccak256()
		h.Write(data)
		if want := h.Sum(nil); !bytes.Equal(got[:], want) {
			t.Errorf("length %d: %x, x/crypto has %x", n, got, want)
		}
		if want := plainSum256(data); got != want {
			t.Errorf("length %d: %x, the plain permutation has %x", n, got, want)
		}
	}
}

// TestSum40AgainstSum256 hashes random blocks either way.
func TestSum40AgainstSum256(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var m [5]uint64
		var data []byte
		for i := range m {
			m[i] = rng.Uint64()
			data = binary.LittleEndian.AppendUint64(data, m[i])
		}
		want := keccak.Sum256(data)
		var got []byte
		h0, h1, h2 := keccak.Sum40(m[0], m[1], m[2], m[3], m[4])
		for _, h := range []uint64{h0, h1, h2} {
			got = binary.LittleEndian.AppendUint64(got, h)
		}
		if !bytes.Equal(got, want[:24]) {
			t.Errorf("Sum40(%x) = %x, Sum256 has %x", data, got, want[:24])
		}
	}
}

func TestSum256DoesNotAllocate(t *testing.T) {
	data := make([]byte, 300)
	if n := testing.AllocsPerRun(100, func() { keccak.Sum256(data) }); n != 0 {
		t.Errorf("Sum256 allocates %v times", n)
	}
}

// plainSum256 is Keccak-256 as FIPS 202 describes its permutation, step by
// step, with the padding of the original submission.
func plainSum256(data []byte) (sum [32]byte) {
	const rate = 136
	padded := append(bytes.Clone(data), 1)
	for len(padded)%rate != 0 {
		padded = append(padded, 0)
	}
	padded[len(padded)-1] |= 0x80
	var a [25]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := range rate / 8 {
			a[i] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		plainPermute(&a)
	}
	for i := range 4 {
		binary.LittleEndian.PutUint64(sum[8*i:], a[i])
	}
	return sum
}

// plainPermute is Keccak-f[1600], with the round constants and the rotations
// computed as the standard defines them.
func plainPermute(a *[25]uint64) {
	lfsr := byte(1)
	for range 24 {
		var c [5]uint64
		for x := range 5 {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for i := range a {
			a[i] ^= c[(i+4)%5] ^ bits.RotateLeft64(c[(i+1)%5], 1)
		}
		var b [25]uint64
		b[0] = a[0]
		for x, y, t := 1, 0, 0; t < 24; t++ {
			b[y+5*((2*x+3*y)%5)] = bits.RotateLeft64(a[x+5*y], (t+1)*(t+2)/2)
			x, y = y, (2*x+3*y)%5
		}
		for y := 0; y < 25; y += 5 {
			for x := range 5 {
				a[y+x] = b[y+x] ^ ^b[y+(x+1)%5]&b[y+(x+2)%5]
			}
		}
		for j := range 7 {
			if lfsr&1 != 0 {
				a[0] ^= 1 << (1<<j - 1)
			}
			carry := lfsr >> 7
			lfsr = lfsr<<1 ^ carry*0x71
		}
	}
}

// The benchmarks hash 40 bytes, the digits of an EVM address: one permutation.

func BenchmarkSum256(b *testing.B) {
	data := make([]byte, 40)
	for b.Loop() {
		keccak.Sum256(data)
	}
}

func BenchmarkSum40(b *testing.B) {
	for b.Loop() {
		keccak.Sum40(1, 2, 3, 4, 5)
	}
}

// BenchmarkReferee is the same with the assembly of x/crypto.
func BenchmarkReferee(b *testing.B) {
	data, sum := make([]byte, 40), make([]byte, 0, 32)
	h := sha3.NewLegacyKeccak256()
	for b.Loop() {
		h.Reset()
		h.Write(data)
		h.Sum(sum)
	}
}
