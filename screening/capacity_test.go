package screening_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The benchmarks below have the figures of examples/walletscreen/docs/scale.md. They count CPU
// time, so that other programs on the machine change them little.

// texts returns 4096 random addresses of a kind, which is a chain and the beginning of the
// addresses. Most kinds are spellings of random keys.
func texts(b *testing.B, kind string) (address.Chain, []string) {
	var chain address.Chain
	var begin string
	fmt.Sscan(kind, &chain, &begin)
	random := rand.NewChaCha8([32]byte{1})
	bytes := func(n int) []byte {
		raw := make([]byte, n)
		random.Read(raw) // it cannot fail
		return raw
	}
	bech := func(hrp string, v bech32.Variant, values, data []byte) string {
		return bech32.Encode(hrp, bech32.Unpack(values, data), v)
	}
	check := func(version byte) string {
		data := append([]byte{version}, bytes(20)...)
		sum := sha256.Sum256(data)
		sum = sha256.Sum256(sum[:])
		return base58.Bitcoin.Encode(append(data, sum[:4]...))
	}
	write := func() string {
		switch kind {
		case "ethereum 0x":
			return "0x" + hex.EncodeToString(bytes(20))
		case "ton 0:":
			return "0:" + hex.EncodeToString(bytes(32))
		case "tron T":
			return check(0x41)
		case "bitcoin 3":
			return check(5)
		case "litecoin M":
			return check(0x32)
		case "bitcoin bc1p":
			return bech("bc", bech32.Bech32m, []byte{1}, bytes(32))
		case "cardano addr1":
			return bech("addr", bech32.Bech32, nil, append([]byte{1}, bytes(56)...)) // payment and stake key
		case "polkadot 1":
			data := append([]byte{0}, bytes(32)...)
			sum := blake2b.Sum512(append([]byte("SS58PRE"), data...))
			return base58.Bitcoin.Encode(append(data, sum[:2]...))
		case "solana", "stellar G":
			key := ed25519.NewKeyFromSeed(bytes(32))[32:]
			return spelling(b, address.MustParse("solana", base58.Bitcoin.Encode(key)), chain, begin)
		}
		wrapped := address.MustParse("bitcoin", bech("bc", bech32.Bech32, []byte{0}, bytes(20)))
		return spelling(b, wrapped, chain, begin)
	}
	all := make([]string, 4096)
	for i := range all {
		all[i] = write()
	}
	return chain, all
}

// spelling returns the address of the key of a on a chain that begins as wanted.
func spelling(b *testing.B, a address.Address, chain address.Chain, begin string) string {
	key, _ := a.Key()
	all := key.SpellingsOn(chain)
	i := slices.IndexFunc(all, func(a address.Address) bool { return strings.HasPrefix(a.Normalized(), begin) })
	if i < 0 {
		b.Fatalf("%s has no address of the key of %s that begins with %q", chain, a, begin)
	}
	return all[i].Normalized()
}

// kinds are the addresses that BenchmarkScreenText screens.
var kinds = []string{
	"ethereum 0x", "tron T", "bitcoin 1", "bitcoin 3", "bitcoin bc1q", "bitcoin bc1p", "bitcoin-cash bitcoincash:q", "litecoin M", "solana", "xrp r", "stellar G",
	"cosmos", "polkadot 1", "ton 0:", "cardano addr1",
}

// BenchmarkScreenText screens addresses of each kind against the bundled lists. All are clean.
func BenchmarkScreenText(b *testing.B) {
	s := loaded(b, &screening.Options{Optional: bundle.Optional()}, bundle.All()...)
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			chain, all := texts(b, kind)
			i, begun := 0, cpuTime(b)
			for b.Loop() {
				if r, err := s.ScreenText(chain, all[i%len(all)]); err != nil || r.Score != 0 {
					b.Fatal(r, err)
				}
				i++
			}
			b.ReportMetric(float64(b.N)/(cpuTime(b)-begun).Seconds(), "addresses/core-s")
		})
	}
}

// BenchmarkStart opens lists in a directory, as a program does when it starts, and answers
// one question.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			st, err := store.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			srcs := []sources.Source{streamed(randomEVM(n, 7))}
			loading := cpuTime(b)
			loaded(b, &screening.Options{Store: st}, srcs...)
			loading = cpuTime(b) - loading
			files, err := filepath.Glob(filepath.Join(dir, "*.stays"))
			if err != nil {
				b.Fatal(err)
			}
			var bytes int64
			for _, f := range files {
				if info, err := os.Stat(f); err == nil {
					bytes += info.Size()
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var last *screening.Screener
			opening := cpuTime(b)
			for b.Loop() {
				if last, err = screening.New(srcs, &screening.Options{Store: st}); err != nil {
					b.Fatal(err)
				}
				if _, err := last.Open(context.Background()); err != nil {
					b.Fatal(err)
				}
				if _, err := last.ScreenText("ethereum", "0x0000000000000000000000000000000000000001"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-opening)/time.Microsecond)/float64(b.N)/1000, "cpu-ms/start")
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(last)
			b.ReportMetric(loading.Seconds(), "cpu-s/first-load")
			b.ReportMetric(float64(bytes)/float64(n), "file-bytes/entry")
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n), "heap-bytes/entry")
		})
	}
}

// BenchmarkScreenAll screens a customer table in bulk: half of its addresses are of EVM chains.
func BenchmarkScreenAll(b *testing.B) {
	s := loaded(b, nil, streamed(randomEVM(1_000_000, 1)))
	var mixed [][]address.Address
	for _, kind := range kinds {
		chain, all := texts(b, kind)
		parsed := make([]address.Address, len(all))
		for i, text := range all {
			parsed[i] = address.MustParse(chain, text)
		}
		mixed = append(mixed, parsed)
	}
	random := rand.New(rand.NewPCG(3, 4))
	addresses := make([]address.Address, asked)
	for i := range addresses {
		of := mixed[0]
		if i%2 != 0 {
			of = mixed[random.IntN(len(mixed))]
		}
		addresses[i] = of[random.IntN(len(of))]
	}
	begun := cpuTime(b)
	for _, err := range s.ScreenAll(repeated(addresses, b)) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/(cpuTime(b)-begun).Seconds(), "addresses/core-s")
}
