package address_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
	referee "github.com/btcsuite/btcd/btcutil/bech32"
	mrtron "github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 a hash of Bitcoin
	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// Read the benchmarks as ratios to the reference next to them: the work that
// cannot be avoided, or a common alternative. They use many distinct addresses,
// because a branch predictor learns the branches of a few by heart.
const benchCount = 1 << 13

// distinct is the number of distinct addresses in most benchmarks.
const distinct = 1 << 16

// distinctEVM returns addresses whose texts are contiguous in memory, like the
// texts of a list.
func distinctEVM() []string {
	rng := rand.New(rand.NewPCG(31, 32))
	var text []byte
	for range distinct {
		text = append(text, "0x"...)
		text = hex.AppendEncode(text, randomBytes(rng, 20))
	}
	whole := string(text)
	all := make([]string, distinct)
	for i := range all {
		all[i] = whole[42*i : 42*(i+1)]
	}
	return all
}

// BenchmarkQuestion measures the work for an address in lower case before its
// account is looked up, and the parts of that work.
func BenchmarkQuestion(b *testing.B) {
	all := distinctEVM()
	parsed := make([]address.Address, distinct)
	for i, s := range all {
		parsed[i] = address.MustParse("ethereum", s)
	}
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := address.Parse("ethereum", all[i%distinct]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse+identity", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			a, err := address.Parse("ethereum", all[i%distinct])
			if err != nil {
				b.Fatal(err)
			}
			if w, t := a.Identity(); identity.Key(t) == 0 || w == (identity.Words{}) {
				b.Fatal("no account")
			}
		}
	})
	b.Run("identity", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if w, t := parsed[i%distinct].Identity(); identity.Key(t) == 0 || w == (identity.Words{}) {
				b.Fatal("no account")
			}
		}
	})
	b.Run("account", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if parsed[i%distinct].Account().IsZero() {
				b.Fatal("no account")
			}
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if k, ok := parsed[i%distinct].Key(); !ok || k.Class() != identity.KeccakHash {
				b.Fatal("no key")
			}
		}
	})
	// A look-up that misses, without parsing or validation.
	b.Run("referee=map", func(b *testing.B) {
		listed := map[string]bool{}
		for _, s := range all[:1000] {
			listed["0X"+s[2:]] = true
		}
		for i := 0; b.Loop(); i++ {
			if listed[all[i%distinct]] {
				b.Fatal("listed")
			}
		}
	})
}

// benchTexts returns distinct addresses of one encoding.
func benchTexts(chain address.Chain, form string) []string {
	rng := rand.New(rand.NewPCG(23, 24))
	texts := make([]string, benchCount)
	for _, e := range encodings {
		if e.chain == chain && e.form == form {
			for i := range texts {
				texts[i] = e.make(rng).text
			}
		}
	}
	return texts
}

// benchParse parses texts, benchCount of them.
func benchParse(b *testing.B, chain address.Chain, texts []string) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := address.Parse(chain, texts[i%benchCount]); err != nil {
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
	b.Run("lower", func(b *testing.B) { benchParse(b, "ethereum", lower) })
	b.Run("EIP-55", func(b *testing.B) { benchParse(b, "ethereum", mixed) })
	b.Run("referee=keccak", func(b *testing.B) {
		h, sum := sha3.NewLegacyKeccak256(), make([]byte, 0, 32)
		text := make([]byte, 42)
		for i := 0; b.Loop(); i++ {
			copy(text, lower[i%benchCount])
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
	b.Run("valid", func(b *testing.B) { benchParse(b, "monero", texts) })
	// Decoding and checksum alone: parsing an address with a typing error stops
	// there.
	b.Run("typo", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := address.ParseQuietly("monero", typos[i%benchCount]); ok {
				b.Fatal(typos[i%benchCount])
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
			all[i%benchCount].Key()
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
		points := make([][]byte, benchCount)
		for i := range points {
			points[i] = randomPoint(rng)
		}
		var p edwards25519.Point
		for i := 0; b.Loop(); i += 2 {
			p.SetBytes(points[i%benchCount])
			p.SetBytes(points[(i+1)%benchCount])
		}
	})
}

func BenchmarkParseSS58(b *testing.B) {
	texts := benchTexts("polkadot", "")
	b.Run("polkadot", func(b *testing.B) { benchParse(b, "polkadot", texts) })
	b.Run("referee=blake2b", func(b *testing.B) {
		data := make([]byte, 40)
		for b.Loop() {
			blake2b.Sum512(data)
		}
	})
}

func BenchmarkParseSamples(b *testing.B) {
	for _, e := range []struct {
		chain address.Chain
		form  string
	}{{"xdc", "xdc"}, {"tezos", "tz1"}, {"neo", ""}, {"waves", ""}, {"ergo", "P2PK"}, {"helium", "ed25519"}, {"aeternity", ""}, {"fio", ""}} {
		texts := benchTexts(e.chain, e.form)
		b.Run(string(e.chain), func(b *testing.B) { benchParse(b, e.chain, texts) })
	}
}

// randomBase58Check returns addresses that consist of version bytes and 20
// random bytes.
func randomBase58Check(version string) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]string, benchCount)
	for i := range all {
		all[i] = sha256Check(version + randomPayload(rng, 20))
	}
	return all
}

// randomSolana returns addresses of 32 random bytes in Base58.
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

// BenchmarkBase58Check compares parsing P2PKH and tron addresses with the two
// SHA-256 hashes that it includes.
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

// BenchmarkSolana compares parsing solana addresses with decoding Base58 by
// mr-tron/base58.
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

// BenchmarkBech32 compares parsing distinct addresses with btcutil, for the
// chains that it supports.
func BenchmarkBech32(b *testing.B) {
	for _, bm := range []struct{ chain, form string }{
		{"bitcoin", "p2wpkh"}, {"bitcoin", "p2tr"},
		{"cosmos", "account"}, {"cosmos", "contract"}, {"injective", "bech32"}, {"chia", "xch"},
		{"avalanche-x", "x"}, {"pactus", "secp256k1"}, {"handshake", "key"},
		{"bitcoin-cash", "q"}, {"kaspa", "schnorr"}, {"conflux", "user"},
	} {
		r := rand.New(rand.NewPCG(19, 20))
		var all [benchCount]string
		spellings := append(bech32Spellings(),
			bech32Spelling{name: "p2wpkh", chain: "bitcoin", size: 20, write: toBech32("bc", bech32.Bech32, 0)},
			bech32Spelling{name: "p2tr", chain: "bitcoin", size: 32, write: toBech32("bc", bech32.Bech32m, 1)})
		for _, sp := range spellings {
			if string(sp.chain) == bm.chain && sp.name == bm.form {
				for i := range all {
					all[i] = sp.write(payload(r, sp.size))
				}
			}
		}
		chain := address.Chain(bm.chain)
		name := bm.chain + "-" + bm.form
		b.Run(name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if _, err := address.Parse(chain, all[i%benchCount]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/parse+account", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				a, err := address.Parse(chain, all[i%benchCount])
				if err != nil {
					b.Fatal(err)
				}
				if a.Account().IsZero() {
					b.Fatal("no account")
				}
			}
		})
		if _, _, _, err := referee.DecodeGeneric(all[0]); err != nil {
			continue
		}
		b.Run(name+"/btcutil", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				_, values, _, err := referee.DecodeGeneric(all[i%benchCount])
				if err != nil {
					b.Fatal(err)
				}
				if len(values)%8 == 1 || len(values)%8 == 5 { // a version stands in front
					values = values[1:]
				}
				if _, err := referee.ConvertBits(values, 5, 8, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWrapped parses a Bitcoin address and computes the script that wraps
// it, and compares this with the hashes alone.
func BenchmarkWrapped(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	texts := make([]string, benchCount)
	for i := range texts {
		hash := make([]byte, 20)
		for j := range hash {
			hash[j] = byte(rng.Uint32())
		}
		texts[i] = base58Check("\x00" + string(hash))
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			a, err := address.Normalize("bitcoin", texts[i%benchCount])
			if err != nil {
				b.Fatal(err)
			}
			words, tag := a.Identity()
			if _, ok := identity.Wrap(identity.Key(tag), words); !ok {
				b.Fatal("no script")
			}
		}
	})
	b.Run("referee=hashes", func(b *testing.B) {
		var script [22]byte
		for i := 0; b.Loop(); i++ {
			copy(script[1:], texts[i%benchCount])
			sum := sha256.Sum256(script[:21])
			sum = sha256.Sum256(sum[:])
			copy(script[2:], sum[:])
			sum = sha256.Sum256(script[:])
			h := ripemd160.New()
			h.Write(sum[:])
			h.Sum(sum[:0])
		}
	})
}

// base58Check returns the Base58Check of a version and a payload.
func base58Check(b string) string {
	sum := sha256.Sum256([]byte(b))
	sum = sha256.Sum256(sum[:])
	return mrtron.Encode(append([]byte(b), sum[:4]...))
}
