package blech32_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address/internal/blech32"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// vectors are confidential addresses of Liquid and of its testnet, with their
// origin.
var vectors = []struct {
	origin, hrp, s string
	variant        blech32.Variant
	version        byte
	plain          string // the same without the blinding key, where the origin says it
}{
	{
		"address tests of the Boltz web app", "lq",
		"lq1qqwdhep7uhzuav78mteywmt6h4lqeu6mq952kj92jvm6t2j3jz2w9j6fgwgfgeetcq2gju8x80md0l98qdgym2cakgvj5qlgjh",
		blech32.Blech32, 0, "ex1qdy58yy5vu4uq9yfwrnrhakhljnsx5zd4exs094",
	},
	{
		"address tests of the Liquid Wallet Kit", "lq",
		"lq1qqvxk052kf3qtkxmrakx50a9gc3smqad2ync54hzntjt980kfej9kkfe0247rp5h4yzmdftsahhw64uy8pzfe7cpg4fgykm7cv",
		blech32.Blech32, 0, "",
	},
	{
		"tests of the Boltz swap client for Dart", "tlq",
		"tlq1qqd8f92dfedpvsydxxk54l8glwa5m8e84ygqz7n5dgyujp37v3n60pjzfrc2xu4a9fla6snzgznn9tjpwc99d7kn2s472sw2la",
		blech32.Blech32, 0, "",
	},
	{
		"tests of the Boltz swap client for Dart", "tlq",
		"tlq1pqwrjlg9cq9u9d2fes40rvplr6028skkphfdq9mc85kl37aktjlc4yk96qekdfnlyje223xfwjkzjs503vdh7elmhjaxh64g62s3wapfeh56n4hfcdyrx",
		blech32.Blech32m, 1, "",
	},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		for _, s := range []string{v.s, strings.ToUpper(v.s)} {
			var values [128]byte
			n, variant, bad, f := blech32.Decode(values[:], v.hrp, s)
			if f != bech32.OK || bad != -1 || variant != v.variant || n != len(s)-len(v.hrp)-1-12 || values[0] != v.version {
				t.Errorf("Decode(%s) = %d values of version %d, variant %#x, fault %d at %d (%s)", s, n, values[0], variant, f, bad, v.origin)
				continue
			}
			var b [65]byte
			size := bech32.Pack(b[:], values[1:n])
			if want := map[byte]int{0: 33 + 20, 1: 33 + 32}[v.version]; size != want || b[0]|1 != 3 {
				t.Errorf("%s has %d bytes, the first %#x, want %d, a compressed key first (%s)", s, size, b[0], want, v.origin)
			}
			if v.plain == "" {
				continue
			}
			var program [20]byte
			bech32.Read(program[:], v.plain[len("ex1q"):len(v.plain)-bech32.ChecksumLen])
			if !bytes.Equal(b[33:size], program[:]) {
				t.Errorf("%s has the witness program %x, want %x, that of %s (%s)", s, b[33:size], program, v.plain, v.origin)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	s := vectors[0].s
	last := len(s) - 1
	for _, tt := range []struct {
		name, hrp, s string
		room, bad    int
		want         bech32.Fault
	}{
		{"no checksum", "lq", "lq1qqqqqqqqqqq", 128, -1, bech32.Length},
		{"nothing", "lq", "", 128, -1, bech32.Length},
		{"more than there is room for", "lq", s, len(s) - 3 - 12 - 1, -1, bech32.Length},
		{"another prefix", "ex", s, 128, 0, bech32.Prefix},
		{"a longer prefix", "tlq", s, 128, 0, bech32.Prefix},
		{"a shorter prefix", "l", s, 128, 1, bech32.Prefix},
		{"mixed case", "lq", s[:9] + strings.ToUpper(s[9:]), 128, 9, bech32.Charset},
		{"mixed case of the prefix", "lq", "Lq" + s[2:], 128, 1, bech32.Charset},
		{"no digit", "lq", s[:20] + "b" + s[21:], 128, 20, bech32.Charset},
		{"another digit", "lq", s[:last] + "q", 128, -1, bech32.Checksum},
		{"of another prefix", "tlq", "t" + s, 128, -1, bech32.Checksum},
		{"checksum of Bech32", "ex", "ex1qdy58yy5vu4uq9yfwrnrhakhljnsx5zd4exs094", 128, -1, bech32.Checksum},
	} {
		n, v, bad, f := blech32.Decode(make([]byte, tt.room), tt.hrp, tt.s)
		if f != tt.want || bad != tt.bad || n != 0 || v != 0 {
			t.Errorf("%s: Decode = %d values, variant %#x, fault %d at %d, want fault %d at %d", tt.name, n, v, f, bad, tt.want, tt.bad)
		}
	}
	// A change of any one character is always detected.
	for i := 3; i <= last; i++ {
		for _, c := range "qpzry9x8gf2tvdw0s3jn54khce6mua7l" {
			other := s[:i] + string(c) + s[i+1:]
			if _, _, _, f := blech32.Decode(make([]byte, 128), "lq", other); (f == bech32.OK) != (other == s) {
				t.Errorf("Decode(%s): fault %d", other, f)
			}
		}
	}
}
