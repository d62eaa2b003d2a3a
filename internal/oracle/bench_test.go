package oracle_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/ethereum/go-ethereum/common"
	"github.com/mr-tron/base58"
	"github.com/walletscreen/walletscreen/address"
)

// The benchmarks set Parse beside what people use today, over so many different
// addresses that a branch predictor cannot learn them. Compare the two of a pair;
// a machine has its moods.
const distinct = 1 << 14

// random returns distinct addresses that make makes of 32 random bytes.
func random(make func(b []byte) string) []string {
	rng := rand.New(rand.NewPCG(5, 6))
	all := []string{}
	for range distinct {
		var b [32]byte
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		all = append(all, make(b[:]))
	}
	return all
}

// pair runs the two sides over the same addresses.
func pair(b *testing.B, chain address.Chain, all []string, name string, theirs func(s string) bool) {
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := address.Parse(chain, all[i%distinct]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if !theirs(all[i%distinct]) {
				b.Fatal(all[i%distinct])
			}
		}
	})
}

func BenchmarkEIP55(b *testing.B) {
	all := random(func(b []byte) string { return common.BytesToAddress(b).Hex() })
	pair(b, "ethereum", all, "go-ethereum", func(s string) bool { return common.HexToAddress(s).Hex() == s })
}

func BenchmarkEVMLower(b *testing.B) {
	all := random(func(b []byte) string { return "0x" + hex.EncodeToString(b[:20]) })
	pair(b, "ethereum", all, "go-ethereum", func(s string) bool {
		return common.IsHexAddress(s) && common.HexToAddress(s) != common.Address{}
	})
}

func decodes(s string) bool {
	_, err := btcutil.DecodeAddress(s, &chaincfg.MainNetParams)
	return err == nil
}

func BenchmarkP2PKH(b *testing.B) {
	all := random(func(b []byte) string {
		a, _ := btcutil.NewAddressPubKeyHash(b[:20], &chaincfg.MainNetParams)
		return a.EncodeAddress()
	})
	pair(b, "bitcoin", all, "btcutil", decodes)
}

func BenchmarkP2WPKH(b *testing.B) {
	all := random(func(b []byte) string {
		a, _ := btcutil.NewAddressWitnessPubKeyHash(b[:20], &chaincfg.MainNetParams)
		return a.EncodeAddress()
	})
	pair(b, "bitcoin", all, "btcutil", decodes)
}

func BenchmarkP2TR(b *testing.B) {
	all := random(func(b []byte) string {
		a, _ := btcutil.NewAddressTaproot(b, &chaincfg.MainNetParams)
		return a.EncodeAddress()
	})
	pair(b, "bitcoin", all, "btcutil", decodes)
}

func BenchmarkSolana(b *testing.B) {
	pair(b, "solana", random(base58.Encode), "mr-tron", func(s string) bool {
		key, err := base58.Decode(s)
		return err == nil && len(key) == 32
	})
}
