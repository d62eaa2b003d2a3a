package address_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// Interoperable addresses. The addresses of vitalik and of the account on Solana
// are the test cases of ERC-7930, and the address of fe89 is the example of
// ERC-7828.
const (
	vitalik      = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	vitalikName  = vitalik + "@eip155:1#4CA88C9C"
	vitalikHex   = "0x00010000010114D8DA6BF26964AF9D7EED9E03E53415D37AA96045"
	vitalikAny   = vitalik + "@eip155#B26DB7CB"
	vitalikBare  = "0x000100000014D8DA6BF26964AF9D7EED9E03E53415D37AA96045"
	mjk          = "MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2"
	mjkName      = mjk + "@solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d#88835C11"
	mjkHex       = "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef02005333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5"
	solanaName   = "@solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d#2EB18670"
	fe89         = "0xFe89cc7aBB2C4183683ab71653C4cdc9B02D44b7"
	fe89Name     = fe89 + "@eip155:1#80B12379"
	optimismHex  = "0x00010000010A14AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" // ERC-7828
	sepoliaHex   = "0x0001000003aa36a714d8da6bf26964af9d7eed9e03e53415d37aa96045"
	otherEVMHex  = "0x0001000003018231" + "14d8da6bf26964af9d7eed9e03e53415d37aa96045" // 98865
	otherEVMName = vitalik + "@eip155:98865"
)

// TestInterop checks that Normalize reads interoperable addresses on their own
// chain, and that nothing else takes them for an account.
func TestInterop(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{vitalikName, "ethereum:" + strings.ToLower(vitalik)},
		{vitalikHex, "ethereum:" + strings.ToLower(vitalik)},
		{strings.ToLower(vitalikHex), "ethereum:" + strings.ToLower(vitalik)},
		{fe89Name, "ethereum:" + strings.ToLower(fe89)},
		{vitalik + "@eip155:1", "ethereum:" + strings.ToLower(vitalik)},
		{strings.ToLower(vitalik) + "@eip155:1#4ca88c9c", "ethereum:" + strings.ToLower(vitalik)},
		{optimismHex, "optimism:0x" + strings.Repeat("a", 40)},
		{otherEVMHex, "eip155:98865:" + strings.ToLower(vitalik)},
		{otherEVMName, "eip155:98865:" + strings.ToLower(vitalik)},
		{vitalikAny, ":" + strings.ToLower(vitalik)},
		{vitalikBare, ":" + strings.ToLower(vitalik)},
		{strings.ToLower(vitalikBare), ":" + strings.ToLower(vitalik)},
		{mjkName, "solana:" + mjk},
		{mjkHex, "solana:" + mjk},
	} {
		for _, c := range append(address.Chains(), "eip155:98865", "eip155:3") {
			_, err := address.Parse(c, tt.text)
			own := strings.HasPrefix(tt.want, string(c)+":") || tt.want[0] == ':' && (strings.HasPrefix(string(c), "eip155:") || address.IsEVM(c))
			if want := map[bool]error{true: address.ErrInterop, false: address.ErrOtherChain}[own]; !errors.Is(err, want) ||
				!errors.Is(err, address.ErrSyntax) {
				t.Errorf("Parse(%s, %q): %v, want %v", c, tt.text, err, want)
			}
			a, err := address.Normalize(c, " "+tt.text+"\n")
			switch {
			case own && (err != nil || a.Chain() != c || !strings.HasSuffix(tt.want, ":"+a.Normalized())):
				t.Errorf("Normalize(%s, %q) = %v, %v, want %s", c, tt.text, a, err, tt.want)
			case !own && !errors.Is(err, address.ErrOtherChain):
				t.Errorf("Normalize(%s, %q) = %v, %v", c, tt.text, a, err)
			case !own && tt.want[0] != ':' && !strings.HasPrefix(tt.want, string(parseError(t, err).Other)+":"):
				t.Errorf("Normalize(%s, %q) names %s, want %s", c, tt.text, parseError(t, err).Other, tt.want)
			}
		}
		if all := address.Detect(tt.text); all != nil {
			t.Errorf("Detect(%q) = %v", tt.text, all)
		}
	}
}

// TestBadInterop checks interoperable addresses without an account that can be
// read.
func TestBadInterop(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{vitalik + "@eip155:1#4CA88C9D", address.ErrChecksum},
		{vitalik[:41] + "4@eip155:1#4CA88C9C", address.ErrChecksum},
		{vitalik + "@eip155:2#4CA88C9C", address.ErrChecksum},
		{mjk + "@solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d#88835C12", address.ErrChecksum},
		{solanaName, address.ErrInterop},
		{"0x00010000010100", address.ErrInterop}, // a chain alone
		{sepoliaHex, address.ErrNetwork},
		{vitalik + "@ethereum", address.ErrInterop},
		{vitalik + "@arbitrum-nova#AAAAAAAA", address.ErrInterop},
		{vitalik + "@eip155:01", address.ErrInterop},
		{"0x000100000200011401" + strings.Repeat("0", 38), address.ErrInterop}, // a leading zero in the number
		{"35PBEaofpUeH8VnnNSorM1QZsadrZoQp4N@bip122:000000000019d6689c085ae165831e93", address.ErrInterop},
		{"0x00010003" + "01" + "01" + "04" + "01020304", address.ErrInterop},
		{"alice.eth@eip155:1", address.ErrName},
		{"alice.eth@ethereum", address.ErrName},
		{"alice.eth@optimism#C69BEB13", address.ErrName},
	} {
		for _, c := range append(address.Chains(), "eip155:98865") {
			for _, read := range []func(address.Chain, string) (address.Address, error){address.Parse, address.Normalize} {
				if a, err := read(c, tt.text); !errors.Is(err, tt.want) {
					t.Errorf("%q on %s: %v, %v, want %v", tt.text, c, a, err, tt.want)
				}
			}
		}
		if all := address.Detect(tt.text); all != nil {
			t.Errorf("Detect(%q) = %v", tt.text, all)
		}
	}
	// What could be a secret is not quoted, whatever surrounds it.
	secret := strings.Repeat("7b", 32)
	for _, text := range []string{secret + "@eip155:1", "0x" + secret + "@solana:x", "0x0001000101012" + "0" + secret, secret + "@ethereum#4CA88C9C"} {
		for _, c := range []address.Chain{"ethereum", "solana", "near", "bitcoin"} {
			if _, err := address.Normalize(c, text); err == nil || strings.Contains(err.Error(), secret[:8]) {
				t.Errorf("%q on %s: %v", text, c, err)
			}
		}
	}
}
