package address_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// distinct is more than a branch predictor can learn.
const distinct = 1 << 16

// distinctEVM returns addresses whose texts lie one behind the other, as those
// of a list do.
func distinctEVM() []string {
	rng := rand.New(rand.NewPCG(31, 32))
	var text []byte
	for range distinct {
		text = append(text, "0x"...)
		text = hex.AppendEncode(text, randomBytes(rng, 20))
	}
	whole := string(text)
	all := make([]string, distinct)
	for i := range all {
		all[i] = whole[42*i : 42*(i+1)]
	}
	return all
}

// BenchmarkQuestion is what each question about an address in lower case costs
// before its account is looked up, and the parts of it.
func BenchmarkQuestion(b *testing.B) {
	all := distinctEVM()
	parsed := make([]address.Address, distinct)
	for i, s := range all {
		parsed[i] = address.MustParse("ethereum", s)
	}
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := address.Parse("ethereum", all[i%distinct]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse+identity", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			a, err := address.Parse("ethereum", all[i%distinct])
			if err != nil {
				b.Fatal(err)
			}
			if account, key, _, w0, _, _, _, more := a.Identity(); account == 0 || key == 0 || w0 == 0 || more {
				b.Fatal("no account")
			}
		}
	})
	b.Run("identity", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if account, key, _, w0, _, _, _, more := parsed[i%distinct].Identity(); account == 0 || key == 0 || w0 == 0 || more {
				b.Fatal("no account")
			}
		}
	})
	b.Run("account", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if parsed[i%distinct].Account().IsZero() {
				b.Fatal("no account")
			}
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if k, ok := parsed[i%distinct].Key(); !ok || k.Class() != address.KeccakHash {
				b.Fatal("no key")
			}
		}
	})
	// A look-up that misses, without any reading or validation.
	b.Run("referee=map", func(b *testing.B) {
		listed := map[string]bool{}
		for _, s := range all[:1000] {
			listed["0X"+s[2:]] = true
		}
		for i := 0; b.Loop(); i++ {
			if listed[all[i%distinct]] {
				b.Fatal("listed")
			}
		}
	})
}
