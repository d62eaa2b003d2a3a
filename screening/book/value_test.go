package book_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/screening/book"
)

// TestValues checks which addresses a Book stores without a text of their own, and that it
// reads exactly these addresses.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96":                                                    "ethereum#0",
		"eip155:424242:0x098b716b8aaf21512996dc57eb0615e2383e2f96":                                               "eip155:424242#0",
		"bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":                                                             "bitcoin#0",
		"bitcoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy":                                                             "bitcoin#0",
		"bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4":                                                     "bitcoin#1",
		"bitcoin:bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3":                                 "bitcoin#0",
		"bitcoin:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0":                                 "bitcoin#0",
		"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":                                                                "tron#0",
		"solana:TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA":                                                     "solana#0",
		"xrp:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh":                                                                 "xrp#0",
		"cosmos:cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh":                                                   "cosmos#0",
		"bitcoin-cash:bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a":                                    "bitcoin-cash#0",
		"stellar:GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ":                                       "stellar#0",
		"xrp:X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ":                                                    "xrp#1",
		"monero:44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A": "",
	} {
		var a address.Address
		if err := a.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, read, err := book.ValueOf(a)
		if err != nil || got != want || read != a {
			t.Errorf("%v has the value %q, which is read as %v, %v; want %q", a, got, read, err, want)
		}
	}
	found := 0
	for _, a := range vectors.Addresses(t, "../..") {
		value, read, err := book.ValueOf(a)
		if err != nil || read != a {
			t.Errorf("%v has the value %q, which is read as %v, %v", a, value, read, err)
		}
		if value != "" {
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d addresses have a value without a text: the test proves little", found)
	}
}
