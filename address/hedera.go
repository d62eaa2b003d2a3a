package address

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// hedera is the format of hedera. An account is one of
//
//   - "0.0." and its number, optionally followed by a dash and five lower-case letters,
//     a checksum of the number and the ledger;
//   - "0x" and 40 hex digits: the alias of an Ethereum key, or of a contract. If they
//     begin with 24 zeros, they are the number of the account. The rules for letter case
//     are those of EVM addresses;
//   - "0.0." and the DER form of a public key in hex: the alias of that key. A secp256k1
//     key identifies the account of its Ethereum address.
//
// The canonical form is the number without the checksum, or the Ethereum
// address if there is one. Only the ledger knows the number of an alias. Shards
// and realms other than 0 do not exist.
//
// See HIP-15, "Address Checksum", HIP-32 on aliases of keys, and HIP-583 on
// those of Ethereum.
type hedera struct{}

const (
	formHederaID form = iota
	formHederaChecked
	formHederaAlias
	formHederaLongZero // an EVM address that holds a number
	formHederaEd25519
	formHederaSecp256k1
)

// The kinds of accounts.
const (
	kindHederaID identity.Class = iota
	kindHederaAlias
	kindHederaEd25519
)

const (
	hederaPrefix   = "0.0."
	hederaSumLen   = 5
	hederaMinKey   = 2 * (12 + 32) // digits of a key in DER
	hederaMaxLen   = len(hederaPrefix) + 2*(23+33)
	hederaLongZero = "0x000000000000000000000000" // 16 digits follow
)

// The beginnings of the DER forms of public keys. A compressed secp256k1 key
// has a short form that the SDKs use and one that conforms to RFC 5480.
const (
	derEd25519     = "302a300506032b6570032100"
	derSecp256k1   = "302d300706052b8104000a032200"
	derECSecp256k1 = "3036301006072a8648ce3d020106052b8104000a032200"
)

func (hedera) parse(s string, tolerant bool) (string, form, fault) {
	switch {
	// The DER forms of ed25519 and of ECDSA private keys.
	case hasAnyPrefix(s, "302e0201", "3030020100") || isHexKey(s):
		return "", 0, badSyntax
	case len(s) < len(hederaPrefix) || len(s) > hederaMaxLen:
		return "", 0, badLength
	case s[1]|0x20 == 'x':
		text, _, bad := evm{}.parse(s, tolerant)
		if bad.err != nil {
			return "", 0, bad
		}
		f := formHederaAlias
		if isLongZero(text) {
			f = formHederaLongZero
		}
		return text, f, fault{}
	}
	for i := range len(hederaPrefix) {
		if s[i] != hederaPrefix[i] {
			return "", 0, badChar(i)
		}
	}
	if len(s) >= len(hederaPrefix)+hederaMinKey {
		return parseHederaKey(s)
	}
	_, end, bad := parseID(s, len(hederaPrefix))
	switch {
	case bad.err != nil:
		return "", 0, bad
	case end == len(s):
		return s, formHederaID, fault{}
	case s[end] != '-':
		return "", 0, badChar(end)
	}
	return s, formHederaChecked, checkHedera(s, end)
}

// parseHederaKey parses the alias of a key.
func parseHederaKey(s string) (string, form, fault) {
	bad, capitals := scanHex(s, len(hederaPrefix))
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	if capitals {
		s = strings.ToLower(s)
	}
	der := s[len(hederaPrefix):]
	switch {
	case strings.HasPrefix(der, derEd25519):
		if len(der) != len(derEd25519)+64 {
			return "", 0, badLength
		}
		return s, formHederaEd25519, fault{}
	case strings.HasPrefix(der, derSecp256k1) && len(der) == len(derSecp256k1)+66,
		strings.HasPrefix(der, derECSecp256k1) && len(der) == len(derECSecp256k1)+66:
		if !isSecp256k1Key(hederaSecp256k1(s)) {
			return "", 0, badSyntax
		}
		return s, formHederaSecp256k1, fault{}
	}
	return "", 0, badSyntax
}

// hederaSecp256k1 returns the secp256k1 key at the end of text.
func hederaSecp256k1(text string) (key [33]byte) {
	unhex(key[:], text[len(text)-66:])
	return key
}

// hederaEthereum returns the Ethereum address of the secp256k1 key at the end
// of text, which must be a point of the curve.
func hederaEthereum(text string) [20]byte {
	xy, _ := decompress(hederaSecp256k1(text))
	sum := keccak256(xy[:])
	return [20]byte(sum[12:])
}

// isLongZero reports whether the EVM address in text holds an account number.
func isLongZero(text string) bool {
	return strings.HasPrefix(text, hederaLongZero) && text[len(hederaLongZero)] < '8'
}

// checkHedera checks the letters after the dash at offset dash of s. They
// distinguish three ledgers: the main network, 0, the test network and the
// preview network.
func checkHedera(s string, dash int) fault {
	for i := dash + 1; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return badChar(i)
		}
	}
	if len(s) != dash+1+hederaSumLen {
		return badLength
	}
	for ledger := range uint32(3) {
		if hederaSum(s[:dash], ledger) == [hederaSumLen]byte([]byte(s[dash+1:])) {
			if ledger == 0 {
				return fault{}
			}
			return badNetwork
		}
	}
	return badChecksum
}

// hederaSum returns the checksum letters of the account id on a ledger whose id
// is one byte, as defined in HIP-15.
func hederaSum(id string, ledger uint32) (letters [hederaSumLen]byte) {
	const p3, p5 = 26 * 26 * 26, 26 * 26 * 26 * 26 * 26
	var even, odd, all uint32
	for i := range len(id) {
		d := uint32(10) // the dot
		if id[i] != '.' {
			d = uint32(id[i] - '0')
		}
		if i%2 == 0 {
			even += d
		} else {
			odd += d
		}
		all = (all*31 + d) % p3
	}
	h := uint64(ledger)
	for range 6 {
		h = h * 31 % p5
	}
	c := ((uint64(len(id)%5)*11+uint64(even%11))*11+uint64(odd%11))*p3 + uint64(all) + h
	c = c % p5 * 1000003 % p5
	for i := hederaSumLen - 1; i >= 0; i-- {
		letters[i] = 'a' + byte(c%26)
		c /= 26
	}
	return letters
}

// hederaNumber returns the account number in text.
func hederaNumber(text string, f form) uint64 {
	if f == formHederaLongZero {
		var b [8]byte
		unhex(b[:], text[len(hederaLongZero):])
		return binary.BigEndian.Uint64(b[:])
	}
	id, _, _ := parseID(text, len(hederaPrefix))
	return id
}

func (hedera) canonical(text string, f form) (string, form) {
	switch f {
	case formHederaChecked:
		return text[:len(text)-1-hederaSumLen], formHederaID
	case formHederaLongZero:
		return hederaPrefix + strconv.FormatUint(hederaNumber(text, f), 10), formHederaID
	case formHederaSecp256k1:
		a := hederaEthereum(text)
		return "0x" + hex.EncodeToString(a[:]), formHederaAlias
	}
	return text, f
}

func (hedera) account(text string, f form) (words, tag) {
	switch f {
	case formHederaAlias:
		return evmKey(kindHederaAlias, text[2:])
	case formHederaEd25519:
		return hederaEd25519(kindHederaEd25519, text)
	case formHederaSecp256k1:
		a := hederaEthereum(text)
		return makeKey(kindHederaAlias, a[:])
	}
	return idKey(kindHederaID, hederaNumber(text, f))
}

func (hedera) key(text string, f form) (words, tag) {
	switch f {
	case formHederaAlias:
		return evmKey(identity.KeccakHash, text[2:])
	case formHederaEd25519:
		return hederaEd25519(identity.Ed25519, text)
	case formHederaSecp256k1:
		a := hederaEthereum(text)
		return makeKey(identity.KeccakHash, a[:])
	}
	return words{}, 0
}

func (hedera) proves(f form) bool { return f == formHederaChecked }

// hederaEd25519 returns the Key of the ed25519 key at the end of text.
func hederaEd25519(c identity.Class, text string) (words, tag) {
	return hexKey(c, text[len(text)-64:])
}
