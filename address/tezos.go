package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// tezos is the format of Tezos: Base58Check of a prefix of three bytes, which
// identifies the kind of account, and a hash of 20 bytes, 36 characters in all.
// The accounts are implicit ones, named by the hash of a key (tz1 to tz4),
// smart contracts (KT1) and smart rollups (sr1). The letter case matters; the
// normal form is the input. The test networks use the same addresses.
//
// See src/lib_crypto/base58.ml of Octez, module Prefix.
type tezos struct{}

const (
	tezosPrefix = 3
	tezosLen    = tezosPrefix + 20 + sumLen
)

// tezosPrefixes holds the prefixes of accounts. The index of a prefix is its
// form.
var tezosPrefixes = [...][tezosPrefix]byte{
	{6, 161, 159}, // tz1, an ed25519 key
	{6, 161, 161}, // tz2, a secp256k1 key
	{6, 161, 164}, // tz3, a P-256 key
	{6, 161, 166}, // tz4, a BLS12-381 key
	{2, 90, 121},  // KT1
	{6, 124, 117}, // sr1
}

// tezosSecrets holds the beginnings of secret keys, plain and encrypted.
// Matching the text, not the decoded bytes, also recognizes keys with a typing
// error.
var tezosSecrets = [...]string{"edsk", "spsk", "p2sk", "BLsk", "edesk", "spesk", "p2esk", "BLesk", "seesk", "sask"}

func (tezos) parse(s string, tolerant bool) (string, form, fault) {
	for _, p := range tezosSecrets {
		if strings.HasPrefix(s, p) {
			return "", 0, badSyntax
		}
	}
	var buf [base58.MaxLen]byte
	if bad := decodeBase58Check(&buf, s, tezosLen); bad.err != nil {
		return "", 0, bad
	}
	for i := range tezosPrefixes {
		if [tezosPrefix]byte(buf[:]) == tezosPrefixes[i] {
			return s, form(i), fault{}
		}
	}
	return "", 0, badSyntax
}

func (tezos) canonical(text string, f form) (string, form) { return text, f }

func (tezos) account(text string, f form) (words, tag) {
	hash := base58Hash(text)
	return makeKey(identity.Class(f), hash[:])
}

// key returns no key: no other chain derives the same hash from a key.
func (tezos) key(text string, f form) (words, tag) { return words{}, 0 }

func (tezos) proves(form) bool { return true }
