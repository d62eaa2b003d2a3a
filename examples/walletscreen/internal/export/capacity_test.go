//go:build unix

package export

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The figures of scale.md. A core-second is one of CPU time, so that other programs
// on the machine change them little.

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScreenText screens addresses of each kind against the bundled lists. All are clean.
func BenchmarkScreenText(b *testing.B) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: ids()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{
		"ethereum 0x", "tron T", "bitcoin 1", "bitcoin 3", "bitcoin bc1q", "bitcoin bc1p", "bitcoin-cash q", "litecoin M", "solana", "xrp r", "stellar G",
		"cosmos", "polkadot", "ton 0:", "cardano addr1",
	} {
		b.Run(name, func(b *testing.B) {
			texts, chain := texts(b, name)
			i, begun := 0, cpuTime()
			for b.Loop() {
				if r, err := s.ScreenText(chain, texts[i%len(texts)]); err != nil || r.Score != 0 {
					b.Fatal(r, err)
				}
				i++
			}
			b.ReportMetric(float64(b.N)/(cpuTime()-begun).Seconds(), "addresses/core-s")
		})
	}
}

// ids are the ids of the bundled lists.
func ids() []string {
	var all []string
	for _, s := range bundle.All() {
		all = append(all, s.Info().ID)
	}
	return all
}

// texts returns 4096 addresses of a kind, which is a chain and the beginning of
// the addresses.
func texts(b *testing.B, name string) (all []string, chain address.Chain) {
	w := newWorld(1, 2)
	var begin string
	fmt.Sscan(name, &chain, &begin)
	for range 1_000_000 {
		for _, k := range kinds {
			c, text := k.write(w)
			if text[:min(len(text), len(begin))] != begin || c != chain && (chain != "ethereum" || begin != "0x" || !isEVMChain(c)) {
				continue
			}
			if _, err := address.Normalize(chain, text); err == nil {
				all = append(all, text)
			}
		}
		if len(all) >= 4096 {
			return all, chain
		}
	}
	b.Fatalf("no addresses of %s", name)
	return nil, ""
}

func isEVMChain(c address.Chain) bool {
	for _, e := range evmChains {
		if e == c {
			return true
		}
	}
	return false
}

// BenchmarkStart opens lists in a directory, as a program does when it starts,
// and answers one question.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			st, err := store.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			srcs := []sources.Source{made{n}}
			first, err := screening.New(srcs, &screening.Options{Store: st})
			if err != nil {
				b.Fatal(err)
			}
			loading := cpuTime()
			if _, err := first.Refresh(context.Background()); err != nil {
				b.Fatal(err)
			}
			loading = cpuTime() - loading
			files, _ := filepath.Glob(filepath.Join(dir, "*.rev"))
			var bytes int64
			for _, f := range files {
				if info, err := os.Stat(f); err == nil {
					bytes += info.Size()
				}
			}
			var before, after runtime.MemStats
			first = nil
			runtime.GC()
			runtime.ReadMemStats(&before)
			var last *screening.Screener
			opening := cpuTime()
			for b.Loop() {
				s, err := screening.New(srcs, &screening.Options{Store: st})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Open(context.Background()); err != nil {
					b.Fatal(err)
				}
				if _, err := s.ScreenText("ethereum", "0x0000000000000000000000000000000000000001"); err != nil {
					b.Fatal(err)
				}
				last = s
			}
			b.ReportMetric(float64((cpuTime()-opening).Microseconds())/float64(b.N)/1000, "cpu-ms/start")
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(last)
			b.ReportMetric(loading.Seconds(), "cpu-s/first-load")
			b.ReportMetric(float64(bytes)/float64(n), "file-bytes/entry")
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n), "heap-bytes/entry")
		})
	}
}

// A made is a source of n Ethereum addresses.
type made struct{ n int }

func (made) Info() sources.Info {
	return sources.Info{ID: "MADE", Name: "Made", Jurisdiction: sources.US}
}

func (m made) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rng := rand.NewChaCha8([32]byte{7})
	var b [20]byte
	for range m.n {
		rng.Read(b[:])
		a := address.MustParse("ethereum", "0x"+hex.EncodeToString(b[:]))
		if err := add(sources.Entry{Address: a, Kind: score.Sanctioned, Ref: "1"}); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: fmt.Sprintf("%064d", m.n), Checked: time.Now().UTC(), Records: m.n}, nil
}

// BenchmarkScreenAll screens a customer table in bulk; a row is one iteration.
func BenchmarkScreenAll(b *testing.B) {
	s, err := screening.New([]sources.Source{made{1_000_000}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	w := newWorld(3, 4)
	all := make([]address.Address, 1<<16)
	for i := range all {
		all[i] = w.address()
	}
	b.ResetTimer()
	begun := cpuTime()
	for _, err := range s.ScreenAll(repeat(all, b.N)) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/(cpuTime()-begun).Seconds(), "addresses/core-s")
}

func repeat(all []address.Address, n int) iter.Seq[address.Address] {
	return func(yield func(address.Address) bool) {
		for i := range n {
			if !yield(all[i%len(all)]) {
				return
			}
		}
	}
}
