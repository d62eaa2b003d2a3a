package address

import (
	"github.com/walletscreen/walletscreen/internal/base58"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// helium is the format of Helium before the chain moved to Solana in 2023:
// Base58Check of the version 0, a byte for network and key type, and 32 bytes
// of the key. Key type 0 is the x coordinate of a P-256 key; 1 is an ed25519
// key. The letter case matters; the normal form is the input.
//
// See lib/crypto of helium-crypto-rs, public_key and network.
type helium struct{}

const (
	heliumLen              = 1 + 1 + 32 + sumLen
	heliumTestnet          = 0x10 // in the byte for network and type
	formHeliumCompact form = 0
	formHeliumEd25519 form = 1
)

func (helium) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	if bad := decodeBase58Check(&buf, s, heliumLen); bad.err != nil {
		return "", 0, bad
	}
	f := form(buf[1] &^ heliumTestnet)
	switch {
	case buf[0] != 0 || f > formHeliumEd25519:
		return "", 0, badSyntax
	case buf[1]&heliumTestnet != 0:
		return "", 0, badNetwork
	}
	return s, f, fault{}
}

func (helium) canonical(text string, f form) (string, form) { return text, f }

func (helium) account(text string, f form) (words, tag) { return heliumKey(identity.Class(f), text) }

func (helium) key(text string, f form) (words, tag) {
	if f != formHeliumEd25519 {
		return words{}, 0
	}
	return heliumKey(identity.Ed25519, text)
}

func (helium) proves(form) bool { return true }

// heliumKey returns the Key of the 32 bytes in text, a valid address.
func heliumKey(c identity.Class, text string) (words, tag) {
	var buf [base58.MaxLen]byte
	base58.Bitcoin.Decode(buf[:], text)
	return makeKey(c, buf[2:2+32])
}
