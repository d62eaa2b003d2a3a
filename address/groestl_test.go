package address_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address/internal/groestl"
)

func TestGroestl(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty (KAT of the submission, length 0)", "",
			"6d3ad29d279110eef3adbd66de2a0345a77baede1557f5d099fce0c03d6dc2ba" +
				"8e6d4a6633dfbd66053c20faa87d1a11f39a7fbe4a6c2f009801370308fc4ad8"},
		{"pangram (Wikipedia, Grøstl)", "The quick brown fox jumps over the lazy dog",
			"badc1f70ccd69e0cf3760c3f93884289da84ec13c70b3d12a53a7a8a4a513f99" +
				"715d46288f55e1dbf926e6d084a0538e4eebfc91cf2b21452921ccde9131718d"},
		{"pangram with a stop (Wikipedia, Grøstl)", "The quick brown fox jumps over the lazy dog.",
			"518a55cc274fc887d8dcbd0bb24000395f6d3be62445d84cc9e85d419161a968" +
				"268e490f7537e475e57d8c009b0957caa05882bc8c20ce22d50caa2106d0dcfd"},
	}
	for _, tt := range tests {
		sum := groestl.Sum512([]byte(tt.in))
		if got := hex.EncodeToString(sum[:]); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Around the length at which the padding needs another block, every length must
// have a different hash, and every byte of the input must matter.
func TestGroestlLengths(t *testing.T) {
	seen := map[[64]byte]int{}
	for n := range 300 {
		sum := groestl.Sum512([]byte(strings.Repeat("a", n)))
		if m, twice := seen[sum]; twice {
			t.Errorf("%d and %d bytes have one hash", m, n)
		}
		seen[sum] = n
	}
}
