package address

import (
	"encoding/binary"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// zcash is the format of Zcash. The embedded utxo parses transparent addresses
// (t1, t3) and Sprout addresses (zc) in Base58Check, and Sapling addresses
// (zs1) in Bech32. zcash adds unified addresses (u1), which contain several
// receivers, and tex1, a t1 address that accepts only transparent coins. The
// canonical form of tex1 is t1.
//
// See the Zcash protocol specification, section 5.6, ZIP-316 for unified and
// ZIP-320 for tex addresses.
type zcash struct{ utxo }

const (
	formUnified form           = lastUTXOForm + iota
	formTEX                    // P2PKH
	kindUnified identity.Class = lastUTXOKind
)

// maxUnified is the length of the longest unified address that is parsed. It
// has ample room for every defined receiver.
const maxUnified = 1024

func (z *zcash) parse(s string, tolerant bool) (string, form, fault) {
	switch {
	case hasHRP(s, "u"):
		var buf [maxUnifiedBytes]byte
		if _, bad := decodeUnified(&buf, s); bad.err != nil {
			return "", 0, bad
		}
		return strings.ToLower(s), formUnified, fault{}
	case hasHRP(s, "tex"):
		if _, bad := decodeTEX("tex", s); bad.err != nil {
			return "", 0, bad
		}
		return strings.ToLower(s), formTEX, fault{}
	case hasHRP(s, "secret-extended-key-main"), hasHRP(s, "secret-extended-key-test"):
		return "", 0, badSyntax
	case hasHRP(s, "textest"), hasHRP(s, "texregtest"):
		hrp, _, _ := strings.Cut(strings.ToLower(s), "1")
		if _, bad := decodeTEX(hrp, s); bad.err != nil {
			return "", 0, bad
		}
		return "", 0, badNetwork
	case hasHRP(s, "utest"), hasHRP(s, "uregtest"), hasHRP(s, "ztestsapling"), hasHRP(s, "zregtestsapling"):
		hrp, _, _ := strings.Cut(strings.ToLower(s), "1")
		if _, at, f := bech32.Verify(hrp, s); f != bech32.OK {
			return "", 0, bech32Fault(at, f)
		}
		return "", 0, badNetwork
	}
	return z.utxo.parse(s, tolerant)
}

// decodeTEX returns the P2PKH hash of s, which begins with hrp.
func decodeTEX(hrp, s string) (hash [20]byte, bad fault) {
	data, bad := bech32Data(hrp, "", bech32.Bech32m, s)
	switch {
	case bad.err != nil:
		return hash, bad
	case len(data) != 32: // characters; 160 bits leave no padding
		return hash, badLength
	}
	bech32.Read(hash[:], data)
	return hash, fault{}
}

// receivers holds the positions of the defined receivers in the bytes of a
// unified address, by typecode.
type receivers [4]struct{ start, end int } // end is 0 for a missing receiver

// The typecodes of the defined receivers.
const (
	receiverPKH     = 0
	receiverSH      = 1
	receiverSapling = 2
	receiverOrchard = 3
)

const maxUnifiedBytes = (maxUnified - len("u1") - 6) * 5 / 8

// decodeUnified decodes s, which begins with u1, into buf and returns its
// receivers.
//
// The receivers of a unified address must be in the order of their typecodes,
// without duplicates. At most one may be transparent, and it must not be the
// only one. A receiver of an undefined type is ignored, unless its typecode
// says that readers must understand it.
func decodeUnified(buf *[maxUnifiedBytes]byte, s string) (known receivers, bad fault) {
	data, bad := bech32Data("u", "", bech32.Bech32m, s)
	if bad.err != nil {
		return known, bad
	}
	n := bech32.Size(data)
	switch {
	case n < 0:
		return known, badSyntax
	case n < f4jumble.MinLen, n > len(buf):
		return known, badLength
	}
	bech32.Read(buf[:], data)
	f4jumble.Unjumble(buf[:n])
	var padding [16]byte
	copy(padding[:], "u")
	items := buf[:n-len(padding)]
	if string(buf[n-len(padding):n]) != string(padding[:]) {
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
			(typecode == receiverSapling || typecode == receiverOrchard) && size != saplingLen:
			return known, badSyntax
		case typecode < uint64(len(known)):
			known[typecode].start, known[typecode].end = start, i
		}
		last = int64(typecode)
		shielded = shielded || typecode > receiverSH
	}
	if !shielded {
		return known, badSyntax
	}
	return known, fault{}
}

// compactSize parses a length in Bitcoin's encoding, which must be the
// shortest. It returns the length and the number of bytes read, or 0, 0.
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

func (z *zcash) canonical(text string, f form) (string, form) {
	if f == formTEX {
		hash, _ := decodeTEX("tex", text)
		return z.encode(z.pkh, hash[:]), formPKH
	}
	return z.utxo.canonical(text, f)
}

func (z *zcash) account(text string, f form) (words, tag) {
	switch f {
	case formTEX:
		hash, _ := decodeTEX("tex", text)
		return makeKey(kindPKH, hash[:])
	case formUnified:
		var buf [maxUnified]byte
		return hashedKey(kindUnified, buf[:copy(buf[:], text)])
	}
	return z.utxo.account(text, f)
}

func (z *zcash) key(text string, f form) (words, tag) {
	switch f {
	case formTEX:
		hash, _ := decodeTEX("tex", text)
		return makeKey(identity.Hash160, hash[:])
	case formUnified:
		k := unifiedKeys(text)[0]
		return k.words, k.tag
	}
	return z.utxo.key(text, f)
}

func (z *zcash) keys(text string, f form) keys {
	if f == formUnified {
		return unifiedKeys(text)
	}
	return keys{newKey(z.key(text, f))}
}

// unifiedKeys returns the keys of those receivers of a unified address that
// other addresses can share, the transparent one first.
func unifiedKeys(text string) (ks keys) {
	var buf [maxUnifiedBytes]byte
	known, _ := decodeUnified(&buf, text)
	n := 0
	for typecode, r := range known {
		if r.end == 0 {
			continue
		}
		data := buf[r.start:r.end]
		switch typecode {
		case receiverPKH:
			ks[n] = newKey(makeKey(identity.Hash160, data))
		case receiverSH:
			ks[n] = newKey(makeKey(identity.ScriptHash, data))
		case receiverSapling:
			ks[n] = newKey(hashedKey(identity.Sapling, data))
		case receiverOrchard:
			ks[n] = newKey(hashedKey(identity.Orchard, data))
		}
		n++
	}
	return ks
}
