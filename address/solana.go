package address

import (
	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// solana is the format of Solana: 32 bytes in Base58. There is no checksum, so
// typing errors are not detected. The bytes are an ed25519 public key or, for
// accounts of programs, not a point of the curve; both can receive coins. parse
// rejects text that is provably an address of another chain, such as a Bech32
// address that happens to be Base58 of 32 bytes.
type solana struct{}

const (
	solanaLen       = 32
	solanaSecretLen = 64 // a seed and its public key, or a signature
)

func (solana) parse(s string, tolerant bool) (string, form, fault) {
	var b [base58.ShortLen]byte
	if n, bad := base58.Bitcoin.DecodeShort(&b, s); bad >= 0 {
		return "", 0, badChar(bad)
	} else if n != solanaLen {
		return "", 0, solanaFault(s)
	}
	if isOneCase(s) && provesElsewhere(s) {
		return "", 0, badSyntax
	}
	return s, 0, fault{}
}

// solanaFault returns the fault of s, which is not Base58 of 32 bytes.
func solanaFault(s string) fault {
	var buf [base58.MaxLen]byte
	if _, bad := base58.Bitcoin.Decode(buf[:], s); bad >= 0 {
		return badChar(bad)
	}
	return badLength
}

func (solana) canonical(text string, f form) (string, form) { return text, f }

func (solana) account(text string, f form) (words, tag) {
	var b [solanaLen]byte
	base58.Bitcoin.DecodeShort(&b, text)
	return key32(0, &b)
}

// key returns the public key, if the bytes of text can be one.
func (solana) key(text string, f form) (words, tag) {
	var b [solanaLen]byte
	base58.Bitcoin.DecodeShort(&b, text)
	if !isEd25519Key(&b) {
		return words{}, 0
	}
	return key32(identity.Ed25519, &b)
}

func (solana) proves(form) bool { return false }

// isEd25519Key reports whether b can be the public key of a secret: the
// canonical encoding, by RFC 8032, of a point on the curve that is not of small
// order. This holds for about half of all byte strings.
func isEd25519Key(b *[32]byte) bool {
	y := *b
	y[31] &= 0x7f // clear the sign of x
	for i := range smallOrder {
		if y == smallOrder[i] {
			return false
		}
	}
	return curve.IsEd25519(b)
}

// smallOrder holds the y coordinates of the points of order 1, 2, 4 and 8. They
// have no secret, but the system program of Solana is one of them.
var smallOrder = [...][32]byte{
	{},  // two points of order 4
	{1}, // the neutral element
	{0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, // order 2
	{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a}, // order 8
	{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05}, // order 8
}
