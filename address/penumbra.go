package address

import (
	"encoding/binary"

	"github.com/walletscreen/walletscreen/address/internal/f4jumble"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// penumbra is the format of Penumbra: the Bech32m of 80 bytes, permuted by
// F4Jumble: a diversifier, a transmission key and a clue key. The transmission
// key must be a number below the order of the field; the node checks no more.
// "penumbracompat1" and Bech32 is another spelling, for chains that cannot send
// to Bech32m. One wallet has many addresses, which nothing links.
//
// See address.rs of penumbra-keys.
type penumbra struct{}

const (
	formPenumbra form = iota
	formPenumbraCompat
)

const (
	penumbraHRP    = "penumbra"
	penumbraCompat = "penumbracompat1"
	penumbraLen    = 80
	penumbraKey    = 16 // offset of the transmission key
)

// penumbraOrder is the order of the field of the transmission key, least
// significant word first.
var penumbraOrder = [4]uint64{0x0a11800000000001, 0x59aa76fed0000001, 0x60b44d1e5c37b001, 0x12ab655e9a2ca556}

func (penumbra) parse(s string, tolerant bool) (string, form, fault) {
	hrp, variant, f := penumbraHRP, bech32.Bech32m, formPenumbra
	if hasHRP(s, penumbraCompat) {
		hrp, variant, f = penumbraCompat, bech32.Bech32, formPenumbraCompat
	}
	data, bad := bech32Data(hrp, "", variant, s)
	switch {
	case bad.err != nil && bad.err != ErrChecksum:
		return "", 0, bad
	case len(data) != penumbraLen*8/5:
		return "", 0, badLength
	case bad.err != nil:
		return "", 0, bad
	}
	var b [penumbraLen]byte
	bech32.Read(b[:], data)
	f4jumble.Unjumble(b[:])
	if !isPenumbraKey(b[penumbraKey:]) {
		return "", 0, badSyntax
	}
	return lowerBech32(s), f, fault{}
}

// isPenumbraKey reports whether the first 32 bytes of b are a number below the
// order of the field.
func isPenumbraKey(b []byte) bool {
	for i := 3; i >= 0; i-- {
		if w := binary.LittleEndian.Uint64(b[8*i:]); w != penumbraOrder[i] {
			return w < penumbraOrder[i]
		}
	}
	return false
}

// penumbraData returns the bytes that text encodes.
func penumbraData(text string, f form) (b [penumbraLen]byte) {
	hrp := penumbraHRP
	if f == formPenumbraCompat {
		hrp = penumbraCompat
	}
	bech32.Read(b[:], text[len(hrp)+1:len(text)-bech32.ChecksumLen])
	return b
}

func (penumbra) canonical(text string, f form) (string, form) {
	if f == formPenumbraCompat {
		b := penumbraData(text, f)
		text = encodeBech32(penumbraHRP, b[:], bech32.Bech32m)
	}
	return text, formPenumbra
}

func (penumbra) account(text string, f form) (words, tag) {
	b := penumbraData(text, f)
	return hashedKey(0, b[:])
}

func (penumbra) key(string, form) (words, tag) { return words{}, 0 }

func (penumbra) proves(form) bool { return true }
