package address_test

import (
	"regexp"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

func TestDisplay(t *testing.T) {
	const testPenumbra = "penumbra147mfall0zr6am5r45qkwht7xqqrdsp50czde7empv7yq2nk3z8yyfh9k9520ddgswkmzar22vhz9dwtuem7uxw0qytfpv7lk3q9dp8ccaw2fn5c838rfac" +
		"kazmgf3ahh09cxmz"
	for _, tt := range []struct {
		chain                   address.Chain
		text, display, id, kind string
	}{
		{"ethereum", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ""}, // EIP-55
		{"rootstock", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
			"eip155:30:0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD", ""}, // ERC-1191
		{"eip155:98865", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"eip155:98865:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ""},
		{"bitcoin", testBTC, testBTC, "bip122:000000000019d6689c085ae165831e93:" + testBTC, "p2pkh"},
		{"bitcoin", testBC1, testBC1, "bip122:000000000019d6689c085ae165831e93:" + testBC1, "p2wpkh"},
		{"bitcoin", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
			"bip122:000000000019d6689c085ae165831e93:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "p2sh"},
		{"bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
			"bip122:000000000019d6689c085ae165831e93:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "p2tr"},
		{"bitcoin", "bc1pfeessrawgf", "bc1pfeessrawgf", "bip122:000000000019d6689c085ae165831e93:bc1pfeessrawgf", "witness"},
		{"bitcoin-cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
			"bip122:000000000000000000651ef99cb9fcbe:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "p2pkh"},
		{"stellar", "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK",
			"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK",
			"stellar:pubnet:MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK", "muxed"},
		{"xrp", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
			"xrpl:0:X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", "tagged"},
		{"casper", "01cd4f2ed572ea555ca46c17c83c43e609d2e916871236f40faa9ba747478e8dee", "01cd4f2ed572ea555ca46c17c83c43e609d2e916871236f40faa9ba747478e8dee",
			"casper:casper:01cd4f2ed572ea555ca46c17c83c43e609d2e916871236f40faa9ba747478e8dee", "account"},
		{"casper", "account-hash-79c9563deeb7bbd05e91c7dddddec9328717fea1ae846dd54ab9dfeaae015bc0",
			"account-hash-79c9563deeb7bbd05e91c7dddddec9328717fea1ae846dd54ab9dfeaae015bc0",
			"casper:casper:account-hash-79c9563deeb7bbd05e91c7dddddec9328717fea1ae846dd54ab9dfeaae015bc0", "account"},
		{"kadena", "k:1d5a5e10eb15355422ad66b6c12167bdbb23b1e1ef674ea032175d220b242ed4", "k:1d5a5e10eb15355422ad66b6c12167bdbb23b1e1ef674ea032175d220b242ed4", "",
			"account"},
		{"kadena", "w:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE:keys-all", "w:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE:keys-all", "", "account"},
		{"kadena", "c:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE", "c:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE", "", "contract"},
		{"penumbra", testPenumbra, testPenumbra, "", "shielded"},
		{"mina", "B62qre3erTHfzQckNuibViWQGyyKwZseztqrjPZBv6SQF384Rg6ESAy", "B62qre3erTHfzQckNuibViWQGyyKwZseztqrjPZBv6SQF384Rg6ESAy",
			"mina:mainnet:B62qre3erTHfzQckNuibViWQGyyKwZseztqrjPZBv6SQF384Rg6ESAy", ""},
		{"radix", "account_rdx128y6j78mt0aqv6372evz28hrxp8mn06ccddkr7xppc88hyvynvjdwr", "account_rdx128y6j78mt0aqv6372evz28hrxp8mn06ccddkr7xppc88hyvynvjdwr", "",
			"account"},
		{"namada", "tnam1qqshvryx9pngpk7mmzpzkjkm6klelgusuvmkc0uz", "tnam1qqshvryx9pngpk7mmzpzkjkm6klelgusuvmkc0uz", "", "account"},
		{"namada", "tnam1q9gr66cvu4hrzm0sd5kmlnjje82gs3xlfg3v6nu7", "tnam1q9gr66cvu4hrzm0sd5kmlnjje82gs3xlfg3v6nu7", "", "account"},
		{"namada", "tnam1pgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkhgajr", "tnam1pgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkhgajr", "", "contract"},
		{"midnight", "mn_addr1asujt0dayj4pelgq97wv75hjhscqv9epmzzpapkf8sy8c87jhh9s6e0fs3", "mn_addr1asujt0dayj4pelgq97wv75hjhscqv9epmzzpapkf8sy8c87jhh9s6e0fs3",
			"", "account"},
		{"near", "example.near", "example.near", "near:mainnet:example.near", "name"},
	} {
		a := address.MustParse(tt.chain, tt.text)
		id, _ := a.CAIP10()
		if a.Display() != tt.display || id != tt.id || a.Kind() != tt.kind {
			t.Errorf("%v: Display %q, CAIP10 %q, Kind %q, want %q, %q, %q", a, a.Display(), id, a.Kind(), tt.display, tt.id, tt.kind)
		}
	}
	// Normalize accepts the display form and the CAIP-10 id.
	for _, a := range validAddresses(t) {
		if b, err := address.Parse(a.Chain(), a.Display()); err != nil || b != a {
			t.Errorf("Parse(%s, %q) = %v, %v, want %v", a.Chain(), a.Display(), b, err, a)
		}
		if id, ok := a.CAIP10(); ok {
			if !caip10.MatchString(id) {
				t.Errorf("%v: %q is not in the form of CAIP-10", a, id)
			}
			if b, err := address.Normalize(a.Chain(), id); err != nil || b.Canonical() != a.Canonical() {
				t.Errorf("Normalize(%s, %q) = %v, %v, want %v", a.Chain(), id, b, err, a)
			}
		}
	}
	if a := (address.Address{}); a.Display() != "" || a.Kind() != "" {
		t.Error("the zero Address has a Display or a Kind")
	}
}

// caip10 matches an account id of CAIP-10.
var caip10 = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}:[-.%a-zA-Z0-9]{1,128}$`)
