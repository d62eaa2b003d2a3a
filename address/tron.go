package address

import (
	"github.com/walletscreen/walletscreen/internal/base58"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// tron is the format of TRON: Base58Check of the byte 41 and the 20 bytes that
// the same key has on the EVM chains. The public test networks use the same
// addresses. In tolerant mode, parse also accepts the 42 hex digits of the 21
// bytes, which have no checksum.
//
// See the TRON protocol document, "Account model".
type tron struct{}

const (
	tronVersion     = 0x41
	tronTestVersion = 0xa0 // of retired test networks
	tronLen         = 1 + 20 + sumLen
)

const (
	formTron    form = iota
	formTronHex      // not of the normal form
)

func (tron) parse(s string, tolerant bool) (string, form, fault) {
	if _, ok := (tron{}).spelled(s); ok && tolerant {
		return tronText(newKey(evmKey(identity.KeccakHash, s[2:]))), formTron, fault{}
	}
	var buf [base58.ShortLen]byte
	n, _ := base58.Bitcoin.DecodeShort(&buf, s)
	if n != tronLen {
		return "", 0, tronFault(s)
	}
	b := buf[base58.ShortLen-tronLen:]
	switch {
	case !sha256d.verifies(b):
		return "", 0, badChecksum
	case b[0] == tronTestVersion:
		return "", 0, badNetwork
	case b[0] != tronVersion:
		return "", 0, badSyntax
	}
	return s, formTron, fault{}
}

func (tron) spelled(s string) (form, bool) {
	return formTronHex, len(s) == 2*(1+20) && s[:2] == "41" && isHex(s)
}

// tronFault returns the fault of s, which is not Base58 of tronLen bytes.
func tronFault(s string) fault {
	var buf [base58.MaxLen]byte
	n, bad := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case bad >= 0:
		return badChar(bad)
	case n >= 0 && isSecretShape(buf[:n]):
		return isSecret
	}
	return badLength
}

// tronText returns the address of the account with the 20 bytes of k.
func tronText(k Key) string {
	b := append(make([]byte, 0, tronLen), tronVersion)
	b = k.AppendBytes(b)
	sum := sha256d.sum(b)
	return base58.Bitcoin.Encode(append(b, sum[:]...))
}

func (tron) canonical(text string, f form) (string, form) { return text, f }

func (tron) account(text string, f form) (words, tag) { return tronKey(0, text, f) }

func (tron) key(text string, f form) (words, tag) { return tronKey(identity.KeccakHash, text, f) }

// tronKey returns the Key of class c with the 20 bytes of an account.
func tronKey(c identity.Class, text string, f form) (words, tag) {
	if f == formTronHex {
		return evmKey(c, text[2:])
	}
	return base58Key(c, text)
}

func (tron) proves(form) bool { return true }
