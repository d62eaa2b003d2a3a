package address

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// ton is an account: the number of a workchain, 0 for the basic workchain or -1 for the
// masterchain, and 32 bytes. The raw form is "0:" or "-1:" and 64 hex digits. The user-friendly
// form is 48 characters of Base64 in either alphabet: a tag byte, the number, the bytes, and a
// big-endian CRC-16. The tag tells whether coins that cannot be delivered bounce ("EQ…", "Ef…") or
// not ("UQ…", "Uf…"); it is not part of the account. 0x80 is added to it on test networks.
//
// The normal form uses the URL-safe alphabet and lower-case hex digits.
//
// See TEP-2, "TON Addresses".
func ton() codecs {
	var cs codecs
	for kind, chain := range [...]string{"\x00", "\xff"} {
		lead := [...]string{"0:", "-1:"}[kind]
		cs = append(cs, codec{enc: hexText{lead: lead}, size: 32, kind: uint8(kind)})
		for _, tag := range [...]string{"\x11", "\x51", "\x91", "\xd1"} {
			c := codec{enc: base64Text{crc: true}, prefix: tag + chain, size: 32, kind: uint8(kind)}
			if tag >= "\x80" {
				c.use = testers
			}
			cs = append(cs, c)
		}
	}
	return cs
}

const tonLen = 48

// base64Text is the characters lead, URL-safe Base64 of version bytes, the payload and perhaps a
// checksum of both, and the characters tail.
type base64Text struct {
	lead, tail string
	crc        bool // there is a CRC-16, and the other alphabet is read, too
}

// size returns the number of bytes.
func (e base64Text) size(c *codec) int {
	if e.crc {
		return len(c.prefix) + c.size + 2
	}
	return len(c.prefix) + c.size
}

func (e base64Text) read(r *reader, c *codec) fault {
	s, ok := strings.CutPrefix(r.s, e.lead)
	if !ok {
		return badLead(r.s, e.lead)
	}
	r.claimed = e.lead != ""
	b := r.tmp[:e.size(c)]
	n := base64.RawURLEncoding.EncodedLen(len(b))
	if len(s) != n+len(e.tail) {
		return badLength
	}
	alphabet, bad := decodeBase64(b, s[:n])
	if bad < 0 && alphabet == base64Std && !e.crc {
		bad = strings.IndexAny(s, "+/")
	}
	switch {
	case bad >= 0:
		return badChar(len(e.lead) + bad)
	case s[n:] != e.tail:
		return badSyntax
	case !hasVersion(b, c.prefix):
		return badChar(0)
	}
	body := b[:len(c.prefix)+c.size]
	r.claimed = r.claimed || e.crc
	if e.crc && crc16(body) != binary.BigEndian.Uint16(b[len(body):]) {
		return badChecksum
	}
	r.set(body[len(c.prefix):])
	r.normal = alphabet != base64Std
	return fault{}
}

func (e base64Text) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [36]byte
	b := append(append(buf[:0], c.prefix...), payload...)
	if e.crc {
		b = binary.BigEndian.AppendUint16(b, crc16(b))
	}
	return append(base64.RawURLEncoding.AppendEncode(append(dst, e.lead...), b), e.tail...)
}

func (e base64Text) bounds(c *codec) bounds {
	n := len(e.lead) + base64.RawURLEncoding.EncodedLen(e.size(c)) + len(e.tail)
	return bounds{n, n, classAddress, e.lead, e.crc}
}

// kadena is the principals, the accounts whose name says what guards them: "k:" and an ed25519
// public key in lower-case hex; "w:", the hash of several keys in Base64, and the rule that says
// how many must sign; "c:" and the hash of a capability. Other accounts have free names, which
// nothing tells from other text.
//
// See KIP-12, "Single-key accounts", and "Accounts, keys, and principals" in the
// documentation of Kadena.
func kadena() codecs {
	cs := codecs{{enc: hexText{lead: "k:", lower: true}, size: 32, key: identity.Ed25519, what: "account"}}
	for i, rule := range [...]string{":keys-all", ":keys-any", ":keys-2"} { // every node has these
		cs = append(cs, codec{enc: base64Text{lead: "w:", tail: rule}, size: 32, kind: uint8(i + 1), what: "account"})
	}
	return append(cs, codec{enc: base64Text{lead: "c:"}, size: 32, kind: 4, what: "contract"})
}

// canton is the parties: a hint of 1 to 185 letters, digits, "-" and "_"; "::"; and the
// namespace, 1220 and the SHA-256 fingerprint of its key in lower-case hex. The whole is
// the account: one key has many parties. The node does not compare the fingerprint with a
// key. It also allows blanks and ":" in a hint, which are not read.
//
// See UniqueIdentifier.scala and Namespace of digital-asset/daml, and PartyIdString in
// value.proto of the Ledger API.
func canton() codecs {
	return codecs{{enc: nameText{1 + len(partyMark) + 64, 255, cantonFault}, what: "account", keys: func(r *reader, b []byte) {
		var key [32]byte
		if _, err := hex.Decode(key[:], b[len(b)-64:]); err == nil {
			r.keys.add(identity.PartyKey, key[:])
		}
	}}}
}

// partyMark stands between the hint and the fingerprint: the multihash of SHA-256 is 12 20.
const partyMark = "::1220"

func cantonFault(s string) fault {
	n := strings.Index(s, "::")
	switch {
	case n < 1 || !strings.HasPrefix(s[n:], partyMark):
		return badSyntax
	case len(s) != n+len(partyMark)+64:
		return badLength
	}
	for i, c := range []byte(s) {
		switch hint := i < n; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', i >= n && i < n+2:
		case hint && (charClass[c]&classAlnum != 0 || c == '-' || c == '_'):
		default:
			return badChar(i)
		}
	}
	return fault{}
}

// nameText is the payload itself, a name. check returns the fault of a name.
type nameText struct {
	min, max int
	check    func(s string) fault
}

func (e nameText) read(r *reader, c *codec) fault {
	if len(r.s) < e.min || len(r.s) > e.max {
		return badLength
	}
	r.n, r.normal = copy(r.buf[:], r.s), true
	return e.check(r.s)
}

func (nameText) write(dst []byte, c *codec, payload []byte) []byte { return append(dst, payload...) }

func (e nameText) bounds(*codec) bounds { return bounds{e.min, e.max, classAddress, "", false} }

func antelopeFault(s string) fault {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '1' <= c && c <= '5':
		case c == '.' && i > 0 && i < len(s)-1:
		default:
			return badChar(i)
		}
	}
	return unless(!isServiceName(s))
}

// near is names of 2 to 64 lower-case letters and digits, in nonempty parts with one "-", "_" or
// "." between any two. Some names are special: 64 hex digits are an implicit account, named by its
// ed25519 public key; "0x" and 40 hex digits are an account of an Ethereum key; names under
// ".testnet" belong to the test network.
//
// On Aurora, an account is the hash of its name.
//
// There is no checksum, and much text that is not an account is well-formed. A name without "."
// that is provably an address of another chain is none, though somebody could register it: a caller
// that passes a Bitcoin address with the wrong chain must get an error, not an account on this one.
//
// See the NEAR specification, "Account ID rules".
func near() codecs {
	return codecs{
		{enc: hexText{lower: true}, size: 32, kind: 1, key: identity.Ed25519, what: "account", check: func(r *reader) fault {
			return unless(crc32IEEE(r.buf[4:32]) != binary.BigEndian.Uint32(r.buf[:])) // not an account of internet-computer
		}, also: func(ks *keys, r *reader, _ []byte) { ks.addKeccak(append(r.tmp[:0], r.s...)) }},
		{enc: hexText{lead: "0x", lower: true}, size: 20, kind: 2, key: identity.KeccakHash, what: "account"},
		{enc: nameText{2, 64, nearFault}, what: "name", also: func(ks *keys, r *reader, name []byte) { ks.addKeccak(name) }, yield: func(s string) bool {
			// Bech32 contains a "1" and has at least 14 characters, internet-computer has groups of
			// five letters, and the others (CashAddr without its prefix, filecoin, nano) have at
			// least 41 characters.
			looks := len(s) >= 41 || len(s) >= 14 && strings.IndexByte(s, '1') > 0 || len(s) > 5 && s[5] == '-' || strings.HasPrefix(s, "0x")
			return looks && strings.IndexByte(s, '.') < 0
		}},
	}
}

func nearFault(s string) fault {
	separator := true // a name must not begin with a separator
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			separator = false
		case (c == '-' || c == '_' || c == '.') && !separator:
			separator = true
		default:
			return badChar(i)
		}
	}
	switch {
	case separator:
		return badChar(len(s) - 1)
	case strings.HasSuffix(s, ".testnet"):
		return badNetwork
	case len(s) >= 62 && isHex(s), isServiceName(s), isPaymentRequest(s), hasSecretMark(s):
		return badSyntax
	}
	return fault{}
}

// The alphabets of RFC 4648, without padding.
var (
	base64Std = base64.RawStdEncoding.Strict()
	base64URL = base64.RawURLEncoding.Strict()
)

// decodeBase64 decodes s, in either alphabet, into dst, which must have length
// len(s)*6/8. It returns the alphabet, and -1 or the index of a character that
// is wrong: encoding/base64 skips line breaks, which an address must not contain.
func decodeBase64(dst []byte, s string) (alphabet *base64.Encoding, bad int) {
	alphabet = base64URL
	if i := strings.IndexAny(s, "+/-_"); i >= 0 && (s[i] == '+' || s[i] == '/') {
		alphabet = base64Std
	}
	if bad = strings.IndexAny(s, "\r\n"); bad >= 0 {
		return alphabet, bad
	}
	var buf [64]byte
	if _, err := alphabet.Decode(dst, buf[:copy(buf[:], s)]); err != nil {
		at, _ := err.(base64.CorruptInputError)
		return alphabet, int(at)
	}
	return alphabet, -1
}
