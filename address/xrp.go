package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// xrp is the format of the XRP Ledger: Base58Check with a special alphabet, as
// a classic address (r…) or as an X-address (X…), which includes a destination
// tag. The tag is not part of the account, so the canonical form is classic.
//
// See "Base58 Encodings" in the documentation of the XRP Ledger, and XLS-5d.
type xrp struct{}

const (
	formClassic form = iota
	formX
)

const (
	xrpClassicLen = 1 + 20 + sumLen
	xrpXLen       = 2 + 20 + 1 + 8 + sumLen // version, account, flag, tag
)

func (xrp) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	n, at := base58.Ripple.Decode(buf[:], s)
	if n < 0 {
		if at >= 0 {
			return "", 0, badChar(at)
		}
		return "", 0, badLength
	}
	b := buf[:n]
	switch {
	case isXRPSecret(b):
		return "", 0, badSyntax
	case n != xrpClassicLen && n != xrpXLen:
		return "", 0, badLength
	case !sha256d.verifies(b):
		return "", 0, badChecksum
	case n == xrpXLen:
		return parseX(s, [xrpXLen]byte(b))
	case b[0] != 0:
		return "", 0, badSyntax
	}
	return s, formClassic, fault{}
}

// parseX parses the bytes b of s, whose checksum is correct, as an X-address.
// Flag 0 means no tag and requires a zero tag; flag 1 means a tag of four bytes
// followed by four zeros. Other flags are not in use.
func parseX(s string, b [xrpXLen]byte) (string, form, fault) {
	const main, test = 0x0544, 0x0493
	version := binary.BigEndian.Uint16(b[:])
	flag := b[22]
	tag := binary.LittleEndian.Uint64(b[23:])
	switch {
	case version != main && version != test:
		return "", 0, badSyntax
	case flag > 1, flag == 0 && tag != 0, tag > 1<<32-1:
		return "", 0, badSyntax
	case version == test:
		return "", 0, badNetwork
	}
	return s, formX, fault{}
}

// isXRPSecret reports whether b, which ends with its checksum, right or wrong,
// is a seed (s…, sEd…) or a private key (p…).
func isXRPSecret(b []byte) bool {
	switch len(b) {
	case 1 + 16 + sumLen:
		return b[0] == 0x21
	case 3 + 16 + sumLen:
		return string(b[:3]) == "\x01\xe1\x4b"
	case 1 + 32 + sumLen:
		return b[0] == 0x20 || b[0] == 0x22
	}
	return false
}

func (xrp) canonical(text string, f form) (string, form) {
	if f == formClassic {
		return text, f
	}
	k := newKey(xrpKey(0, text, f))
	b := k.AppendBytes(make([]byte, 1, xrpClassicLen))
	sum := sha256d.sum(b)
	return base58.Ripple.Encode(append(b, sum[:]...)), formClassic
}

func (xrp) account(text string, f form) (words, tag) {
	return xrpKey(0, text, f)
}

func (xrp) key(text string, f form) (words, tag) {
	return xrpKey(identity.Hash160, text, f)
}

func (xrp) proves(form) bool { return true }

// xrpKey returns the Key of class c with the account in text.
func xrpKey(c identity.Class, text string, f form) (words, tag) {
	var b [xrpXLen]byte
	base58.Ripple.Decode(b[:], text)
	at := 1
	if f == formX {
		at = 2
	}
	return key20(c, (*[20]byte)(b[at:]))
}
