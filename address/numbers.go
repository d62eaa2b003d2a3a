package address

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// filecoin is "f", a digit for the protocol, and
//
//	f0  the number of an actor, in decimal
//	f1  the BLAKE2b-160 hash of a secp256k1 key
//	f2  the BLAKE2b-160 hash of the creation of an actor
//	f3  a BLS key of 48 bytes
//	f4  the number of the actor that manages the name space, "f", and up to 54
//	    bytes; name space 10, the only one in use, has Ethereum's 20 bytes
//
// The bytes are in lower-case Base32 and end with the BLAKE2b-32 hash of the protocol, the name
// space as a varint, and the bytes. On test networks the first letter is "t". Only the chain knows
// which f0 address is the account of an f1 to f4 address.
//
// See the Filecoin specification, "Address", and FIP-0048.
func filecoin() codecs {
	with := func(letter string) codecs {
		cs := codecs{{enc: filecoinText{}, prefix: letter + "1", size: 20, kind: 1}, {enc: filecoinText{}, prefix: letter + "2", size: 20, kind: 2},
			{enc: filecoinText{}, prefix: letter + "3", size: 48, kind: 3}, {enc: filecoinText{}, prefix: letter + "4", kind: 4, keys: func(r *reader, b []byte) {
				if len(b) == 1+20 && b[0] == 10 {
					r.keys.add(identity.KeccakHash, b[1:])
				}
			}}, {enc: numberText{}, prefix: letter + "0", size: 8, also: func(ks *keys, r *reader, b []byte) { ks.add(identity.FilecoinNumber, b) }}}
		return cs
	}
	return all(with("f"), test(with("t")))
}

type filecoinText struct{}

const filecoinMaxSub = 54

func (filecoinText) read(r *reader, c *codec) fault {
	s := r.s
	if len(s) < 3 || len(s) > 2+19+1+((filecoinMaxSub+4)*8+4)/5 {
		return badLength
	}
	if s[:2] != c.prefix {
		return badLead(s, c.prefix)
	}
	r.claimed = true
	var raw [1 + binary.MaxVarintLen64 + filecoinMaxSub + 4]byte
	raw[0] = c.prefix[1] - '0'
	n, at := 1, 2
	if c.size == 0 {
		space, end, bad := parseID(s, at)
		switch {
		case bad.err != nil:
			return bad
		case end == len(s):
			return badLength
		case s[end] != 'f':
			return badChar(end)
		}
		at = end + 1
		n += binary.PutUvarint(raw[n:], space)
	}
	size := (len(s)-at)*5/8 - 4 // excluding the checksum
	if c.size != 0 && size != c.size || size < 0 || size > filecoinMaxSub || len(s)-at != ((size+4)*8+4)/5 {
		return badLength
	}
	if bad := base32.Decode(base32.Lower, raw[n:n+size+4], s[at:]); bad >= 0 {
		return badChar(at + bad)
	}
	n += size
	var sum [4]byte
	f4jumble.Blake2b(sum[:], raw[:n], [16]byte{})
	if sum != [4]byte(raw[n:]) {
		return badChecksum
	}
	r.set(raw[1:n])
	r.normal = true
	return fault{}
}

func (filecoinText) write(dst []byte, c *codec, payload []byte) []byte {
	dst = append(dst, c.prefix...)
	var buf [1 + binary.MaxVarintLen64 + filecoinMaxSub + 4]byte
	b := append(append(buf[:0], c.prefix[1]-'0'), payload...)
	var sum [4]byte
	f4jumble.Blake2b(sum[:], b, [16]byte{})
	if c.size == 0 {
		space, n := binary.Uvarint(payload)
		if n <= 0 {
			return dst
		}
		dst = append(strconv.AppendUint(dst, space, 10), 'f')
		b = b[n:]
	}
	return base32.Lower.Append(dst, append(b[1:], sum[:]...))
}

func (filecoinText) bounds(c *codec) bounds {
	if c.size == 0 {
		return bounds{11, 2 + 19 + 1 + ((filecoinMaxSub+4)*8+4)/5, classAddress, c.prefix, true}
	}
	n := 2 + ((c.size+4)*8+4)/5
	return bounds{n, n, classAddress, c.prefix, true}
}

// numberText is the characters prefix and a decimal number of at most 63 bits without leading
// zeros, as filecoin and hedera number accounts. If it is checked, a dash and five letters follow,
// which prove the number and the ledger of hedera: 0 is the main network.
type numberText struct {
	checked bool
	ledger  uint32
}

func (e numberText) read(r *reader, c *codec) fault {
	n := len(c.prefix)
	if !strings.HasPrefix(r.s, c.prefix) {
		return badLead(r.s, c.prefix)
	}
	r.claimed = !e.checked && len(r.s) <= n+19 && strings.IndexByte(r.s, '-') < 0
	id, end, bad := parseID(r.s, n)
	if bad.err == nil && e.checked {
		end, bad = e.readSum(r, end)
	}
	switch {
	case bad.err != nil:
		return bad
	case end != len(r.s):
		return badChar(end)
	}
	binary.BigEndian.PutUint64(r.buf[:8], id)
	r.n, r.normal = 8, true
	return fault{}
}

// readSum reads the checksum of the number that ends at dash, and returns its end.
func (e numberText) readSum(r *reader, dash int) (end int, bad fault) {
	switch {
	case dash == len(r.s):
		return 0, badLength
	case r.s[dash] != '-':
		return 0, badChar(dash)
	}
	r.claimed = true
	switch end = skip(classLower, r.s, dash+1); {
	case end < len(r.s):
		return 0, badChar(end)
	case end != dash+1+5:
		return 0, badLength
	case hederaSum([]byte(r.s[:dash]), e.ledger) != [5]byte([]byte(r.s[dash+1:])):
		return 0, badChecksum
	}
	return end, fault{}
}

func (e numberText) write(dst []byte, c *codec, payload []byte) []byte {
	from := len(dst)
	dst = strconv.AppendUint(append(dst, c.prefix...), binary.BigEndian.Uint64(payload), 10)
	if e.checked {
		sum := hederaSum(dst[from:], e.ledger)
		dst = append(append(dst, '-'), sum[:]...)
	}
	return dst
}

func (e numberText) bounds(c *codec) bounds {
	b := bounds{len(c.prefix) + 1, len(c.prefix) + 19, classAddress, c.prefix, e.checked}
	if e.checked {
		b.min, b.max = b.min+6, b.max+6
	}
	return b
}

// parseID parses the account number at offset at of s: decimal digits without
// leading zeros. It returns the number and the offset after it.
func parseID(s string, at int) (id uint64, end int, bad fault) {
	end = skip(classDigit, s[:min(len(s), at+20)], at)
	switch {
	case end == at && at == len(s):
		return 0, 0, badLength
	case end == at, s[at] == '0' && end > at+1:
		return 0, 0, badChar(at)
	}
	id, err := strconv.ParseUint(s[at:end], 10, 63)
	return id, end, unless(err == nil)
}

// hedera is one of
//
//   - "0.0." and the number of the account, optionally followed by a dash and
//     five lower-case letters, a checksum of the number and the ledger;
//   - "0x" and 40 hex digits: the alias of an Ethereum key, or of a contract. If
//     they begin with 24 zeros, they are the number of the account. The letter
//     case follows the rules for EVM addresses;
//   - "0.0." and the DER form of a public key in hex: the alias of the key. A
//     secp256k1 key identifies the account of its Ethereum address. It has a
//     short form that the SDKs use and one that conforms to RFC 5480.
//
// Only the ledger knows the number of an alias. Shards and realms other than 0 do not exist.
//
// See HIP-15, "Address Checksum", HIP-32 on aliases of keys, and HIP-583 on Ethereum aliases.
func hedera() codecs {
	secp256k1 := codec{size: 33, kind: 1, key: identity.KeccakHash, check: secp256k1Payload,
		core: func(r *reader) []byte {
			xy, _ := decompress([33]byte(r.payload()))
			sum := keccak256(xy[:])
			return append(r.tmp[:0], sum[12:]...)
		},
		also: func(ks *keys, r *reader, _ []byte) { ks.add(identity.Secp256k1, r.payload()[1:]) }}
	number := func(ks *keys, r *reader, b []byte) { ks.add(identity.HederaNumber, b) }
	short, long := secp256k1, secp256k1
	short.enc, long.enc = hexText{lead: "0.0.302d300706052b8104000a032200"}, hexText{lead: "0.0.3036301006072a8648ce3d020106052b8104000a032200"}
	return codecs{
		{enc: numberText{}, prefix: "0.0.", size: 8, also: number},
		{enc: numberText{checked: true}, prefix: "0.0.", size: 8, also: number},
		{enc: hexText{lead: "0x", rule: eip55}, size: 20, also: number,
			check:  func(r *reader) fault { return unless([12]byte(r.buf[:]) == [12]byte{} && r.buf[12] < 0x80) },
			core:   func(r *reader) []byte { return r.payload()[12:] },
			uncore: func(number []byte) [][]byte { return [][]byte{append(make([]byte, 12), number...)} }},
		{enc: hexText{lead: "0x", rule: eip55}, size: 20, kind: 1, key: identity.KeccakHash},
		{enc: hexText{lead: "0.0.302a300506032b6570032100"}, size: 32, kind: 2, key: identity.Ed25519},
		short, long,
		{enc: numberText{checked: true, ledger: 1}, prefix: "0.0.", size: 8, use: testers},
		{enc: numberText{checked: true, ledger: 2}, prefix: "0.0.", size: 8, use: testers},
	}
}

// hederaSum returns the checksum letters of an account id on a ledger whose id
// is one byte, as defined in HIP-15.
func hederaSum(id []byte, ledger uint32) (letters [5]byte) {
	const p3, p5 = 26 * 26 * 26, 26 * 26 * 26 * 26 * 26
	var even, odd, all uint32
	for i := range len(id) {
		d := uint32(10) // the dot
		if id[i] != '.' {
			d = uint32(id[i] - '0')
		}
		if i%2 == 0 {
			even += d
		} else {
			odd += d
		}
		all = (all*31 + d) % p3
	}
	h := uint64(ledger)
	for range 6 {
		h = h * 31 % p5
	}
	c := ((uint64(len(id)%5)*11+uint64(even%11))*11+uint64(odd%11))*p3 + uint64(all) + h
	c = c % p5 * 1000003 % p5
	for i := len(letters) - 1; i >= 0; i-- {
		letters[i] = 'a' + byte(c%26)
		c /= 26
	}
	return letters
}
