package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// near is the format of near. An account is a name of 2 to 64 lower-case
// letters and digits, in nonempty parts with one "-", "_" or "." between any
// two. Some names are special: 64 hex digits are an implicit account, named by
// its ed25519 public key; "0x" and 40 hex digits are an account of an Ethereum
// key; names under ".testnet" belong to the test network.
//
// There is no checksum, and much text that is not an account is well-formed.
// parse rejects names without "." in the form of an address of another chain, or of
// a secret, though somebody could register such a name: a caller that passes a
// Bitcoin address with the wrong chain must get an error, not an account on this
// one.
//
// See the NEAR specification, "Account ID rules".
type near struct{}

const (
	formNearName form = iota
	formNearImplicit
	formNearEthereum
)

// The kinds of accounts. nearLong is for names that are hashed.
const (
	nearName identity.Class = iota
	nearLong
	nearImplicit
	nearEthereum
)

const (
	nearMinLen = 2
	nearMaxLen = 64
)

func (near) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < nearMinLen || len(s) > nearMaxLen {
		if hasAnyPrefix(s, "ed25519:") && len(s) > len("ed25519:")+44 {
			return "", 0, badSyntax // 64 bytes; a public key has 32
		}
		return "", 0, badLength
	}
	if hasAnyPrefix(s, "secp256k1:") {
		return "", 0, badSyntax // 32 bytes; a public key has 64 digits
	}
	separator := true // a name must not begin with a separator
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			separator = false
		case (c == '-' || c == '_' || c == '.') && !separator:
			separator = true
		default:
			return "", 0, badChar(i)
		}
	}
	switch {
	case separator:
		return "", 0, badChar(len(s) - 1)
	case strings.HasSuffix(s, ".testnet"):
		return "", 0, badNetwork
	}
	f := nearForm(s)
	switch {
	case f == formNearName && (len(s) >= 62 && isHex(s) || hasSecretMark(s)):
		return "", 0, badSyntax
	case isOfAnother(s, f), f == formNearName && (isServiceName(s) || isPaymentRequest(s) || isInteropHex(s)):
		return "", 0, badSyntax
	}
	return s, f, fault{}
}

// isOfAnother reports whether s, well-formed on near, is provably an address of
// another chain. It tries only names that look like one: Bech32 contains a "1"
// and has at least 14 characters, internet-computer has groups of five letters,
// and the others (CashAddr without its prefix, filecoin, nano) have at least 41
// characters.
func isOfAnother(s string, f form) bool {
	switch f {
	case formNearEthereum:
		return false // valid on both
	case formNearImplicit:
		_, _, bad := icp{}.parse(s, false) // the only other format with 64 hex digits
		return bad.err == nil
	}
	if _, ok := shapeOf(s); ok {
		return true
	}
	looks := len(s) >= 41 || len(s) >= 14 && strings.IndexByte(s, '1') > 0 || len(s) > 5 && s[5] == '-'
	return looks && strings.IndexByte(s, '.') < 0 && provesElsewhere(s)
}

func nearForm(s string) form {
	if len(s) == 64 && isHex(s) {
		return formNearImplicit
	}
	if len(s) == evmLen && s[:2] == "0x" && isHex(s[2:]) {
		return formNearEthereum
	}
	return formNearName
}

func (near) canonical(text string, f form) (string, form) { return text, f }

func (near) account(text string, f form) (words, tag) {
	switch {
	case f == formNearImplicit:
		return hexKey(nearImplicit, text)
	case f == formNearEthereum:
		return evmKey(nearEthereum, text[2:])
	case len(text) <= 32:
		return textKey(nearName, text)
	}
	var buf [nearMaxLen]byte
	return hashedKey(nearLong, buf[:copy(buf[:], text)])
}

func (near) key(text string, f form) (words, tag) {
	switch f {
	case formNearImplicit:
		return hexKey(identity.Ed25519, text)
	case formNearEthereum:
		return evmKey(identity.KeccakHash, text[2:])
	}
	return words{}, 0
}

func (near) proves(form) bool { return false }
