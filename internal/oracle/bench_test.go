package oracle_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcutil"
	btcbase58 "github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/ethereum/go-ethereum/common"
	"github.com/mr-tron/base58"
	"github.com/walletscreen/walletscreen/address"
	"golang.org/x/crypto/blake2b"
)

// The benchmarks compare Parse with widely used libraries, on more distinct addresses
// than a branch predictor can learn. Compare only the two results of a pair: absolute
// figures vary between runs.
const distinct = 1 << 14

// random returns distinct addresses, each made by make from 32 random bytes.
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

// pair runs both sides on the same addresses.
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

func BenchmarkTron(b *testing.B) {
	all := random(func(b []byte) string { return btcbase58.CheckEncode(b[:20], 0x41) })
	pair(b, "tron", all, "btcutil", func(s string) bool {
		hash, version, err := btcbase58.CheckDecode(s)
		return err == nil && version == 0x41 && len(hash) == 20
	})
}

// BenchmarkTwiceSHA256 measures the hash that any parser of P2PKH and Tron addresses
// must compute.
func BenchmarkTwiceSHA256(b *testing.B) {
	all := random(func(b []byte) string { return string(b[:21]) })
	for i := 0; b.Loop(); i++ {
		once := sha256.Sum256([]byte(all[i%distinct]))
		if sha256.Sum256(once[:]) == once {
			b.Fatal("a fixed point")
		}
	}
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

// BenchmarkSS58 also measures the hash alone, without the decoding.
func BenchmarkSS58(b *testing.B) {
	all := random(func(b []byte) string {
		sum := blake2b.Sum512(append([]byte("SS58PRE\x00"), b...))
		return base58.Encode(append(append([]byte{0}, b...), sum[:2]...))
	})
	pair(b, "polkadot", all, "blake2b", func(s string) bool {
		var message [40]byte
		copy(message[:], s)
		return blake2b.Sum512(message[:]) != [64]byte{}
	})
}
