package address

import (
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// ss58 is the format of Substrate chains: Base58 of a network prefix, a 32-byte
// account id, and the first two bytes of the BLAKE2b-512 hash of "SS58PRE",
// prefix and id. A prefix below 64 must be encoded in one byte, any other in
// two.
//
// The letter case matters; the normal form is the input. An address with the
// prefix of another network is not of this chain, though the same key may
// control an account there. In tolerant mode, parse accepts the generic prefix
// 42 and replaces it. The format permits ids of other lengths, but they are not
// accounts of the chains in the table.
//
// See "SS58 address format" in the Polkadot documentation, and the SS58
// registry.
type ss58 struct {
	prefix uint16 // below 16384
}

const (
	ss58ID       = 32
	ss58Checksum = 2
	ss58Max      = 2 + ss58ID + ss58Checksum
	ss58Generic  = 42
	ss58MinText  = 35 // 35 bytes, nearly all zero
	ss58MaxText  = 50 // 36 bytes
)

func (c ss58) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < ss58MinText || len(s) > ss58MaxText {
		return "", 0, wrongLength(s)
	}
	var buf ss58Buf
	data, bad := buf.decode(s)
	if bad.err != nil {
		return "", 0, bad
	}
	if !buf.verifies(data) {
		return "", 0, badChecksum
	}
	at := len(data) - ss58ID - ss58Checksum // offset of the id
	var prefix uint16
	switch {
	case at == 1 && data[0] < 0x40:
		prefix = uint16(data[0])
	case at == 2 && 0x40 <= data[0] && data[0] < 0x80:
		// The six bits of the first byte are bits 2 to 7 of the prefix.
		prefix = uint16(data[0]&0x3f)<<2 | uint16(data[1]>>6) | uint16(data[1]&0x3f)<<8
		if prefix < 0x40 {
			return "", 0, badSyntax
		}
	case at == 1 && data[0] < 0x80:
		return "", 0, badLength
	default:
		return "", 0, badSyntax
	}
	switch {
	case prefix == c.prefix:
		return s, 0, fault{}
	case tolerant && prefix == ss58Generic:
		return c.encode([ss58ID]byte(data[at:])), 0, fault{}
	}
	return "", 0, badSyntax
}

// encode returns the address of an account id.
func (c ss58) encode(id [ss58ID]byte) string {
	b := make([]byte, 0, ss58Max)
	if c.prefix < 0x40 {
		b = append(b, byte(c.prefix))
	} else {
		b = append(b, 0x40|byte(c.prefix>>2)&0x3f, byte(c.prefix>>8)|byte(c.prefix&3)<<6)
	}
	b = append(b, id[:]...)
	sum := ss58Sum(b)
	return base58.Bitcoin.Encode(append(b, sum[:]...))
}

func (ss58) canonical(text string, f form) (string, form) { return text, f }

func (ss58) account(text string, f form) (words, tag) { return ss58Key(0, text) }

func (ss58) key(text string, f form) (words, tag) { return ss58Key(identity.Substrate, text) }

func (ss58) proves(form) bool { return true }

// ss58Key returns the Key of the account id in text, a valid address.
func ss58Key(c identity.Class, text string) (words, tag) {
	var buf ss58Buf
	buf.decode(text)
	return key32(c, (*[ss58ID]byte)(buf[len(buf)-ss58ID-ss58Checksum:]))
}

// ss58Label precedes the data in the hashed message.
const ss58Label = "SS58PRE"

var ss58LabelBytes = [len(ss58Label)]byte([]byte(ss58Label))

// An ss58Buf holds the label and, at its end, the bytes of an address, so that
// they can be hashed without moving them.
type ss58Buf [len(ss58Label) + base58.MiddleLen]byte

// decode decodes s, of at most ss58MaxText characters, into the end of buf. It
// returns the bytes, ss58Max or one fewer.
func (buf *ss58Buf) decode(s string) ([]byte, fault) {
	n, bad := base58.Bitcoin.DecodeMiddle((*[base58.MiddleLen]byte)(buf[len(ss58Label):]), s)
	switch {
	case bad >= 0:
		return nil, badChar(bad)
	case n != ss58Max && n != ss58Max-1:
		return nil, badLength
	}
	return buf[len(buf)-n:], fault{}
}

// verifies reports whether data, a result of decode, ends with its checksum.
func (buf *ss58Buf) verifies(data []byte) bool {
	message := buf[len(buf)-len(data)-len(ss58Label) : len(buf)-ss58Checksum]
	*(*[len(ss58Label)]byte)(message) = ss58LabelBytes
	sum := blake2b.Sum512(message)
	return [ss58Checksum]byte(sum[:]) == [ss58Checksum]byte(data[len(data)-ss58Checksum:])
}

// ss58Sum returns the checksum of prefix and id.
func ss58Sum(b []byte) [ss58Checksum]byte {
	sum := blake2b.Sum512(append([]byte(ss58Label), b...))
	return [ss58Checksum]byte(sum[:])
}
