package address

import (
	"bytes"
	"cmp"
	"math/bits"
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// An Address is packed if its account determines its normal form: it holds the
// words of the account instead of a text, and writes the text when it is asked
// for. So no spelling of it costs an allocation. Whether an Address is packed
// depends on its chain and its form alone, apart from long witness programs, so
// that equal Addresses remain equal.

// A packing is how the normal form is written.
type packing uint8

const (
	unpacked   packing = iota // it is the text
	packHex                   // "0x" and the 20 bytes in hex
	packSegWit                // a witness program of at most 32 bytes
	packTron                  // Base58Check of 20 bytes
)

// maxPacked is the length of the longest normal form of a packed Address, with
// room to spare.
const maxPacked = 96

// A shape holds what an Address has apart from its text and its words: from the
// lowest bit on, the row (16 bits), the form, the packing, and the version and
// the length of a packed witness program (8 bits each). One word is copied
// faster than its parts.
type shape uint64

func makeShape(row uint16, f form, p packing) shape {
	return shape(row) | shape(f)<<16 | shape(p)<<24
}

// packedHex returns the shape of an EVM account of form f.
func packedHex(row uint16, f form) shape { return makeShape(row, f, packHex) }

// packedSegWit returns the shape of a witness program of form f.
func packedSegWit(row uint16, f form, version byte, n int) shape {
	return makeShape(row, f, packSegWit) | shape(version)<<32 | shape(n)<<40
}

func (s shape) row() uint16      { return uint16(s) }
func (s shape) form() form       { return form(s >> 16) }
func (s shape) packing() packing { return packing(s >> 24) }
func (s shape) version() byte    { return byte(s >> 32) }
func (s shape) size() int        { return int(s >> 40 & 0xff) }

// A packer says which Addresses of a row are packed.
type packer struct {
	how   packing
	forms uint32 // bits
	form  form   // of packHex, the only one
	hrp   string // of packSegWit
}

var packers = func() (t [len(chains)]packer) {
	for i := range chains {
		p := &t[i]
		switch f := chains[i].format.(type) {
		case evmFamily:
			p.how = packHex
		case *sei:
			p.how, p.form = packHex, formSeiEVM
		case tron:
			p.how = packTron
		case *utxo:
			p.hrp = f.hrp
		case *liquid:
			p.hrp = f.hrp
		}
		p.forms = 1 << p.form
		if p.hrp != "" {
			p.how, p.forms = packSegWit, 1<<formWPKH|1<<formWSH|1<<formWitness
		}
		if p.how == unpacked {
			p.forms = 0
		}
	}
	return t
}()

// packed is embedded in formats that have only packed addresses. Its methods are
// not called.
type packed struct{}

func (packed) canonical(text string, f form) (string, form) { return text, f }

func (packed) key(text string, f form) (words, tag) { return words{}, 0 }

// setText sets a to the Address of a text that the format of a row has parsed.
func (a *Address) setText(text string, row uint16, f form) {
	p := &packers[row-1]
	if p.forms>>f&1 == 0 {
		a.set(text, words{}, makeShape(row, f, unpacked))
		return
	}
	w, t := chains[row-1].format.account(text, f)
	if p.how == packSegWit {
		a.setSegWit(text, row, f, w, t)
		return
	}
	a.set("", w, makeShape(row, f, p.how))
}

// setSegWit sets a to the Address of a SegWit text, in any letter case, whose
// account is given.
func (a *Address) setSegWit(text string, row uint16, f form, w words, t tag) {
	switch kind := identity.Class(t); kind {
	case kindLongWitness:
		a.set(lowerBech32(text), words{}, makeShape(row, f, unpacked))
	case kindWSH:
		a.set("", w, packedSegWit(row, f, 0, 32))
	default:
		a.set("", w, packedSegWit(row, f, byte(kind-kindWitness), t.len()))
	}
}

// pack sets a, which is zero, to s as an address of a row. If it reports false,
// the format decides: s may be no address, or none that is packed, or have a rare
// checksum.
func (a *Address) pack(row uint16, s string, tolerant bool) bool {
	switch p := &packers[row-1]; p.how {
	case packHex:
		if len(s) != evmLen || s[0] != '0' || s[1] != 'x' && !(tolerant && s[1] == 'X') {
			return false
		}
		w, ok := lowerHexWords(s[2:])
		if !ok {
			kind, ok := hexCase(s[2:])
			if !ok || kind == hasUpper|hasLower && !tolerant && !isEIP55(s[2:]) {
				return false
			}
			w, _ = evmKey(0, s[2:])
		}
		a.set("", w, packedHex(row, p.form))
		return true
	case packSegWit:
		if !hasHRP(s, p.hrp) {
			return false
		}
		f, bad := checkSegWit(p.hrp, s)
		if bad.err != nil {
			return false
		}
		w, t := witnessAccount(p.hrp, s)
		a.setSegWit(s, row, f, w, t)
		return true
	case packTron:
		var w words
		if tolerant && isTronHex(s) {
			w, _ = evmKey(0, s[2:])
		} else {
			var bad fault
			if w, bad = decodeTron(s); bad.err != nil {
				return false
			}
		}
		a.set("", w, makeShape(row, formTron, packTron))
		return true
	}
	return false
}

// appendPacked appends the normal form of a, which must be packed.
func (a Address) appendPacked(b []byte) []byte {
	switch a.shape.packing() {
	case packHex:
		return identity.AppendHex(b, a.words, 20)
	case packTron:
		return appendTron(b, a.words)
	}
	program, version := identity.Bytes(a.words), a.shape.version()
	variant := bech32.Bech32m
	if version == 0 {
		variant = bech32.Bech32
	}
	var values [1 + (8*32+4)/5]byte
	values[0] = version
	return bech32.Append(b, packers[a.shape.row()-1].hrp, bech32.Unpack(values[:1], program[:a.shape.size()]), variant)
}

// packedAccount returns the tag of the account of a, which must be packed.
func (a Address) packedAccount() tag {
	class := accountClasses[a.shape.row()-1]
	switch a.shape.packing() {
	case packHex:
		return makeTag(ethereumAccount|evmKind, 20)
	case packTron:
		return makeTag(class, 20)
	}
	kind := kindWitness + identity.Class(a.shape.version())
	if a.shape.form() == formWSH {
		kind = kindWSH
	}
	return makeTag(class|kind, a.shape.size())
}

// packedKey returns the key of a, which must be packed.
func (a Address) packedKey() (words, tag) {
	switch a.shape.packing() {
	case packHex, packTron:
		return a.words, makeTag(identity.KeccakHash, 20)
	}
	switch a.shape.form() {
	case formWPKH:
		return a.words, makeTag(identity.Hash160, 20)
	case formWSH:
		return a.words, makeTag(identity.WitnessScript, 32)
	}
	return words{}, 0
}

// isSpelledNormally reports whether s, which Normalize reads as a, is the normal
// form of a. The case of hex digits after "0x" does not matter.
func (a Address) isSpelledNormally(s string) bool {
	switch a.shape.packing() {
	case packHex:
		return len(s) == evmLen && s[1] == 'x'
	case packTron:
		return len(s) == tronTextLen
	case packSegWit:
		n := len(packers[a.shape.row()-1].hrp) + 1 + 1 + (8*a.shape.size()+4)/5 + bech32.ChecksumLen
		return len(s) == n && s[0] >= 'a'
	}
	return s == a.text || strings.HasPrefix(s, "0x") && strings.EqualFold(s, a.text)
}

// compareText compares the normal forms of two addresses on one chain.
func (a Address) compareText(b Address) int {
	p, q := a.shape.packing(), b.shape.packing()
	switch {
	case p == unpacked && q == unpacked:
		return strings.Compare(a.text, b.text)
	case p == q && p != packSegWit: // their digits are in the order of the bytes, and equally many
		a0, a1, a2, _ := identity.Load(a.words)
		b0, b1, b2, _ := identity.Load(b.words)
		return cmp.Or(cmp.Compare(bits.ReverseBytes64(a0), bits.ReverseBytes64(b0)),
			cmp.Compare(bits.ReverseBytes64(a1), bits.ReverseBytes64(b1)), cmp.Compare(bits.ReverseBytes64(a2), bits.ReverseBytes64(b2)))
	}
	var x, y [maxPacked]byte
	return bytes.Compare(a.AppendNormalized(x[:0]), b.AppendNormalized(y[:0]))
}
