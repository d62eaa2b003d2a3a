package address_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestHexWords puts all pairs of bytes at the beginning, within and at the end
// of a word: a carry from one byte into the next must not make either of them a
// digit. The model examines one byte at a time.
func TestHexWords(t *testing.T) {
	const digits = "7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	for _, at := range []int{0, 3, 6, 7, 38} {
		for pair := 0; pair < 1<<16; pair += longtest.N(13, 1) {
			s := digits[:at] + string([]byte{byte(pair), byte(pair >> 8)}) + digits[at+2:]
			valid, lower, upper := true, false, false
			for i := range len(s) {
				valid = valid && strings.IndexByte("0123456789abcdefABCDEF", s[i]) >= 0
				lower = lower || 'a' <= s[i] && s[i] <= 'f'
				upper = upper || 'A' <= s[i] && s[i] <= 'F'
			}
			gotLower, gotUpper, ok := address.HexCase(s)
			if ok != valid || ok && (gotLower != lower || gotUpper != upper) {
				t.Fatalf("HexCase(%q) = %t, %t, %t, want %t, %t, %t", s, gotLower, gotUpper, ok, lower, upper, valid)
			}
			if got := address.IsLowerHex40(s); got != (valid && !upper) {
				t.Fatalf("IsLowerHex40(%q) = %t", s, got)
			}
			if !valid {
				continue
			}
			want, err := hex.DecodeString(s)
			if got := address.Unhex(s); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("Unhex(%q) = %x, want %x", s, got, want)
			}
		}
	}
}

// TestHexWordsAtRandom does the same with random words of bytes near the
// digits.
func TestHexWordsAtRandom(t *testing.T) {
	const near = "0123456789abcdefABCDEF" + "/:@G`g\x00\x10\x19\x80\xb0\xe1\xff"
	rng := rand.New(rand.NewPCG(41, 42))
	for range longtest.N(1<<13, 1<<16) {
		var b [40]byte
		chars := near[:22+rng.IntN(len(near)-21)]
		for i := range b {
			b[i] = chars[rng.IntN(len(chars))]
			if rng.IntN(4) > 0 {
				b[i] = chars[rng.IntN(16)]
			}
		}
		s := string(b[:])
		_, err := hex.DecodeString(s)
		if _, upper, ok := address.HexCase(s); ok != (err == nil) {
			t.Fatalf("HexCase(%q) reports %t", s, ok)
		} else if got := address.IsLowerHex40(s); got != (ok && !upper) {
			t.Fatalf("IsLowerHex40(%q) = %t", s, got)
		}
	}
}
