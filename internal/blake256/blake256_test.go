package blake256_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/blake256"
)

func TestSum256(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty (KAT of the submission, length 0)", "", "716f6e863f744b9ac22c97ec7b76ea5f5908bc5b2f67c61510bfc4751384ea7a"},
		{"one zero byte (the submission, section 2.3)", "\x00", "0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87"},
		{"72 zero bytes (the submission, section 2.3)", strings.Repeat("\x00", 72), "d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41"},
		{"pangram (Wikipedia, BLAKE)", "The quick brown fox jumps over the lazy dog", "7576698ee9cad30173080678e5965916adbb11cb5245d386bf1ffda1cb26c9d7"},
	}
	for _, tt := range tests {
		sum := blake256.Sum256([]byte(tt.in))
		if got := hex.EncodeToString(sum[:]); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Around the lengths at which the padding needs a block of its own, every length
// has a hash of its own, and nothing of the input is left out.
func TestLengths(t *testing.T) {
	seen := map[[32]byte]int{}
	for n := range 200 {
		sum := blake256.Sum256([]byte(strings.Repeat("a", n)))
		if m, twice := seen[sum]; twice {
			t.Errorf("%d and %d bytes have one hash", m, n)
		}
		seen[sum] = n
	}
}
