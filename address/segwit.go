package address

import (
	"slices"

	"github.com/walletscreen/walletscreen/address/internal/blech32"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

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

// decode decodes the text into values, five bits each. The first is the version.
func (e witness) decode(r *reader, c *codec) (version byte, data string, bad fault) {
	if len(r.s) > maxSegWit {
		return 0, "", badLength
	}
	data, bad = r.data32(bech32.Bech32, c.prefix, 0)
	if bad.err == ErrChecksum && r.fault32 == bech32.OK && !e.always {
		bad = fault{}
	}
	if bad.err != nil {
		return 0, "", bad
	}
	if data == "" {
		return 0, "", badLength
	}
	version = bech32.Value(data[0])
	switch {
	case version > 16 && !e.always:
		return 0, "", badChar(len(c.prefix) + 1)
	case !e.always && (version == 0) != (r.variant == bech32.Bech32):
		return 0, "", badChecksum
	}
	return version, data[1:], fault{}
}

func (e witness) read(r *reader, c *codec) fault {
	if e.blind {
		return e.readBlind(r, c)
	}
	version, data, bad := e.decode(r, c)
	if bad.err != nil {
		return bad
	}
	n := bech32.Size(data)
	switch {
	case n < 0:
		return badSyntax
	case n < minProgram, n > maxProgram, version == 0 && n != 20 && n != 32:
		return badLength
	case c.size == 0:
		r.buf[0] = version
		r.n = 1 + bech32.Read(r.buf[1:1+n], data)
	case version != e.version || n != c.size:
		return badLength
	default:
		r.n = bech32.Read(r.buf[:n], data)
	}
	r.normal = isLowerBech32(r.s)
	return fault{}
}

// readBlind reads a confidential address of liquid. See ELIP-150.
func (e witness) readBlind(r *reader, c *codec) fault {
	if !hasHRP(r.s, c.prefix) {
		return badLead(r.s, c.prefix)
	}
	r.claimed = true
	var values [1 + (8*(blindingKey+maxProgram)+4)/5]byte
	n, variant, at, f := blech32.Decode(values[:], c.prefix, r.s)
	switch {
	case f == bech32.Charset || f == bech32.Prefix:
		return badChar(at)
	case f == bech32.Checksum:
		return badChecksum
	case f != bech32.OK || n == 0:
		return badLength
	case values[0] > 16:
		return badChar(len(c.prefix) + 1)
	case (values[0] == 0) != (variant == blech32.Blech32):
		return badChecksum
	}
	from := 0
	if c.size == 0 {
		r.buf[0], from = values[0], 1
	}
	n = bech32.Pack(r.buf[from:], values[1:n])
	if n < 0 || r.buf[from]|1 != 3 {
		return badSyntax // not a compressed public key
	}
	program := n - blindingKey
	switch {
	case program < minProgram, program > maxProgram, values[0] == 0 && program != 20 && program != 32,
		c.size != 0 && (values[0] != e.version || n != c.size):
		return badLength
	}
	r.n = from + n
	r.normal = isLowerBech32(r.s)
	return fault{}
}

func (e witness) write(dst []byte, c *codec, payload []byte) []byte {
	version := e.version
	if c.size == 0 {
		version, payload = payload[0], payload[1:]
	}
	if version > 31 {
		return dst
	}
	var buf [128]byte
	values := bech32.Unpack(append(buf[:0], version), payload)
	if e.blind {
		v := blech32.Blech32m
		if version == 0 {
			v = blech32.Blech32
		}
		return blech32.Append(dst, c.prefix, values, v)
	}
	v := bech32.Bech32m
	if version == 0 || e.always {
		v = bech32.Bech32
	}
	return bech32.Append(dst, c.prefix, values, v)
}

func (witness) proves() bool { return true }

func (e witness) bounds(c *codec) bounds {
	b := bounds32(c, "", 1)
	if e.blind {
		b.min, b.max = b.min+6, b.max+6 // the checksum has twelve characters
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
		return ok && c.size != 0
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
	return codecs{{enc: witnessLong{}, prefix: hrp, size: 2 * 33, kind: kindMWEB, what: "shielded",
		check: func(r *reader) fault { return unless(r.buf[0]|1 == 3 && r.buf[33]|1 == 3) }}}
}

// witnessLong is Bech32 of a version, which is 0, and the payload.
type witnessLong struct{}

func (witnessLong) read(r *reader, c *codec) fault {
	data, bad := r.data32(bech32.Bech32, c.prefix, 0)
	switch {
	case bad.err != nil:
		return bad
	case len(data) != 1+(8*c.size+4)/5:
		return badLength
	case bech32.Value(data[0]) != 0:
		return badChar(len(c.prefix) + 1)
	case bech32.Size(data[1:]) < 0:
		return badSyntax
	}
	r.n = bech32.Read(r.buf[:c.size], data[1:])
	r.normal = isLowerBech32(r.s)
	return fault{}
}

func (witnessLong) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [128]byte
	return bech32.Append(dst, c.prefix, bech32.Unpack(append(buf[:0], 0), payload), bech32.Bech32)
}

func (witnessLong) proves() bool { return true }

func (witnessLong) bounds(c *codec) bounds { return bounds32(c, "", 1) }

// sapling is a shielded receiver, 43 bytes: zcash, pivx.
func sapling(hrps ...string) (cs codecs) {
	for _, hrp := range hrps {
		cs = append(cs, codec{enc: bech32Text, prefix: hrp, size: 43, kind: kindSapling, what: "shielded", keys: saplingKeys})
	}
	return cs
}

func saplingKeys(r *reader, b []byte) {
	r.keys.addHashed(identity.Sapling, b)
}

// pactus is Bech32m of a type, one five-bit value, and 20 bytes, the hash of a
// key. The type determines which of three kinds of keys is hashed, and how:
// validator, BLS account, Ed25519 account, secp256k1 account. No other chain
// hashes keys the same way.
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

// liquid is addresses as on Bitcoin, and confidential ones.
func liquid() codecs {
	blind := func(hrp, blind string, plain codecs) codecs { return append(plain, confidential(hrp, blind, plain)...) }
	return all(blind("lq", "\x0c", all(pkh("\x39"), sh("\x27"), segwit("ex"))),
		test(blind("tlq", "\x17", all(pkh("\x24", "\x13"), segwit("tex"))), blind("el", "\x04", all(pkh("\xeb", "\x4b"), segwit("ert")))))
}
