package address_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// sharedEncodings lists groups of chains that encode accounts alike: the same
// bytes under the same prefix. No parser can detect that such an address was given
// with another chain of its group.
var sharedEncodings = []string{
	// Base58Check, by version: 00, 05, 07, 0d, 17, 1e, 21, 32, 35, 37, 3c, 3f,
	// 47, 55, 7a, 1cb8 and 1cbd.
	"bitcoin bitcoin-cash bitcoin-sv ecash bitcoin-diamond",
	"bitcoin bitcoin-cash bitcoin-sv ecash bitcoin-diamond litecoin vertcoin digibyte monacoin syscoin reddcoin",
	"namecoin pivx", "neo ontology bitcoin-gold", "dogecoin digibyte verge pivx", "verge viacoin elastos",
	"litecoin qtum monacoin", "neblio neo-n3", "monacoin peercoin", "ravencoin komodo", "stratis elastos",
	"digibyte syscoin pivx elastos", "vertcoin viacoin", "komodo lbry", "ravencoin lbry",
	"zcash flux zclassic bitcoinz horizen",
	// Bech32, by human-readable part: terra, and pc, of witness programs that
	// nobody can spend.
	"terra terra-classic", "pactus peercoin",
	// SS58, by prefix 42.
	"substrate avail peaq bittensor aleph-zero",
	// 32 bytes in hex, without a checksum.
	"aptos movement sui iota starknet fuel",
	// 20 bytes in hex, beside the EVM chains themselves.
	"ethereum near hedera sei zilliqa",
	// 32 bytes in 43 characters, of Base58 or of Base64.
	"solana eclipse fogo arweave",
	// Strkeys.
	"stellar pi",
	// Names.
	"eos wax near", "near starknet",
}

// isShared reports whether, by sharedEncodings, an address of a may also be one
// of b.
func isShared(a, b address.Chain) bool {
	group := func(c address.Chain) string {
		if address.IsEVM(c) {
			return "ethereum"
		}
		return string(c)
	}
	a, b = address.Chain(group(a)), address.Chain(group(b))
	return a == b || slices.ContainsFunc(sharedEncodings, func(g string) bool {
		all := strings.Fields(g)
		return slices.Contains(all, string(a)) && slices.Contains(all, string(b))
	})
}

// TestWrongChain parses every valid vector as an address of every other chain and
// checks that Parse refuses it, unless the two chains share an encoding. The error
// for an address that proves itself is ErrOtherChain, with a chain that accepts it.
func TestWrongChain(t *testing.T) {
	for i, a := range validAddresses(t) {
		s := a.Normalized()
		proven := address.Detect(s)[0].Proven()
		for j, c := range address.Chains() {
			if (i+j)%longtest.N(29, 1) != 0 {
				continue
			}
			b, err := address.Parse(c, s)
			if err == nil {
				// Almost any text is a name of near, and its wide grammar accepts
				// text that does not prove itself.
				if !isShared(a.Chain(), c) && (c != "near" || proven && !strings.Contains(s, ".")) {
					t.Errorf("Parse(%s, %q) = %v, an address of %s", c, s, b, a.Chain())
				}
				continue
			}
			var pe *address.ParseError
			if !errors.As(err, &pe) {
				t.Fatalf("Parse(%s, %q): %v is no *ParseError", c, s, err)
			}
			if errors.Is(err, address.ErrOtherChain) {
				if _, err := address.Normalize(pe.Other, s); err != nil {
					t.Errorf("Parse(%s, %q) names %s, which does not take it: %v", c, s, pe.Other, err)
				}
			} else if proven && !errors.Is(err, address.ErrNetwork) && !errors.Is(err, address.ErrSecret) && pe.Hint() == "" {
				t.Errorf("Parse(%s, %q): %v, want ErrOtherChain: it proves to be of %s", c, s, err, a.Chain())
			}
		}
	}
}
