package address

import (
	"encoding/binary"
	"math/bits"

	"github.com/walletscreen/walletscreen/internal/curve"
	"github.com/walletscreen/walletscreen/internal/keccak"
)

// cryptonote is the format of Monero and its kin: block-wise Base58 of a tag
// (a varint), the public spend key, the public view key, in an integrated
// address an 8-byte payment id, and the first four bytes of the Keccak-256 hash
// of all that.
//
// Both keys must be points of the curve in their one encoding, as the node
// checks; a string with a right checksum names no wallet otherwise. The payment
// id is no part of the account: the canonical form of an integrated address is
// its standard address. A subaddress is an account of its own, which cannot be
// linked to its main address.
//
// The letter case matters; the normal form is the input. 64 hex digits are a
// private key.
//
// See src/common/base58.cpp, src/cryptonote_basic/cryptonote_basic_impl.cpp and
// src/cryptonote_config.h of Monero.
type cryptonote struct {
	// The tags of standard, integrated and subaddresses: on the main network,
	// all below 128, and on the test networks.
	standard, integrated, sub byte
	test                      [6]uint16
}

const (
	formStandard form = iota
	formSub
	formIntegrated
)

const (
	cnKeys       = 64
	cnPaymentID  = 8
	cnChecksum   = 4
	cnStandard   = 1 + cnKeys + cnChecksum // bytes of a standard address with a tag of one byte
	cnIntegrated = cnStandard + cnPaymentID
	cnMaxBytes   = cnIntegrated + 1
	cnMaxText    = 108 // characters of cnMaxBytes bytes
	cnMinText    = 95  // characters of cnStandard bytes
)

func (c cryptonote) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < cnMinText || len(s) > cnMaxText {
		return "", 0, wrongLength(s)
	}
	var buf [cnMaxBytes]byte
	n, bad := decodeCryptonote(&buf, s)
	if bad.err != nil {
		return "", 0, bad
	}
	sum := keccak.Sum256(buf[:n-cnChecksum])
	if [cnChecksum]byte(sum[:]) != [cnChecksum]byte(buf[n-cnChecksum:]) {
		return "", 0, badChecksum
	}
	var f form
	size := cnStandard
	switch buf[0] {
	case c.standard:
		f = formStandard
	case c.sub:
		f = formSub
	case c.integrated:
		f, size = formIntegrated, cnIntegrated
	default:
		tag := uint16(buf[0])
		if tag >= 0x80 {
			tag = tag&0x7f | uint16(buf[1])<<7
		}
		for _, t := range c.test {
			if t == tag && tag != 0 {
				return "", 0, badNetwork
			}
		}
		return "", 0, badSyntax
	}
	if n != size {
		return "", 0, badLength
	}
	if !curve.IsEd25519((*[32]byte)(buf[1:])) || !curve.IsEd25519((*[32]byte)(buf[33:])) {
		return "", 0, badSyntax
	}
	return s, f, fault{}
}

func (c cryptonote) canonical(text string, f form) (string, form) {
	if f != formIntegrated {
		return text, f
	}
	var buf [cnMaxBytes]byte
	decodeCryptonote(&buf, text)
	buf[0] = c.standard
	sum := keccak.Sum256(buf[:1+cnKeys])
	copy(buf[1+cnKeys:cnStandard], sum[:])
	return encodeCryptonote(buf[:cnStandard]), formStandard
}

func (c cryptonote) account(text string, f form) (words, tag) {
	class := Class(formStandard)
	if f == formSub {
		class = Class(formSub)
	}
	return cryptonoteKey(class, text)
}

func (c cryptonote) key(text string, f form) (words, tag) {
	return cryptonoteKey(CryptoNote, text)
}

func (c cryptonote) proves(form) bool { return true }

// cryptonoteKey returns the Key of the spend key and the view key in text, a
// valid address.
func cryptonoteKey(c Class, text string) (words, tag) {
	var buf [cnMaxBytes]byte
	decodeCryptonote(&buf, text)
	return hashedKey(c, buf[1:1+cnKeys])
}

// Block-wise Base58: blocks of eight bytes become eleven characters each, and
// the shorter block at the end as many as its length needs.
const (
	cnBlock     = 8
	cnBlockText = 11
)

var (
	// cnTextLen is the number of characters for a number of bytes.
	cnTextLen = [cnBlock + 1]int{0, 2, 3, 5, 6, 7, 9, 10, 11}
	// cnByteLen is its inverse, -1 where there is none.
	cnByteLen = [cnBlockText + 1]int{0, -1, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8}
)

// decodeCryptonote decodes s, of at most cnMaxText characters, into buf and
// returns the number of bytes.
func decodeCryptonote(buf *[cnMaxBytes]byte, s string) (int, fault) {
	rest := s
	n := 0
	var seen byte // the top bit is set once there was a character that is no digit
	var overflow uint64
	for ; len(rest) >= cnBlockText; rest = rest[cnBlockText:] {
		// Ten digits fit into 64 bits, the eleventh may not.
		v, or := base58Word(rest)
		d := base58Values[rest[cnBlockText-1]]
		seen |= or | d
		high, low := bits.Mul64(v, 58)
		low, carry := bits.Add64(low, uint64(d), 0)
		overflow |= high + carry
		binary.BigEndian.PutUint64(buf[n:], low)
		n += cnBlock
	}
	size := cnByteLen[len(rest)]
	var v uint64
	for i := range len(rest) {
		d := base58Values[rest[i]]
		seen |= d
		v = v*58 + uint64(d)
	}
	if seen >= 0x80 {
		for i := range len(s) {
			if base58Values[s[i]] == 0xff {
				return 0, badChar(i)
			}
		}
	}
	if size < 0 {
		return 0, badLength
	}
	if overflow != 0 || v>>(8*size) != 0 {
		return 0, badSyntax
	}
	for i := range size {
		buf[n+i] = byte(v >> (8 * (size - 1 - i)))
	}
	return n + size, fault{}
}

// encodeCryptonote returns b, at most cnMaxBytes long, in block-wise Base58.
func encodeCryptonote(b []byte) string {
	var text [cnMaxText]byte
	n := 0
	for len(b) > 0 {
		block := b[:min(cnBlock, len(b))]
		b = b[len(block):]
		var v uint64
		for _, c := range block {
			v = v<<8 | uint64(c)
		}
		size := cnTextLen[len(block)]
		for i := size - 1; i >= 0; i-- {
			text[n+i] = base58Digits[v%58]
			v /= 58
		}
		n += size
	}
	return string(text[:n])
}
