package address_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// mutate returns secret with one small change, like those that people make.
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

// secretContexts are texts in which people paste secrets, each with a percent
// sign in place of it.
var secretContexts = []string{
	"%", "%", "%", " %\r\n", `"%"`, "key: %", "wif=%", `{"privateKey":"%"}`, `{"k": "%", "n": 1}`, "https://example.org/?k=%&a=b", "https://example.org/%/x",
	"bitcoin:%?amount=1", "ethereum:%@1", "(%)", "<b>%</b>", "`%`", "\u201c%\u201d", "\u00ab%\u00bb", "my key is %, keep it", "%;%", "%\n%",
	"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH %", "% 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf,%", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMx: %",
	"x%", "%x", "abc%", "eip155:1:%", "0.0.%", "u%", "[%]", "%.near", "a.%", "k%40example.org %", "'%'", "\u200b%\u200b", "%\x00", "%25%25%", "\\n%\\n", "// %", "%@x",
	"bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH?message=%", "ethereum:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf?x=%", "seed \u2192 %", "\u5bc6\u94a5:%",
}

// secretInText is a secret with up to two faults within a text.
type secretInText struct {
	name, secret, text string
}

func plantSecret(names []string, known map[string]string, n, at uint, kind, kind2, context byte) secretInText {
	name := names[n%uint(len(names))]
	secret := mutate(known[name], at, kind)
	if len(secret) > 40 && !strings.Contains(name, "words") { // a shorter one, or words, with two faults are not promised to be recognized
		secret = mutate(secret, at/31+at%17, kind2)
	}
	around := secretContexts[int(context)%len(secretContexts)]
	if len(known[name]) < 40 && slices.Contains([]string{"x%", "%x", "abc%", "0.0.%", "u%", "%25%25%", "\\n%\\n"}, around) {
		around = "%" // a short secret with other characters around it could be an address
	}
	return secretInText{name, secret, strings.ReplaceAll(around, "%", secret)}
}

// leak returns a run of 16 characters of the secret that stands in text, or "".
func (p *secretInText) leak(text string) string {
	r := []rune(p.secret)
	for i := 0; i+16 <= len(r); i++ {
		if s := string(r[i : i+16]); strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

// ask passes the text to the functions that read text from users and calls leaks
// for each error that contains a part of the secret.
func (p *secretInText) ask(c address.Chain, leaks func(what, part, text string)) {
	check := func(what string, err error) {
		pe, ok := err.(*address.ParseError)
		if !ok {
			return // an address, by chance or by the mutation
		}
		wire, _ := json.Marshal(pe)
		for _, text := range []string{err.Error(), pe.Hint(), pe.Input, string(pe.Chain), string(pe.Other), string(wire), fmt.Sprintf("%v %+v %#v %q", *pe, *pe, *pe, fmt.Sprint(*pe))} {
			if part := p.leak(text); part != "" {
				leaks(what, part, text)
				return
			}
		}
	}
	_, err := address.Parse(c, p.text)
	check("Parse on "+string(c), err)
	_, err = address.Normalize(c, p.text)
	check("Normalize on "+string(c), err)
	_, err = address.ParseChain(p.text)
	check("ParseChain", err)
	_, err = address.Parse(address.Chain(p.text), "x")
	check("Parse on the secret", err)
	var a address.Address
	check("UnmarshalText", a.UnmarshalText([]byte(p.text)))
	check("UnmarshalText of "+string(c), a.UnmarshalText([]byte(string(c)+":"+p.text)))
}

// knownSecrets returns the secrets that are not mutations themselves, and their
// names in order.
func knownSecrets() (names []string, known map[string]string) {
	known = secrets()
	for name := range known {
		if !slices.ContainsFunc([]string{"short", "long", "broken", "groups", "version 1c", "11 words", "a digit", "bytes with 0x"}, func(s string) bool { return strings.Contains(name, s) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, known
}

// TestSecretsMistyped plants each secret, with up to two faults, in text, and
// checks that no error contains a run of 16 of its characters.
func TestSecretsMistyped(t *testing.T) {
	names, known := knownSecrets()
	chains := address.Chains()
	rng := rand.New(rand.NewPCG(5, 13))
	for range longtest.N(100, 20_000) {
		p := plantSecret(names, known, rng.UintN(1000), rng.UintN(1<<20), byte(rng.UintN(256)), byte(rng.UintN(256)), byte(rng.UintN(256)))
		if c := chains[rng.IntN(len(chains))]; !p.isAddressOn(c) {
			p.ask(c, func(what, part, text string) {
				t.Errorf("%s: %s of %q leaks %q: %.200s", p.name, what, p.text, part, text)
			})
		}
	}
}

// TestSecretsHidden has texts with mistyped secrets that were quoted once.
func TestSecretsHidden(t *testing.T) {
	for _, text := range []string{
		"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH 2Ana1pUpv2ZbMVkwF5FXapYeBEjdxDatLn7nvJkhgTS-STcZp5EXQcqdhXUtqFKpPi5MzPUQFKwNxDG4azRM4jq", // halves as long as an address
		"U\xd8=\xef\r\x1aU\xd8=\xef\r(abandon abandon abandon abandon abandon a=\nbandon abandon abandon abandon abandon abandon about)",
		"abcAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRoobHB0eHyA=",     // letters in front, and one too many
		"AQIDBAU=\nGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",      // a soft line break
		" AQIDB - AUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\r\n", // a dash between blanks
		"\u03bfk_SkB92YpWm4Q2ijQHH34cqbKkCZWszsiQgHVjtNeFF2Ds6STz",
		"PrivateKey-Sk\n> B92YpWm4Q2ijQHH34cqbKkCZWszsiQgHVjtNeFF2Ds6STz 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", // quoted
		"1:0102030405060708090A0B0C0D0E0F101112131415161718191\u04211B1C1D1E1F20",
	} {
		for _, c := range []address.Chain{"bitcoin", "near", "ethereum", "ton", "groestlcoin"} {
			_, err := address.Normalize(c, text)
			var p *address.ParseError
			if !errors.As(err, &p) || p.Input != "" || p.Hint() == "" {
				t.Errorf("Normalize(%s, %q): %v", c, text, err)
			}
		}
	}
}

// FuzzSecrets is TestSecretsMistyped for a secret with one fault, and with any
// ASCII text around it that does not touch it and has no word that could be a piece
// of another secret or of an address.
func FuzzSecrets(f *testing.F) {
	names, known := knownSecrets()
	for i := range names {
		f.Add(uint(i), uint(7*i), byte(i), byte(i), uint(5*i), "", "")
		f.Add(uint(i), uint(11*i), byte(i+1), byte(0), uint(3*i), "key: ", "\r\n")
	}
	f.Add(uint(67), uint(737), byte('D'), byte(0xb3), uint(275), "key\xba ", "\r\n")
	f.Add(uint(61), uint(478), byte('C'), byte('C'), uint(335), "", "")                        // two halves, each as long as an address
	f.Add(uint(5), uint(1234), byte(8), byte(13), uint(3), "U\xd8=\xef\r\x1aU\xd8=\xef\r", "") // words after four others
	chains := address.Chains()
	f.Fuzz(func(t *testing.T, n, at uint, kind, context byte, on uint, before, after string) {
		if len(before)+len(after) > 60 || joinsSecret(before, false) || joinsSecret(after, true) || pieces.MatchString(before+" "+after) {
			return
		}
		p := plantSecret(names, known, n, at, kind, 0, context)
		p.text = before + p.text + after
		if c := chains[on%uint(len(chains))]; !p.isAddressOn(c) {
			p.ask(c, func(what, part, text string) {
				t.Fatalf("%s: %s of %q leaks %q: %s", p.name, what, p.text, part, text)
			})
		}
	})
}

// pieces matches text with digits, with capitals within words, or with characters
// other than ASCII.
var pieces = regexp.MustCompile(`[0-9]|[A-Za-z][A-Z]|[^ -~\r\n\t]`)

// isAddressOn reports whether the secret has the form of an address of c.
func (p *secretInText) isAddressOn(c address.Chain) bool {
	return strings.Contains(hexChains[p.name], string(c)) || strings.HasPrefix(p.secret, "ak_")
}

// joinsSecret reports whether text before or after a secret would be a part of
// it: letters and digits without a separator.
func joinsSecret(text string, after bool) bool {
	if text == "" {
		return false
	}
	edge := text[len(text)-1]
	if after {
		edge = text[0]
	}
	return !strings.ContainsRune(" \r\n\t\"'", rune(edge))
}
