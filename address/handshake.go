package address

import (
	"crypto/sha256"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// handshake is the format of Handshake: a witness version from 0 to 31 and a
// program of 2 to 40 bytes, in version 0 of 20 or 32 bytes, always with the
// checksum of BIP-173. 20 bytes are the BLAKE2b-160 hash of a key, 32 bytes the
// SHA3-256 hash of a script.
//
// See lib/primitives/address.js of hsd.
type handshake struct{}

const (
	handshakeHRP  = "hs"
	handshakeTest = "ts rs ss"
)

// The forms of handshake.
const (
	formHandshake    form = iota // any program but a key hash
	formHandshakeKey             // version 0 and 20 bytes
)

func (handshake) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) > maxSegWit {
		return "", 0, badLength
	}
	data, bad := bech32Data(handshakeHRP, handshakeTest, bech32.Bech32, s)
	if bad.err != nil {
		return "", 0, bad
	}
	if data == "" {
		return "", 0, badLength
	}
	n := bech32.Size(data[1:])
	switch version := bech32.Value(data[0]); {
	case n < 0:
		return "", 0, badSyntax
	case n < minProgram, n > maxProgram, version == 0 && n != 20 && n != 32:
		return "", 0, badLength
	case version == 0 && n == 20:
		return lowerBech32(s), formHandshakeKey, fault{}
	}
	return lowerBech32(s), formHandshake, fault{}
}

func (handshake) canonical(text string, f form) (string, form) { return text, f }

// account uses the witness versions as kinds.
func (handshake) account(text string, f form) (words, tag) {
	var program [maxProgram]byte
	version := bech32.Value(text[len(handshakeHRP)+1])
	n := bech32.Read(program[:], text[len(handshakeHRP)+2:len(text)-bech32.ChecksumLen])
	if n <= 32 {
		return makeKey(identity.Class(version), program[:n])
	}
	// Represent a longer program by 31 bytes of its hash under version 0,
	// which has no programs of 31 bytes.
	var b [1 + maxProgram]byte
	b[0] = version
	sum := sha256.Sum256(b[:1+copy(b[1:], program[:n])])
	return makeKey(0, sum[:31])
}

func (handshake) key(text string, f form) (words, tag) {
	if f != formHandshakeKey {
		return words{}, 0
	}
	return bech32Key(identity.Blake2b160, len(handshakeHRP)+2, text) // the version follows the 1
}

func (handshake) proves(form) bool { return true }
