package bech32_test

import (
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// The model follows BIP-173 and BIP-350 literally, one step for each value.

const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// remainders are the checksums of valid text, by variant.
var remainders = [...]uint32{bech32.Bech32: 1, bech32.Bech32m: 0x2bc830a3}

func polymod(values []byte) uint32 {
	chk := uint32(1)
	for _, v := range values {
		top := chk >> 25
		chk = (chk&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				chk ^= g
			}
		}
	}
	return chk
}

func expand(hrp string) (values []byte) {
	for i := range len(hrp) {
		values = append(values, hrp[i]>>5)
	}
	values = append(values, 0)
	for i := range len(hrp) {
		values = append(values, hrp[i]&31)
	}
	return values
}

// decode is the model of Verify and Value.
func decode(dst []byte, hrp, s string) (n int, v bech32.Variant, ok bool) {
	if len(s) > bech32.MaxLen {
		return 0, 0, false
	}
	folded := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r | 0x20
		}
		return r
	}, s)
	if len(folded) != len(s) || folded != s && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
		return 0, 0, false
	}
	data, ok := strings.CutPrefix(folded, hrp+"1")
	if !ok || len(data) < 6 {
		return 0, 0, false
	}
	values := make([]byte, len(data))
	for i := range len(data) {
		d := strings.IndexByte(digits, data[i])
		if d < 0 {
			return 0, 0, false
		}
		values[i] = byte(d)
	}
	v = bech32.Variant(slices.Index(remainders[:], polymod(append(expand(hrp), values...))))
	if int(v) >= len(remainders) {
		return 0, 0, false
	}
	return copy(dst, values[:len(values)-6]), v, true
}

// encode is the model of Encode.
func encode(hrp string, data []byte, v bech32.Variant) string {
	sum := polymod(append(append(expand(hrp), data...), 0, 0, 0, 0, 0, 0)) ^ remainders[v]
	text := []byte(hrp + "1")
	for _, d := range data {
		text = append(text, digits[d])
	}
	for i := range 6 {
		text = append(text, digits[sum>>(25-5*i)&31])
	}
	return string(text)
}
