package address

import (
	"crypto/sha256"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// stacks is the format of stacks: "S", a character for the version, and 20
// bytes followed by the first 4 bytes of sha256(sha256(version, bytes)), as a
// number in Crockford's Base32. A leading zero byte is one "0", as in Base58.
// "SP" is the hash160 of a key, "SM" that of a script; "ST" and "SN" are those
// of test networks. parse rejects lower-case letters and the look-alikes that
// Crockford permits ("O" for zero, "I" and "L" for one).
//
// See SIP-005, "Blocks and transactions: address formats".
type stacks struct{}

const (
	formStacksKey form = iota
	formStacksScript
)

const (
	stacksBytes  = 20 + 4
	stacksMinLen = 2 + stacksBytes // if all bytes are zero
	stacksMaxLen = 2 + (stacksBytes*8+4)/5
)

var crockford = base32.New("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

func (stacks) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < stacksMinLen || len(s) > stacksMaxLen {
		return "", 0, wrongLength(s)
	}
	if s[0] != 'S' {
		return "", 0, badChar(0)
	}
	var f form
	switch s[1] {
	case 'P', 'T':
		f = formStacksKey
	case 'M', 'N':
		f = formStacksScript
	default:
		return "", 0, badChar(1)
	}
	var raw [1 + stacksBytes]byte
	raw[0] = crockford.Value(s[1])
	if bad := decodeC32(raw[1:], s[2:]); bad >= 0 {
		return "", 0, badChar(2 + bad)
	} else if bad < -1 {
		return "", 0, badLength
	}
	first := sha256.Sum256(raw[:1+20])
	sum := sha256.Sum256(first[:])
	if [4]byte(sum[:]) != [4]byte(raw[1+20:]) {
		return "", 0, badChecksum
	}
	if s[1] == 'T' || s[1] == 'N' {
		return "", 0, badNetwork
	}
	return s, f, fault{}
}

// decodeC32 decodes the number s into dst. Each leading "0" of s is a leading
// zero byte. It returns -1 on success, the index of the first character that is
// not a digit, or -2 if the number does not have the length of dst.
func decodeC32(dst []byte, s string) int {
	zeros := 0
	for zeros < len(s) && s[zeros] == '0' {
		zeros++
	}
	for i := range len(s) {
		if crockford.Value(s[i]) == base32.None {
			return i
		}
	}
	var acc uint32
	bits, n := 0, len(dst)
	for i := len(s) - 1; i >= zeros; i-- {
		acc |= uint32(crockford.Value(s[i])) << bits
		if bits += 5; bits >= 8 {
			if n == 0 {
				return -2
			}
			n--
			dst[n] = byte(acc)
			acc >>= 8
			bits -= 8
		}
	}
	if acc != 0 {
		if n == 0 {
			return -2
		}
		n--
		dst[n] = byte(acc)
	}
	for n < len(dst) && dst[n] == 0 { // zero bits that complete a byte
		n++
	}
	if n != zeros {
		return -2
	}
	return -1
}

func (stacks) canonical(text string, f form) (string, form) { return text, f }

func (stacks) account(text string, f form) (words, tag) { return stacksKey(identity.Class(f), text) }

func (stacks) key(text string, f form) (words, tag) {
	if f == formStacksScript {
		return stacksKey(identity.ScriptHash, text)
	}
	return stacksKey(identity.Hash160, text)
}

func (stacks) proves(form) bool { return true }

func stacksKey(c identity.Class, text string) (words, tag) {
	var raw [stacksBytes]byte
	decodeC32(raw[:], text[2:])
	return makeKey(c, raw[:20])
}
