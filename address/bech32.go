package address

import (
	"encoding/binary"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// bech is Bech32 of the payload with the human-readable part prefix, behind the
// characters lead. The normal form is lower case.
type bech struct {
	variant bech32.Variant
	lead    string
}

var (
	bech32Text  = bech{variant: bech32.Bech32}
	bech32mText = bech{variant: bech32.Bech32m}
)

// hasHRP reports whether s begins with the human-readable part hrp, in any letter case, and a 1.
func hasHRP(s, hrp string) bool {
	return len(s) > len(hrp) && s[len(hrp)] == '1' && (s[:len(hrp)] == hrp || strings.EqualFold(s[:len(hrp)], hrp))
}

// data32 returns the characters that hold the data of the text from offset at on, if it is text of
// code and variant v with the human-readable part hrp. If only the checksum is wrong, it returns
// both the characters and a fault. It verifies the text once for all codecs.
func (r *reader) data32(code *bech32.Code, v bech32.Variant, hrp string, at int) (string, fault) {
	s := r.s[at:]
	if r.hrp != hrp {
		r.hrp = hrp
		r.variant, r.at32, r.fault32 = code.Verify(hrp, s)
	}
	r.claimed = r.fault32 != bech32.Prefix && len(s) > len(hrp)
	switch r.fault32 {
	case bech32.Length:
		return "", fault{err: ErrLength, at: -1, lead: !r.claimed}
	case bech32.Charset, bech32.Prefix:
		return "", fault{err: ErrCharset, at: at + r.at32, lead: !r.claimed}
	}
	data := s[len(hrp)+1 : len(s)-code.ChecksumLen]
	if r.fault32 == bech32.Checksum || r.variant != v {
		return data, fault{err: ErrChecksum, at: -1, lead: r.fault32 == bech32.OK}
	}
	return data, fault{}
}

func (e bech) read(r *reader, c *codec) fault {
	if !strings.HasPrefix(r.s, e.lead) {
		return badLead(r.s, e.lead)
	}
	data, bad := r.data32(bech32.Std, e.variant, c.prefix, len(e.lead))
	if bad.err != nil && bad.err != ErrChecksum {
		return bad
	}
	switch {
	case bad.lead: // the other checksum is right
		return bad
	case c.size != 0 && len(data) != (8*c.size+4)/5: // before it is read
		return badLength
	}
	n := bech32.Std.Read(r.buf[:], data)
	switch {
	case c.size == 0 && (n == 0 || n > maxPayload-64):
		return badLength
	case bad.err != nil:
		return bad
	case n < 0:
		return badSyntax // too much padding, or padding that is not zero
	}
	r.n = n
	r.normal = r.s[len(e.lead)] >= 'a' // all letters have the same case, and the first character is one
	return fault{}
}

func (e bech) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [128]byte
	return bech32.Std.Append(append(dst, e.lead...), c.prefix, bech32.Unpack(buf[:0], payload), e.variant)
}

func (e bech) bounds(c *codec) bounds {
	return bounds32(c, e.lead, 0)
}

// bounds32 returns the bounds of Bech32 with a number of characters beside the bytes.
func bounds32(c *codec, lead string, more int) bounds {
	n := len(lead) + len(c.prefix) + 1 + more + bech32.Std.ChecksumLen
	b := bounds{n, bech32.MaxLen, classAddress, strings.ToLower(lead) + c.prefix + "1", true}
	if c.size != 0 {
		b.min += (8*c.size + 4) / 5
		b.max = b.min
	}
	return b
}

// radix is an account: its first byte says that it was made by a transaction, or comes with a
// secp256k1 or an ed25519 key. Other entities have other human-readable parts.
//
// See entity_type.rs of radixdlt-scrypto.
func radix() codecs {
	c := codec{enc: bech32mText, size: 30, what: "account"}
	cs := c.on("account_rdx", "account_tdx_2_", "account_sim", "account_loc")
	cs[0].check = func(r *reader) fault {
		b := r.buf[0]
		return unless(b == 0xc1 || b == 0xd1 || b == 0x51)
	}
	return cs
}

// namada is a transparent address: a number and 20 bytes, which are zero for the
// accounts of the protocol. The number says what the account is: implicit or
// established, a token, or a part of the protocol.
//
// See address/raw.rs of namada_core.
func namada() codecs {
	with := func(kind uint8, what string, check func(n byte, zero bool) bool) codec {
		return codec{enc: bech32mText, prefix: "tnam", size: 21, kind: kind, what: what, check: func(r *reader) fault {
			return unless(check(r.buf[0], [20]byte(r.buf[1:]) == [20]byte{}))
		}}
	}
	return codecs{
		with(0, "account", func(n byte, _ bool) bool { return n <= 1 }),
		with(1, "contract", func(n byte, zero bool) bool { return 11 <= n && n <= 13 || 1 < n && n <= 15 && zero }),
	}
}

// multiversx is the Bech32 of 32 bytes, which are an ed25519 public key or, if
// they begin with eight zeros, a contract.
//
// See "Accounts, addresses" and "Smart contract addresses" in its documentation.
func multiversx() codecs {
	with := func(kind uint8, what string, key identity.Class, contract bool) codec {
		return codec{enc: bech32Text, prefix: "erd", size: 32, kind: kind, what: what, key: key, check: func(r *reader) fault {
			return unless(([8]byte(r.buf[:8]) == [8]byte{}) == contract)
		}}
	}
	return codecs{with(0, "account", identity.Ed25519, false), with(1, "contract", 0, true)}
}

// penumbra is the Bech32m of 80 bytes, permuted by F4Jumble: a diversifier, a transmission key and
// a clue key. The transmission key must be a number below the order of the field; the node checks
// no more. "penumbracompat1" and Bech32 is another spelling, for chains that cannot send to
// Bech32m. One wallet has many addresses, which nothing links.
//
// See address.rs of penumbra-keys.
func penumbra() codecs {
	check := func(r *reader) fault {
		b := r.tmp[:copy(r.tmp[:], r.payload())]
		f4jumble.Unjumble(b)
		return unless(isPenumbraKey(b[16:]))
	}
	return codecs{
		{enc: bech32mText, prefix: "penumbra", size: 80, what: "shielded", check: check},
		{enc: bech32Text, prefix: "penumbracompat1", size: 80, what: "shielded", check: check},
	}
}

// penumbraOrder is the order of the field of the transmission key, least significant word first.
var penumbraOrder = [4]uint64{0x0a11800000000001, 0x59aa76fed0000001, 0x60b44d1e5c37b001, 0x12ab655e9a2ca556}

// isPenumbraKey reports whether the first 32 bytes of b are a number below the order of the field.
func isPenumbraKey(b []byte) bool {
	for i := 3; i >= 0; i-- {
		if w := binary.LittleEndian.Uint64(b[8*i:]); w != penumbraOrder[i] {
			return w < penumbraOrder[i]
		}
	}
	return false
}

// cosmos is the accounts of a chain of the Cosmos SDK: Bech32 of 20 bytes, the hash160 of a
// secp256k1 key, or of 32 bytes, for contracts, modules and interchain accounts. Normalize also
// reads the address of a validator, which is the account of its operator with another
// human-readable part: operator, or hrp and "valoper". The addresses of consensus keys ("…valcons")
// and public keys are not accounts. tests are the human-readable parts of test networks.
//
// See ADR 28, "Derive addresses", of the Cosmos SDK.
func cosmos(hrp string, tests ...string) codecs {
	return cosmosWith(identity.Hash160, hrp, hrp+"valoper", tests...)
}

// cosmosWith is cosmos with another class of the 20 bytes and another
// human-readable part of validators.
func cosmosWith(key identity.Class, hrp, operator string, tests ...string) codecs {
	account := codec{enc: bech32Text, size: 20, key: key}
	long := codec{enc: bech32Text, size: 32, kind: 1}
	return all(account.with(hrp), account.with(operator).only(tolerated), long.with(hrp), test(account.with(tests...), long.with(tests...)))
}

// eitherKey returns cs, accounts of a chain where 20 bytes are the hash160 of a
// key or its Keccak-256 hash, as on EVM chains.
func (cs codecs) eitherKey() codecs {
	for i := range cs {
		if cs[i].key == identity.Hash160 {
			cs[i].keys = func(r *reader, b []byte) {
				r.keys.add(identity.Hash160, b)
				r.keys.add(identity.KeccakHash, b)
			}
		}
	}
	return cs
}

// evmCosmos is the accounts of an EVM chain that also writes them in Bech32.
// See the documentation of harmony, iotex, injective, evmos, canto and zetachain.
func evmCosmos(hrp, operator string, tests ...string) codecs {
	account := codec{enc: bech32Text, size: 20, key: identity.KeccakHash, evm: true}
	var validator codecs
	if operator != "" {
		validator = account.with(operator).only(tolerated)
	}
	return all(evm(), account.with(hrp), validator, test(account.with(tests...)))
}
