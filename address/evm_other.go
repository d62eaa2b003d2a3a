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

// parseOther implements [Parse] or, if tolerant, [Normalize] for a chain that
// lookup does not find: it sets a, which is zero.
func parseOther(a *Address, c Chain, s string, tolerant bool) (err error) {
	r := rowOf(c)
	if r == 0 {
		return unsupported(c)
	}
	if r != otherEVMRow {
		if tolerant {
			*a, err = Normalize(chains[r-1].slug, s)
		} else {
			*a, err = Parse(chains[r-1].slug, s)
		}
		return err
	}
	bare, at := s, 0
	if tolerant {
		bare, at = bareOther(c, s)
	}
	if bad := a.parseRow(r, bare, tolerant); bad.err != nil {
		return diagnoseOn(c, r, s, bare, at, bad)
	}
	digits, _ := chainNumber(c)
	a.number, _ = strconv.ParseUint(digits, 10, 64)
	return nil
}

// bareOther returns the address in s, which [Normalize] reads, and its offset.
func bareOther(c Chain, s string) (bare string, at int) {
	if len(s) > maxTolerated {
		return s, 0
	}
	bare, at = trimBlanks(s)
	if rest, ok := cutID(c, bare); ok {
		return rest, at + strings.Index(bare, rest)
	}
	if i, ok := readInterop(bare); ok && i.isOn(c, true) {
		bare = i.body
	}
	return bare, at
}

// cutID returns s without the identifier of the chain c: its id in front, as in
// CAIP-10, or the scheme of ethereum and the number at the end, as in EIP-681.
func cutID(c Chain, s string) (string, bool) {
	if len(s) > len(c) && strings.EqualFold(s[:len(c)], string(c)) && s[len(c)] == ':' {
		return s[len(c)+1:], true
	}
	const scheme = "ethereum:"
	digits, _ := chainNumber(c)
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return s, false
	}
	body := strings.TrimPrefix(s[len(scheme):], "pay-")
	if bare, ok := strings.CutSuffix(body, "@"+digits); ok {
		body = bare
	}
	return body, len(body) == evmLen
}
