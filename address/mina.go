package address

import (
	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/base58"
)

// mina is the format of Mina: Base58Check of a version byte, two bytes for the
// versions of the encoding of a key, the x coordinate of a point of Pallas,
// least significant byte first, and the parity of y. All networks share it.
//
// See Public_key.Compressed of the node, and base58_check.
type mina struct{}

const (
	minaVersion = "\xcb\x01\x01"
	minaLen     = len(minaVersion) + 32 + 1
)

func (mina) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	n, at := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case at >= 0:
		return "", 0, badChar(at)
	case n != minaLen+sumLen:
		return "", 0, badLength
	case !sha256d.verifies(buf[:n]):
		return "", 0, badChecksum
	case string(buf[:len(minaVersion)]) != minaVersion, buf[minaLen-1] > 1,
		!curve.IsPallasX((*[32]byte)(buf[len(minaVersion):])):
		return "", 0, badSyntax
	}
	return s, 0, fault{}
}

func (mina) canonical(text string, f form) (string, form) { return text, f }

func (mina) account(text string, f form) (words, tag) {
	var buf [base58.MaxLen]byte
	base58.Bitcoin.Decode(buf[:], text)
	return hashedKey(0, buf[len(minaVersion):minaLen])
}

func (mina) key(string, form) (words, tag) { return words{}, 0 }

func (mina) proves(form) bool { return true }
