package address_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
)

// BenchmarkWorst searches for the input of at most 128 characters that takes
// longest, in each function that reads text. It starts from odd inputs and keeps
// each change that takes longer. Run it with -benchtime 100000x; the metric is
// the time of the slowest input, the shortest of 200 calls.
func BenchmarkWorst(b *testing.B) {
	chains := address.Chains()
	functions := map[string]func(c address.Chain, s string){
		"Parse":      func(c address.Chain, s string) { address.Parse(c, s) },
		"Normalize":  func(c address.Chain, s string) { address.Normalize(c, s) },
		"ParseChain": func(_ address.Chain, s string) { address.ParseChain(s) },
		"Detect":     func(_ address.Chain, s string) { address.Detect(s) },
		"FindAll":    func(_ address.Chain, s string) { address.FindAll(s) },
	}
	for name, call := range functions {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(20, 128))
			cost := func(calls int, c address.Chain, s string) time.Duration {
				best := time.Hour
				for range calls {
					start := time.Now()
					call(c, s)
					best = min(best, time.Since(start))
				}
				return best
			}
			var worst time.Duration
			var chain address.Chain
			var text string
			for i := range b.N {
				c, s := chains[rng.IntN(len(chains))], corpus[i%len(corpus)]
				if i%8 > 0 && text != "" {
					c, s = chain, mutate(text, rng.UintN(1<<20), byte(rng.UintN(256)))
					if i%8 == 1 {
						c = chains[rng.IntN(len(chains))]
					}
				}
				if s = s[:min(len(s), 128)]; s == "" {
					continue
				}
				if cost(5, c, s) <= worst {
					continue
				}
				if took := cost(200, c, s); took > worst { // else the machine was busy
					worst, chain, text = took, c, s
				}
			}
			b.ReportMetric(float64(worst.Nanoseconds())/1000, "worst-µs")
			if b.N == 1 {
				return // to measure the benchmark
			}
			b.Logf("slowest on %s: %q", chain, text)
		})
	}
}
