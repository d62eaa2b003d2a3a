package address_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
)

func TestZZTrial(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 7))
	var all []address.Address
	perChain := map[address.Chain]int{}
	for _, a := range vectors.Addresses(t, "..") {
		if perChain[a.Chain()]++; perChain[a.Chain()] <= 6 {
			all = append(all, a)
		}
	}
	like := func(a, b address.Address) bool {
		keys := b.AppendKeys(nil)
		return a.Canonical() == b.Canonical() || slices.ContainsFunc(a.AppendKeys(nil), func(k address.Key) bool { return slices.Contains(keys, k) })
	}
	joins := strings.Split("%s %s|%s,%s|%s; %s|%s/%s|%s?memo=%s|%s?label=%s&amount=1|%s#%s|%s:%s|%s(%s)|%s [%s]|%s->%s|%s→%s|%s\t%s|%s\n%s|%s=%s|%s@%s|%s_%s|%s-%s|%s.%s|%s+%s|%s&%s|%s|%[2]s|%s tag %s|%s memo %s|%s \"%s\"|%s<%s>|%s*%s|%s~%s|%s%%20%s|%s\\n%s|%s'%s'|<%s> %s|%s %s %s|%s 😀%s|%s\u00b7%s|%s …%s|%s\u2028%s|%s\x00%s|%s!%s|%s$%s|%s^%s|%s{%s}|%s`%s`", "|")
	spoils := map[string]func(string) string{
		"none":  func(s string) string { return s },
		"hex":   func(s string) string { return hex.EncodeToString([]byte(s)) },
		"b64":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"upper": strings.ToUpper, "lower": strings.ToLower,
		"cut1": func(s string) string { return s[1:] }, "cute": func(s string) string { return s[:len(s)-1] },
		"wrong": func(s string) string { i := len(s) / 2; return s[:i] + string("78"[s[i]%2]) + s[i+1:] },
		"full": func(s string) string {
			return strings.Map(func(r rune) rune {
				if r > 32 && r < 127 {
					return r - '!' + 0xff01
				}
				return r
			}, s)
		},
		"math": func(s string) string {
			return strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r - '0' + 0x1d7ce
				}
				return r
			}, s)
		},
		"zwsp":  func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
		"space": func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
		"dots":  func(s string) string { return strings.Join(strings.Split(s, ""), ".") },
		"group": func(s string) string {
			var b strings.Builder
			for i, c := range s {
				if i > 0 && i%4 == 0 {
					b.WriteByte(' ')
				}
				b.WriteRune(c)
			}
			return b.String()
		},
		"groupd": func(s string) string {
			var b strings.Builder
			for i, c := range s {
				if i > 0 && i%4 == 0 {
					b.WriteByte('-')
				}
				b.WriteRune(c)
			}
			return b.String()
		},
		"short": func(s string) string {
			if len(s) < 12 {
				return s
			}
			return s[:6] + "…" + s[len(s)-4:]
		},
		"short3": func(s string) string {
			if len(s) < 12 {
				return s
			}
			return s[:6] + "..." + s[len(s)-4:]
		},
		"rev": func(s string) string { b := []byte(s); slices.Reverse(b); return string(b) },
		"pct": func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			return b.String()
		},
		"u": func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, "\\u%04X", c)
			}
			return b.String()
		},
		"x": func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, "\\x%02X", c)
			}
			return b.String()
		},
		"ent": func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, "&#%d;", c)
			}
			return b.String()
		},
		"lk": func(s string) string {
			return strings.NewReplacer("a", "а", "e", "е", "o", "о", "c", "с", "T", "Т", "B", "В").Replace(s)
		},
		"ocr": func(s string) string { return strings.NewReplacer("0", "O", "1", "l").Replace(s) },
	}
	names := make([]string, 0)
	for n := range spoils {
		names = append(names, n)
	}
	slices.Sort(names)
	count := map[string]int{}
	shown := map[string]int{}
	n := 300000
	if s := os.Getenv("ZZN"); s != "" {
		fmt.Sscan(s, &n)
	}
	for i := 0; i < n; i++ {
		a, b := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
		if like(a, b) || !b.Proven() {
			continue
		}
		ta := a.Display()
		join := joins[rng.IntN(len(joins))]
		name := names[rng.IntN(len(names))]
		tb := spoils[name](b.Display())
		var text string
		if strings.Count(join, "%s") == 3 {
			text = fmt.Sprintf(join, ta, tb, ta)
		} else if strings.Contains(join, "%[2]s") {
			text = ta + "|" + tb
		} else if strings.Count(join, "%s") == 1 {
			continue
		} else {
			text = fmt.Sprintf(join, ta, tb)
		}
		if rng.IntN(4) == 0 {
			text = fmt.Sprintf("%s%s", strings.ToLower(string(a.Chain()))+":", text)
		}
		chain := []string{"", string(a.Chain()), string(b.Chain())}[rng.IntN(3)]
		r := address.Interpret(chain, text)
		count["all "+name]++
		if r.Err == nil && r.Doubts == nil && !slices.ContainsFunc(r.Addresses, func(x address.Address) bool { return like(x, b) }) {
			key := name
			if strings.Contains(join, "memo=") {
				key = "memo " + name
			}
			count[key]++
			if shown[key+join] < 1 && shown[key] < 4 && !strings.HasPrefix(key, "memo") || key == "memo none" || key == "memo zwsp" || key == "memo full" && utf8.ValidString(text) {
				shown[key+join]++
				shown[key]++
				t.Logf("%s %q: Interpret(%q, %q) certain %v, want %v", name, join, chain, text, r.Addresses, b)
			}
		}
	}
	keys := []string{}
	for k := range count {
		if !strings.HasPrefix(k, "all") {
			keys = append(keys, fmt.Sprint(k, " ", count[k]))
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Log(k)
	}
}
