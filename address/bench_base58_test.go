package address_test

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	mrtron "github.com/mr-tron/base58"

	"github.com/walletscreen/walletscreen/address"
)

// benchCount is how many addresses a benchmark goes round: more than a branch
// predictor learns by heart.
const benchCount = 1 << 13

// randomBase58Check returns addresses of version bytes and 20 random bytes each.
func randomBase58Check(version string) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]string, benchCount)
	for i := range all {
		all[i] = sha256Check(version + randomPayload(rng, 20))
	}
	return all
}

// randomSolana returns the Base58 of 32 random bytes each.
func randomSolana() []string {
	rng := rand.New(rand.NewPCG(3, 4))
	all := make([]string, benchCount)
	for i := range all {
		all[i] = mrtron.Encode([]byte(randomPayload(rng, 32)))
	}
	return all
}

func randomPayload(rng *rand.Rand, n int) string {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, rng.Uint64())
	}
	return string(b[:n])
}

// sha256Check returns the Base58Check of b, by mr-tron/base58.
func sha256Check(b string) string {
	once := sha256.Sum256([]byte(b))
	twice := sha256.Sum256(once[:])
	return mrtron.Encode(append([]byte(b), twice[:4]...))
}

func benchParse(b *testing.B, c address.Chain, all []string) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := address.Parse(c, all[i%benchCount]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func benchAccount(b *testing.B, c address.Chain, all []string) {
	parsed := make([]address.Address, len(all))
	for i, s := range all {
		parsed[i] = address.MustParse(c, s)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if parsed[i%benchCount].Account().IsZero() {
			b.Fatal("no account")
		}
		i++
	}
}

// BenchmarkBase58Check holds the reading of P2PKH and tron addresses against
// the two SHA-256 that are in it.
func BenchmarkBase58Check(b *testing.B) {
	b.Run("bitcoin", func(b *testing.B) { benchParse(b, "bitcoin", randomBase58Check("\x00")) })
	b.Run("tron", func(b *testing.B) { benchParse(b, "tron", randomBase58Check("\x41")) })
	b.Run("twice-sha256", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(5, 6))
		all := make([][21]byte, benchCount)
		for i := range all {
			all[i] = [21]byte([]byte(randomPayload(rng, 21)))
		}
		i := 0
		for b.Loop() {
			once := sha256.Sum256(all[i%benchCount][:])
			twice := sha256.Sum256(once[:])
			if twice == once {
				b.Fatal("a fixed point")
			}
			i++
		}
	})
	b.Run("bitcoin-account", func(b *testing.B) { benchAccount(b, "bitcoin", randomBase58Check("\x00")) })
}

// BenchmarkSolana holds the reading of solana addresses against the decoding of
// Base58 by mr-tron/base58.
func BenchmarkSolana(b *testing.B) {
	all := randomSolana()
	b.Run("solana", func(b *testing.B) { benchParse(b, "solana", all) })
	b.Run("mr-tron", func(b *testing.B) {
		i := 0
		for b.Loop() {
			if _, err := mrtron.Decode(all[i%benchCount]); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	b.Run("account", func(b *testing.B) { benchAccount(b, "solana", all) })
	b.Run("key", func(b *testing.B) {
		a := make([]address.Address, len(all))
		for i, s := range all {
			a[i] = address.MustParse("solana", s)
		}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			a[i%benchCount].Key()
			i++
		}
	})
}
