package address_test

import (
	"errors"
	"fmt"

	"github.com/walletscreen/walletscreen/address"
)

// field is the address field of a wallet. It takes the text that a person typed and
// the chain of the wallet, and returns the normal form, or a note to show below the
// field.
func field(chain address.Chain, typed string) (normal, note string) {
	r := address.Interpret(string(chain), typed)
	err := r.Err
	var pe *address.ParseError
	switch {
	case err == nil && r.Several:
		return "", "This pays several accounts."
	case err == nil && len(r.Doubts) > 0: // such as a wrong capital: do not pay before the person has compared it
		return "", "Look again: " + r.Doubts[0].Explain() + "."
	case err == nil:
		return r.Addresses[0].Normalized(), ""
	case !errors.As(err, &pe):
		return "", err.Error()
	case errors.Is(err, address.ErrSecret):
		return "", "This may be a private key or a seed phrase. Never give it to anybody."
	case errors.Is(err, address.ErrOtherChain):
		return "", fmt.Sprintf("This is an address of %s.", pe.Other)
	case errors.Is(err, address.ErrNetwork):
		return "", "This is an address of a test network."
	case errors.Is(err, address.ErrChecksum):
		return "", "There is a typing error in this address."
	case pe.Offset >= 0:
		return "", fmt.Sprintf("Character %d does not belong there. %s", pe.Offset+1, pe.Hint())
	}
	return "", "This is not an address."
}

// The address field of a wallet: validate, normalize, and name the error.
func Example_field() {
	for _, typed := range []struct {
		chain address.Chain
		text  string
	}{
		{"tron", " TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC "},
		{"ethereum", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"},
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdg"},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1"},
		{"bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"},
		{"bitcoin", "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss"},
		{"bitcoin", "1BgGZ9"},
		{"ethereum", "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf"},
	} {
		normal, note := field(typed.chain, typed.text)
		fmt.Println(normal + note)
	}
	// Output:
	// TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC
	// This is an address of tron.
	// Character 42 does not belong there. character 42 is "g"
	// There is a typing error in this address.
	// This is an address of a test network.
	// This may be a private key or a seed phrase. Never give it to anybody.
	// This is not an address.
	// Look again: the capitals do not match the checksum of the address: compare it with the original.
}
