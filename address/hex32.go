package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// A hex32 is the format of chains whose accounts are 32 bytes, or a number
// below 2^256: "0x" and 64 hex digits. The normal form keeps the number of
// digits, in lower case; the canonical form always has 64.
//
// Starknet's tools drop leading zeros. Its addresses are hashes, so none has
// enough leading zeros to shrink to the length of an EVM or Flow address; parse
// rejects these lengths.
//
// See AIP-40, "Address Standard v1" (aptos), the documentation of Sui and IOTA
// on addresses, and that of Starknet on contract addresses.
type hex32 struct {
	special bool // aptos and movement: "0x0" to "0xf" are addresses too
	pad     bool // aptos, sui: accept 60 to 63 digits in tolerant mode
	felt    bool // starknet: 1 to 64 digits of a number below 2^251-256
}

const (
	hex32Len       = 2 + 64
	hex32Pad       = 2 + 60 // the shortest length that is padded
	formHex32 form = 0
)

func (h hex32) parse(s string, tolerant bool) (string, form, fault) {
	if bad := h.checkStart(s, tolerant); bad.err != nil {
		return "", 0, bad
	}
	if s[2] == '0' && isInteropHex(s) {
		return "", 0, badSyntax
	}
	bad, capitals := scanHex(s, 2)
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	switch {
	case len(s) == hex32Len || h.felt || h.special && len(s) == 3:
	case h.pad && tolerant && len(s) >= hex32Pad:
		s = padHex32(s)
	default:
		return "", 0, badLength
	}
	text := s
	if capitals || s[1] == 'X' {
		text = strings.ToLower(s)
	}
	if h.felt {
		value := hex32Value(text)
		if !isStarknetAddress(value) {
			return "", 0, badSyntax
		}
		if capitals && !tolerant && !isStarknetCase(value, s) {
			return "", 0, badChecksum
		}
	}
	return text, formHex32, fault{}
}

// isShort reports whether leading digits of s, an address, are missing. As the
// addresses of starknet are below 2^252, tools drop one digit of any address.
func (h hex32) isShort(s string) bool {
	n := len(s) - 2
	switch {
	case h.felt:
		return 1 < n && n < 63
	case h.special && n == 1:
		return false
	}
	return n < 64
}

// checkStart checks the prefix and the length of s.
func (h hex32) checkStart(s string, tolerant bool) fault {
	switch {
	case len(s) < 3:
		return badLength
	case s[0] != '0' || s[1] != 'x' && !(tolerant && s[1] == 'X'):
		if isHex32Secret(s) {
			return badSyntax
		}
		return badHexPrefix(s)
	case len(s) > hex32Len:
		return badHexLength(s)
	case h.felt && (len(s) == evmLen || len(s) == 2+flowDigits):
		return badLength
	}
	return fault{}
}

// isHex32Secret reports whether s, which does not begin like an address, looks
// like a private key: 64 digits without "0x", or the prefix of a key on sui,
// iota or aptos.
func isHex32Secret(s string) bool {
	return len(s) == 64 && isHex(s) ||
		hasAnyPrefix(s, "suiprivkey1", "iotaprivkey1", "ed25519-priv-", "secp256k1-priv-")
}

// padHex32 returns "0x" and the 64 digits of the number that s spells with
// fewer.
func padHex32(s string) string {
	return "0x" + strings.Repeat("0", hex32Len-len(s)) + s[2:]
}

// hex32Value returns the number that text, in normal form, spells, big-endian.
func hex32Value(text string) (value [32]byte) {
	putHexNumber(&value, text[2:])
	return value
}

// isStarknetAddress reports whether value is below 2^251-256, which is
// 0x07ffff…ff00. No contract can have a greater address.
func isStarknetAddress(value [32]byte) bool {
	if value[0] != 7 {
		return value[0] < 7
	}
	for _, b := range value[1:31] {
		if b != 0xff {
			return true
		}
	}
	return false
}

// isStarknetCase reports whether the capitals in s match the checksum of
// Starknet's tools. As in EIP-55, a letter is upper case if the digit at its
// position in the hash is at least eight; the hash is the keccak256 of the
// number in as few bytes as possible. Digits in a single letter case have no
// checksum.
func isStarknetCase(value [32]byte, s string) bool {
	digits := s[2:]
	if strings.ToUpper(digits) == digits {
		return true
	}
	short := value[:]
	for len(short) > 1 && short[0] == 0 {
		short = short[1:]
	}
	sum := keccak256(short)
	for i := range len(digits) {
		at := 64 - len(digits) + i
		nibble := sum[at/2] >> (4 * (1 - at&1)) & 15
		if c := digits[i]; c >= 'A' && (nibble >= 8) != (c < 'a') {
			return false
		}
	}
	return true
}

func (h hex32) canonical(text string, f form) (string, form) {
	if len(text) < hex32Len {
		text = padHex32(text)
	}
	return text, f
}

func (h hex32) account(text string, f form) (words, tag) {
	value := hex32Value(text)
	return key32(0, &value)
}

// key returns the account itself on the chains that derive it from a key like
// aptos, so that one of them finds what another lists.
func (h hex32) key(text string, f form) (words, tag) {
	if !h.special {
		return words{}, 0
	}
	value := hex32Value(text)
	if w, t := key32(identity.MoveAccount, &value); [31]byte(value[:]) != [31]byte{} || value[31] > 0xf {
		return w, t
	}
	return words{}, 0 // "0x0" to "0xf" belong to the chain
}

func (hex32) proves(form) bool { return false }
