package address

import (
	"crypto/sha256"

	"github.com/decred/dcrd/crypto/blake256"

	"github.com/walletscreen/walletscreen/address/internal/groestl"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// This file holds what the Base58Check formats share: Base58 of a version, a
// payload, and four bytes of a hash of both.

// sumLen is the length of the checksum at the end of Base58Check data.
const sumLen = 4

// A checkHash is a hash function for Base58Check checksums. A checksum is the
// first four bytes of the hash of the hash of the data.
type checkHash uint8

const (
	sha256d    checkHash = iota
	groestl512           // groestlcoin
	blake256d            // decred
)

// verifies reports whether the last four bytes of b are the checksum of the
// others.
func (h checkHash) verifies(b []byte) bool {
	if len(b) < sumLen {
		return false
	}
	at := len(b) - sumLen
	return h.sum(b[:at]) == [sumLen]byte(b[at:])
}

// sum returns the checksum of b.
func (h checkHash) sum(b []byte) [sumLen]byte {
	switch h {
	case groestl512:
		once := groestl.Sum512(b)
		twice := groestl.Sum512(once[:])
		return [sumLen]byte(twice[:])
	case blake256d:
		once := blake256.Sum256(b)
		twice := blake256.Sum256(once[:])
		return [sumLen]byte(twice[:])
	}
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return [sumLen]byte(twice[:])
}

// decodeBase58Check decodes s into the beginning of buf. s should be
// Base58Check with Bitcoin's alphabet and hash, and size bytes including
// version and checksum. If s is a private key instead, the fault says so.
func decodeBase58Check(buf *[base58.MaxLen]byte, s string, size int) fault {
	n, bad := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case bad >= 0:
		return badChar(bad)
	case n != size:
		return badLength
	case !sha256d.verifies(buf[:n]):
		return badChecksum
	}
	return fault{}
}

// base58Hash returns the 20 bytes before the checksum of text, which must be
// valid Base58Check.
func base58Hash(text string) [20]byte {
	var b [base58.ShortLen]byte
	if n, _ := base58.Bitcoin.DecodeShort(&b, text); n >= 0 {
		return [20]byte(b[len(b)-sumLen-20:])
	}
	var long [base58.MaxLen]byte // for blinded addresses of liquid
	n, _ := base58.Bitcoin.Decode(long[:], text)
	return [20]byte(long[n-sumLen-20:])
}

// base58Key returns the Key of class c with the bytes of base58Hash.
func base58Key(c identity.Class, text string) (words, tag) {
	hash := base58Hash(text)
	return key20(c, &hash)
}

// isSecretShape reports whether b, decoded from Base58 and including the
// checksum, is a private key if the checksum is right: one in the wallet import
// format of any chain, encrypted or not, or an extended private key.
//
// See BIP-32 and BIP-38.
func isSecretShape(b []byte) bool {
	switch len(b) {
	case 1 + 32 + sumLen, 1 + 32 + 1 + sumLen:
		return b[0] >= 0x80 // as all versions are; the mark of a compressed key may follow the key
	case 2 + 37 + sumLen:
		return b[0] == 0x01 && (b[1] == 0x42 || b[1] == 0x43) // BIP-38
	case 2 + 1 + 32 + sumLen:
		switch string(b[:2]) {
		case "\x22\xde", "\x23\x0e", "\x23\x07", "\x22\xfe": // decred and its test networks
			return true
		}
	case 4 + 1 + 4 + 4 + 32 + 33 + sumLen:
		return b[45] == 0 // a public key would begin with 2 or 3
	}
	return false
}
