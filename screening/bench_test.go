package screening_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// asked is how many addresses the benchmarks ask about: so many that a branch
// predictor cannot learn them.
const asked = 1 << 16

// randomEVM returns n different EVM addresses, one behind the other in memory as
// those of a batch are.
func randomEVM(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var all strings.Builder
	for range n {
		var b [20]byte
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		all.WriteString("0x" + hex.EncodeToString(b[:]))
	}
	text := all.String()
	addresses := make([]string, n)
	for i := range addresses {
		addresses[i] = text[42*i : 42*i+42]
	}
	return addresses
}

// BenchmarkScreenText asks about EVM addresses in text, whole Result out, beside
// two ways that people write: a map of strings that is asked for the very string,
// and one for its lower case. Neither validates anything.
func BenchmarkScreenText(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { benchmarkScreenText(b, n) })
	}
}

func benchmarkScreenText(b *testing.B, n int) {
	listed := randomEVM(n, 1)
	bare := make(map[string]uint32, n)
	entries := make([]sources.Entry, n)
	for i, s := range listed {
		bare[s] = uint32(i)
		entries[i] = sources.Entry{Address: address.MustParse("ethereum", s), Kind: score.Sanctioned, ListedAt: day}
	}
	s := loaded(b, nil, sources.Static(ofac, entries...))
	entries = nil
	for _, q := range []struct {
		name string
		text []string
		want score.Level
	}{
		{"miss", randomEVM(asked, 2), score.CleanNoMatch},
		{"hit", listed[:min(n, asked)], score.Critical},
	} {
		b.Run(q.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if r, err := s.ScreenText("ethereum", q.text[i%len(q.text)]); err != nil || r.Level != q.want {
					b.Fatal(r, err)
				}
			}
		})
		b.Run(q.name+"/map", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, ok := bare[q.text[i%len(q.text)]]; ok != (q.want == score.Critical) {
					b.Fatal(ok)
				}
			}
		})
		b.Run(q.name+"/ToLower+map", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, ok := bare[strings.ToLower(q.text[i%len(q.text)])]; ok != (q.want == score.Critical) {
					b.Fatal(ok)
				}
			}
		})
	}
}
