package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// aeternity is the format of æternity: "ak_" and the Base58Check of an ed25519
// public key, without a version byte. The letter case matters; the normal form
// is the input. The test network uses the same addresses. Other identifiers of
// the chain, such as "ct_" for a contract, are not addresses; "sk_" is a
// secret.
//
// See "API encoding" in the æternity protocol documentation.
type aeternity struct{}

const (
	aeternityPrefix = "ak_"
	aeternitySecret = "sk_"
	aeternityLen    = 32 + sumLen
)

func (aeternity) parse(s string, tolerant bool) (string, form, fault) {
	if strings.HasPrefix(s, aeternitySecret) || isHexKey(s) || len(s) == 128 && isHex(s) {
		return "", 0, badSyntax
	}
	if !strings.HasPrefix(s, aeternityPrefix) {
		return "", 0, badSyntax
	}
	var buf [base58.MaxLen]byte
	if bad := decodeBase58Check(&buf, s[len(aeternityPrefix):], aeternityLen); bad.err != nil {
		return "", 0, bad.after(len(aeternityPrefix))
	}
	return s, 0, fault{}
}

func (aeternity) canonical(text string, f form) (string, form) { return text, f }

func (aeternity) account(text string, f form) (words, tag) { return aeternityKey(0, text) }

func (aeternity) key(text string, f form) (words, tag) { return aeternityKey(identity.Ed25519, text) }

func (aeternity) proves(form) bool { return true }

// aeternityKey returns the Key of the 32 bytes in text, a valid address.
func aeternityKey(c identity.Class, text string) (words, tag) {
	var buf [base58.MaxLen]byte
	base58.Bitcoin.Decode(buf[:], text[len(aeternityPrefix):])
	return makeKey(c, buf[:32])
}
