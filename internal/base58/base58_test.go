package base58_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	mrtron "github.com/mr-tron/base58"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

const (
	bitcoinDigits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rippleDigits  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// modelDecode is Decode, digit by digit and for any length.
func modelDecode(digits, s string, room int) (b []byte, bad int) {
	if len(s) > base58.MaxLen {
		return nil, -1
	}
	for i := range len(s) {
		if strings.IndexByte(digits, s[i]) < 0 {
			return nil, i
		}
	}
	var number []byte // little-endian
	for i := range len(s) {
		carry := strings.IndexByte(digits, s[i])
		for j := range number {
			carry += 58 * int(number[j])
			number[j] = byte(carry)
			carry >>= 8
		}
		for ; carry > 0; carry >>= 8 {
			number = append(number, byte(carry))
		}
	}
	b = make([]byte, 0, len(s))
	for i := 0; i < len(s) && s[i] == digits[0]; i++ {
		b = append(b, 0)
	}
	for j := len(number) - 1; j >= 0; j-- {
		b = append(b, number[j])
	}
	if len(b) > room {
		return nil, -1
	}
	return b, -1
}

// modelEncode is Encode, digit by digit.
func modelEncode(digits string, b []byte) string {
	var number []byte // little-endian
	for _, c := range b {
		carry := int(c)
		for j := range number {
			carry += 256 * int(number[j])
			number[j] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			number = append(number, byte(carry%58))
		}
	}
	var text []byte
	for i := 0; i < len(b) && b[i] == 0; i++ {
		text = append(text, digits[0])
	}
	for j := len(number) - 1; j >= 0; j-- {
		text = append(text, digits[number[j]])
	}
	return string(text)
}

// checkDecode compares Decode of s with the model, and with
// mr-tron/base58.
func checkDecode(t *testing.T, a *base58.Alphabet, digits, s string) {
	t.Helper()
	for _, room := range []int{0, 1, 25, 32, 33, 64, base58.MaxLen} {
		want, wantBad := modelDecode(digits, s, room)
		dst := bytes.Repeat([]byte{0xa5}, room)
		n, bad := a.Decode(dst, s)
		if want == nil && (n != -1 || bad != wantBad) {
			t.Errorf("Decode(%d bytes, %q) = %d, %d, want -1, %d", room, s, n, bad, wantBad)
		} else if want != nil && (n != len(want) || bad != -1 || !bytes.Equal(dst[:n], want)) {
			t.Errorf("Decode(%d bytes, %q) = %d, %d: %x, want %x", room, s, n, bad, dst, want)
		}
	}
	if want, _ := modelDecode(digits, s, base58.MaxLen); want != nil {
		if text := a.Encode(want); text != s {
			t.Errorf("Encode(%x) = %q, want %q", want, text, s)
		}
		referee, err := mrtron.DecodeAlphabet(s, mrtron.NewAlphabet(digits))
		if len(s) > 0 && (err != nil || !bytes.Equal(referee, want)) {
			t.Errorf("mr-tron decodes %q to %x, %v, the model to %x", s, referee, err, want)
		}
	}
}

// checkEncode compares Encode of b with the model, and Decode with b.
func checkEncode(t *testing.T, a *base58.Alphabet, digits string, b []byte) {
	t.Helper()
	want := modelEncode(digits, b)
	got := a.Encode(b)
	if got != want {
		t.Errorf("Encode(%x) = %q, want %q", b, got, want)
	}
	if referee := mrtron.EncodeAlphabet(b, mrtron.NewAlphabet(digits)); len(b) > 0 && referee != want {
		t.Errorf("mr-tron encodes %x to %q, the model to %q", b, referee, want)
	}
	if len(want) > base58.MaxLen {
		return
	}
	dst := make([]byte, len(b))
	if n, bad := a.Decode(dst, want); n != len(b) || bad != -1 || !bytes.Equal(dst, b) {
		t.Errorf("Decode(%q) = %d, %d: %x, want %x", want, n, bad, dst, b)
	}
}

func TestKnown(t *testing.T) {
	tests := []struct {
		alphabet  *base58.Alphabet
		hex, text string
		origin    string
	}{
		{base58.Bitcoin, "", "", "by definition"},
		{base58.Bitcoin, "00", "1", "by definition"},
		{base58.Bitcoin, "0000287fb4cd", "11233QC4", "draft-msporny-base58-03, section 5"},
		{base58.Bitcoin, "48656c6c6f20576f726c6421", "2NEpo7TZRRrLZSi2U", "draft-msporny-base58-03, section 5"},
		{base58.Bitcoin, "000111d38e5fc9071ffcd20b4a763cc9ae4f252bb4e48fd66a835e252ada93ff480d6dd43dc62a641155a5",
			bitcoinDigits, "Bitcoin Core, base58_encode_decode.json"},
		{base58.Bitcoin, "00000000000000000000", "1111111111", "Bitcoin Core, base58_encode_decode.json"},
		{base58.Bitcoin, "ecac89cad93923c02321", "EJDM8drfXA6uyA", "Bitcoin Core, base58_encode_decode.json"},
		{base58.Ripple, "00000000000000000000000000000000000000000094a00911", "rrrrrrrrrrrrrrrrrrrrrhoLvTp", "XRP Ledger, ACCOUNT_ZERO"},
	}
	for _, tt := range tests {
		b, err := hex.DecodeString(tt.hex)
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.alphabet.Encode(b); got != tt.text {
			t.Errorf("Encode(%s) = %q, want %q (%s)", tt.hex, got, tt.text, tt.origin)
		}
		dst := make([]byte, base58.MaxLen)
		n, bad := tt.alphabet.Decode(dst, tt.text)
		if bad != -1 || n != len(b) || !bytes.Equal(dst[:max(n, 0)], b) {
			t.Errorf("Decode(%q) = %x, bad %d, want %s (%s)", tt.text, dst[:max(n, 0)], bad, tt.hex, tt.origin)
		}
	}
}

// edges are texts around every limit of the code: the ten digits of a word, and
// the 128 of the longest text.
func edges(digits string) []string {
	var all []string
	zero, top := digits[:1], digits[57:]
	for n := range base58.MaxLen + 2 {
		all = append(all, strings.Repeat(zero, n), strings.Repeat(top, n))
		for _, lead := range []int{1, 7, 11, 12} {
			if lead < n {
				all = append(all, strings.Repeat(zero, lead)+strings.Repeat(top, n-lead), digits[1:2]+strings.Repeat(zero, n-1))
			}
		}
	}
	for _, n := range []int{1, 9, 10, 11, 33, 44, 45, 88, 128, 129} {
		for _, at := range []int{0, 1, 9, n / 2, n - 2, n - 1} {
			for _, c := range "0OIl -+\x00\x7f\x80é" {
				if at >= 0 && at < n {
					all = append(all, strings.Repeat(top, at)+string(c)+strings.Repeat(top, n-1-at))
				}
			}
		}
	}
	return all
}

func TestEdges(t *testing.T) {
	for _, s := range edges(bitcoinDigits) {
		checkDecode(t, base58.Bitcoin, bitcoinDigits, s)
	}
	for _, s := range edges(rippleDigits) {
		checkDecode(t, base58.Ripple, rippleDigits, s)
	}
	// A faulty carry shows around powers of 2^64.
	for n := range 100 {
		for _, lead := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			for _, rest := range []byte{0, 0xff} {
				b := bytes.Repeat([]byte{rest}, n+1)
				b[0] = lead
				checkEncode(t, base58.Bitcoin, bitcoinDigits, b)
				checkDecode(t, base58.Bitcoin, bitcoinDigits, modelEncode(bitcoinDigits, b))
			}
		}
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 58))
	for range longtest.N(2000, 20_000) {
		b := make([]byte, rng.IntN(110))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		clear(b[:rng.IntN(len(b)+1)/(1+rng.IntN(8))])
		checkEncode(t, base58.Bitcoin, bitcoinDigits, b)
		checkEncode(t, base58.Ripple, rippleDigits, b)
	}
	for range longtest.N(500, 5000) {
		s := make([]byte, rng.IntN(base58.MaxLen+3))
		for i := range s {
			s[i] = bitcoinDigits[rng.IntN(58)]
		}
		checkDecode(t, base58.Bitcoin, bitcoinDigits, string(s))
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "1", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "11111111111111111111111111111111", "0", bitcoinDigits} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkDecode(t, base58.Bitcoin, bitcoinDigits, s)
		checkDecode(t, base58.Ripple, rippleDigits, s)
	})
}

func FuzzEncode(f *testing.F) {
	f.Add([]byte{0, 0, 1})
	f.Add(bytes.Repeat([]byte{0xff}, 96))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 512 {
			return
		}
		checkEncode(t, base58.Bitcoin, bitcoinDigits, b)
	})
}

func TestNoAllocs(t *testing.T) {
	var long [base58.MaxLen]byte
	b := bytes.Repeat([]byte{0xff}, 96)
	text := strings.Repeat("z", base58.MaxLen)
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Decode", 0, func() { base58.Bitcoin.Decode(long[:], text) }},
		{"Encode", 1, func() { base58.Bitcoin.Encode(b) }},
	} {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
