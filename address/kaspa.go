package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/cashaddr"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// kaspa is the format of Kaspa: the mandatory prefix "kaspa:" and, with the
// checksum of CashAddr, a version byte and a public key or the hash of a
// script. It is always lower case.
//
// See crypto/addresses of rusty-kaspa.
type kaspa struct{}

const (
	kaspaPrefix = "kaspa"
	kaspaTests  = "kaspatest kaspadev kaspasim"
)

// The versions of kaspa.
const (
	kaspaSchnorr = 0 // the x coordinate of a key for Schnorr signatures, 32 bytes
	kaspaECDSA   = 1 // a compressed key for ECDSA signatures, 33 bytes
	kaspaScript  = 8 // the BLAKE2b-256 hash of a script
)

// The forms of kaspa.
const (
	formKaspaSchnorr form = iota
	formKaspaECDSA
	formKaspaScript
)

// The kinds of accounts of kaspa are its versions. The account of an ECDSA key
// is the SHA-256 hash of the key.

func (kaspa) parse(s string, tolerant bool) (string, form, fault) {
	const chars32, chars33 = 53, 55 // including the version byte, excluding the checksum
	if len(s) <= len(kaspaPrefix) || s[len(kaspaPrefix)] != ':' || s[:len(kaspaPrefix)] != kaspaPrefix {
		return "", 0, kaspaPrefixFault(s)
	}
	body := s[len(kaspaPrefix)+1:]
	n := len(body) - cashaddr.ChecksumLen
	isUpper, at, why := cashaddr.Bitcoin.Verify(kaspaPrefix, body)
	switch {
	case why == cashaddr.Charset:
		return "", 0, badChar(at).after(len(kaspaPrefix) + 1)
	case n != chars32 && n != chars33:
		return "", 0, badLength
	case why == cashaddr.Checksum:
		return "", 0, badChecksum
	case isUpper:
		return "", 0, badChar(len(kaspaPrefix) + 1) // every version begins with a letter
	}
	var version [1]byte
	cashaddr.Bitcoin.Read(version[:], body[:2])
	n = cashaddr.Bitcoin.Size(body[:n]) - 1
	switch {
	case n < 0:
		return "", 0, badSyntax
	case version[0] == kaspaSchnorr && n == 32:
		return s, formKaspaSchnorr, fault{}
	case version[0] == kaspaECDSA && n == 33:
		return s, formKaspaECDSA, fault{}
	case version[0] == kaspaScript && n == 32:
		return s, formKaspaScript, fault{}
	case version[0] == kaspaSchnorr, version[0] == kaspaECDSA, version[0] == kaspaScript:
		return "", 0, badLength
	}
	return "", 0, badSyntax
}

// kaspaPrefixFault returns the fault of s, which does not begin with the
// prefix.
func kaspaPrefixFault(s string) fault {
	if prefix, body, ok := strings.Cut(s, ":"); ok {
		for test := range strings.FieldsSeq(kaspaTests) {
			if prefix != test {
				continue
			}
			if _, _, f := cashaddr.Bitcoin.Verify(test, body); f == cashaddr.OK {
				return badNetwork
			}
		}
	}
	if at := firstDifference(s, kaspaPrefix+":"); at < len(s) {
		return badChar(at)
	}
	return badLength
}

func (kaspa) canonical(text string, f form) (string, form) { return text, f }

func (kaspa) account(text string, f form) (words, tag) {
	b := kaspaPayload(text)
	if f == formKaspaECDSA {
		return hashedKey(kaspaECDSA, b[1:])
	}
	return makeKey(identity.Class(b[0]), b[1:1+32])
}

// key returns the x coordinate of either kind of key. Both keys with an x
// coordinate have the same secret, up to its sign.
func (kaspa) key(text string, f form) (words, tag) {
	b := kaspaPayload(text)
	switch {
	case f == formKaspaSchnorr:
		return makeKey(identity.Secp256k1, b[1:1+32])
	case f == formKaspaECDSA && b[1]|1 == 3: // a compressed key
		return makeKey(identity.Secp256k1, b[2:])
	}
	return words{}, 0
}

// kaspaPayload returns the version byte of text and the bytes after it.
func kaspaPayload(text string) (b [1 + 33]byte) {
	cashaddr.Bitcoin.Read(b[:], text[len(kaspaPrefix)+1:len(text)-cashaddr.ChecksumLen])
	return b
}

func (kaspa) proves(form) bool { return true }
