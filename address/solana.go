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
	k := Key{n: solanaLen}
	base58.Bitcoin.DecodeShort(&k.data, text)
	return k
}

// keys is the public key, if the bytes of text can be one.
func (solana) keys(text string, f form) keys {
	k := Key{class: Ed25519, n: solanaLen}
	base58.Bitcoin.DecodeShort(&k.data, text)
	if !isEd25519Key(&k.data) {
		return keys{}
	}
	return keys{k}
}

func (solana) proves(form) bool { return false }

// isEd25519Key reports whether b can be the public key of a secret: the one
// encoding, by RFC 8032, of a point on the curve that is not of small order.
// About half of all byte strings are; it takes some microseconds to tell.
func isEd25519Key(b *[32]byte) bool {
	// SetBytes takes a y that is not reduced modulo p = 2^255 - 19 as well. (It
	// also takes the wrong sign of a zero x, but those points are of small order.)
	reduced := b[31]&0x7f != 0x7f || b[0] < 0xed
	for _, c := range b[1:31] {
		reduced = reduced || c != 0xff
	}
	if !reduced {
		return false
	}
	var p edwards25519.Point
	if _, err := p.SetBytes(b[:]); err != nil {
		return false
	}
	p.MultByCofactor(&p)
	return p.Equal(edwards25519.NewIdentityPoint()) == 0
}
