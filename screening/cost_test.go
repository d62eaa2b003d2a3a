package screening_test

import (
	"crypto/sha256"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
)

// TestCost checks that no text costs a reader much more than an ordinary one of its
// length, apart from a cost that does not grow with the text, and from checksums: its sender pays
// nothing.
func TestCost(t *testing.T) {
	if cpuTime(t) == 0 || longtest.Race {
		return // it is not known on this system, or is the race detector's
	}
	s := newScreener(t, nil, staticOf(listedWithRefs(10)))
	refresh(t, s)
	readers := map[string]func(text string){
		"Parse, ethereum":   func(text string) { address.Parse("ethereum", text) },
		"Parse, bitcoin":    func(text string) { address.Parse("bitcoin", text) },
		"Normalize, zcash":  func(text string) { address.Normalize("zcash", text) },
		"Normalize, xrp":    func(text string) { address.Normalize("xrp", text) },
		"Interpret":         func(text string) { address.Interpret("", text) },
		"Interpret, ticker": func(text string) { address.Interpret("ETH", text) },
		"Interpret, name":   func(text string) { address.Interpret(text, "x") },
		"ParseChain":        func(text string) { address.ParseChain(text) },
		"Detect":            func(text string) { address.Detect(text) },
		"FindAll":           func(text string) { address.FindAll(text) },
		"FindLikely":        func(text string) { address.FindLikely(text) },
		"UnmarshalText":     func(text string) { new(address.Address).UnmarshalText([]byte(text)) },
		"Decode":            func(text string) { sources.Decode("XBT", text) },
		"Repair":            func(text string) { sources.Repair("XBT", text) },
		"ScreenText":        func(text string) { s.ScreenText("ethereum", text) },
		"ScreenInput":       func(text string) { s.ScreenInput("", text) },
	}
	cost := func(read func(string), text string, enough time.Duration) time.Duration {
		best := time.Hour
		for i := 0; i < 8 && best > enough; i++ { // the garbage collector may be at work
			calls, begin := 0, cpuTime(t)
			for calls == 0 || cpuTime(t)-begin < 50*time.Microsecond {
				read(text)
				calls++
			}
			best = min(best, (cpuTime(t)-begin)/time.Duration(calls))
		}
		return best
	}
	sum := cost(func(string) {
		first := sha256.Sum256(make([]byte, 21))
		sha256.Sum256(first[:])
	}, "", 0)
	for i, name := range slices.Sorted(maps.Keys(readers)) {
		read := readers[name]
		var checksum time.Duration
		if name == "FindAll" || name == "FindLikely" { // it computes one or two where an address in Base58 may begin
			checksum = sum
		}
		var least time.Duration // of an ordinary text of 1,000 bytes
		for _, n := range []int{1000, 10_000, 100_000} {
			fill := func(unit string) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }
			ordinary := cost(read, fill(ordinaryText), 0)
			if n == 1000 {
				least = max(ordinary, 20*time.Microsecond)
			}
			for j, unit := range adversarial() {
				if (i+j)%longtest.N(7, 1) != 0 {
					continue
				}
				// Ten times as much, and the search for secrets has a dear beginning.
				limit := 10*ordinary + 15*least + time.Duration(2*n)*checksum
				got := cost(read, fill(unit), limit)
				for i := 0; i < 4 && got > limit; i++ { // other programs are at work: both again
					limit = max(limit, 10*cost(read, fill(ordinaryText), 0)+15*least+time.Duration(2*n)*checksum)
					got = cost(read, fill(unit), limit)
				}
				if got > limit {
					t.Errorf("%s of %d bytes of %.30q takes %v, of an ordinary text %v", name, n, unit, got, ordinary)
				}
			}
		}
	}
}

const ordinaryText = "On 3 May 2026, Smith & Co received 1,250.00 USDT at 0x57ec89a0c056163a0314e413320f9b3abe761259 and TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU, " +
	"and 0.5 BTC at bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml; see INV-2026/0042.\n"

// adversarial returns texts whose repetition may be dear.
func adversarial() []string {
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rng := rand.New(rand.NewPCG(35, 12))
	random := func(digits string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = digits[rng.IntN(len(digits))]
		}
		return string(b)
	}
	groups := func(longest int) string { // of up to so many digits
		var b strings.Builder
		for b.Len() < 2000 {
			b.WriteString(random(base58, 1+rng.IntN(longest)) + " ")
		}
		return b.String()
	}
	all := []string{
		random(base58, 2000), random("0123456789abcdef", 2000), groups(1), groups(9), groups(30),
		random(base58, 22) + " ", random(base58, 44) + " ", random(base58, 51) + " ", random(base58, 88) + " ",
		"the and for ", "的", "\u200ba", "\xff", "\u212a", "\x1b[1m", "\\u0041", "&#49;", "&#", "%41", "=\n", "-\n", "\n> ", "\n12. a", "\"+\"", "<", "<b>",
		"ethereum:", "http://", "&bc=a", "a@b.", "x.eth ", "a.", "a/", "a:", "NQ07 0000 ", "aaaaa-", "0.0.1 ", "_sk1", "sk_ ", "ms1", "123456 ", "0123456789abcdef\n", "bc1 ", "bc1q", "1A", "AD",
	}
	for _, c := range "a1 50sAx?:|-(/\n" {
		all = append(all, string(c), string(c)+" ", "0"+string(c))
	}
	return all
}
