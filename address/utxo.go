package address

import (
	"slices"

	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// The codecs of chains like Bitcoin. See BIP-13 (P2SH), and chainparams.cpp of
// the chain's node software for the version bytes.

// pkh is P2PKH with the given version bytes; the first are those in use.
func pkh(versions ...string) codecs {
	return codec{enc: base58Check{}, size: 20, kind: kindPKH, key: identity.Hash160, what: "p2pkh"}.with(versions...)
}

func sh(versions ...string) codecs {
	return codec{enc: base58Check{}, size: 20, kind: kindSH, key: identity.ScriptHash, what: "p2sh"}.with(versions...)
}

// hashed is Base58Check of a hash of 20 bytes that is an account of a kind of its own.
func hashed(version string, kind uint8, key identity.Class, what string) codecs {
	return codecs{{enc: base58Check{}, prefix: version, size: 20, kind: kind, key: key, what: what}}
}

// by returns cs with another hash for the checksum of Base58.
func (cs codecs) by(h checkHash) codecs {
	for i := range cs {
		if e, ok := cs[i].enc.(base58Check); ok {
			e.hash = h
			cs[i].enc = e
		}
	}
	return cs
}

// sprout is a shielded receiver of the first kind: horizen, zcash.
func sprout(version string) codecs {
	return codecs{{enc: base58Check{}, prefix: version, size: 64, kind: kindSprout, what: "shielded"}}
}

// The kinds of accounts of chains like Bitcoin.
const (
	kindPKH uint8 = iota
	kindSH
	kindSH32
	kindWPKH
	kindWSH
	kindTaproot
	kindWitness // any other witness program, with its version in front
	kindMWEB
	kindSapling
	kindSprout
	kindExchange
	kindStaking
	kindPubKey
	kindEdwards
	kindSchnorr
	kindUnified
)

// decredKeys are P2PK, and P2PKH for ed25519 and Schnorr signatures. Decred writes a public key as
// one byte and the 32 bytes of a coordinate. The byte holds the signature algorithm and, in the top
// bit, whether the other coordinate is odd. P2PK is a separate account, because coins paid to it
// are locked with the key, not with its hash.
//
// See dcrd, txscript/stdaddr.
func decred() codecs {
	b160 := func(cs codecs) codecs {
		for i := range cs {
			if cs[i].key == identity.Hash160 {
				cs[i].key = identity.Blake160
			}
		}
		return cs.by(blake256d)
	}
	p2pk := codec{enc: base58Check{}, size: 33, kind: kindPubKey, what: "p2pk",
		check: func(r *reader) fault { return unless(isDecredKey(r.payload())) },
		keys: func(r *reader, b []byte) {
			hash := decredKeyHash(b)
			r.keys.add(identity.Blake160, hash[:])
		}, also: func(ks *keys, r *reader, b []byte) {
			if b[0] == 1 {
				ks.add(identity.Ed25519, b[1:])
			} else {
				ks.add(identity.Secp256k1, b[1:])
			}
		}}
	return b160(all(pkh("\x07\x3f"), sh("\x07\x1a"), p2pk.with("\x13\x86"),
		hashed("\x07\x1f", kindEdwards, identity.Blake160, "p2pkh"), hashed("\x07\x01", kindSchnorr, identity.Blake160, "p2pkh"),
		test(pkh("\x0f\x21", "\x0e\xfc", "\x0f\x01", "\x0e\xe3", "\x0e\x91", "\x0e\x6c", "\x0e\x71", "\x0e\x53",
			"\x0e\x00", "\x0d\xdb", "\x0d\xe0", "\x0d\xc2"), p2pk.with("\x28\xf7", "\x27\x6f", "\x25\xe5"))))
}

func isDecredKey(b []byte) bool {
	switch b[0] {
	case 1: // ed25519
		return curve.IsEd25519((*[32]byte)(b[1:]))
	case 0, 0x80, 2, 0x82: // ECDSA, Schnorr
		key := [33]byte{2}
		copy(key[1:], b[1:])
		return isSecp256k1Key(key)
	}
	return false
}

// decredKeyHash returns the hash of the key b as in the P2PKH address of the key.
func decredKeyHash(b []byte) [20]byte {
	if b[0] == 1 {
		return blake160(b[1:])
	}
	key := [33]byte{}
	copy(key[:], b)
	key[0] = 2 + b[0]>>7
	return blake160(key[:])
}

// witness is SegWit: Bech32 of a version and a program. Version 0 has the
// checksum of BIP-173, the others the checksum of BIP-350. If size is 0, the
// payload is the version and the program, which have no other codec.
type witness struct {
	version byte // if size is not 0
	always  bool // all versions have the checksum of BIP-173: handshake
	blind   bool // Blech32, with a blinding key of 33 bytes in front of the program: liquid
}

// The limits of a SegWit address and of its witness program, from BIP-173.
const (
	maxSegWit   = 90
	minProgram  = 2
	maxProgram  = 40
	blindingKey = 33
)

// code returns the code of the text, and the number of bytes in front of the program.
func (e witness) code() (code *bech32.Code, front int) {
	if e.blind {
		return bech32.Blech, blindingKey
	}
	return bech32.Std, 0
}

func (e witness) read(r *reader, c *codec) fault {
	code, front := e.code()
	if len(r.s) > maxSegWit+2*front && c.size <= maxProgram+front {
		return badLength
	}
	data, bad := r.data32(code, bech32.Bech32, c.prefix, 0)
	switch {
	case bad.err != nil && (bad.err != ErrChecksum || r.fault32 != bech32.OK || e.always):
		return bad
	case data == "":
		return badLength
	}
	version := code.Value(data[0])
	switch {
	case e.always:
	case version > 16:
		return badChar(len(c.prefix) + 1)
	case (version == 0) != (r.variant == bech32.Bech32):
		return badChecksum
	}
	if c.size != 0 && (len(data)-1 != (8*c.size+4)/5 || version != e.version) { // before it is read
		return badLength
	}
	at := 0
	if c.size == 0 {
		r.buf[0], at = version, 1
	}
	n := code.Read(r.buf[at:], data[1:])
	switch {
	case n < 0:
		return badSyntax
	case c.size == 0 && !isProgram(version, n-front):
		return badLength
	}
	if r.n = at + n; e.blind && r.buf[at]|1 != 3 {
		return badSyntax // not a compressed public key
	}
	r.normal = r.s[0] >= 'a' // all letters have the same case, and the first character is one
	return fault{}
}

func isProgram(version byte, n int) bool {
	if version == 0 {
		return n == 20 || n == 32
	}
	return minProgram <= n && n <= maxProgram
}

func (e witness) write(dst []byte, c *codec, payload []byte) []byte {
	version := e.version
	if c.size == 0 {
		version, payload = payload[0], payload[1:]
	}
	if version > 31 {
		return dst
	}
	v := bech32.Bech32m
	if version == 0 || e.always {
		v = bech32.Bech32
	}
	var buf [128]byte
	code, _ := e.code()
	return code.Append(dst, c.prefix, bech32.Unpack(append(buf[:0], version), payload), v)
}

func (e witness) bounds(c *codec) bounds {
	b := bounds32(c, "", 1)
	if e.blind {
		more := bech32.Blech.ChecksumLen - bech32.Std.ChecksumLen
		b.min, b.max = b.min+more, b.max+more
	}
	if c.size == 0 {
		b.min, b.max = b.min+4, 2*maxSegWit
	}
	return b
}

// segwit is the witness programs of a chain: P2WPKH, P2WSH, P2TR and programs of
// other versions. A Taproot key need not be a point of the curve, because the
// consensus rules accept payments to any key.
//
// See BIP-173 and BIP-350.
func segwit(hrps ...string) (cs codecs) {
	for _, hrp := range hrps {
		cs = append(cs,
			codec{enc: witness{}, prefix: hrp, size: 20, kind: kindWPKH, key: identity.Hash160, what: "p2wpkh"},
			codec{enc: witness{}, prefix: hrp, size: 32, kind: kindWSH, key: identity.WitnessScript, what: "p2wsh"},
			codec{enc: witness{version: 1}, prefix: hrp, size: 32, kind: kindTaproot, key: identity.Taproot, what: "p2tr"},
			codec{enc: witness{}, prefix: hrp, kind: kindWitness, what: "witness"})
	}
	return cs
}

// test returns codecs of test networks. They only tell the network, so the witness
// programs of any size have one.
func test(lists ...codecs) codecs {
	return slices.DeleteFunc(all(lists...).only(testers), func(c codec) bool {
		_, ok := c.enc.(witness)
		return ok && c.size != 0 && c.kind != kindMWEB
	})
}

// confidential is the confidential addresses of liquid, which have a blinding
// key in front of the hash (V…) or of the witness program (lq1…). The key affects
// what others can see, not who owns the coins.
//
// See key_io.cpp and chainparams.cpp of Elements.
func confidential(hrp, blind string, plain codecs) (cs codecs) {
	for _, c := range plain {
		if e, ok := c.enc.(witness); ok {
			e.blind = true
			c.enc, c.prefix = e, hrp
			if c.size == 0 {
				c.core = func(r *reader) []byte {
					r.tmp[0] = r.buf[0]
					return r.tmp[:1+copy(r.tmp[1:], r.buf[1+blindingKey:r.n])]
				}
				cs = append(cs, c)
				continue
			}
		} else {
			c.prefix = blind + c.prefix
			c.check = func(r *reader) fault { return unless(r.buf[0]|1 == 3) }
		}
		c.size += blindingKey
		c.core = func(r *reader) []byte { return r.payload()[blindingKey:] }
		cs = append(cs, c)
	}
	return cs
}

// mweb is two public keys for litecoin's MimbleWimble extension blocks, encoded
// like version 0 of SegWit but longer.
func mweb(hrp string) codecs {
	return codecs{{enc: witness{}, prefix: hrp, size: 2 * 33, kind: kindMWEB, what: "shielded",
		check: func(r *reader) fault { return unless(r.buf[0]|1 == 3 && r.buf[33]|1 == 3) }}}
}

// sapling is a shielded receiver, 43 bytes: zcash, pivx.
func sapling(hrps ...string) codecs {
	return codec{enc: bech32Text, size: 43, kind: kindSapling, what: "shielded", keys: saplingKeys}.with(hrps...)
}

func saplingKeys(r *reader, b []byte) {
	r.keys.addHashed(identity.Sapling, b)
}

// pactus is Bech32m of a type, one five-bit value, and 20 bytes, the hash of a key. The type
// determines which of three kinds of keys is hashed, and how: validator, BLS account, Ed25519
// account, secp256k1 account. No other chain hashes keys the same way.
//
// See crypto/address.go of its node.
func pactus() (cs codecs) {
	for typ := uint8(1); typ <= 4; typ++ {
		cs = append(cs, codec{enc: witness{version: typ}, prefix: "pc", size: 20, kind: typ},
			codec{enc: witness{version: typ}, prefix: "tpc", size: 20, kind: typ, use: testers})
	}
	return cs
}

// handshake is a witness version from 0 to 31 and a program of 2 to 40 bytes,
// always with the checksum of BIP-173. In version 0, 20 bytes are the
// BLAKE2b-160 hash of a key, 32 bytes the SHA3-256 hash of a script.
//
// See lib/primitives/address.js of hsd.
func handshake() codecs {
	with := func(hrp string) codecs {
		return codecs{
			{enc: witness{always: true}, prefix: hrp, size: 20, key: identity.Blake2b160},
			{enc: witness{always: true}, prefix: hrp, kind: 1},
		}
	}
	return all(with("hs"), test(with("ts"), with("rs"), with("ss")))
}

func liquid() codecs {
	blind := func(hrp, blind string, plain codecs) codecs { return append(plain, confidential(hrp, blind, plain)...) }
	return all(blind("lq", "\x0c", all(pkh("\x39"), sh("\x27"), segwit("ex"))),
		test(blind("tlq", "\x17", all(pkh("\x24", "\x13"), segwit("tex"))), blind("el", "\x04", all(pkh("\xeb", "\x4b"), segwit("ert")))))
}
