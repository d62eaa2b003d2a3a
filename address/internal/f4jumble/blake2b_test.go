package f4jumble

import (
	"encoding/hex"
	"testing"

	referee "golang.org/x/crypto/blake2b"
)

// RFC 7693 appendix A.
func TestBLAKE2bABC(t *testing.T) {
	const want = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1" +
		"7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
	var got [64]byte
	Blake2b(got[:], []byte("abc"), [16]byte{})
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("Blake2b(abc) = %x, want %s", got, want)
	}
}

func TestBLAKE2bRefereeAgrees(t *testing.T) {
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(7 * i)
	}
	for n := range data {
		for _, size := range []int{1, 4, 5, 20, 32, 63, 64} {
			h, err := referee.New(size, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.Write(data[:n])
			got := make([]byte, size)
			Blake2b(got, data[:n], [16]byte{})
			if want := h.Sum(nil); string(got) != string(want) {
				t.Fatalf("%d bytes: Blake2b = %x, want %x", n, got, want)
			}
		}
	}
}

func TestBLAKE2bNoAllocation(t *testing.T) {
	n := testing.AllocsPerRun(10, func() {
		var out [5]byte
		var in [40]byte
		Blake2b(out[:], in[:], [16]byte{})
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
