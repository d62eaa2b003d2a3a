package bech32_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// The model of CashAddr follows spec/bech32.md of bitcoincash.org literally, with one
// step for each value.

func cashPolymod(values []byte) uint64 {
	c := uint64(1)
	for _, v := range values {
		top := c >> 35
		c = (c&0x07ffffffff)<<5 ^ uint64(v)
		for i, g := range []uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
			if top>>i&1 == 1 {
				c ^= g
			}
		}
	}
	return c ^ 1
}

// verifyCash is the model of VerifyData.
func verifyCash(digits, prefix, body string) bool {
	if lower := strings.ToLower(body); lower != body && strings.ToUpper(body) != body {
		return false
	} else {
		body = lower
	}
	var values []byte
	for i := range len(prefix) {
		values = append(values, prefix[i]&31)
	}
	values = append(values, 0)
	for i := range len(body) {
		d := strings.IndexByte(digits, body[i])
		if d < 0 {
			return false
		}
		values = append(values, byte(d))
	}
	return len(body) >= 8 && len(body) <= bech32.MaxLen && cashPolymod(values) == 0
}

// verifyData is VerifyData without the variant.
func verifyData(c *bech32.Code, prefix, data string) (isUpper bool, bad int, f bech32.Fault) {
	_, isUpper, bad, f = c.VerifyData(prefix, data)
	return isUpper, bad, f
}

const (
	bitcoinDigits = digits
	confluxDigits = "abcdefghjkmnprstuvwxyz0123456789"
)

// TestCashVectors checks vectors of the code alone: "Checksum" and "Larger test
// vectors" of spec/bech32.md, bitcoincash.org.
func TestCashVectors(t *testing.T) {
	for _, s := range []string{
		"prefix:x64nx6hz",
		"p:gpf8m4h7",
		"bitcoincash:qpzry9x8gf2tvdw0s3jn54khce6mua7lcw20ayyn",
		"bchtest:spectestnetaddressrealrealaddressqpan2k9lh",
		"bchreg:555555555555555555555555555555555555555555555udxmlmrz",
	} {
		prefix, body, _ := strings.Cut(s, ":")
		if _, bad, f := verifyData(bech32.Cash, prefix, body); f != bech32.OK {
			t.Errorf("%q: fault %d at %d, want none", s, f, bad)
		}
		if isUpper, _, f := verifyData(bech32.Cash, prefix, strings.ToUpper(body)); f != bech32.OK || !isUpper {
			t.Errorf("%q in upper case: fault %d, upper %v, want none, true", s, f, isUpper)
		}
	}
	for _, v := range []struct{ text, payload string }{
		{"bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2", "00F5BF48B397DAE70BE82B3CCA4793F8EB2B6CDAC9"},
		{"bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t", "08F5BF48B397DAE70BE82B3CCA4793F8EB2B6CDAC9"},
		{"pref:pr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5", "08F5BF48B397DAE70BE82B3CCA4793F8EB2B6CDAC9"},
		{"prefix:0qxsg0rgpa", "78"},
		{"bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0", "017ADBF6C17084BC86C1706827B41A56F5CA32865925E946EA"},
		{"bchtest:pvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxq7fqng6m6", "0B3173EF6623C6B48FFD1A3DCC0CC6489B0A07BB47A37F47CFEF4FE69DE825C060"},
		{"pref:plg0x333p4238k0qrc5ej7rzfw5g8e4a4r6vvzyrcy8j3s5k0en7calvclhw46hudk5flttj6ydvjc0pv3nchp52amk97tqa5zygg96mg7pj3lh8",
			"0FD0F346310D5513D9E01E299978624BA883E6BDA8F4C60883C10F28C2967E67EC77ECC7EEEAEAFC6DA89FAD72D11AC961E164678B868AEEEC5F2C1DA08884175B"},
	} {
		payload, err := hex.DecodeString(v.payload)
		if err != nil {
			t.Fatal(err)
		}
		prefix, body, _ := strings.Cut(v.text, ":")
		if got := string(bech32.Cash.Append(nil, prefix, bech32.Unpack(nil, payload), 0)); v.payload != "78" && got != v.text {
			t.Errorf("Encode gives %q, want %q", got, v.text)
		}
		if _, bad, f := verifyData(bech32.Cash, prefix, body); f != bech32.OK {
			t.Errorf("%q: fault %d at %d, want none", v.text, f, bad)
		}
		data := body[:len(body)-bech32.Cash.ChecksumLen]
		b := make([]byte, len(data))
		b = b[:bech32.Cash.Read(b, data)]
		if string(b) != string(payload) {
			t.Errorf("%q: payload %x, want %x", v.text, b, payload)
		}
	}
}

func TestCashFaults(t *testing.T) {
	const body = "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2"
	for _, v := range []struct {
		prefix, body string
		bad          int
		f            bech32.Fault
	}{
		{"ecash", body, -1, bech32.Checksum},
		{"bitcoincash", "", -1, bech32.Length},
		{"bitcoincash", "qqqqqqq", -1, bech32.Length},
		{"bitcoincash", strings.Repeat("q", bech32.MaxLen+1), -1, bech32.Length},
		{"bitcoincash", "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekgb", 41, bech32.Charset},
		{"bitcoincash", "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekG2", 40, bech32.Charset},
		{"bitcoincash", "Qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2", 1, bech32.Charset},
		{"bitcoincash", body[:41], -1, bech32.Checksum},
		{strings.Repeat("x", 100), body, -1, bech32.Checksum},
	} {
		if _, bad, f := verifyData(bech32.Cash, v.prefix, v.body); bad != v.bad || f != v.f {
			t.Errorf("Verify(%q, %q): fault %d at %d, want %d at %d", v.prefix, v.body, f, bad, v.f, v.bad)
		}
	}
}

func TestCashModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 140 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		prefix := "abcdefghijklmnopqrstuvwxyz"[:n%26+1]
		_, body, _ := strings.Cut(string(bech32.Cash.Append(nil, prefix, bech32.Unpack(nil, b), 0)), ":")
		if !verifyCash(bitcoinDigits, prefix, body) {
			t.Errorf("%q is not valid by the model", body)
		}
		if _, _, f := verifyData(bech32.Cash, prefix, body); f != bech32.OK {
			t.Errorf("%q: fault %d", body, f)
		}
	}
}

func FuzzVerifyCash(f *testing.F) {
	f.Add("bitcoincash", "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2")
	f.Add("cfx", "aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg")
	f.Add("p", "GPF8M4H7")
	f.Fuzz(func(t *testing.T, prefix, body string) {
		if len(prefix) > 60 {
			return
		}
		for _, a := range []struct {
			*bech32.Code
			digits string
		}{{bech32.Cash, bitcoinDigits}, {bech32.Conflux, confluxDigits}} {
			isUpper, bad, f := verifyData(a.Code, prefix, body)
			if want := verifyCash(a.digits, prefix, body); (f == bech32.OK) != want {
				t.Errorf("Verify(%q, %q) with %q: fault %d, the model says %v", prefix, body, a.digits, f, want)
			}
			if f == bech32.OK && isUpper != (strings.ToLower(body) != body) || bad >= max(len(body), 1) {
				t.Errorf("Verify(%q, %q): upper %v, offset %d", prefix, body, isUpper, bad)
			}
		}
	})
}
