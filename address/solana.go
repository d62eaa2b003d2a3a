package address

import (
	"filippo.io/edwards25519"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// solana is the format of Solana: 32 bytes in Base58 without a checksum, so
// that a typing error is not found. The bytes are an ed25519 public key, or,
// for the accounts of programs, no point of the curve; both receive coins.
type solana struct{}

const (
	solanaLen       = 32
	solanaSecretLen = 64 // a seed and its public key; a signature is as long
)

func (solana) parse(s string, tolerant bool) (string, form, fault) {
	var b [base58.ShortLen]byte
	if n, bad := base58.Bitcoin.DecodeShort(&b, s); bad >= 0 {
		return "", 0, badChar(bad)
	} else if n != solanaLen {
		return "", 0, solanaFault(s)
	}
	return s, 0, fault{}
}

// solanaFault returns the fault of s, which is not Base58 of 32 bytes.
func solanaFault(s string) fault {
	var buf [base58.MaxLen]byte
	n, bad := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case bad >= 0:
		return badChar(bad)
	case n == solanaSecretLen || n >= 0 && isSecretShape(buf[:n]):
		return isSecret
	}
	return badLength
}

func (solana) canonical(text string, f form) (string, form) { return text, f }

func (solana) account(text string, f form) Key {
	b := solanaBytes(text)
	return makeKey(0, b[:])
}

// keys is the public key, if the bytes of text can be one.
func (solana) keys(text string, f form) keys {
	b := solanaBytes(text)
	if !isEd25519Key(&b) {
		return keys{}
	}
	return keys{makeKey(Ed25519, b[:])}
}

func (solana) proves(form) bool { return false }

func solanaBytes(text string) (b [solanaLen]byte) {
	base58.Bitcoin.DecodeShort(&b, text)
	return b
}

// isEd25519Key reports whether b can be the public key of a secret: the one
// encoding, by RFC 8032, of a point on the curve that is not of small order.
func isEd25519Key(b *[32]byte) bool {
	var p edwards25519.Point
	if _, err := p.SetBytes(b[:]); err != nil {
		return false
	}
	if [32]byte(p.Bytes()) != *b {
		return false // SetBytes takes other encodings of some points
	}
	p.MultByCofactor(&p)
	return p.Equal(edwards25519.NewIdentityPoint()) == 0
}
