package address

import "github.com/walletscreen/walletscreen/internal/identity"

// evmPrefixed is the format of an EVM chain that writes addresses with another
// prefix instead of "0x": the prefix and 40 hex digits. It also accepts "0x",
// which spells the same account. The rules for letter case are those of evm.
// The normal form keeps the prefix, in lower case; in tolerant mode, parse
// accepts capitals in it.
//
// See the XDC Network documentation, "XDC address prefix", and the Ronin
// documentation, "Address formats".
type evmPrefixed struct {
	evm
	prefix string // in lower case
}

var _ evmFamily = evmPrefixed{}

const formEVMPrefixed form = 1

func (c evmPrefixed) parse(s string, tolerant bool) (string, form, fault) {
	n := len(c.prefix)
	switch {
	case len(s) > 0 && s[0] == '0' || isHexKey(s):
		return c.evm.parse(s, tolerant)
	case len(s) != n+40:
		return "", 0, badLength
	}
	lower := true
	for i := range n {
		switch {
		case s[i] == c.prefix[i]:
		case tolerant && 'A' <= s[i] && s[i] <= 'Z' && s[i]|0x20 == c.prefix[i]:
			lower = false
		default:
			return "", 0, badChar(i)
		}
	}
	digits := s[n:]
	kind, ok := hexCase(digits)
	switch {
	case !ok:
		return "", 0, badChar(n + firstNonHex(digits))
	case lower && kind&hasUpper == 0:
		return s, formEVMPrefixed, fault{}
	case kind == hasUpper|hasLower && !tolerant && !isEIP55(digits):
		return "", 0, badChecksum
	}
	var buf [32 + 40]byte
	copy(buf[:32], c.prefix)
	putLowerHex(buf[n:], digits)
	return string(buf[:n+40]), formEVMPrefixed, fault{}
}

func (evmPrefixed) account(text string, f form) (words, tag) {
	return evmKey(evmKind, text[len(text)-40:])
}

func (evmPrefixed) key(text string, f form) (words, tag) {
	return evmKey(identity.KeccakHash, text[len(text)-40:])
}
