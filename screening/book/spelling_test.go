package book_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/screening/book"
)

// TestSpellings checks which addresses a Book stores without a separate text.
func TestSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96":                    "ethereum 0x",
		"bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":                             "bitcoin base58check 00",
		"bitcoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy":                             "bitcoin base58check 05",
		"bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4":                     "bitcoin bech32 bc 0",
		"bitcoin:bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3": "bitcoin bech32 bc 0",
		"bitcoin:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0": "bitcoin bech32m bc 1",
		"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":                                "tron base58check 41",
		"solana:TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA":                     "solana base58",
		"xrp:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh":                                 "xrp ripple58check 00",
		"cosmos:cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh":                   "cosmos bech32 cosmos",
		"bitcoin-cash:bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a":    "",
		"stellar:GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ":       "",
		"xrp:X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ":                    "",
	} {
		var a address.Address
		if err := a.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, written := book.SpellingOf(a)
		if got != want || got != "" && written != a.Normalized() {
			t.Errorf("%v has the spelling %q, which writes %q; want %q", a, got, written, want)
		}
	}
	found := 0
	for _, a := range vectors.Addresses(t, "../..") {
		if s, written := book.SpellingOf(a); s != "" {
			if found++; written != a.Normalized() {
				t.Errorf("%v has the spelling %q, which writes %q", a, s, written)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d addresses have a spelling: the test proves little", found)
	}
}

// FuzzSpelling checks that no spelling makes Spell panic or write a long text.
func FuzzSpelling(f *testing.F) {
	for _, s := range []string{"ethereum 0x", "solana base58", "bitcoin base58check 00", "xrp ripple58check 00", "cosmos bech32 cosmos", "bitcoin bech32m bc 1"} {
		f.Add(s, make([]byte, 20))
	}
	f.Fuzz(func(t *testing.T, text string, payload []byte) {
		if len(payload) > 32 {
			return
		}
		if written, ok := book.Spell(text, payload); ok && len(written) > 200 {
			t.Errorf("%q writes %d bytes", text, len(written))
		}
	})
}
