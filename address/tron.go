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
type tron struct{ packed }

const (
	tronVersion     = 0x41
	tronTestVersion = 0xa0 // of retired test networks
	tronLen         = 1 + 20 + sumLen
	tronTextLen     = 34
)

const formTron form = 0

func (tron) parse(s string, tolerant bool) (string, form, fault) {
	if tolerant && hasHexPrefix(s) && isTronHex(s[2:]) {
		s = s[2:]
	}
	if tolerant && isTronHex(s) {
		w, _ := evmKey(0, s[2:])
		return string(appendTron(nil, w)), formTron, fault{}
	}
	_, bad := decodeTron(s)
	return s, formTron, bad
}

// decodeTron returns the 20 bytes of the account in s.
func decodeTron(s string) (words, fault) {
	var buf [base58.ShortLen]byte
	n, _ := base58.Bitcoin.DecodeShort(&buf, s)
	if n != tronLen {
		return words{}, tronFault(s)
	}
	b := (*[tronLen]byte)(buf[base58.ShortLen-tronLen:])
	switch {
	case !sha256d.verifies(b[:]):
		return words{}, badChecksum
	case b[0] == tronTestVersion:
		return words{}, badNetwork
	case b[0] != tronVersion:
		return words{}, badSyntax
	}
	w, _ := key20(0, (*[20]byte)(b[1:]))
	return w, fault{}
}

// isTronHex reports whether s is the hex digits of an account.
func isTronHex(s string) bool { return len(s) == 2*(1+20) && s[:2] == "41" && isHex(s) }

// tronFault returns the fault of s, which is not Base58 of tronLen bytes.
func tronFault(s string) fault {
	var buf [base58.MaxLen]byte
	if _, bad := base58.Bitcoin.Decode(buf[:], s); bad >= 0 {
		return badChar(bad)
	}
	return badLength
}

// appendTron appends the address of the account with the 20 bytes in w.
func appendTron(dst []byte, w words) []byte {
	var buf [tronLen]byte
	buf[0] = tronVersion
	account := identity.Bytes(w)
	copy(buf[1:], account[:20])
	sum := sha256d.sum(buf[:1+20])
	copy(buf[1+20:], sum[:])
	return base58.Bitcoin.Append(dst, buf[:])
}

func (tron) account(text string, f form) (words, tag) { return base58Key(0, text) }

func (tron) proves(form) bool { return true }
