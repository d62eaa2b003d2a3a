package address

import (
	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// cryptonote is the format of Monero and similar chains: block-wise Base58 of a
// tag (a varint), the public spend key, the public view key, an 8-byte payment
// id in an integrated address, and the first four bytes of the Keccak-256 hash
// of the others.
//
// Both keys must be canonical encodings of points of the curve, as the node
// requires; a string with other keys belongs to no wallet even if its checksum
// matches. The payment id is not part of the account: the canonical form of an
// integrated address is its standard address. A subaddress is a separate
// account, which cannot be linked to its main address.
//
// The letter case matters; the normal form is the input. 64 hex digits are a
// private key.
//
// See src/common/base58.cpp, src/cryptonote_basic/cryptonote_basic_impl.cpp and
// src/cryptonote_config.h of Monero.
type cryptonote struct {
	// The tags of standard, integrated and subaddresses: on the main network,
	// all below 128, and on the test networks.
	standard, integrated, sub byte
	test                      [6]uint16
}

const (
	formStandard form = iota
	formSub
	formIntegrated
)

const (
	cnKeys       = 64
	cnPaymentID  = 8
	cnChecksum   = 4
	cnStandard   = 1 + cnKeys + cnChecksum // bytes of a standard address with a tag of one byte
	cnIntegrated = cnStandard + cnPaymentID
	cnMaxBytes   = cnIntegrated + 1
	cnMaxText    = 108 // characters of cnMaxBytes bytes
	cnMinText    = 95  // characters of cnStandard bytes
)

func (c cryptonote) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < cnMinText || len(s) > cnMaxText {
		return "", 0, wrongLength(s)
	}
	var buf [cnMaxBytes]byte
	n, bad := decodeCryptonote(&buf, s)
	if bad.err != nil {
		return "", 0, bad
	}
	sum := keccak256(buf[:n-cnChecksum])
	if [cnChecksum]byte(sum[:]) != [cnChecksum]byte(buf[n-cnChecksum:]) {
		return "", 0, badChecksum
	}
	var f form
	size := cnStandard
	switch buf[0] {
	case c.standard:
		f = formStandard
	case c.sub:
		f = formSub
	case c.integrated:
		f, size = formIntegrated, cnIntegrated
	default:
		tag := uint16(buf[0])
		if tag >= 0x80 {
			tag = tag&0x7f | uint16(buf[1])<<7
		}
		for _, t := range c.test {
			if t == tag && tag != 0 {
				return "", 0, badNetwork
			}
		}
		return "", 0, badSyntax
	}
	if n != size {
		return "", 0, badLength
	}
	if !curve.IsEd25519((*[32]byte)(buf[1:])) || !curve.IsEd25519((*[32]byte)(buf[33:])) {
		return "", 0, badSyntax
	}
	return s, f, fault{}
}

func (c cryptonote) canonical(text string, f form) (string, form) {
	if f != formIntegrated {
		return text, f
	}
	var buf [cnMaxBytes]byte
	decodeCryptonote(&buf, text)
	buf[0] = c.standard
	sum := keccak256(buf[:1+cnKeys])
	copy(buf[1+cnKeys:cnStandard], sum[:])
	return base58.Bitcoin.EncodeBlocks(buf[:cnStandard]), formStandard
}

func (c cryptonote) account(text string, f form) (words, tag) {
	class := identity.Class(formStandard)
	if f == formSub {
		class = identity.Class(formSub)
	}
	return cryptonoteKey(class, text)
}

func (c cryptonote) key(text string, f form) (words, tag) {
	return cryptonoteKey(identity.CryptoNote, text)
}

func (c cryptonote) proves(form) bool { return true }

// cryptonoteKey returns the Key of the spend key and the view key in text,
// which must be valid.
func cryptonoteKey(c identity.Class, text string) (words, tag) {
	var buf [cnMaxBytes]byte
	decodeCryptonote(&buf, text)
	return hashedKey(c, buf[1:1+cnKeys])
}

// decodeCryptonote decodes s, of at most cnMaxText characters, into buf and
// returns the number of bytes.
func decodeCryptonote(buf *[cnMaxBytes]byte, s string) (int, fault) {
	n, bad := base58.Bitcoin.DecodeBlocks(buf[:], s)
	switch {
	case bad >= 0:
		return 0, badChar(bad)
	case base58.BlocksLen(len(s)) < 0:
		return 0, badLength
	case n < 0:
		return 0, badSyntax
	}
	return n, fault{}
}
