package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/crc16"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// strkey is the format of stellar: Base32 of a version byte, a key or hash of
// 32 bytes, and a little-endian CRC-16, in upper case. An account is "G…", 56
// characters; a contract is "C…", also 56 characters; "M…", 69 characters, is
// an account with an 8-byte number by which its owner assigns payments.
//
// The canonical form of "M…" is the account's "G…". A seed "S…" is a secret.
// The other kinds of strkeys ("T", "X", "P", "L", "B") are not accounts.
//
// See SEP-23, "Strkeys".
type strkey struct{}

const (
	formStellarAccount form = iota
	formStellarMuxed
	formStellarContract
)

const (
	strkeyLen      = 56 // of 35 bytes
	strkeyMuxedLen = 69 // of 43 bytes, and one bit
	strkeyMaxBytes = 43
)

// strkeyAccount is the version byte of "G…". The upper five bits encode the
// first letter; zero in the others means ed25519 or SHA-256.
const strkeyAccount = ('G' - 'A') << 3

func (strkey) parse(s string, tolerant bool) (string, form, fault) {
	if isStellarSeed(s) {
		return "", 0, badSyntax
	}
	if len(s) != strkeyLen && len(s) != strkeyMuxedLen {
		return "", 0, wrongLength(s)
	}
	var f form
	switch s[0] {
	case 'G':
		f = formStellarAccount
	case 'M':
		f = formStellarMuxed
	case 'C':
		f = formStellarContract
	default:
		return "", 0, badChar(0)
	}
	if (f == formStellarMuxed) != (len(s) == strkeyMuxedLen) {
		return "", 0, badLength
	}
	var raw [strkeyMaxBytes]byte
	b := raw[:len(s)*5/8]
	if bad := base32.Decode(base32.Upper, b, s); bad >= 0 {
		return "", 0, badChar(bad)
	}
	if b[0]&7 != 0 {
		return "", 0, badChar(1)
	}
	sum := len(b) - 2
	if crc16.XModem(b[:sum]) != binary.LittleEndian.Uint16(b[sum:]) {
		return "", 0, badChecksum
	}
	return s, f, fault{}
}

// isStellarSeed reports whether s is a seed ("S…"), with a correct checksum.
func isStellarSeed(s string) bool {
	var raw [strkeyMaxBytes]byte
	b := raw[:strkeyLen*5/8]
	return len(s) == strkeyLen && s[0] == 'S' && base32.Decode(base32.Upper, b, s) < 0 &&
		crc16.XModem(b[:len(b)-2]) == binary.LittleEndian.Uint16(b[len(b)-2:])
}

func (strkey) canonical(text string, f form) (string, form) {
	if f != formStellarMuxed {
		return text, f
	}
	var raw [strkeyMaxBytes]byte
	base32.Decode(base32.Upper, raw[:], text)
	raw[0] = strkeyAccount
	binary.LittleEndian.PutUint16(raw[33:], crc16.XModem(raw[:33]))
	var buf [strkeyLen]byte
	return string(base32.Upper.Append(buf[:0], raw[:35])), formStellarAccount
}

func (strkey) account(text string, f form) (words, tag) {
	if f == formStellarContract {
		return stellarKey(1, text)
	}
	return stellarKey(0, text)
}

func (strkey) key(text string, f form) (words, tag) {
	if f == formStellarContract {
		return words{}, 0
	}
	return stellarKey(identity.Ed25519, text)
}

func (strkey) proves(form) bool { return true }

// stellarKey returns the Key of the 32 bytes after the version byte.
func stellarKey(c identity.Class, text string) (words, tag) {
	var raw [strkeyMaxBytes]byte
	base32.Decode(base32.Upper, raw[:len(text)*5/8], text)
	return makeKey(c, raw[1:33])
}
