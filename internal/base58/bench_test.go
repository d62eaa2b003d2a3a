package base58_test

import (
	"testing"

	referee "github.com/mr-tron/base58"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// BenchmarkDecode compares Decode with mr-tron/base58, on a Bitcoin address of 25
// bytes and on a Solana address of 32.
func BenchmarkDecode(b *testing.B) {
	for _, text := range []string{
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		"vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg",
	} {
		b.Run(text[:4]+"/ours", func(b *testing.B) {
			var dst [40]byte
			for b.Loop() {
				if n, _ := base58.Bitcoin.Decode(dst[:], text); n < 0 {
					b.Fatal("not Base58")
				}
			}
		})
		b.Run(text[:4]+"/mr-tron", func(b *testing.B) {
			for b.Loop() {
				if _, err := referee.Decode(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
