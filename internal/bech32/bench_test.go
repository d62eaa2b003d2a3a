package bech32_test

import (
	"math/rand/v2"
	"testing"

	referee "github.com/btcsuite/btcd/btcutil/bech32"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// texts returns distinct texts, enough that a branch predictor cannot learn them.
func texts(hrp string, size int, v bech32.Variant) []string {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]string, 1<<13)
	for i := range all {
		b := make([]byte, size)
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		all[i] = bech32.Encode(hrp, bech32.Unpack([]byte{}, b), v)
	}
	return all
}

func BenchmarkVerify(b *testing.B) {
	for _, size := range []int{20, 32} {
		all := texts("cosmos", size, bech32.Bech32)
		name := map[int]string{20: "20", 32: "32"}[size]
		b.Run(name+"/verify", func(b *testing.B) {
			for i := range b.N {
				if _, _, f := bech32.Std.Verify("cosmos", all[i%len(all)]); f != bech32.OK {
					b.Fatal(f)
				}
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			var dst [32]byte
			for i := range b.N {
				s := all[i%len(all)]
				bech32.Std.Read(dst[:], s[7:len(s)-6])
			}
		})
		b.Run(name+"/model", func(b *testing.B) {
			var dst [90]byte
			for i := range b.N {
				decode(dst[:], "cosmos", all[i%len(all)])
			}
		})
		b.Run(name+"/btcutil", func(b *testing.B) {
			for i := range b.N {
				if _, _, _, err := referee.DecodeGeneric(all[i%len(all)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
