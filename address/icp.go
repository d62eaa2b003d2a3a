package address

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// icp is the format of internet-computer. There are three spellings:
//
//   - a principal: the CRC-32 of at most 29 bytes, and the bytes, in lower-case Base32,
//     in groups of five with dashes between them;
//   - an account of a principal: its text, a dash, seven letters for the CRC-32 of the
//     principal and the subaccount, a dot, and the hex digits of the subaccount without
//     leading zeros. Subaccount zero is the principal itself;
//   - an account identifier of the ICP ledger: 64 hex digits of the CRC-32 of 28 bytes,
//     and the bytes, a SHA-224 hash of principal and subaccount.
//
// The first two name an owner on every ledger, the third only an account on the
// ICP ledger. Their canonical forms differ. All three have the account
// identifier as a key; the first two also have the owner, since the principal
// controls all its subaccounts.
//
// See the Internet Computer Interface Specification, "Textual representation of
// principals", and ICRC-1, "Textual encoding of ICRC-1 accounts".
type icp struct{}

const (
	formICPPrincipal form = iota
	formICPSubaccount
	formICPLedger
)

const (
	principalMaxBytes = 29
	principalMaxLen   = 63 // 53 letters and 10 dashes
	icpLedgerLen      = 64
	icpMaxLen         = principalMaxLen + 1 + 7 + 1 + 64
)

func (icp) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) > icpMaxLen {
		return "", 0, badLength
	}
	var p principal
	dot := strings.IndexByte(s, '.')
	switch {
	case dot >= 0:
		var sub [32]byte
		return s, formICPSubaccount, p.decodeAccount(&sub, s, dot)
	case len(s) == icpLedgerLen:
		text, bad := parseICPLedger(s)
		return text, formICPLedger, bad
	}
	return s, formICPPrincipal, p.decode(s)
}

// parseICPLedger returns the normal form of an account identifier.
func parseICPLedger(s string) (string, fault) {
	bad, capitals := scanHex(s, 0)
	if bad >= 0 {
		return "", badChar(bad)
	}
	var raw [32]byte
	unhex(raw[:], s)
	if crc32IEEE(raw[4:]) != binary.BigEndian.Uint32(raw[:]) {
		return "", badChecksum
	}
	if capitals {
		s = strings.ToLower(s)
	}
	return s, fault{}
}

// A principal holds the CRC-32 of a principal and its n bytes.
type principal struct {
	raw [4 + principalMaxBytes]byte
	n   int
}

func (p *principal) bytes() []byte { return p.raw[4 : 4+p.n] }

// decode decodes the text of a principal.
func (p *principal) decode(s string) fault {
	if len(s) > principalMaxLen {
		return badLength
	}
	var letters [principalMaxLen]byte
	n := 0
	for i := range len(s) {
		if dash := i%6 == 5; dash != (s[i] == '-') {
			return badChar(i)
		} else if !dash {
			letters[n] = s[i]
			n++
		}
	}
	size := n * 5 / 8
	if size < 4 || n != (size*8+4)/5 || len(s)%6 == 0 {
		return badLength
	}
	if bad := base32.Decode(base32.Lower, p.raw[:size], letters[:n]); bad >= 0 {
		return badChar(bad + bad/5)
	}
	p.n = size - 4
	if crc32IEEE(p.bytes()) != binary.BigEndian.Uint32(p.raw[:]) {
		return badChecksum
	}
	return fault{}
}

// decodeAccount decodes a principal and a subaccount, separated by a dot at
// offset dot.
func (p *principal) decodeAccount(sub *[32]byte, s string, dot int) fault {
	const sumLen = 7
	dash := dot - sumLen - 1
	if dash < 0 {
		return badLength
	}
	if s[dash] != '-' {
		return badChar(dash)
	}
	if bad := p.decode(s[:dash]); bad.err != nil {
		return bad
	}
	var sum [4]byte
	if bad := base32.Decode(base32.Lower, sum[:], s[dash+1:dot]); bad >= 0 {
		return badChar(dash + 1 + bad)
	}
	digits := s[dot+1:]
	if len(digits) == 0 || len(digits) > 64 {
		return badLength
	}
	if digits[0] == '0' {
		return badChar(dot + 1)
	}
	for i := range len(digits) {
		if c := digits[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return badChar(dot + 1 + i)
		}
	}
	putHexNumber(sub, digits)
	var both [principalMaxBytes + 32]byte
	n := copy(both[:], p.bytes())
	n += copy(both[n:], sub[:])
	if crc32IEEE(both[:n]) != binary.BigEndian.Uint32(sum[:]) {
		return badChecksum
	}
	return fault{}
}

func (icp) canonical(text string, f form) (string, form) { return text, f }

func (icp) account(text string, f form) (words, tag) {
	if f == formICPLedger {
		var b [32]byte
		unhex(b[:28], text[8:])
		return paddedKey(identity.Class(f), &b, 28)
	}
	p, sub := decodeICP(text, f)
	if f == formICPPrincipal {
		return makeKey(identity.Class(f), p.bytes())
	}
	var both [principalMaxBytes + 32]byte
	n := copy(both[:], p.bytes())
	n += copy(both[n:], sub[:])
	return hashedKey(identity.Class(f), both[:n])
}

func (icp) key(text string, f form) (words, tag) {
	if f == formICPLedger {
		return hexKey(identity.LedgerAccount, text)
	}
	const domain = "\x0Aaccount-id"
	p, sub := decodeICP(text, f)
	var buf [len(domain) + principalMaxBytes + 32]byte
	n := copy(buf[:], domain)
	n += copy(buf[n:], p.bytes())
	n += copy(buf[n:], sub[:])
	sum := sha256.Sum224(buf[:n])
	var b [32]byte
	binary.BigEndian.PutUint32(b[:], crc32IEEE(sum[:]))
	copy(b[4:], sum[:])
	return key32(identity.LedgerAccount, &b)
}

// keys returns the account identifier and, if the text reveals it, the owner.
func (c icp) keys(text string, f form) keys {
	ks := keys{newKey(c.key(text, f))}
	if f != formICPLedger {
		p, _ := decodeICP(text, f)
		ks[1] = newKey(makeKey(identity.Principal, p.bytes()))
	}
	return ks
}

func (icp) proves(form) bool { return true }

// decodeICP decodes a valid principal, and its subaccount if the form has one.
func decodeICP(text string, f form) (p principal, sub [32]byte) {
	if f == formICPSubaccount {
		p.decodeAccount(&sub, text, strings.IndexByte(text, '.'))
	} else {
		p.decode(text)
	}
	return p, sub
}
