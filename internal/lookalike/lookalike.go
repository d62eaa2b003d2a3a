// Package lookalike finds the account that a list means by a Base58 address with a
// typing error. Lists print l or I for 1, and 0 or O for o, which are not digits of
// Base58, so there is one way to repair them.
package lookalike

import "github.com/walletscreen/walletscreen/address"

// maxLen is the length of the longest text that Repair looks at.
const maxLen = 128

// Repair returns the addresses that text becomes when each l and I is a 1, and each
// 0 and O an o. It returns nil if there is nothing to repair, or if no checksum
// proves the result.
func Repair(text string) []address.Address {
	if len(text) > maxLen {
		return nil
	}
	b := []byte(text)
	repaired := false
	for i, c := range b {
		switch c {
		case 'l', 'I':
			b[i], repaired = '1', true
		case '0', 'O':
			b[i], repaired = 'o', true
		}
	}
	if !repaired {
		return nil
	}
	var all []address.Address
	for _, a := range address.Detect(string(b)) {
		if a.Proven() {
			all = append(all, a)
		}
	}
	return all
}
