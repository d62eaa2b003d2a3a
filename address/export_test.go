package address

import "github.com/walletscreen/walletscreen/internal/identity"

// Class returns the class of k.
func (k Key) Class() identity.Class { return k.class() }

// TableOrder returns the slugs in the order of the chain table.
func TableOrder() []Chain {
	all := make([]Chain, len(chains))
	for i := range chains {
		all[i] = chains[i].slug
	}
	return all[:len(all)-1] // without otherEVM
}

// IsEVM reports whether a is an EVM account.
func (a Address) IsEVM() bool { return a.isEVM() }

// IsEVM reports whether c is an EVM chain.
func IsEVM(c Chain) bool {
	return chains[lookup(c)-1].isEVM()
}

// ParseQuietly is Parse without the diagnosis.
func ParseQuietly(c Chain, s string) (Address, bool) {
	var a Address
	bad := a.parseRow(lookup(c), s, false)
	return a, bad.err == nil
}

// CountTries returns the number of strings that FindAll tries as addresses.
func CountTries(text string) int {
	f := finder{text: text}
	f.search()
	return f.tries
}

// HexCase returns which letters are among digits, and whether all are digits.
func HexCase(digits string) (lower, upper, ok bool) {
	kind, ok := hexCase(digits)
	return kind&hasLower != 0, kind&hasUpper != 0, ok
}

// IsLowerHex40 reports whether s begins with 40 digits, none of them capital.
func IsLowerHex40(s string) bool {
	_, ok := lowerHexWords(s)
	return ok
}

// Unhex returns the bytes that the digits spell, eight at a time.
func Unhex(digits string) []byte {
	b := make([]byte, len(digits)/2)
	unhex(b, digits)
	return b
}

// The functions that TestIsSecp256k1Key compares.
var (
	IsSecp256k1Key = isSecp256k1Key
	Decompress     = decompress
)
