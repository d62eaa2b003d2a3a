package address

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// icp is the three spellings of internet-computer:
//
//   - a principal: the CRC-32 of at most 29 bytes, and the bytes, in lower-case
//     Base32, in groups of five with dashes between them;
//   - an account of a principal: its text, a dash, seven letters for the CRC-32
//     of the principal and the subaccount, a dot, and the hex digits of the
//     subaccount without leading zeros. Subaccount zero is the principal itself;
//   - an account identifier of the ICP ledger: 64 hex digits of the CRC-32 of 28
//     bytes, and the bytes, a SHA-224 hash of principal and subaccount.
//
// The first two name an owner on every ledger, the third only an account on the ICP ledger, so they
// are different accounts. All three have the account identifier as a key; the first two also have
// the owner, since the principal controls all its subaccounts.
//
// See the Internet Computer Interface Specification, "Textual representation of
// principals", and ICRC-1, "Textual encoding of ICRC-1 accounts".
func icp() codecs {
	owner := func(r *reader, b []byte) {
		var sub [32]byte
		principal := b
		if len(b) > principalMax {
			principal = b[:len(b)-32]
			copy(sub[:], b[len(b)-32:])
		}
		id := ledgerAccount(principal, sub[:])
		r.keys.add(identity.LedgerAccount, id[:])
		r.keys.add(identity.Principal, principal)
	}
	return codecs{
		{enc: principalText{}, kind: 0, keys: owner},
		{enc: subaccountText{}, kind: 1, keys: owner},
		{enc: hexText{}, size: 32, kind: 2, proven: true, core: func(r *reader) []byte { return r.payload()[4:] },
			check: func(r *reader) fault {
				if crc32IEEE(r.buf[4:32]) != binary.BigEndian.Uint32(r.buf[:]) {
					return badChecksum
				}
				return fault{}
			},
			keys: func(r *reader, _ []byte) {
				r.keys.add(identity.LedgerAccount, r.payload())
			}},
	}
}

// ledgerAccount returns the account identifier of a principal and a subaccount.
func ledgerAccount(principal, sub []byte) (id [32]byte) {
	var buf [11 + principalMax + 32]byte
	b := append(append(append(buf[:0], "\x0Aaccount-id"...), principal...), sub...)
	sum := sha256.Sum224(b)
	binary.BigEndian.PutUint32(id[:], crc32IEEE(sum[:]))
	copy(id[4:], sum[:])
	return id
}

const (
	principalMax     = 29 // bytes
	principalMaxText = 63 // 53 letters and 10 dashes
)

type principalText struct{}

func (principalText) read(r *reader, c *codec) fault {
	n, bad := readPrincipal(r.buf[:], r.s)
	r.n, r.normal = n, true
	r.claimed = len(r.s) > 5 && r.s[5] == '-' && strings.IndexByte(r.s, '.') < 0
	return bad
}

// readPrincipal decodes the text of a principal, and returns how many bytes it has.
func readPrincipal(dst []byte, s string) (int, fault) {
	if len(s) > principalMaxText {
		return 0, badLength
	}
	var buf [principalMaxText]byte
	letters, bad := ungroup(buf[:0], s, 5, '-')
	if bad >= 0 {
		return 0, badChar(bad)
	}
	size := len(letters) * 5 / 8
	if size < 4 || len(letters) != (size*8+4)/5 || len(s)%6 == 0 {
		return 0, badLength
	}
	var raw [4 + principalMax]byte
	if bad := base32.Decode(base32.Lower, raw[:size], letters); bad >= 0 {
		return 0, badChar(bad + bad/5)
	}
	if crc32IEEE(raw[4:size]) != binary.BigEndian.Uint32(raw[:]) {
		return 0, badChecksum
	}
	return copy(dst, raw[4:size]), fault{}
}

func (principalText) write(dst []byte, c *codec, payload []byte) []byte {
	if len(payload) > principalMax {
		return dst
	}
	var buf [4 + principalMax]byte
	b := append(binary.BigEndian.AppendUint32(buf[:0], crc32IEEE(payload)), payload...)
	return group(base32.Lower.Append(dst, b), len(dst), 5, '-')
}

func (principalText) bounds(*codec) bounds {
	return bounds{7, principalMaxText, classLower32 | classAddress, "?????-", true}
}

type subaccountText struct{}

func (subaccountText) read(r *reader, c *codec) fault {
	const sumChars = 7
	s := r.s
	dot := strings.IndexByte(s, '.')
	dash := dot - sumChars - 1
	r.claimed = dot >= 0
	switch {
	case len(s) > principalMaxText+1+sumChars+1+64 || dash < 0:
		return badLength
	case s[dash] != '-':
		return badChar(dash)
	}
	n, bad := readPrincipal(r.buf[:], s[:dash])
	if bad.err != nil {
		return bad
	}
	var sum [4]byte
	if bad := base32.Decode(base32.Lower, sum[:], s[dash+1:dot]); bad >= 0 {
		return badChar(dash + 1 + bad)
	}
	digits := s[dot+1:]
	switch {
	case len(digits) == 0 || len(digits) > 64:
		return badLength
	case digits[0] == '0':
		return badChar(dot + 1)
	}
	if bad := lowerHexEnd(s, dot+1); bad < len(s) {
		return badChar(bad)
	}
	var sub [32]byte
	putHexNumber(sub[:], digits)
	r.n = n + copy(r.buf[n:], sub[:])
	if crc32IEEE(r.payload()) != binary.BigEndian.Uint32(sum[:]) {
		return badChecksum
	}
	r.normal = true
	return fault{}
}

func (subaccountText) write(dst []byte, c *codec, payload []byte) []byte {
	n := len(payload) - 32
	if n < 0 || n > principalMax {
		return dst
	}
	dst = append(principalText{}.write(dst, c, payload[:n]), '-')
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32IEEE(payload))
	dst = append(base32.Lower.Append(dst, sum[:]), '.')
	return append(dst, strings.TrimLeft(hex.EncodeToString(payload[n:]), "0")...)
}

func (subaccountText) bounds(*codec) bounds {
	return bounds{17, principalMaxText + 1 + 7 + 1 + 64, classAddress, "?????-", true}
}
