package address

import (
	"crypto/rand"
	"testing"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// blech32Encode encodes a confidential address literally by the specification:
// the checksum is the remainder of a division, one character at a time.
func blech32Encode(hrp string, values []byte, variant uint64) string {
	const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	var all []byte
	for i := range len(hrp) {
		all = append(all, hrp[i]>>5)
	}
	all = append(all, 0)
	for i := range len(hrp) {
		all = append(all, hrp[i]&31)
	}
	all = append(append(all, values...), make([]byte, 12)...)
	sum := uint64(1)
	for _, v := range all {
		top := sum >> 55
		sum = sum&0x7fffffffffffff<<5 ^ uint64(v)
		for i, g := range []uint64{0x7d52fba40bd886, 0x5e8dbf1a03950c, 0x1c3a3c74072a18, 0x385d72fa0e5139, 0x7093e5a608865b} {
			if top>>i&1 != 0 {
				sum ^= g
			}
		}
	}
	sum ^= variant
	s := hrp + "1"
	for _, v := range values {
		s += string(digits[v])
	}
	for i := range 12 {
		s += string(digits[sum>>(5*(11-i))&31])
	}
	return s
}

// text58 returns payload in Base58Check.
func text58(version string, payload []byte) string {
	c := codec{prefix: version}
	return string(base58Check{}.write(nil, &c, payload))
}

// textSegWit returns a witness program in SegWit.
func textSegWit(hrp string, version byte, program []byte) string {
	c := codec{prefix: hrp, size: len(program)}
	return string(witness{version: version}.write(nil, &c, program))
}

func TestLiquidBlinding(t *testing.T) {
	key := make([]byte, blindingKey)
	hash := make([]byte, 32)
	const m = 0x455972a3350f7a1
	blind := func(hrp string, version byte, n int, variant uint64) string {
		return blech32Encode(hrp, bech32.Unpack([]byte{version}, append(key[:len(key):len(key)], hash[:n]...)), variant)
	}
	for range longtest.N(3, 50) {
		rand.Read(key)
		rand.Read(hash)
		key[0] = 2 + key[0]&1
		for _, tt := range []struct {
			blinded, plain string
			class          identity.Class
		}{
			{text58("\x0c\x39", append(key[:33:33], hash[:20]...)), text58("\x39", hash[:20]), identity.Hash160},
			{text58("\x0c\x27", append(key[:33:33], hash[:20]...)), text58("\x27", hash[:20]), identity.ScriptHash},
			{blind("lq", 0, 20, 1), textSegWit("ex", 0, hash[:20]), identity.Hash160},
			{blind("lq", 0, 32, 1), textSegWit("ex", 0, hash), identity.WitnessScript},
			{blind("lq", 1, 32, m), textSegWit("ex", 1, hash), identity.Taproot},
		} {
			a, err := Parse("liquid", tt.blinded)
			if err != nil {
				t.Fatalf("Parse(%s): %v", tt.blinded, err)
			}
			plain := MustParse("liquid", tt.plain)
			if a.Normalized() != tt.blinded || a.Canonical() != plain || a.Account() != plain.Account() {
				t.Fatalf("%s has the canonical form %v, want %v", tt.blinded, a.Canonical(), plain)
			}
			k, _ := a.Key()
			if want, _ := plain.Key(); k != want || k.Class() != tt.class {
				t.Fatalf("%s has the key %v, want %v", tt.blinded, k, want)
			}
			for i := range len(tt.blinded) {
				bad := []byte(tt.blinded)
				if bad[i]++; bad[i] == ':' {
					bad[i] = 'a'
				}
				if b, err := Parse("liquid", string(bad)); err == nil {
					t.Fatalf("%s, which is %s with one character changed, is taken for %v", bad, tt.blinded, b)
				}
			}
		}
		for _, tt := range []struct {
			s    string
			want error
		}{
			{blind("lq", 0, 20, m), ErrChecksum},
			{blind("lq", 1, 32, 1), ErrChecksum},
			{blind("lq", 0, 21, 1), ErrLength},
			{blind("lq", 1, 1, m), ErrLength},
			{blind("tlq", 0, 20, 1), ErrNetwork},
			{blind("el", 1, 32, m), ErrNetwork},
			{text58("\x17\x24", append(key[:33:33], hash[:20]...)), ErrNetwork},
		} {
			_, err := Parse("liquid", tt.s)
			if pe, ok := err.(*ParseError); !ok || pe.Err != tt.want {
				t.Fatalf("Parse(%s): %v, want %v", tt.s, err, tt.want)
			}
		}
	}
}
