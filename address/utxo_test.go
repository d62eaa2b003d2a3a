package address_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	mrtron "github.com/mr-tron/base58"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/address/internal/groestl"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A checked58 is a form of accounts of a chain in Base58Check, taken from the
// chainparams of its node software. It is a second copy of the data in the
// table, in a different structure.
type checked58 struct {
	chain     address.Chain
	version   string // in hex
	size      int    // of the payload
	class     string // of the key
	canonical string // version of the canonical form, in hex; "" if it is version
}

func checked58s() []checked58 {
	var all []checked58
	for _, c := range []struct {
		chain   address.Chain
		pkh, sh string
	}{
		{"bitcoin", "00", "05"}, {"litecoin", "30", "32"}, {"dogecoin", "1e", "16"}, {"dash", "4c", "10"},
		{"bitcoin-sv", "00", "05"}, {"bitcoin-gold", "26", "17"}, {"digibyte", "1e", "3f"}, {"verge", "1e", "21"},
		{"ravencoin", "3c", "7a"}, {"namecoin", "34", "0d"}, {"peercoin", "37", "75"}, {"vertcoin", "47", "05"},
		{"groestlcoin", "24", "05"}, {"qtum", "3a", "32"}, {"firo", "52", "07"}, {"pivx", "1e", "0d"},
		{"horizen", "2089", "2096"}, {"komodo", "3c", "55"}, {"monacoin", "32", "37"}, {"viacoin", "47", "21"},
		{"syscoin", "3f", "05"}, {"reddcoin", "3d", "05"}, {"lbry", "55", "7a"}, {"stratis", "4b", "8c"},
		{"neblio", "35", "70"}, {"flux", "1cb8", "1cbd"}, {"zclassic", "1cb8", "1cbd"}, {"bitcoinz", "1cb8", "1cbd"},
		{"bitcoin-diamond", "00", "05"},
	} {
		all = append(all, checked58{c.chain, c.pkh, 20, "h160", ""}, checked58{c.chain, c.sh, 20, "script", ""})
	}
	return append(all,
		checked58{"litecoin", "05", 20, "script", "32"},
		checked58{"digibyte", "05", 20, "script", "3f"},
		checked58{"monacoin", "05", 20, "script", "37"},
		checked58{"horizen", "1cb8", 20, "h160", "2089"},
		checked58{"horizen", "1cbd", 20, "script", "2096"},
		checked58{"horizen", "169a", 64, "", ""},
		checked58{"firo", "01b9bb", 20, "h160", ""},
		checked58{"pivx", "3f", 20, "h160", ""},
		checked58{"pivx", "01b9a2", 20, "h160", ""},
		checked58{"decred", "073f", 20, "b160", ""},
		checked58{"decred", "071a", 20, "script", ""},
		checked58{"decred", "071f", 20, "b160", ""},
		checked58{"decred", "0701", 20, "b160", ""},
		checked58{"tron", "41", 20, "h20", ""},
	)
}

func (c checked58) write(payload string) string { return check58(c.chain, c.version, payload) }

// check58 returns the Base58Check of the chain for a version, in hex, and bytes.
func check58(c address.Chain, version, payload string) string {
	v, err := hex.DecodeString(version)
	if err != nil {
		panic(err)
	}
	b := append(v, payload...)
	switch c {
	case "groestlcoin":
		once := groestl.Sum512(b)
		twice := groestl.Sum512(once[:])
		return mrtron.Encode(append(b, twice[:4]...))
	case "decred":
		once := blake256.Sum256(b)
		twice := blake256.Sum256(once[:])
		return mrtron.Encode(append(b, twice[:4]...))
	}
	return sha256Check(string(b))
}

// edgePayloads returns payloads of n bytes: all zero bits, all one bits, a mixture,
// and random ones.
func edgePayloads(n, random int) []string {
	all := []string{strings.Repeat("\x00", n), strings.Repeat("\xff", n), "\x00\x00\x01" + strings.Repeat("\xfe", n-3)}
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	for range random {
		all = append(all, randomPayload(rng, n))
	}
	return all
}

// oneToOne checks, over all its arguments, that two addresses have the same
// Account exactly if they have the same canonical form.
type oneToOne struct {
	canonical map[address.Key]address.Address
	account   map[address.Address]address.Key
}

func newOneToOne() oneToOne {
	return oneToOne{map[address.Key]address.Address{}, map[address.Address]address.Key{}}
}

func (o oneToOne) add(t *testing.T, a address.Address) {
	t.Helper()
	k, c := a.Account(), a.Canonical()
	if was, ok := o.canonical[k]; ok && was != c {
		t.Errorf("%v and %v have one account", was, c)
	}
	if was, ok := o.account[c]; ok && was != k {
		t.Errorf("%v has two accounts, %v and %v", c, was, k)
	}
	o.canonical[k], o.account[c] = c, k
	if cc := c.Canonical(); cc != c {
		t.Errorf("the canonical form of %v is %v, and the one of that %v", a, c, cc)
	}
	if back, err := address.Parse(c.Chain(), c.Normalized()); err != nil || back != c {
		t.Errorf("Parse of the canonical form of %v: %v, %v", a, back, err)
	}
}

func TestBase58CheckSpellings(t *testing.T) {
	same := newOneToOne()
	for _, sp := range checked58s() {
		for _, p := range edgePayloads(sp.size, 40) {
			s := sp.write(p)
			a, err := address.Parse(sp.chain, s)
			if err != nil {
				t.Errorf("Parse(%s, %q): %v", sp.chain, s, err)
				continue
			}
			if b, err := address.Normalize(sp.chain, s); err != nil || a != b || a.Normalized() != s {
				t.Errorf("%s %q: Parse gives %v, Normalize %v, %v", sp.chain, s, a, b, err)
			}
			want := s
			if sp.canonical != "" {
				want = check58(sp.chain, sp.canonical, p)
			}
			if got := a.Canonical().Normalized(); got != want {
				t.Errorf("%s %q: canonical is %q, want %q", sp.chain, s, got, want)
			}
			k, ok := a.Key()
			if want := sp.class + ":" + hex.EncodeToString([]byte(p)); sp.class == "" && ok || sp.class != "" && k.String() != want {
				t.Errorf("%s %q: key is %v, want %v", sp.chain, s, k, want)
			}
			if !a.Proven() {
				t.Errorf("%s %q is not proven", sp.chain, s)
			}
			same.add(t, a)
		}
	}
}

// refuseChanges checks that the chain refuses s after any change of a single
// character.
func refuseChanges(t *testing.T, c address.Chain, s, digits string) {
	t.Helper()
	for i := range len(s) {
		step := longtest.N(31, 1)
		for j := i % step; j < len(digits); j += step {
			if digits[j] == s[i] {
				continue
			}
			wrong := s[:i] + digits[j:j+1] + s[i+1:]
			if a, err := address.Parse(c, wrong); err == nil {
				t.Errorf("%s: %q became %q, and is taken: %v", c, s, wrong, a)
			} else if errors.Is(err, address.ErrSecret) {
				t.Errorf("%s: %q is taken for a secret", c, wrong)
			}
		}
	}
}

const bitcoinDigits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func TestBase58CheckOneWrongCharacter(t *testing.T) {
	for _, sp := range checked58s() {
		refuseChanges(t, sp.chain, sp.write(edgePayloads(sp.size, 1)[3]), bitcoinDigits)
	}
}

// A valid checksum does not make up for a wrong version or length.
func TestBase58CheckOtherVersions(t *testing.T) {
	own := map[address.Chain]map[string]bool{}
	for _, sp := range checked58s() {
		if own[sp.chain] == nil {
			own[sp.chain] = map[string]bool{}
		}
		own[sp.chain][sp.version] = true
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for chain, versions := range own {
		for v := range 256 {
			for _, version := range []string{hex.EncodeToString([]byte{byte(v)}), hex.EncodeToString([]byte{0x1c, byte(v)}),
				hex.EncodeToString([]byte{0x07, byte(v)}), hex.EncodeToString([]byte{0x01, 0xb9, byte(v)})} {
				if versions[version] || len(version) > 2 && v%longtest.N(17, 1) != 0 {
					continue
				}
				s := check58(chain, version, randomPayload(rng, 20))
				_, err := address.Parse(chain, s)
				if !errors.Is(err, address.ErrSyntax) && !errors.Is(err, address.ErrNetwork) {
					t.Errorf("Parse(%s, %q), version %s: %v", chain, s, version, err)
				}
			}
		}
		for version := range versions {
			for n := range 80 {
				s := check58(chain, version, strings.Repeat("\x5a", n))
				_, err := address.Parse(chain, s)
				isOwn := n == 20 && version != "169a" || n == 64 && version == "169a"
				// One more byte in the version and one fewer in the payload may be
				// another form.
				if isOwn != (err == nil) && !(chain == "horizen" || chain == "decred") {
					t.Errorf("Parse(%s, %q), version %s and %d bytes: %v", chain, s, version, n, err)
				}
				if isOwn && err != nil {
					t.Errorf("Parse(%s, %q): %v", chain, s, err)
				}
			}
		}
	}
}

func TestBase58TestNetworks(t *testing.T) {
	for _, tt := range []struct {
		chain    address.Chain
		versions string
	}{
		{"bitcoin", "6f c4"}, {"litecoin", "6f c4 3a"}, {"dogecoin", "71 c4"}, {"dash", "8c 13"}, {"bitcoin-sv", "6f c4"},
		{"bitcoin-gold", "6f c4"}, {"digibyte", "7e 8c"}, {"verge", "73 c6"}, {"ravencoin", "6f c4"}, {"namecoin", "6f c4"},
		{"peercoin", "6f c4"}, {"vertcoin", "4a c4"}, {"groestlcoin", "6f c4"}, {"qtum", "78 6e"}, {"firo", "41 b2 01b9b1"},
		{"pivx", "8b 13 49"}, {"horizen", "2098 2092 1d25 1cba"}, {"monacoin", "6f 75 c4"}, {"viacoin", "7f c4"},
		{"syscoin", "41 c4"}, {"reddcoin", "6f c4"}, {"lbry", "6f c4"}, {"neblio", "41 7f"}, {"flux", "1d25 1cba"},
		{"decred", "0f21 0efc 0f01 0ee3 0e91 0e6c 0e00 0ddb"}, {"tron", "a0"},
	} {
		for version := range strings.FieldsSeq(tt.versions) {
			s := check58(tt.chain, version, strings.Repeat("\x21", 20))
			for _, read := range []func(address.Chain, string) (address.Address, error){address.Parse, address.Normalize} {
				if a, err := read(tt.chain, s); !errors.Is(err, address.ErrNetwork) {
					t.Errorf("%s %q, version %s: %v, %v, want ErrNetwork", tt.chain, s, version, a, err)
				}
			}
		}
	}
}

// segwitHRPs are the human-readable parts of the chains with SegWit, and of
// their test networks.
var segwitHRPs = []struct {
	chain     address.Chain
	hrp, test string
}{
	{"bitcoin", "bc", "tb bcrt"}, {"litecoin", "ltc", "tltc rltc"}, {"bitcoin-gold", "btg", "tbtg"}, {"digibyte", "dgb", "dgbt dgbrt"},
	{"verge", "vg", "vt"}, {"namecoin", "nc", "tn ncrt"}, {"peercoin", "pc", "tpc pcrt"}, {"vertcoin", "vtc", "tvtc"},
	{"groestlcoin", "grs", "tgrs grsrt"}, {"qtum", "qc", "tq qcrt"}, {"monacoin", "mona", "tmona rmona"}, {"viacoin", "via", "tvia"},
	{"syscoin", "sys", "tsys"}, {"reddcoin", "rdd", "trdd"}, {"lbry", "lbc", "tlbc rlbc"}, {"stratis", "strax", "tstrax"},
	{"bitcoin-diamond", "bcd", ""},
}

// segwit returns a SegWit address, valid or not.
func segwit(hrp string, version byte, program string, v bech32.Variant) string {
	return bech32.Encode(hrp, bech32.Unpack([]byte{version}, []byte(program)), v)
}

func TestSegWitPrograms(t *testing.T) {
	for _, c := range segwitHRPs {
		same := newOneToOne()
		for version := range byte(32) {
			for n := range 46 {
				for _, v := range []bech32.Variant{bech32.Bech32, bech32.Bech32m} {
					program := randomPayload(rand.New(rand.NewPCG(uint64(n), 3)), n)
					want := "none"
					ok := 1 <= version && version <= 16 && 2 <= n && n <= 40 && v == bech32.Bech32m
					if version == 0 && v == bech32.Bech32 {
						switch n {
						case 20:
							ok, want = true, "h160:"+hex.EncodeToString([]byte(program))
						case 32:
							ok, want = true, "wsh:"+hex.EncodeToString([]byte(program))
						}
					}
					if !ok && (int(version)+n)%longtest.N(13, 1) != 0 {
						continue
					}
					s := segwit(c.hrp, version, program, v)
					a, err := address.Parse(c.chain, s)
					if ok != (err == nil) {
						t.Errorf("%s, version %d, %d bytes: %q: %v", c.chain, version, n, s, err)
						continue
					}
					if !ok {
						continue
					}
					same.add(t, a)
					if version == 1 && n == 32 {
						want = "p2tr:" + hex.EncodeToString([]byte(program))
					}
					key := "none"
					if k, ok := a.Key(); ok {
						key = k.String()
					}
					if key != want || a.Canonical() != a || a.Normalized() != s {
						t.Errorf("%v: key %s, want %s; canonical %v", a, key, want, a.Canonical())
					}
					if upper, err := address.Parse(c.chain, strings.ToUpper(s)); err != nil || upper != a {
						t.Errorf("%v in capitals: %v, %v", a, upper, err)
					}
				}
			}
		}
	}
}

// The SHA-256 of a program over 32 bytes is not the same account as a program
// of those bytes, although both have one version.
func TestSegWitLongProgram(t *testing.T) {
	long := strings.Repeat("\x07", 40)
	for version := byte(1); version <= 16; version++ {
		a := address.MustParse("bitcoin", segwit("bc", version, long, bech32.Bech32m))
		sum := sha256.Sum256([]byte(long))
		withVersion := sha256.Sum256([]byte(string(version) + long))
		for _, program := range [][32]byte{sum, withVersion} {
			b := address.MustParse("bitcoin", segwit("bc", version, string(program[:]), bech32.Bech32m))
			if a.Account() == b.Account() {
				t.Errorf("%v and %v have one account", a, b)
			}
		}
	}
}

func TestSegWitOneWrongCharacter(t *testing.T) {
	const printable = "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bioBIOQPZRYXGFTVDWSJNKHCEMUAL -_"
	refuseChanges(t, "bitcoin", segwit("bc", 0, strings.Repeat("\x11", 32), bech32.Bech32), printable)
	refuseChanges(t, "bitcoin", segwit("bc", 1, strings.Repeat("\x11", 32), bech32.Bech32m), printable)
	for _, c := range segwitHRPs {
		refuseChanges(t, c.chain, segwit(c.hrp, 0, strings.Repeat("\x11", 20), bech32.Bech32), printable[:36])
	}
}

func TestSegWitTestNetworks(t *testing.T) {
	for _, c := range segwitHRPs {
		for hrp := range strings.FieldsSeq(c.test) {
			s := segwit(hrp, 0, strings.Repeat("\x11", 20), bech32.Bech32)
			if a, err := address.Parse(c.chain, s); !errors.Is(err, address.ErrNetwork) {
				t.Errorf("Parse(%s, %q): %v, %v, want ErrNetwork", c.chain, s, a, err)
			}
		}
	}
}

func TestSegWitPadding(t *testing.T) {
	// With 32 bytes, the last digit has four padding bits.
	data := bech32.Unpack([]byte{1}, []byte(strings.Repeat("\x11", 32)))
	for pad := byte(1); pad < 16; pad++ {
		data[len(data)-1] = data[len(data)-1]&^15 | pad
		s := bech32.Encode("bc", data, bech32.Bech32m)
		if a, err := address.Parse("bitcoin", s); err == nil {
			t.Errorf("%q is taken though the padding is %d: %v", s, pad, a)
		}
	}
	// Twenty bytes fill their digits exactly, so another digit is only padding.
	s := bech32.Encode("bc", append(bech32.Unpack([]byte{1}, []byte(strings.Repeat("\x11", 20))), 0), bech32.Bech32m)
	if a, err := address.Parse("bitcoin", s); err == nil {
		t.Errorf("%q is taken though the padding is five bits: %v", s, a)
	}
}

func TestLitecoinMWEB(t *testing.T) {
	keys := "\x02" + strings.Repeat("\x31", 32) + "\x03" + strings.Repeat("\x32", 32)
	s := segwit("ltcmweb", 0, keys, bech32.Bech32)
	a, err := address.Parse("litecoin", strings.ToUpper(s))
	if err != nil || a.Normalized() != s || a.Canonical() != a {
		t.Fatalf("Parse(%q) = %v, %v", s, a, err)
	}
	if k, ok := a.Key(); ok {
		t.Errorf("%v has the key %v, want none", a, k)
	}
	refuseChanges(t, "litecoin", s, "qpzry9x8gf2tvdw0s3jn54khce6mua7l1b")
	for name, s := range map[string]string{
		"Bech32m":     segwit("ltcmweb", 0, keys, bech32.Bech32m),
		"version 1":   segwit("ltcmweb", 1, keys, bech32.Bech32),
		"a byte less": segwit("ltcmweb", 0, keys[:65], bech32.Bech32),
		"a byte more": segwit("ltcmweb", 0, keys+"\x00", bech32.Bech32),
		"no key":      segwit("ltcmweb", 0, "\x04"+keys[1:], bech32.Bech32),
		"P2WPKH":      segwit("ltcmweb", 0, keys[:20], bech32.Bech32),
		"mwebltc":     segwit("mwebltc", 0, keys, bech32.Bech32),
		"ltc":         segwit("ltc", 0, keys, bech32.Bech32),
	} {
		if a, err := address.Parse("litecoin", s); err == nil {
			t.Errorf("%s: %q is taken: %v", name, s, a)
		}
	}
	if _, err := address.Parse("litecoin", segwit("tmweb", 0, keys, bech32.Bech32)); !errors.Is(err, address.ErrNetwork) {
		t.Errorf("tmweb1: %v, want ErrNetwork", err)
	}
}

func TestPIVXSapling(t *testing.T) {
	receiver := strings.Repeat("\x41", 43)
	s := bech32.Encode("ps", bech32.Unpack(nil, []byte(receiver)), bech32.Bech32)
	a, err := address.Parse("pivx", s)
	if err != nil || a.Normalized() != s {
		t.Fatalf("Parse(%q) = %v, %v", s, a, err)
	}
	sum := sha256.Sum256([]byte(receiver))
	if k, _ := a.Key(); k.String() != "sapling:"+hex.EncodeToString(sum[:]) {
		t.Errorf("%v has the key %v", a, k)
	}
	refuseChanges(t, "pivx", s, "qpzry9x8gf2tvdw0s3jn54khce6mua7l1b")
	for hrp, want := range map[string]error{"ptestsapling": address.ErrNetwork, "zs": address.ErrSyntax} {
		s := bech32.Encode(hrp, bech32.Unpack(nil, []byte(receiver)), bech32.Bech32)
		if _, err := address.Parse("pivx", s); !errors.Is(err, want) {
			t.Errorf("Parse(%q): %v, want %v", s, err, want)
		}
	}
}

// The public key of the secret 1 on secp256k1, and the address of dcrd for it.
func TestDecredPublicKeys(t *testing.T) {
	x := unhex(t, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	ed := unhex(t, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a") // RFC 8032, test 1
	same := newOneToOne()
	for _, tt := range []struct {
		name, first, rest, key string
	}{
		{"ECDSA, even", "\x00", x, "\x02" + x},
		{"ECDSA, odd", "\x80", x, "\x03" + x},
		{"Schnorr, even", "\x02", x, "\x02" + x},
		{"Schnorr, odd", "\x82", x, "\x03" + x},
		{"ed25519", "\x01", ed, ed},
	} {
		s := check58("decred", "1386", tt.first+tt.rest)
		a, err := address.Parse("decred", s)
		if err != nil || a.Canonical() != a || !strings.HasPrefix(s, "Dk") {
			t.Errorf("%s: Parse(%q) = %v, %v", tt.name, s, a, err)
			continue
		}
		same.add(t, a)
		k, _ := a.Key()
		if want := blake160Key(tt.key); k != want {
			t.Errorf("%s: the key of %v is %v, want %v", tt.name, a, k, want)
		}
		refuseChanges(t, "decred", s, bitcoinDigits)
	}
	for name, b := range map[string]string{
		"x is not on the curve":   "\x00" + strings.Repeat("\x00", 31) + "\x05",
		"x is not reduced":        "\x00" + strings.Repeat("\xff", 32),
		"an algorithm of no name": "\x03" + x,
		"ed25519 with a sign bit": "\x81" + ed,
		"no point of ed25519":     "\x01\x02" + strings.Repeat("\x00", 31),
	} {
		s := check58("decred", "1386", b)
		if a, err := address.Parse("decred", s); !errors.Is(err, address.ErrSyntax) {
			t.Errorf("%s: Parse(%q) = %v, %v", name, s, a, err)
		}
	}
	for _, version := range []string{"28f7", "276f", "25e5"} {
		s := check58("decred", version, "\x00"+x)
		if _, err := address.Parse("decred", s); !errors.Is(err, address.ErrNetwork) {
			t.Errorf("Parse(decred, %q), version %s: %v, want ErrNetwork", s, version, err)
		}
	}
}

// blake160Key returns the key of the P2PKH address for a public key.
func blake160Key(key string) address.Key {
	sum := blake256.Sum256([]byte(key))
	k, _ := address.MustParse("decred", check58("decred", "073f", ripemdOf(sum[:]))).Key()
	return k
}

func unhex(t *testing.T, s string) string {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBase58Secrets(t *testing.T) {
	key := strings.Repeat("\x5e", 32)
	extended := func(version string) string { return check58("bitcoin", version, strings.Repeat("\x01", 41)+"\x00"+key) }
	secrets := map[string]string{
		"BIP-38":             check58("bitcoin", "0142", strings.Repeat("\x42", 37)),
		"xprv":               extended("0488ade4"),
		"zprv":               extended("04b2430c"),
		"tprv":               extended("04358394"),
		"a key of decred":    check58("decred", "22de", "\x00"+key),
		"a key of testnet":   check58("decred", "230e", "\x00"+key),
		"groestlcoin's WIF":  check58("groestlcoin", "80", key+"\x01"),
		"a Sprout key":       check58("horizen", "ab36", key),
		"public BIP-38 test": "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
	}
	for v := 0x80; v < 0x100; v++ {
		secrets["WIF "+hex.EncodeToString([]byte{byte(v)})] = check58("bitcoin", hex.EncodeToString([]byte{byte(v)}), key)
		secrets["compressed WIF "+hex.EncodeToString([]byte{byte(v)})] = check58("bitcoin", hex.EncodeToString([]byte{byte(v)}), key+"\x01")
	}
	for name, s := range secrets {
		for _, c := range []address.Chain{"bitcoin", "litecoin", "groestlcoin", "decred", "horizen", "tron", "solana"} {
			for _, s := range []string{s} {
				_, err := address.Parse(c, s)
				var pe *address.ParseError
				if !errors.As(err, &pe) || pe.Err != address.ErrSecret || strings.Contains(err.Error(), s[3:12]) {
					t.Errorf("%s: Parse(%s, %q): %v, want ErrSecret", name, c, s, err)
				}
			}
		}
	}
	public := check58("bitcoin", "0488b21e", strings.Repeat("\x01", 41)+"\x02"+key)
	if _, err := address.Parse("bitcoin", public); !errors.Is(err, address.ErrLength) {
		t.Errorf("an extended public key: %v, want ErrLength", err)
	}
}

func TestBase58Faults(t *testing.T) {
	for _, tt := range []struct {
		chain  address.Chain
		in     string
		want   error
		offset int
	}{
		{"bitcoin", "", address.ErrLength, -1},
		{"bitcoin", "1", address.ErrLength, -1},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SA", address.ErrLength, -1},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMHH", address.ErrLength, -1},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM1", address.ErrChecksum, -1},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SA0H", address.ErrCharset, 32},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH ", address.ErrCharset, 34},
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH\x00", address.ErrCharset, 34},
		{"bitcoin", "1ВgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", address.ErrCharset, 1}, // Cyrillic
		{"bitcoin", strings.Repeat("1", 129), address.ErrLength, -1},
		{"bitcoin", strings.Repeat("1", 1<<20), address.ErrLength, -1},
		{"bitcoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyb", address.ErrCharset, 41},
		{"bitcoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyp", address.ErrChecksum, -1},
		{"bitcoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyU", address.ErrCharset, 41},
		{"bitcoin", "bc1" + strings.Repeat("q", 90), address.ErrLength, -1},
		{"tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2", address.ErrLength, -1},
		{"tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HD", address.ErrChecksum, -1},
		{"tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2Hl", address.ErrCharset, 33},
		{"solana", "1111111111111111111111111111111", address.ErrLength, -1},
		{"solana", "111111111111111111111111111111111", address.ErrLength, -1},
		{"solana", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96O", address.ErrCharset, 43},
		{"solana", strings.Repeat("z", 44), address.ErrLength, -1},
		{"xrp", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMHH", address.ErrLength, -1},
		{"xrp", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMJ", address.ErrChecksum, -1},
		{"xrp", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwM0", address.ErrCharset, 33},
	} {
		_, err := address.Parse(tt.chain, tt.in)
		var pe *address.ParseError
		if !errors.As(err, &pe) || pe.Err != tt.want || pe.Offset != tt.offset {
			t.Errorf("Parse(%s, %.60q): %v, want %v at %d", tt.chain, tt.in, err, tt.want, tt.offset)
		}
	}
}

func TestBase58NoAllocs(t *testing.T) {
	for _, tt := range []struct {
		chain address.Chain
		in    string
		key   bool // whether it has one
	}{
		{"bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", true},
		{"bitcoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", true},
		{"bitcoin", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", true},
		{"bitcoin", segwit("bc", 16, strings.Repeat("\x01", 40), bech32.Bech32m), false},
		{"litecoin", "MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB", true},
		{"litecoin", segwit("ltcmweb", 0, "\x02"+strings.Repeat("\x31", 32)+"\x03"+strings.Repeat("\x32", 32), bech32.Bech32), false},
		{"groestlcoin", "Ffqz14cyvZYJavD76t6oHNDJnGiWcZMVxR", true},
		{"decred", "DsmcYVbP1Nmag2H4AS17UTvmWXmGeA7nLDx", true},
		{"horizen", "znbmBYaXE1eNNkRTX56LpjASXHcMERfcigj", true},
		{"horizen", check58("horizen", "169a", strings.Repeat("\x77", 64)), false},
		{"flux", "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", true},
		{"tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", true},
		{"solana", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z", true},
		{"xrp", "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMH", true},
	} {
		a, err := address.Parse(tt.chain, tt.in)
		if err != nil {
			t.Errorf("Parse(%s, %q): %v", tt.chain, tt.in, err)
			continue
		}
		if _, ok := a.Key(); ok != tt.key {
			t.Errorf("%v: has a key: %t, want %t", a, ok, tt.key)
		}
		var buf [3]address.Key
		for name, f := range map[string]func(){
			"Parse":      func() { address.Parse(tt.chain, tt.in) },
			"Normalize":  func() { address.Normalize(tt.chain, tt.in) },
			"Canonical":  func() { a.Canonical() },
			"Account":    func() { a.Account() },
			"Key":        func() { a.Key() },
			"AppendKeys": func() { a.AppendKeys(buf[:0]) },
		} {
			if n := testing.AllocsPerRun(50, f); n != 0 && !longtest.Race {
				t.Errorf("%s of %v: %v allocations", name, a, n)
			}
		}
	}
}
