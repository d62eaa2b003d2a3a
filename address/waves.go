package address

import (
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// waves is the format of Waves: Base58 of the version 1, the chain id 'W', 20
// bytes of the hash of the key, and the first four bytes of the Keccak-256 hash
// of the BLAKE2b-256 hash of the others. The letter case matters; the normal
// form is the input. 32 bytes could be a private or a public key. An alias is
// not an address; only the chain can resolve it.
//
// See "Cryptographic practical details" in the Waves documentation.
type waves struct{}

const (
	wavesVersion = 1
	wavesChain   = 'W'
	wavesLen     = 2 + 20 + sumLen
)

func (waves) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	n, at := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case at >= 0:
		return "", 0, badChar(at)
	case n == 32:
		return "", 0, badSyntax
	case n != wavesLen:
		return "", 0, badLength
	}
	inner := blake2b.Sum256(buf[:wavesLen-sumLen])
	sum := keccak256(inner[:])
	switch {
	case [sumLen]byte(sum[:]) != [sumLen]byte(buf[wavesLen-sumLen:]):
		return "", 0, badChecksum
	case buf[0] != wavesVersion:
		return "", 0, badSyntax
	case buf[1] == 'T' || buf[1] == 'S': // testnet and stagenet
		return "", 0, badNetwork
	case buf[1] != wavesChain:
		return "", 0, badSyntax
	}
	return s, 0, fault{}
}

func (waves) canonical(text string, f form) (string, form) { return text, f }

func (waves) account(text string, f form) (words, tag) {
	hash := base58Hash(text)
	return makeKey(0, hash[:])
}

// key returns no key: no other chain derives the same hash from a key.
func (waves) key(text string, f form) (words, tag) { return words{}, 0 }

func (waves) proves(form) bool { return true }
