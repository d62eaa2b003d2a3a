package base58_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// modelBlocks encodes b in blocks: each as one number, padded with zero digits to the
// length of the largest value of its size.
func modelBlocks(digits string, b []byte) string {
	var text strings.Builder
	for len(b) > 0 {
		block := b[:min(8, len(b))]
		b = b[len(block):]
		width := len(modelEncode(digits, bytes.Repeat([]byte{0xff}, len(block))))
		number := strings.TrimLeft(modelEncode(digits, block), digits[:1])
		text.WriteString(strings.Repeat(digits[:1], width-len(number)) + number)
	}
	return text.String()
}

func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for n := range 90 {
		for round := range 20 {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			switch round { // the extremes
			case 0:
				clear(b)
			case 1:
				b = bytes.Repeat([]byte{0xff}, n)
			}
			want := modelBlocks(bitcoinDigits, b)
			got := base58.CryptoNote.Encode(b)
			if got != want {
				t.Errorf("Encode(%x) = %q, want %q", b, got, want)
			}
			if digits := base58.BlocksLen(n); digits != len(want) {
				t.Errorf("BlocksLen(%d) = %d, want %d", n, digits, len(want))
			}
			dst := make([]byte, n+round%2)
			if size, bad := base58.CryptoNote.Decode(dst, want); size != n || bad != -1 || !bytes.Equal(dst[:n], b) {
				t.Errorf("Decode(%q) = %d, %d and %x, want %d bytes, %x", want, size, bad, dst, n, b)
			}
			if n == 0 {
				continue
			}
			if size, bad := base58.CryptoNote.Decode(dst[:n-1], want); size != -1 || bad != -1 {
				t.Errorf("Decode(%q) into %d bytes = %d, %d, want -1, -1", want, n-1, size, bad)
			}
			at := rng.IntN(len(want))
			wrong := want[:at] + "0" + want[at+1:]
			if size, bad := base58.CryptoNote.Decode(dst, wrong); size != -1 || bad != at {
				t.Errorf("Decode(%q) = %d, %d, want -1, %d", wrong, size, bad, at)
			}
		}
	}
}

// TestBlocksRefused checks blocks whose value does not fit their bytes, and lengths that
// no bytes have.
func TestBlocksRefused(t *testing.T) {
	var dst [64]byte
	for _, v := range []struct {
		name, text string
	}{
		{"2^64 in eleven digits", "jpXCZedGfVR"},
		{"the most of eleven digits", "zzzzzzzzzzz"},
		{"the same behind another block", "11111111111zzzzzzzzzzz"},
		{"2^8 in two digits", "5R"},
		{"2^56 in ten digits", "zzzzzzzzzz"},
		{"one digit", "1"},
		{"four digits", "1111"},
		{"eight digits", "11111111"},
		{"a block and four digits", "111111111111111"},
	} {
		if n, bad := base58.CryptoNote.Decode(dst[:], v.text); n != -1 || bad != -1 {
			t.Errorf("%s: Decode(%q) = %d, %d, want -1, -1", v.name, v.text, n, bad)
		}
	}
	const most = "jpXCZedGfVQ" // of eight bytes
	if n, bad := base58.CryptoNote.Decode(dst[:], most); n != 8 || bad != -1 || !bytes.Equal(dst[:8], bytes.Repeat([]byte{0xff}, 8)) {
		t.Errorf("Decode(%q) = %d, %d and %x, want eight bytes, all ff", most, n, bad, dst[:8])
	}
}
