package address

import (
	"encoding/binary"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// filecoin is the format of filecoin: "f", a digit for the protocol, and
//
//	f0  the number of an actor, in decimal
//	f1  the BLAKE2b-160 hash of a secp256k1 key
//	f2  the BLAKE2b-160 hash of the creation of an actor
//	f3  a BLS key of 48 bytes
//	f4  the number of the actor that manages the name space, "f", and up to 54
//	    bytes; name space 10, the only one in use, has Ethereum's 20 bytes
//
// The bytes are in lower-case Base32 and end with the BLAKE2b-32 hash of the
// protocol, the name space as a varint, and the bytes. On test networks the
// first letter is "t". Only the chain knows which f0 address is the account of
// an f1 to f4 address.
//
// See the Filecoin specification, "Address", and FIP-0048.
type filecoin struct{}

// The forms are the protocol numbers.
const (
	formFilecoinID form = iota
	formFilecoinSecp256k1
	formFilecoinActor
	formFilecoinBLS
	formFilecoinDelegated
)

const (
	filecoinMaxSub   = 54
	filecoinMaxLen   = 2 + 19 + 1 + ((filecoinMaxSub+4)*8+4)/5
	filecoinMaxBytes = 1 + binary.MaxVarintLen64 + filecoinMaxSub + 4
)

func (filecoin) parse(s string, tolerant bool) (string, form, fault) {
	text, f, bad := parseFilecoin(s)
	if bad.err != nil && isHexKey(s) {
		bad = badSyntax
	}
	return text, f, bad
}

func parseFilecoin(s string) (string, form, fault) {
	switch {
	case len(s) < 3 || len(s) > filecoinMaxLen:
		return "", 0, badLength
	case s[0] != 'f' && s[0] != 't':
		return "", 0, badChar(0)
	case s[1] < '0' || s[1] > '4':
		return "", 0, badChar(1)
	}
	f := form(s[1] - '0')
	if f == formFilecoinID {
		_, end, bad := parseID(s, 2)
		if bad.err != nil {
			return "", 0, bad
		}
		if end != len(s) {
			return "", 0, badChar(end)
		}
	} else {
		var raw [filecoinMaxBytes]byte
		n, bad := decodeFilecoin(&raw, s, f)
		if bad.err != nil {
			return "", 0, bad
		}
		var sum [4]byte
		sumBlake(blakePool4, sum[:], raw[:n])
		if sum != [4]byte(raw[n:]) {
			return "", 0, badChecksum
		}
	}
	if s[0] == 't' {
		return "", 0, badNetwork
	}
	return s, f, fault{}
}

// decodeFilecoin decodes s into raw: the protocol, for f4 the name space, the
// bytes and the checksum. It returns the length without the checksum.
func decodeFilecoin(raw *[filecoinMaxBytes]byte, s string, f form) (int, fault) {
	raw[0] = byte(f)
	n, at := 1, 2
	if f == formFilecoinDelegated {
		space, end, bad := parseID(s, at)
		switch {
		case bad.err != nil:
			return 0, bad
		case end == len(s):
			return 0, badLength
		case s[end] != 'f':
			return 0, badChar(end)
		}
		at = end + 1
		n += binary.PutUvarint(raw[n:], space)
	}
	size := (len(s)-at)*5/8 - 4 // excluding the checksum
	want := size
	switch f {
	case formFilecoinSecp256k1, formFilecoinActor:
		want = 20
	case formFilecoinBLS:
		want = 48
	}
	if size != want || size < 0 || size > filecoinMaxSub || len(s)-at != ((size+4)*8+4)/5 {
		return 0, badLength
	}
	if bad := base32.Decode(base32.Lower, raw[n:n+size+4], s[at:]); bad >= 0 {
		return 0, badChar(at + bad)
	}
	return n + size, fault{}
}

func (filecoin) canonical(text string, f form) (string, form) { return text, f }

// longDelegated is the class of f4 accounts whose payload is hashed. It differs
// from that of the others, so that no hash can imitate a short payload.
const longDelegated = identity.Class(formFilecoinDelegated) + 1

func (filecoin) account(text string, f form) (words, tag) {
	if f == formFilecoinID {
		id, _, _ := parseID(text, 2)
		return idKey(identity.Class(f), id)
	}
	var raw [filecoinMaxBytes]byte
	n, _ := decodeFilecoin(&raw, text, f)
	c := identity.Class(f)
	if n-1 <= 32 {
		return makeKey(c, raw[1:n])
	}
	if f == formFilecoinDelegated {
		c = longDelegated
	}
	return hashedKey(c, raw[1:n])
}

func (filecoin) key(text string, f form) (words, tag) {
	if f != formFilecoinDelegated || !strings.HasPrefix(text, "f410f") {
		return words{}, 0
	}
	var raw [filecoinMaxBytes]byte
	n, _ := decodeFilecoin(&raw, text, f)
	if n != 2+20 {
		return words{}, 0
	}
	return makeKey(identity.KeccakHash, raw[2:n])
}

func (filecoin) proves(f form) bool { return f != formFilecoinID }

// maxID is the largest account number on filecoin and hedera, which use signed
// 64-bit numbers.
const maxID = 1<<63 - 1

// parseID parses the account number at offset at of s: decimal digits without
// leading zeros. It returns the number and the offset after it.
func parseID(s string, at int) (id uint64, end int, bad fault) {
	for end = at; end < len(s) && '0' <= s[end] && s[end] <= '9'; end++ {
		if end-at == 19 {
			return 0, 0, badSyntax
		}
		id = id*10 + uint64(s[end]-'0')
	}
	switch {
	case end == at && at == len(s):
		return 0, 0, badLength
	case end == at:
		return 0, 0, badChar(at)
	case s[at] == '0' && end > at+1:
		return 0, 0, badChar(at)
	case id > maxID:
		return 0, 0, badSyntax
	}
	return id, end, fault{}
}
