package screening_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// asked is the number of addresses that the benchmarks screen: too many for a branch
// predictor to learn.
const asked = 1 << 16

// randomEVM returns n different EVM addresses, contiguous in memory like the addresses
// of a batch.
func randomEVM(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	all := make([]byte, 0, 42*n)
	var b [24]byte
	for range n {
		for i := 0; i < len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
		}
		all = hex.AppendEncode(append(all, "0x"...), b[:20])
	}
	text := string(all)
	addresses := make([]string, n)
	for i := range addresses {
		addresses[i] = text[42*i : 42*i+42]
	}
	return addresses
}

// A streamed source lists EVM addresses without storing entries.
type streamed []string

func (s streamed) Info() sources.Info { return ofac }

func (s streamed) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for _, text := range s {
		if err := add(sources.Entry{Address: address.MustParse("ethereum", text), Kind: score.Sanctioned, ListedAt: day}); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: digestOf(1), Records: len(s)}, nil
}

// listings are n addresses in a Screener and in the maps to compare it with.
type listings struct {
	text []string
	ours *screening.Screener
	bare map[string]uint32
	geth map[common.Address]uint32

	bytes, bareBytes float64 // for each entry
	build, bareBuild time.Duration
}

func newListings(b *testing.B, n int) *listings {
	l := &listings{text: randomEVM(n, 1)}
	measure := func(fill func()) (perEntry float64, took time.Duration) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		fill()
		took = time.Since(start) / time.Duration(n)
		runtime.GC()
		runtime.ReadMemStats(&after)
		return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(n), took
	}
	l.bytes, l.build = measure(func() { l.ours = loaded(b, nil, streamed(l.text)) })
	l.bareBytes, l.bareBuild = measure(func() {
		l.bare = make(map[string]uint32, n)
		for i, s := range l.text {
			l.bare[s] = uint32(i)
		}
	})
	l.geth = make(map[common.Address]uint32, n)
	for i, s := range l.text {
		l.geth[common.HexToAddress(s)] = uint32(i)
	}
	return l
}

// BenchmarkScreen measures the time to screen an EVM address against a thousand, a
// million and ten million entries, on a miss and on a hit:
//
//   - ours: ScreenText, which parses and validates the text and returns a Result;
//   - map: a map of strings, as the lower bound: it validates nothing and matches one
//     spelling only;
//   - lower+map: a map of strings in lower case, with strings.ToLower;
//   - geth+map: a map of go-ethereum's addresses, with IsHexAddress and HexToAddress;
//   - Screen and ScreenAll: with parsed addresses.
//
// It also measures the memory of an entry and the time to build it. Ours includes the
// whole refresh, such as the search for anomalies and the digest.
func BenchmarkScreen(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var l *listings
			once := func(b *testing.B) *listings {
				if l == nil {
					l = newListings(b, n)
				}
				return l
			}
			b.Run("miss", func(b *testing.B) { benchmarkQuestions(b, once, false) })
			b.Run("hit", func(b *testing.B) { benchmarkQuestions(b, once, true) })
		})
	}
}

func benchmarkQuestions(b *testing.B, once func(*testing.B) *listings, hit bool) {
	l := once(b)
	text := randomEVM(asked, 2)
	if hit {
		rng := rand.New(rand.NewPCG(3, 0))
		for i := range text {
			text[i] = l.text[rng.IntN(len(l.text))]
		}
	}
	want := 0
	if hit {
		want = 100
	}
	addresses := make([]address.Address, asked)
	for i, s := range text {
		addresses[i] = address.MustParse("ethereum", s)
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if r, err := l.ours.ScreenText("ethereum", text[i&(asked-1)]); err != nil || r.Score != want {
				b.Fatal(r, err)
			}
		}
		b.ReportMetric(l.bytes, "B/entry")
		b.ReportMetric(float64(l.build), "build-ns/entry")
	})
	b.Run("map", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := l.bare[text[i&(asked-1)]]; ok != hit {
				b.Fatal(ok)
			}
		}
		b.ReportMetric(l.bareBytes, "B/entry")
		b.ReportMetric(float64(l.bareBuild), "build-ns/entry")
	})
	b.Run("lower+map", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := l.bare[strings.ToLower(text[i&(asked-1)])]; ok != hit {
				b.Fatal(ok)
			}
		}
	})
	b.Run("geth+map", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s := text[i&(asked-1)]
			if !common.IsHexAddress(s) {
				b.Fatal(s)
			}
			if _, ok := l.geth[common.HexToAddress(s)]; ok != hit {
				b.Fatal(ok)
			}
		}
	})
	b.Run("Screen", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if r, err := l.ours.Screen(addresses[i&(asked-1)]); err != nil || r.Score != want {
				b.Fatal(r, err)
			}
		}
	})
	b.Run("ScreenAll", func(b *testing.B) {
		b.ReportAllocs()
		for r, err := range l.ours.ScreenAll(repeated(addresses, b)) {
			if err != nil || r.Score != want {
				b.Fatal(r, err)
			}
		}
	})
}

// repeated yields the addresses over and over until b.Loop returns false.
func repeated(addresses []address.Address, b *testing.B) iter.Seq[address.Address] {
	return func(yield func(address.Address) bool) {
		for i := 0; b.Loop(); i++ {
			if !yield(addresses[i&(asked-1)]) {
				return
			}
		}
	}
}

// A named source is a streamed source with an id.
type named struct {
	streamed
	id string
}

func (p named) Info() sources.Info {
	info := ofac
	info.ID = p.id
	return info
}

// parts returns n sources that share the addresses.
func parts(addresses []string, n int) []sources.Source {
	var srcs []sources.Source
	for i := range n {
		srcs = append(srcs, named{addresses[i*len(addresses)/n : (i+1)*len(addresses)/n], fmt.Sprintf("PART_%d", i)})
	}
	return srcs
}

// BenchmarkLists measures how a clean result depends on the number of lists: a thousand
// addresses in one list, in four, and in sixteen.
func BenchmarkLists(b *testing.B) {
	listed, ask := randomEVM(1000, 1), randomEVM(asked, 2)
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := loaded(b, nil, parts(listed, n)...)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if r, err := s.ScreenText("ethereum", ask[i%asked]); err != nil || r.Score != 0 {
					b.Fatal(r, err)
				}
				i++
			}
		})
	}
}
