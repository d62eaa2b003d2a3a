package bech32_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// blechVectors are confidential addresses of Liquid and of its testnet, with their
// origin.
var blechVectors = []struct {
	origin, hrp, s string
	variant        bech32.Variant
	version        byte
	plain          string // the same without the blinding key, where the origin says it
}{
	{
		"address tests of the Boltz web app", "lq",
		"lq1qqwdhep7uhzuav78mteywmt6h4lqeu6mq952kj92jvm6t2j3jz2w9j6fgwgfgeetcq2gju8x80md0l98qdgym2cakgvj5qlgjh",
		bech32.Bech32, 0, "ex1qdy58yy5vu4uq9yfwrnrhakhljnsx5zd4exs094",
	},
	{
		"address tests of the Liquid Wallet Kit", "lq",
		"lq1qqvxk052kf3qtkxmrakx50a9gc3smqad2ync54hzntjt980kfej9kkfe0247rp5h4yzmdftsahhw64uy8pzfe7cpg4fgykm7cv",
		bech32.Bech32, 0, "",
	},
	{
		"tests of the Boltz swap client for Dart", "tlq",
		"tlq1qqd8f92dfedpvsydxxk54l8glwa5m8e84ygqz7n5dgyujp37v3n60pjzfrc2xu4a9fla6snzgznn9tjpwc99d7kn2s472sw2la",
		bech32.Bech32, 0, "",
	},
	{
		"tests of the Boltz swap client for Dart", "tlq",
		"tlq1pqwrjlg9cq9u9d2fes40rvplr6028skkphfdq9mc85kl37aktjlc4yk96qekdfnlyje223xfwjkzjs503vdh7elmhjaxh64g62s3wapfeh56n4hfcdyrx",
		bech32.Bech32m, 1, "",
	},
}

func TestBlechVectors(t *testing.T) {
	for _, v := range blechVectors {
		for _, s := range []string{v.s, strings.ToUpper(v.s)} {
			variant, bad, f := bech32.Blech.Verify(v.hrp, s)
			if f != bech32.OK || bad != -1 || variant != v.variant {
				t.Errorf("Verify(%s): variant %d, fault %d at %d (%s)", s, variant, f, bad, v.origin)
				continue
			}
			data := s[len(v.hrp)+1 : len(s)-bech32.Blech.ChecksumLen]
			if got := bech32.Blech.Value(data[0]); got != v.version {
				t.Errorf("%s has version %d, want %d (%s)", s, got, v.version, v.origin)
			}
			var b [65]byte
			size := bech32.Blech.Read(b[:], data[1:])
			if want := map[byte]int{0: 33 + 20, 1: 33 + 32}[v.version]; size != want || b[0]|1 != 3 {
				t.Errorf("%s has %d bytes, the first %#x, want %d, a compressed key first (%s)", s, size, b[0], want, v.origin)
			}
			again := bech32.Blech.Append(nil, v.hrp, bech32.Unpack([]byte{v.version}, b[:size]), v.variant)
			if string(again) != v.s {
				t.Errorf("Append of the data of %s gives %s (%s)", v.s, again, v.origin)
			}
			if v.plain == "" {
				continue
			}
			var program [20]byte
			bech32.Std.Read(program[:], v.plain[len("ex1q"):len(v.plain)-bech32.Std.ChecksumLen])
			if !bytes.Equal(b[33:size], program[:]) {
				t.Errorf("%s has the witness program %x, want %x, as in %s (%s)", s, b[33:size], program, v.plain, v.origin)
			}
		}
	}
}

func TestBlechFaults(t *testing.T) {
	s := blechVectors[0].s
	last := len(s) - 1
	for _, tt := range []struct {
		name, hrp, s string
		bad          int
		want         bech32.Fault
	}{
		{"no checksum", "lq", "lq1qqqqqqqqqqq", -1, bech32.Length},
		{"nothing", "lq", "", -1, bech32.Length},
		{"another prefix", "ex", s, 0, bech32.Prefix},
		{"a longer prefix", "tlq", s, 0, bech32.Prefix},
		{"a shorter prefix", "l", s, 1, bech32.Prefix},
		{"mixed case", "lq", s[:9] + strings.ToUpper(s[9:]), 9, bech32.Charset},
		{"mixed case of the prefix", "lq", "Lq" + s[2:], 1, bech32.Charset},
		{"no digit", "lq", s[:20] + "b" + s[21:], 20, bech32.Charset},
		{"another digit", "lq", s[:last] + "q", -1, bech32.Checksum},
		{"of another prefix", "tlq", "t" + s, -1, bech32.Checksum},
		{"checksum of Bech32", "ex", "ex1qdy58yy5vu4uq9yfwrnrhakhljnsx5zd4exs094", -1, bech32.Checksum},
	} {
		v, bad, f := bech32.Blech.Verify(tt.hrp, tt.s)
		if f != tt.want || bad != tt.bad || v != 0 {
			t.Errorf("%s: Verify: variant %d, fault %d at %d, want fault %d at %d", tt.name, v, f, bad, tt.want, tt.bad)
		}
	}
	// A change of any one character is always detected.
	for i := 3; i <= last; i++ {
		for _, c := range digits {
			other := s[:i] + string(c) + s[i+1:]
			if _, _, f := bech32.Blech.Verify("lq", other); (f == bech32.OK) != (other == s) {
				t.Errorf("Verify(%s): fault %d", other, f)
			}
		}
	}
}
