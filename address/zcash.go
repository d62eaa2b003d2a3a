package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// zcash is transparent addresses (t1, t3) and Sprout addresses (zc) in Base58Check, Sapling
// addresses (zs1) in Bech32, unified addresses (u1), which contain several receivers, and tex1, a
// t1 address that accepts only transparent coins.
//
// See the Zcash protocol specification, section 5.6, ZIP-316 for unified and
// ZIP-320 for tex addresses.
func zcash() codecs {
	tex := codec{enc: bech32mText, size: 20, kind: kindPKH, key: identity.Hash160, what: "p2pkh"}
	unified := func(hrps ...string) (cs codecs) {
		for _, hrp := range hrps {
			cs = append(cs, codec{enc: bech32mText, prefix: hrp, kind: kindUnified, what: "unified", keys: unifiedKeys,
				check: func(r *reader) fault {
					_, bad := readUnified(r, hrp)
					return bad
				}})
		}
		return cs
	}
	return all(pkh("\x1c\xb8"), sh("\x1c\xbd"), sprout("\x16\x9a"), sapling("zs"), unified("u"), tex.with("tex"),
		test(pkh("\x1d\x25"), sh("\x1c\xba"), sprout("\x16\xb6"), sapling("ztestsapling", "zregtestsapling"), unified("utest", "uregtest"), tex.with("textest", "texregtest")))
}

// The typecodes of the receivers that readers know.
const (
	receiverPKH     = 0
	receiverSH      = 1
	receiverSapling = 2
	receiverOrchard = 3
)

// readUnified returns the receivers in the payload of a unified address: the bytes of each
// by its typecode, or nil.
//
// The receivers must be in the order of their typecodes, without duplicates. At most one may be
// transparent, and it must not be the only one. A receiver of an undefined type is ignored, unless
// its typecode says that readers must understand it.
func readUnified(r *reader, hrp string) (known [4][]byte, bad fault) {
	if r.n < f4jumble.MinLen {
		return known, badLength
	}
	b := r.tmp[:copy(r.tmp[:], r.payload())]
	f4jumble.Unjumble(b)
	var padding [16]byte
	copy(padding[:], hrp)
	items := b[:len(b)-len(padding)]
	if string(b[len(items):]) != string(padding[:]) {
		return known, badSyntax
	}
	var last int64 = -1
	shielded := false
	for i := 0; i < len(items); {
		typecode, n1 := compactSize(items[i:])
		size, n2 := compactSize(items[i+n1:])
		start := i + n1 + n2
		if n1 == 0 || n2 == 0 || size > uint64(len(items)-start) {
			return known, badSyntax
		}
		i = start + int(size)
		switch {
		case int64(typecode) <= last, typecode > 0x02000000, // order, and the largest permitted typecode
			typecode == receiverSH && last == receiverPKH,
			0xe0 <= typecode && typecode <= 0xfc: // must be understood
			return known, badSyntax
		case typecode <= receiverSH && size != 20,
			(typecode == receiverSapling || typecode == receiverOrchard) && size != 43:
			return known, badSyntax
		case typecode < uint64(len(known)):
			known[typecode] = items[start:i]
		}
		last = int64(typecode)
		shielded = shielded || typecode > receiverSH
	}
	if !shielded {
		return known, badSyntax
	}
	return known, fault{}
}

// compactSize parses a length in Bitcoin's encoding, which must be the shortest.
// It returns the length and the number of bytes read, or 0, 0.
func compactSize(b []byte) (uint64, int) {
	switch {
	case len(b) == 0:
		return 0, 0
	case b[0] < 0xfd:
		return uint64(b[0]), 1
	case b[0] == 0xfd && len(b) >= 3:
		if v := uint64(binary.LittleEndian.Uint16(b[1:])); v >= 0xfd {
			return v, 3
		}
	case b[0] == 0xfe && len(b) >= 5:
		if v := uint64(binary.LittleEndian.Uint32(b[1:])); v > 0xffff {
			return v, 5
		}
	}
	return 0, 0 // no valid length needs eight bytes
}

// unifiedKeys returns the keys of the receivers that other addresses can share,
// the transparent one first.
func unifiedKeys(r *reader, _ []byte) {
	known, _ := readUnified(r, "u")
	for typecode, b := range known {
		switch {
		case b == nil:
		case typecode == receiverPKH:
			r.keys.add(identity.Hash160, b)
		case typecode == receiverSH:
			r.keys.add(identity.ScriptHash, b)
		case typecode == receiverSapling:
			r.keys.addHashed(identity.Sapling, b)
		default:
			r.keys.addHashed(identity.Orchard, b)
		}
	}
}
