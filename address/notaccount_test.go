package address_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// Lightning invoices are from BOLT 11, the LNURL from LUD-01, the offer from BOLT 12, and
// the silent payment address from BIP-352.
const (
	invoice = "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxats" +
		"yp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh"
	lnurl = "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXX" +
		"CMYXYMNSERXFQ5FNS"
	offer  = "lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg"
	silent = "sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdgqjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv"
)

// TestNotAccounts checks that names and payment requests are reported as such on every
// chain, also where they have the form of an account name, and are never detected.
func TestNotAccounts(t *testing.T) {
	tests := []struct {
		text string
		want error
	}{
		{"vitalik.eth", address.ErrName},
		{"Vitalik.ETH", address.ErrName},
		{"pay.vitalik.eth", address.ErrName},
		{"foo.ton", address.ErrName},
		{"brad.crypto", address.ErrName},
		{"123456.eth", address.ErrName},
		{"bonfida.sol", address.ErrName},
		{"toncoin.t.me", address.ErrName},
		{"brad.anime", address.ErrName},
		{"satoshi@example.com", address.ErrName},
		{"₿satoshi@example.com", address.ErrName},
		{invoice, address.ErrPaymentRequest},
		{strings.ToUpper(invoice), address.ErrPaymentRequest},
		{"lightning:" + invoice, address.ErrPaymentRequest},
		{lnurl, address.ErrPaymentRequest},
		{offer, address.ErrPaymentRequest},
		{silent, address.ErrPaymentRequest},
	}
	for _, tt := range tests {
		for _, c := range address.Chains() {
			for name, read := range map[string]func(address.Chain, string) (address.Address, error){"Parse": address.Parse, "Normalize": address.Normalize} {
				_, err := read(c, tt.text)
				if !errors.Is(err, tt.want) || !errors.Is(err, address.ErrSyntax) {
					t.Errorf("%s(%s, %q): %v, want %v", name, c, tt.text, err, tt.want)
				}
				if tt.want == address.ErrPaymentRequest && err != nil && strings.Contains(err.Error(), tt.text[4:]) {
					t.Errorf("%s(%s) quotes the payment request: %v", name, c, err)
				}
			}
		}
		if all := address.Detect(tt.text); len(all) > 0 {
			t.Errorf("Detect(%q) = %v, want none", tt.text, all)
		}
	}
}

// TestStillAccounts checks account names that resemble names of naming services.
func TestStillAccounts(t *testing.T) {
	for _, tt := range []struct{ chain, text string }{
		{"near", "alice.near"}, {"near", "relay.tg"}, {"near", "eth.bridge.near"}, {"near", "ethereum"}, {"near", "t.me"},
		{"eos", "foo.x"}, {"eos", "eth"}, {"hedera", "0.0.888"},
	} {
		if _, err := address.Parse(address.Chain(tt.chain), tt.text); err != nil {
			t.Errorf("Parse(%s, %q): %v", tt.chain, tt.text, err)
		}
	}
}
