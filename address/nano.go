package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// nano is the format of nano: "nano_", or formerly "xrb_", and 60 characters of
// Base32 in a special alphabet. They encode 4 zero bits, an ed25519 public key
// (with BLAKE2b in place of SHA-512), and the reversed BLAKE2b-40 hash of the
// key. The canonical form has "nano_". In tolerant mode, parse accepts a hyphen
// for the underscore, as the node does.
//
// See the Nano documentation, "Account public key and address".
type nano struct{}

const (
	formNano form = iota
	formNanoXRB
)

const (
	nanoPrefix    = "nano_"
	nanoXRBPrefix = "xrb_"
	nanoDigits    = 60
)

var nanoAlphabet = base32.New("13456789abcdefghijkmnopqrstuwxyz")

func (nano) parse(s string, tolerant bool) (string, form, fault) {
	f, prefix := formNano, nanoPrefix
	if len(s) == len(nanoXRBPrefix)+nanoDigits {
		f, prefix = formNanoXRB, nanoXRBPrefix
	}
	if len(s) != len(prefix)+nanoDigits || isHexKey(s) {
		return "", 0, wrongLength(s)
	}
	last := len(prefix) - 1
	for i := range last {
		if s[i] != prefix[i] {
			return "", 0, badChar(i)
		}
	}
	if s[last] != '_' && !(tolerant && s[last] == '-') {
		return "", 0, badChar(last)
	}
	key, sum, at := decodeNano(s[len(prefix):])
	if at >= 0 {
		return "", 0, badChar(len(prefix) + at)
	}
	if sum != nanoSum(key) {
		return "", 0, badChecksum
	}
	if s[last] == '-' {
		s = prefix + s[len(prefix):]
	}
	return s, f, fault{}
}

// decodeNano returns the key and the checksum that digits encode, and the index
// of the first wrong digit, or -1.
func decodeNano(digits string) (key [32]byte, sum [5]byte, bad int) {
	// The first four digits encode four zero bits and two bytes; the others
	// encode whole bytes.
	var head uint32
	for i := range 4 {
		v := nanoAlphabet.Value(digits[i])
		if v == base32.None || i == 0 && v > 1 {
			return key, sum, i
		}
		head = head<<5 | uint32(v)
	}
	var rest [35]byte
	if bad := base32.Decode(nanoAlphabet, rest[:], digits[4:]); bad >= 0 {
		return key, sum, 4 + bad
	}
	key[0], key[1] = byte(head>>8), byte(head)
	copy(key[2:], rest[:30])
	copy(sum[:], rest[30:])
	return key, sum, -1
}

// nanoSum returns the checksum of key in the order in which addresses encode
// it.
func nanoSum(key [32]byte) (sum [5]byte) {
	sumBlake(blakePool5, sum[:], key[:])
	sum[0], sum[1], sum[3], sum[4] = sum[4], sum[3], sum[1], sum[0]
	return sum
}

func (nano) canonical(text string, f form) (string, form) {
	if f == formNanoXRB {
		text = nanoPrefix + strings.TrimPrefix(text, nanoXRBPrefix)
	}
	return text, formNano
}

func (nano) account(text string, f form) (words, tag) { return nanoKey(0, text) }

func (nano) key(text string, f form) (words, tag) { return nanoKey(identity.Ed25519Blake2b, text) }

func (nano) proves(form) bool { return true }

func nanoKey(c identity.Class, text string) (words, tag) {
	key, _, _ := decodeNano(text[len(text)-nanoDigits:])
	return key32(c, &key)
}
