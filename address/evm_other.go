package address

import (
	"strconv"
	"strings"
)

// The EVM chains without a row in the table are identified by their CAIP-2 ids,
// "eip155:" and a number. See EIP-155 and the CAIP-2 namespace eip155.

const (
	otherEVMSlug = "eip155"
	eip155       = otherEVMSlug + ":"
)

var otherEVMRow = lookup(otherEVMSlug)

// chainNumber reports whether c is "eip155:" and a number without leading
// zeros.
func chainNumber(c Chain) (digits string, ok bool) {
	digits, ok = strings.CutPrefix(string(c), eip155)
	if !ok || !isChainNumber(digits) {
		return "", false
	}
	return digits, true
}

// isChainNumber reports whether digits are a decimal number without leading
// zeros below 2^63, the bound of EIP-2294.
func isChainNumber(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 64)
	return err == nil && digits[0] != '0' && n < 1<<63
}

// rowOf returns the row of c, plus one. c can be a slug, or "eip155:" and the
// id of an EVM chain; for an id without a row, rowOf returns otherEVMRow. It
// returns zero if c is not a chain.
func rowOf(c Chain) uint16 {
	if r := lookup(c); r != 0 && r != otherEVMRow {
		return r
	}
	if _, ok := chainNumber(c); !ok {
		return 0
	}
	for i := range chains {
		if chains[i].caip2 == string(c) {
			return uint16(i + 1)
		}
	}
	return otherEVMRow
}

// slugOf returns the slug of row r, or c, the id of a chain without a row.
func slugOf(c Chain, r uint16) Chain {
	if r == otherEVMRow {
		return c
	}
	return chains[r-1].slug
}

// setNumber sets the number of a, an address of c, if c has no row.
func (a *Address) setNumber(c Chain) {
	if a.row == otherEVMRow {
		digits, _ := chainNumber(c)
		a.number, _ = strconv.ParseUint(digits, 10, 64)
	}
}
