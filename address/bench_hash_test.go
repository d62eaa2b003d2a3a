package address_test

import (
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/address"
)

// The benchmarks below are read as ratios to their referees, which stand beside
// them and do what cannot be left out, or what one would use instead. They go
// over many distinct addresses, for the branches that an address decides are
// learnt from a few.
const benchAddresses = 1 << 12

// benchTexts returns distinct addresses of one encoding.
func benchTexts(chain address.Chain, form string) []string {
	rng := rand.New(rand.NewPCG(23, 24))
	texts := make([]string, benchAddresses)
	for _, e := range hashedEncodings {
		if e.chain == chain && e.form == form {
			for i := range texts {
				texts[i] = e.make(rng).text
			}
		}
	}
	return texts
}

func benchHashed(b *testing.B, chain address.Chain, texts []string) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := address.Parse(chain, texts[i%benchAddresses]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseEVM(b *testing.B) {
	lower := benchTexts("ethereum", "0x")
	mixed := make([]string, len(lower))
	for i, s := range lower {
		mixed[i] = "0x" + mixedCase("", s[2:])
	}
	b.Run("lower", func(b *testing.B) { benchHashed(b, "ethereum", lower) })
	b.Run("EIP-55", func(b *testing.B) { benchHashed(b, "ethereum", mixed) })
	b.Run("referee=keccak", func(b *testing.B) {
		h, sum := sha3.NewLegacyKeccak256(), make([]byte, 0, 32)
		text := make([]byte, 42)
		for i := 0; b.Loop(); i++ {
			copy(text, lower[i%benchAddresses])
			h.Reset()
			h.Write(text[2:])
			h.Sum(sum)
		}
	})
}

func BenchmarkParseMonero(b *testing.B) {
	texts := benchTexts("monero", "standard")
	typos := make([]string, len(texts))
	for i, s := range texts {
		typos[i] = s[:50] + string("12"[s[50]&1]) + s[51:]
	}
	b.Run("valid", func(b *testing.B) { benchHashed(b, "monero", texts) })
	// Decoding and checksum alone: an address with a typing error gets no further.
	b.Run("typo", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := address.ParseQuietly("monero", typos[i%benchAddresses]); ok {
				b.Fatal(typos[i%benchAddresses])
			}
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		all := make([]address.Address, len(texts))
		for i, s := range texts {
			all[i] = address.MustParse("monero", s)
		}
		for i := 0; b.Loop(); i++ {
			all[i%benchAddresses].Key()
		}
	})
	b.Run("referee=keccak", func(b *testing.B) {
		h, sum, data := sha3.NewLegacyKeccak256(), make([]byte, 0, 32), make([]byte, 65)
		for b.Loop() {
			h.Reset()
			h.Write(data)
			h.Sum(sum)
		}
	})
	b.Run("referee=points", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(23, 24))
		points := make([][]byte, benchAddresses)
		for i := range points {
			points[i] = randomPoint(rng)
		}
		var p edwards25519.Point
		for i := 0; b.Loop(); i += 2 {
			p.SetBytes(points[i%benchAddresses])
			p.SetBytes(points[(i+1)%benchAddresses])
		}
	})
}

func BenchmarkParseSS58(b *testing.B) {
	texts := benchTexts("polkadot", "")
	b.Run("polkadot", func(b *testing.B) { benchHashed(b, "polkadot", texts) })
	b.Run("referee=blake2b", func(b *testing.B) {
		data := make([]byte, 40)
		for b.Loop() {
			blake2b.Sum512(data)
		}
	})
}

func BenchmarkParseHashed(b *testing.B) {
	for _, e := range []struct {
		chain address.Chain
		form  string
	}{{"xdc", "xdc"}, {"tezos", "tz1"}, {"neo", ""}, {"waves", ""}, {"ergo", "P2PK"}, {"helium", "ed25519"}, {"aeternity", ""}, {"fio", ""}} {
		texts := benchTexts(e.chain, e.form)
		b.Run(string(e.chain), func(b *testing.B) { benchHashed(b, e.chain, texts) })
	}
}
