package address_test

import (
	"math/rand/v2"
	"testing"

	referee "github.com/btcsuite/btcd/btcutil/bech32"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// manyAddresses is more than a branch predictor can learn.
const manyAddresses = 1 << 12

// BenchmarkBech32 reads distinct addresses; btcutil decodes the same, where it
// can.
func BenchmarkBech32(b *testing.B) {
	for _, bm := range []struct{ chain, form string }{
		{"bitcoin", "p2wpkh"}, {"bitcoin", "p2tr"},
		{"cosmos", "account"}, {"cosmos", "contract"}, {"injective", "bech32"}, {"chia", "xch"},
		{"avalanche-x", "x"}, {"pactus", "secp256k1"}, {"handshake", "key"},
		{"bitcoin-cash", "q"}, {"kaspa", "schnorr"}, {"conflux", "user"},
	} {
		r := rand.New(rand.NewPCG(19, 20))
		var all [manyAddresses]string
		spellings := append(bech32Spellings(),
			bech32Spelling{name: "p2wpkh", chain: "bitcoin", size: 20, write: toBech32("bc", bech32.Bech32, 0)},
			bech32Spelling{name: "p2tr", chain: "bitcoin", size: 32, write: toBech32("bc", bech32.Bech32m, 1)})
		for _, sp := range spellings {
			if string(sp.chain) == bm.chain && sp.name == bm.form {
				for i := range all {
					all[i] = sp.write(payload(r, sp.size))
				}
			}
		}
		chain := address.Chain(bm.chain)
		name := bm.chain + "-" + bm.form
		b.Run(name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if _, err := address.Parse(chain, all[i%manyAddresses]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/parse+account", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				a, err := address.Parse(chain, all[i%manyAddresses])
				if err != nil {
					b.Fatal(err)
				}
				if a.Account().IsZero() {
					b.Fatal("no account")
				}
			}
		})
		if _, _, _, err := referee.DecodeGeneric(all[0]); err != nil {
			continue
		}
		b.Run(name+"/btcutil", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				_, values, _, err := referee.DecodeGeneric(all[i%manyAddresses])
				if err != nil {
					b.Fatal(err)
				}
				if len(values)%8 == 1 || len(values)%8 == 5 { // a version stands in front
					values = values[1:]
				}
				if _, err := referee.ConvertBits(values, 5, 8, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
