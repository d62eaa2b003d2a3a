package address_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// FuzzSecrets inserts each secret, mutated and with text around it, and checks
// that no result on any chain contains a run of 16 of its characters.
func FuzzSecrets(f *testing.F) {
	known := secrets()
	names := make([]string, 0, len(known))
	for name := range known {
		if !slices.ContainsFunc([]string{"short", "long", "broken", "groups", "11 words", "a digit", "bytes with 0x"}, func(s string) bool { return strings.Contains(name, s) }) {
			names = append(names, name) // the others are mutations themselves
		}
	}
	slices.Sort(names)
	for i := range names {
		f.Add(uint(i), uint(7*i), byte(i), uint(5*i), "", "")
		f.Add(uint(i), uint(11*i), byte(i+1), uint(3*i), "key: ", "\r\n")
	}
	chains := address.Chains()
	f.Fuzz(func(t *testing.T, n, at uint, kind byte, on uint, before, after string) {
		if len(before)+len(after) > 60 || joinsSecret(before, false) || joinsSecret(after, true) {
			return
		}
		name := names[n%uint(len(names))]
		secret := known[name]
		if before == "" && after == "" {
			// A mistyped secret within other text is not promised to be recognized.
			secret = mutate(secret, at, kind)
		}
		c := chains[on%uint(len(chains))]
		if strings.Contains(hexChains[name], string(c)) || strings.HasPrefix(secret, "ak_") {
			return // it looks like an address
		}
		s := before + secret + after
		leaks := func(what string, err error) {
			pe, ok := err.(*address.ParseError)
			if !ok {
				return // an address, by chance or by the mutation
			}
			for _, text := range []string{err.Error(), pe.Hint(), pe.Input, string(pe.Chain), fmt.Sprintf("%+v %#v", *pe, *pe)} {
				for i := 0; i+16 <= len(secret); i++ {
					if strings.Contains(text, secret[i:i+16]) {
						t.Fatalf("%s: %s of %q leaks %q: %s", name, what, s, secret[i:i+16], text)
					}
				}
			}
		}
		_, err := address.Parse(c, s)
		leaks("Parse on "+string(c), err)
		_, err = address.Normalize(c, s)
		leaks("Normalize on "+string(c), err)
		_, err = address.ParseChain(s)
		leaks("ParseChain", err)
		_, err = address.Parse(address.Chain(s), "x")
		leaks("Parse on the secret", err)
		var a address.Address
		leaks("UnmarshalText", a.UnmarshalText([]byte(s)))
		leaks("UnmarshalText", a.UnmarshalText([]byte(string(c)+":"+s)))
	})
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

// mutate returns secret with one small change, like those that people make.
func mutate(secret string, at uint, kind byte) string {
	i := int(at % uint(len(secret)))
	for i > 0 && secret[i]&0xc0 == 0x80 {
		i--
	}
	switch kind % 6 {
	case 1: // a digit or letter in place of another
		if secret[i] < 0x80 {
			return secret[:i] + "a" + secret[i+1:]
		}
	case 2: // one more
		return secret[:i] + "7" + secret[i:]
	case 3: // one less
		if i = len(secret) - 1; secret[i] < 0x80 {
			return secret[:i]
		}
	case 4: // broken
		return secret[:i] + " " + secret[i:]
	case 5:
		return secret[:i] + "\r\n" + secret[i:]
	}
	return secret
}
