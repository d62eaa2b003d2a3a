package address_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	mrtron "github.com/mr-tron/base58"

	"github.com/walletscreen/walletscreen/address"
)

// readers are the functions that read text, and methods are the methods of
// their results. A reader returns the work to measure, a method nil if there is
// none.
var (
	readers = map[string]func(c address.Chain, s string) func(){
		"Parse":      func(c address.Chain, s string) func() { return func() { address.Parse(c, s) } },
		"Normalize":  func(c address.Chain, s string) func() { return func() { address.Normalize(c, s) } },
		"ParseChain": func(_ address.Chain, s string) func() { return func() { address.ParseChain(s) } },
		"Detect":     func(_ address.Chain, s string) func() { return func() { address.Detect(s) } },
		"FindAll":    func(_ address.Chain, s string) func() { return func() { address.FindAll(s) } },
		"UnmarshalText": func(c address.Chain, s string) func() {
			text := []byte(string(c) + ":" + s)
			return func() { new(address.Address).UnmarshalText(text) }
		},
		"UnmarshalBareText": func(_ address.Chain, s string) func() {
			text := []byte(s)
			return func() { new(address.Address).UnmarshalText(text) }
		},
		"unknown chain": func(_ address.Chain, s string) func() {
			return func() { address.Normalize(address.Chain(s), s) }
		},
		"Chain": func(_ address.Chain, s string) func() {
			c := address.Chain(s)
			return func() { c.Name(); c.CAIP2(); c.SLIP44(); c.Aliases(); c.Tickers() }
		},
		"ParseError": func(c address.Chain, s string) func() {
			if _, err := address.Normalize(c, s); err != nil {
				return func() { _ = err.Error() }
			}
			return nil
		},
		"Canonical":  ofAddress(func(a address.Address) { a.Canonical() }),
		"Account":    ofAddress(func(a address.Address) { a.Account() }),
		"Key":        ofAddress(func(a address.Address) { a.Key() }),
		"AppendKeys": ofAddress(func(a address.Address) { a.AppendKeys(nil) }),
		"Identity":   ofAddress(func(a address.Address) { a.Identity() }),
		"Display":    ofAddress(func(a address.Address) { a.Display() }),
		"Address": ofAddress(func(a address.Address) {
			text, _ := a.MarshalText()
			_, _ = a.CAIP10()
			_, _, _ = a.Kind(), a.Proven(), a.Compare(a)
			_ = a.Normalized() + a.String() + string(text)
		}),
	}
)

// ofAddress returns a reader that measures a method of the address that it
// reads.
func ofAddress(method func(address.Address)) func(c address.Chain, s string) func() {
	return func(c address.Chain, s string) func() {
		if a, err := address.Normalize(c, s); err == nil {
			return func() { method(a) }
		}
		return nil
	}
}

// A worst is the slowest call of a function.
type worst struct {
	chain address.Chain
	text  string
	ratio float64 // of its time to the time of the fixed work
}

// BenchmarkWorst searches for the input of at most 128 characters that takes
// longest, in each function that reads text and in each method of what it
// returns. It starts from odd inputs and from the test vectors, and keeps each
// change that takes longer. Run it with -benchtime 100000x.
//
// Other programs slow down a call, so each is measured beside a fixed piece of
// work. The metric is the time of the slowest input at the speed at which that
// work took its shortest time.
func BenchmarkWorst(b *testing.B) {
	type start struct {
		chain address.Chain
		text  string
	}
	var starts []start
	for _, s := range corpus {
		starts = append(starts, start{"", s})
	}
	for _, name := range vectorFiles(b) {
		for _, v := range readVectors(b, name) {
			starts = append(starts, start{address.Chain(v.fields["chain"]), v.fields["input"]})
		}
	}
	chains := address.Chains()
	work := strings.Repeat("z", 100)
	fixed := func() { mrtron.Decode(work) }
	for name, read := range readers {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(20, 128))
			shortest := time.Hour // time of the fixed work
			ratio := func(calls int, call func()) float64 {
				best, beside := time.Hour, time.Hour
				for range calls {
					from := time.Now()
					call()
					between := time.Now()
					fixed()
					best, beside = min(best, between.Sub(from)), min(beside, time.Since(between))
				}
				shortest = min(shortest, beside)
				return float64(best) / float64(beside)
			}
			var slowest [16]worst // the first is the slowest
			for i := range b.N {
				at := starts[rng.IntN(len(starts))]
				if w := slowest[rng.IntN(1+rng.IntN(len(slowest)))]; i%4 > 0 && w.text != "" {
					at = start{w.chain, mutate(w.text, rng.UintN(1<<20), byte(rng.UintN(256)))}
				}
				if at.chain == "" || rng.IntN(8) == 0 {
					at.chain = chains[rng.IntN(len(chains))]
				}
				at.text = at.text[:min(len(at.text), 128)]
				call := read(at.chain, at.text)
				last := &slowest[len(slowest)-1]
				if at.text == "" || call == nil || ratio(3, call) <= last.ratio {
					continue
				}
				r := ratio(50, call) // else the machine was busy
				if r <= last.ratio {
					continue
				}
				*last = worst{at.chain, at.text, r}
				for j := len(slowest) - 1; j > 0 && slowest[j].ratio > slowest[j-1].ratio; j-- {
					slowest[j], slowest[j-1] = slowest[j-1], slowest[j]
				}
			}
			first := slowest[0]
			if call := read(first.chain, first.text); call != nil {
				b.ReportMetric(ratio(1000, call)*float64(shortest.Nanoseconds())/1000, "worst-µs")
			}
			if b.N == 1 {
				return // to measure the benchmark
			}
			b.Logf("slowest on %s: %q; the fixed work takes %v", first.chain, first.text, shortest)
		})
	}
}

// mutate returns a text with one small change, as people make.
func mutate(secret string, at uint, kind byte) string {
	r := []rune(secret)
	i := int(at % uint(len(r)))
	const keys = "aZ7q0Ol1I+/ -x"
	switch kind % 16 {
	case 1, 2, 3: // a character in place of another
		r[i] = rune(keys[at/7%uint(len(keys))])
	case 4: // one more
		r = slices.Insert(r, i, rune(keys[at/5%uint(len(keys))]))
	case 5: // one less
		r = slices.Delete(r, i, i+1)
	case 6: // the last or the first is missing
		return string(r[:len(r)-1])
	case 7:
		return string(r[1:])
	case 8: // a separator within it; several only where no piece is a word
		if len(r) > 20 {
			i = 8 + i%(len(r)-16)
		}
		r = slices.Insert(r, i, []rune([]string{" ", "\r\n", "\n> ", "\t", "\u200b", "\u00ad", "-", "=\n", "\u00a0", " - "}[at/3%10])...)
	case 9: // the letter case of one character
		r[i] ^= 0x20
		if r[i] < '0' || r[i] > 'z' {
			r[i] ^= 0x20
		}
	case 10: // a letter from another alphabet
		r[i] = []rune("\u0430\u0421\u03bf\uff11")[at/3%4]
	case 11: // two neighbors change places
		if i+1 < len(r) {
			r[i], r[i+1] = r[i+1], r[i]
		}
	case 12: // a character twice
		r = slices.Insert(r, i, r[i])
	case 13:
		if strings.ToLower(secret) == secret {
			return strings.ToUpper(secret)
		}
	}
	return string(r)
}
