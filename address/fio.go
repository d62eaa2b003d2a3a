package address

import (
	"strings"

	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 the checksum of FIO keys is made of it

	"github.com/walletscreen/walletscreen/internal/base58"
)

// fio is the format of FIO, which pays to public keys: "FIO" and the Base58 of
// a compressed secp256k1 key and the first four bytes of its RIPEMD-160 hash.
// The letter case matters; the normal form is the input. The test network uses
// the same addresses. A FIO handle, "name@domain", is not an address; only the
// chain can resolve it.
//
// See "FIO public key" in the FIO documentation.
type fio struct{}

const (
	fioPrefix  = "FIO"
	fioKey     = 33
	fioLen     = fioKey + sumLen
	fioTextLen = len(fioPrefix) + 50
)

func (fio) parse(s string, tolerant bool) (string, form, fault) {
	var buf [base58.MaxLen]byte
	if !strings.HasPrefix(s, fioPrefix) {
		if n, _ := base58.Bitcoin.Decode(buf[:], s); n > 0 && isSecretShape(buf[:n]) || strings.HasPrefix(s, "PVT_") {
			return "", 0, badSyntax
		}
		return "", 0, badSyntax
	}
	n, at := base58.Bitcoin.Decode(buf[:], s[len(fioPrefix):])
	switch {
	case at >= 0:
		return "", 0, badChar(len(fioPrefix) + at)
	case n != fioLen:
		return "", 0, badLength
	case fioSum(buf[:fioKey]) != [sumLen]byte(buf[fioKey:]):
		return "", 0, badChecksum
	case buf[0] != 2 && buf[0] != 3:
		return "", 0, badSyntax
	}
	return s, 0, fault{}
}

// fioSum returns the checksum of a key.
func fioSum(key []byte) (sum [sumLen]byte) {
	h := ripemd160.New()
	h.Write(key)
	var buf [ripemd160.Size]byte
	copy(sum[:], h.Sum(buf[:0]))
	return sum
}

func (fio) canonical(text string, f form) (string, form) { return text, f }

func (fio) account(text string, f form) (words, tag) {
	var buf [base58.MaxLen]byte
	base58.Bitcoin.Decode(buf[:], text[len(fioPrefix):])
	return hashedKey(0, buf[:fioKey])
}

func (fio) key(text string, f form) (words, tag) {
	var buf [base58.MaxLen]byte
	base58.Bitcoin.Decode(buf[:], text[len(fioPrefix):])
	return secp256k1Key(buf[:fioKey])
}

func (fio) proves(form) bool { return true }
