package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// cash is CashAddr: a prefix, a colon, and the base32 of a version byte, the payload, and a
// checksum that also covers the prefix. The normal form has the prefix and is in lower case.
//
// See spec/cashaddr.md of bitcoincash.org.
type cash struct {
	code    *bech32.Code
	version byte
	bare    bool // the prefix may be missing, and letters may be capitals
	fields  bool // Conflux's fields, such as "type.user:", may follow the prefix
}

// minPrefixless is the minimum length at which a text without a colon is read as
// CashAddr rather than Base58.
const minPrefixless = 36

// maxCash is more than the length of any text with fields.
const maxCash = 512

func (e cash) read(r *reader, c *codec) fault {
	if len(r.s) > maxCash {
		return badLength
	}
	at, bad := e.readPrefix(r, c)
	if bad.err != nil {
		return bad
	}
	body := r.s[at:]
	if r.quiet && (body == "" || e.code.Value(body[0]) != e.version>>3) { // another type
		return badSyntax
	}
	_, isUpper, i, why := e.code.VerifyData(c.prefix, body)
	r.claimed = r.claimed || why == bech32.OK
	switch {
	case why == bech32.Charset:
		return badChar(at + i)
	case len(body) <= e.code.ChecksumLen:
		return badLength
	case at != 0 && isUpper != (r.s[0] < 'a'): // the prefix and the rest differ in case
		return badChar(at)
	}
	if bad := e.readBody(r, c, at, why == bech32.OK); bad.err != nil {
		return bad
	}
	r.normal = !isUpper && at == len(c.prefix)+1
	if e.fields {
		return confluxFields(r, len(c.prefix)+1, at)
	}
	return fault{}
}

// readPrefix returns the offset behind the prefix and the fields of the text, 0 if it has none.
func (e cash) readPrefix(r *reader, c *codec) (at int, bad fault) {
	s, prefix := r.s, c.prefix
	at = strings.IndexByte(s, ':') + 1
	switch {
	case at == 0 && e.bare && len(s) >= minPrefixless:
		return 0, fault{}
	case at == 0:
		return 0, badLead(s, prefix+":")
	}
	r.claimed = e.bare && c.use != testers
	upper := s[0] < 'a' && (e.bare || e.fields)
	if s[:at-1] != prefix && !(upper && strings.EqualFold(s[:at-1], prefix) && isOneCase(s[:at-1])) {
		if e.fields && isConfluxNet(s) {
			return 0, badNetwork
		}
		if upper {
			prefix = strings.ToUpper(prefix)
		}
		bad = badLead(s, prefix+":")
		bad.lead = !e.bare || c.use == testers
		return 0, bad
	}
	r.claimed = true
	if e.fields {
		at = strings.LastIndexByte(s, ':') + 1
	}
	return at, fault{}
}

// readBody sets the payload of r to what stands at offset at, whose checksum is right if ok.
func (e cash) readBody(r *reader, c *codec, at int, ok bool) fault {
	data := r.s[at : len(r.s)-e.code.ChecksumLen]
	var b [1 + 64]byte
	size := e.code.Read(b[:], data)
	switch {
	case b[0]>>3 != e.version>>3: // another type
		return fault{err: ErrCharset, at: at, lead: true}
	case c.size != 0 && len(data) != (8*(1+c.size)+4)/5:
		return badLength
	case !ok:
		return badChecksum
	case size < 0:
		return badSyntax
	case b[0] != e.version:
		return badLength
	}
	r.set(b[1:size])
	return fault{}
}

func (e cash) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [1 + 64]byte
	var values [8 * len(buf) / 5]byte
	return e.code.Append(dst, c.prefix, bech32.Unpack(values[:0], append(append(buf[:0], e.version), payload...)), 0)
}

func (e cash) bounds(c *codec) bounds {
	n := (8*(1+c.size)+4)/5 + e.code.ChecksumLen
	b := bounds{n, len(c.prefix) + 1 + n, 0, "", true}
	if !e.bare {
		b.min, b.lead = b.max, c.prefix+":"
	}
	if e.fields {
		b.max = maxCash
	}
	return b
}

// cashAddr is the CashAddr of Bitcoin Cash and eCash: P2PKH and P2SH, and if
// tokens is true, also P2SH of 32 bytes, and both with the mark that the owner
// can receive tokens. CashAddr permits more sizes, which have no locking script.
//
// See CHIP-2022-02 "CashTokens" and CHIP-2022-05 "P2SH32" of Bitcoin Cash.
func cashAddr(prefix string, tokens bool, tests ...string) codecs {
	with := func(prefix string) codecs {
		c := func(version byte, size int, kind uint8, key identity.Class, what string) codec {
			return codec{enc: cash{code: bech32.Cash, version: version, bare: true}, prefix: prefix, size: size, kind: kind, key: key, what: what}
		}
		cs := codecs{c(0x00, 20, kindPKH, identity.Hash160, "p2pkh"), c(0x08, 20, kindSH, identity.ScriptHash, "p2sh")}
		if tokens {
			cs = append(cs, c(0x0b, 32, kindSH32, identity.ScriptHash, "p2sh"), c(0x10, 20, kindPKH, identity.Hash160, "p2pkh"),
				c(0x18, 20, kindSH, identity.ScriptHash, "p2sh"), c(0x1b, 32, kindSH32, identity.ScriptHash, "p2sh"))
		}
		return cs
	}
	cs := with(prefix)
	for _, prefix := range tests {
		cs = append(cs, test(with(prefix))...)
	}
	return cs
}

// kaspa is the mandatory prefix "kaspa:" and, with the checksum of CashAddr, a
// version byte and a public key or the hash of a script: version 0 is the x
// coordinate of a key for Schnorr signatures, 1 a compressed key for ECDSA
// signatures, 8 the BLAKE2b-256 hash of a script. It is always lower case.
//
// See crypto/addresses of rusty-kaspa.
func kaspa() codecs {
	with := func(prefix string) codecs {
		c := func(version byte, size int, key identity.Class) codec {
			return codec{enc: cash{code: bech32.Cash, version: version}, prefix: prefix, size: size, kind: version, key: key}
		}
		cs := codecs{c(0, 32, identity.Secp256k1), c(1, 33, 0), c(8, 32, 0)}
		cs[1].keys = func(r *reader, b []byte) {
			if b[0]|1 == 3 { // a compressed key
				r.keys.add(identity.Secp256k1, b[1:])
			}
		}
		return cs
	}
	return all(with("kaspa"), test(with("kaspatest"), with("kaspadev"), with("kaspasim")))
}

// conflux is an address of the Core space of Conflux: a prefix for the network, fields that readers
// check, such as "type.user", and the base32 of a version byte and 20 bytes. Their first four bits
// say whether the account is builtin, a user or a contract. It is not an address of the eSpace, an
// EVM chain.
//
// See CIP-37, and cfx_addr of conflux-rust for the alphabet.
func conflux() codecs {
	c := codec{enc: cash{code: bech32.Conflux, fields: true}, size: 20, also: confluxAlso, check: func(r *reader) fault {
		return unless(confluxType(r.buf[0]) != "")
	}}
	return c.on("cfx", "cfxtest")
}

// confluxAlso adds the account of the other space (CIP-90), and the sixteen that the
// Ethereum key of a user can have: conflux replaces its first four bits.
func confluxAlso(ks *keys, r *reader, b []byte) {
	ks.addKeccak(b)
	if confluxType(b[0]) != "user" {
		return
	}
	hash := [20]byte(b)
	for i := range byte(16) {
		hash[0] = i<<4 | b[0]&15
		ks.add(identity.KeccakHash, hash[:])
	}
}

// confluxType returns the type of an account whose first byte is given.
func confluxType(first byte) string {
	switch first & 0xf0 {
	case 0x00:
		return "builtin"
	case 0x10:
		return "user"
	case 0x80:
		return "contract"
	}
	return ""
}

// confluxFields checks the fields at from to end of the text, each with a colon behind it.
func confluxFields(r *reader, from, end int) fault {
	for from < end {
		field, _, _ := strings.Cut(r.s[from:], ":")
		if !isConfluxField(field, r.payload()) {
			return badChar(from)
		}
		from += len(field) + 1
	}
	return fault{}
}

// isConfluxField reports whether a field may precede the account, in any letter case.
func isConfluxField(field string, account []byte) bool {
	key, value, ok := strings.Cut(field, ".")
	switch {
	case !ok || strings.Contains(value, ".") || key == "" || value == "":
		return false
	case !strings.EqualFold(key, "type"):
		return true
	case strings.EqualFold(value, "null"):
		return [20]byte(account) == [20]byte{}
	}
	return strings.EqualFold(value, confluxType(account[0]))
}

// isConfluxNet reports whether s is an address of a network of Conflux that has a number, as in
// "net8888:". The main network and the test network have names instead.
func isConfluxNet(s string) bool {
	prefix, _, _ := strings.Cut(s, ":")
	if !hasPrefixFold(prefix, "net") || !isOf(classDigit, prefix[3:]) || prefix[3:] == "1" || prefix[3:] == "1029" {
		return false
	}
	_, _, _, why := bech32.Conflux.VerifyData(prefix, s[strings.LastIndexByte(s, ':')+1:])
	return why == bech32.OK
}
