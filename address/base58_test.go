package address_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 a hash of Bitcoin's, and FIO's checksum

	"github.com/walletscreen/walletscreen/address"
)

func ripemdOf(b []byte) string {
	h := ripemd160.New()
	h.Write(b)
	return string(h.Sum(nil))
}

func TestTronHex(t *testing.T) {
	want := address.MustParse("tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")
	k, _ := want.Key()
	digits := "41" + strings.TrimPrefix(k.String(), "h20:")
	if evm := address.MustParse("ethereum", "0x"+digits[2:]); keyText(evm) != k.String() {
		t.Errorf("%v and %v have different keys", want, evm)
	}
	for _, s := range []string{digits, strings.ToUpper(digits), " " + digits + "\n", "0x" + digits} {
		if a, err := address.Normalize("tron", s); err != nil || a != want {
			t.Errorf("Normalize(tron, %q) = %v, %v, want %v", s, a, err, want)
		}
		if a, err := address.Parse("tron", s); err == nil {
			t.Errorf("Parse(tron, %q) = %v", s, a)
		}
	}
	for _, s := range []string{digits[2:], "0x" + digits[2:], "42" + digits[2:], digits + "00", digits[:41] + "g"} {
		if a, err := address.Normalize("tron", s); err == nil {
			t.Errorf("Normalize(tron, %q) = %v", s, a)
		}
	}
}

func keyText(a address.Address) string {
	if k, ok := a.Key(); ok {
		return k.String()
	}
	return "none"
}

const rippleDigits = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"

var ripple = base58.NewAlphabet(rippleDigits)

// ripple58 returns the Base58Check of b in the alphabet of the XRP Ledger.
func ripple58(b string) string {
	raw, err := base58.Decode(sha256Check(b))
	if err != nil {
		panic(err)
	}
	return base58.EncodeAlphabet(raw, ripple)
}

func TestXRP(t *testing.T) {
	same := newOneToOne()
	for _, account := range edgePayloads(20, 100) {
		classic, err := address.Parse("xrp", ripple58("\x00"+account))
		if err != nil {
			t.Fatal(err)
		}
		same.add(t, classic)
		if want := "h160:" + hex.EncodeToString([]byte(account)); keyText(classic) != want {
			t.Errorf("the key of %v is %s, want %s", classic, keyText(classic), want)
		}
		for _, rest := range []string{
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x00\x00\x00\x00",
			"\x01\x01\x00\x00\x00\x00\x00\x00\x00", "\x01\xff\xff\xff\xff\x00\x00\x00\x00",
		} {
			s := ripple58("\x05\x44" + account + rest)
			x, err := address.Parse("xrp", s)
			if err != nil {
				t.Errorf("Parse(xrp, %q): %v", s, err)
				continue
			}
			if x.Normalized() != s || x.Canonical() != classic || x.Account() != classic.Account() || keyText(x) != keyText(classic) {
				t.Errorf("%v is %v, want the account of %v", x, x.Canonical(), classic)
			}
			same.add(t, x)
			if _, err := address.Parse("xrp", ripple58("\x04\x93"+account+rest)); !errors.Is(err, address.ErrNetwork) {
				t.Errorf("the test network's form of %v: %v, want ErrNetwork", x, err)
			}
		}
		for _, rest := range []string{
			"\x00\x01\x00\x00\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x01", // a tag without the flag
			"\x01\x01\x00\x00\x00\x01\x00\x00\x00", "\x01\x01\x00\x00\x00\x00\x00\x00\x80", // a tag of over 32 bits
			"\x02\x01\x00\x00\x00\x00\x00\x00\x00", "\xff\x00\x00\x00\x00\x00\x00\x00\x00", // flags not in use
		} {
			for _, version := range []string{"\x05\x44", "\x04\x93"} {
				s := ripple58(version + account + rest)
				if a, err := address.Parse("xrp", s); !errors.Is(err, address.ErrSyntax) {
					t.Errorf("Parse(xrp, %q) = %v, %v, want ErrSyntax for flag and tag %x", s, a, err, rest)
				}
			}
		}
	}
	account := randomPayload(rand.New(rand.NewPCG(1, 1)), 20)
	refuseChanges(t, "xrp", ripple58("\x00"+account), rippleDigits)
	refuseChanges(t, "xrp", ripple58("\x05\x44"+account+"\x01\x07\x00\x00\x00\x00\x00\x00\x00"), rippleDigits)
	for v := range 256 {
		if s := ripple58(string([]byte{byte(v)}) + account); v != 0 {
			if a, err := address.Parse("xrp", s); !errors.Is(err, address.ErrSyntax) {
				t.Errorf("Parse(xrp, %q), version %d: %v, %v", s, v, a, err)
			}
		}
	}
}

func TestXRPSecrets(t *testing.T) {
	for name, s := range map[string]string{
		"the seed of masterpassphrase":    "snoPBrXtMeMyMHUVTgbuqAfg1SUTb", // XRP Ledger documentation
		"an ed25519 seed":                 ripple58("\x01\xe1\x4b" + strings.Repeat("\x33", 16)),
		"a private key of a node":         ripple58("\x20" + strings.Repeat("\x33", 32)),
		"a private key of an account":     ripple58("\x22" + strings.Repeat("\x33", 32)),
		"a seed, given with outer blanks": " snoPBrXtMeMyMHUVTgbuqAfg1SUTb",
	} {
		for _, read := range []func(address.Chain, string) (address.Address, error){address.Parse, address.Normalize} {
			_, err := read("xrp", s)
			var pe *address.ParseError
			if !errors.As(err, &pe) || pe.Err != address.ErrSecret {
				t.Errorf("%s: %v, want ErrSecret", name, err)
			}
		}
	}
	for name, s := range map[string]string{
		"a public key of a node":     ripple58("\x1c" + strings.Repeat("\x02", 33)),
		"a public key of an account": ripple58("\x23" + strings.Repeat("\x02", 33)),
	} {
		if _, err := address.Parse("xrp", s); !errors.Is(err, address.ErrLength) {
			t.Errorf("%s: %v, want ErrLength", name, err)
		}
	}
}

func TestSolanaKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	on, off := 0, 0
	same := newOneToOne()
	for range 400 {
		b := randomPayload(rng, 32)
		a, err := address.Parse("solana", base58.Encode([]byte(b)))
		if err != nil {
			t.Fatal(err)
		}
		same.add(t, a)
		want := "none"
		if _, err := new(edwards25519.Point).SetBytes([]byte(b)); err == nil {
			want = "ed25519:" + hex.EncodeToString([]byte(b))
			on++
		} else {
			off++
		}
		if got := keyText(a); got != want {
			t.Errorf("the key of %v is %s, want %s", a, got, want)
		}
	}
	if on < 100 || off < 100 {
		t.Errorf("%d points on the curve and %d off it, want about as many", on, off)
	}
	for name, b := range map[string]string{
		"the neutral element":                "01" + strings.Repeat("00", 31),
		"the neutral element, signed":        "01" + strings.Repeat("00", 30) + "80",
		"a point of order 4, the system one": strings.Repeat("00", 32),
		"a point of order 8":                 "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"y is not reduced: p + 3":            "f0" + strings.Repeat("ff", 30) + "7f",
		"y is not reduced: p + 18":           "ff" + strings.Repeat("ff", 30) + "7f",
		"y is not reduced, signed: p + 3":    "f0" + strings.Repeat("ff", 31),
	} {
		a, err := address.Parse("solana", base58.Encode([]byte(unhex(t, b))))
		if err != nil || keyText(a) != "none" {
			t.Errorf("%s: %v has the key %s (%v), want none", name, a, keyText(a), err)
		}
	}
	// All points of small order, computed with the reference library.
	g, err := new(edwards25519.Point).SetBytes([]byte(unhex(t, "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for p := edwards25519.NewIdentityPoint(); !seen[string(p.Bytes())]; p.Add(p, g) {
		seen[string(p.Bytes())] = true
		if a := address.MustParse("solana", base58.Encode(p.Bytes())); keyText(a) != "none" {
			t.Errorf("%v, of small order, has the key %s", a, keyText(a))
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d points of small order, want 8", len(seen))
	}
	// y = p - 1 and below are reduced; those with an x have a key.
	reduced := 0
	for low := 0xed - 40; low < 0xed; low++ {
		b := []byte(unhex(t, "00"+strings.Repeat("ff", 30)+"7f"))
		b[0] = byte(low)
		if keyText(address.MustParse("solana", base58.Encode(b))) != "none" {
			reduced++
		}
	}
	if reduced < 8 {
		t.Errorf("%d of the forty y below p have a key, want about twenty", reduced)
	}
}

func TestSolanaSecret(t *testing.T) {
	for _, b := range edgePayloads(64, 20) {
		key := base58.Encode(ed25519.NewKeyFromSeed([]byte(b)[:ed25519.SeedSize]))
		signature := base58.Encode([]byte(b))
		if _, err := address.Parse("solana", key); key[0] != '1' && !errors.Is(err, address.ErrSecret) {
			t.Errorf("the key %q: %v, want ErrSecret", key, err)
		}
		if _, err := address.Parse("solana", signature); !errors.Is(err, address.ErrLength) {
			t.Errorf("64 bytes %q: %v, want ErrLength", signature, err)
		}
	}
	for _, n := range []int{31, 33, 63, 65} {
		if _, err := address.Parse("solana", base58.Encode([]byte(edgePayloads(n, 1)[3]))); err == nil {
			t.Errorf("%d bytes are taken", n)
		}
	}
}

// TestSampleErrors parses secrets, and texts with a valid checksum and another
// fault.
func TestSampleErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	hash, key := randomBytes(rng, 20), randomBytes(rng, 32)
	waves := func(version, chain byte) string {
		b := append([]byte{version, chain}, hash...)
		inner := blake2b.Sum256(b)
		return base58.Encode(append(b, legacyKeccak(inner[:])[:4]...))
	}
	fio := func(key []byte) string {
		h := ripemd160.New()
		h.Write(key)
		return "FIO" + base58.Encode(append(bytes.Clone(key), h.Sum(nil)[:4]...))
	}
	check := func(version string, payload []byte) string {
		return base58check(append([]byte(version), payload...))
	}
	wif := check("\x80", append(bytes.Clone(key), 1))
	for _, v := range []struct {
		name  string
		chain address.Chain
		text  string
		want  error
	}{
		{"another prefix", "tezos", check("\x06\xa1\xa0", hash), address.ErrSyntax},
		{"a hash too long", "tezos", check("\x06\xa1\x9f", key), address.ErrLength},
		{"no prefix", "tezos", check("", hash), address.ErrLength},
		{"a seed", "tezos", check("\x0d\x0f\x3a\x07", key), address.ErrSecret},
		{"a seed with a typing error", "tezos", check("\x0d\x0f\x3a\x07", key) + "1", address.ErrSyntax},
		{"a secret key", "tezos", check("\x2b\xf6\x4e\x07", append(key, key...)), address.ErrSecret},
		{"a secp256k1 key", "tezos", check("\x11\xa2\xe0\xc9", key), address.ErrSecret},
		{"a P-256 key", "tezos", check("\x10\x51\xee\xbd", key), address.ErrSecret},
		{"a BLS key", "tezos", check("\x03\x96\xc0\x28", key), address.ErrSecret},
		{"N3 on Neo", "neo", check("\x35", hash), address.ErrSyntax},
		{"Neo on N3", "neo-n3", check("\x17", hash), address.ErrSyntax},
		{"WIF", "neo", wif, address.ErrSecret},
		{"WIF", "ontology", wif, address.ErrSecret},
		{"another version", "waves", waves(2, 'W'), address.ErrSyntax},
		{"an alias", "waves", waves(2, 'W')[:20] + ":" + waves(2, 'W')[20:], address.ErrCharset},
		{"testnet", "waves", waves(1, 'T'), address.ErrNetwork},
		{"stagenet", "waves", waves(1, 'S'), address.ErrNetwork},
		{"another chain", "waves", waves(1, 'V'), address.ErrSyntax},
		{"another head", "ergo", ergoText(4, key), address.ErrSyntax},
		{"a head of no network", "ergo", ergoText(0x21, compressedKey(rng)), address.ErrSyntax},
		{"no type", "ergo", ergoText(0, key), address.ErrSyntax},
		{"a key too long", "ergo", ergoText(1, append(compressedKey(rng), 0)), address.ErrSyntax},
		{"a key too short", "ergo", ergoText(1, compressedKey(rng)[:32]), address.ErrSyntax},
		{"an uncompressed key", "ergo", ergoText(1, append([]byte{4}, key...)), address.ErrSyntax},
		{"a hash too short", "ergo", ergoText(2, key[:23]), address.ErrSyntax},
		{"no script", "ergo", ergoText(3, nil), address.ErrLength},
		{"testnet P2PK", "ergo", ergoText(0x11, compressedKey(rng)), address.ErrNetwork},
		{"testnet P2S", "ergo", ergoText(0x13, key), address.ErrNetwork},
		{"a script too long", "ergo", ergoText(3, make([]byte, 130)), address.ErrLength},
		{"another version", "helium", check("\x01\x01", key), address.ErrSyntax},
		{"another key type", "helium", check("\x00\x02", key), address.ErrSyntax},
		{"testnet", "helium", check("\x00\x11", key), address.ErrNetwork},
		{"a solana key", "helium", base58.Encode(key), address.ErrLength},
		{"a contract", "aeternity", "ct_" + check("", key), address.ErrSyntax},
		{"capitals in the prefix", "aeternity", "AK_" + check("", key), address.ErrSyntax},
		{"no prefix", "aeternity", check("", key), address.ErrSyntax},
		{"a secret", "aeternity", "sk_" + check("", key), address.ErrSecret},
		{"a secret in hex", "aeternity", strings.Repeat("1f", 64), address.ErrSyntax},
		{"a key too short", "aeternity", "ak_" + check("", key[:31]), address.ErrLength},
		{"an uncompressed key", "fio", fio(append([]byte{4}, key...)), address.ErrSyntax},
		{"a key too short", "fio", fio(append([]byte{2}, key[:31]...)), address.ErrLength},
		{"small letters in the prefix", "fio", "fio" + fio(append([]byte{2}, key...))[3:], address.ErrSyntax},
		{"EOS", "fio", "EOS" + fio(append([]byte{2}, key...))[3:], address.ErrSyntax},
		{"a handle", "fio", "name@domain", address.ErrSyntax},
		{"WIF", "fio", wif, address.ErrSecret},
	} {
		for _, read := range []func(address.Chain, string) (address.Address, error){address.Parse, address.Normalize} {
			a, err := read(v.chain, v.text)
			if !errors.Is(err, v.want) && !(v.want == address.ErrLength && len(v.text) == 53 && errors.Is(err, address.ErrSecret)) {
				t.Errorf("%s: %s %.100q gives %v, %v, want %v", v.name, v.chain, v.text, a, err, v.want)
			}
			var pe *address.ParseError
			if errors.As(err, &pe) && v.want == address.ErrSecret && strings.Contains(err.Error(), v.text) {
				t.Errorf("%s: the error on %s holds the secret: %v", v.name, v.chain, err)
			}
		}
	}
}

// TestErgoScript checks that a P2S address that contains the script of a P2SH
// address is the same account.
func TestErgoScript(t *testing.T) {
	hash := randomBytes(rand.New(rand.NewPCG(27, 28)), 24)
	short := address.MustParse("ergo", ergoText(2, hash))
	for _, v := range []struct {
		first, second string // the variable, in both places
		same          bool
	}{{"\x01", "\x01", true}, {"\x7e", "\x7e", true}, {"\x01", "\x7e", false}, {"\x02", "\x02", false}} {
		script := "\x00\xea\x02\xd1\x93\xb4\xcb\xe4\xe3" + v.first + "\x0e\x04\x00\x04\x30\x0e\x18" + string(hash) + "\xd4\x08" + v.second
		long := address.MustParse("ergo", ergoText(3, []byte(script)))
		want := long
		if v.same {
			want = short
		}
		if long.Canonical() != want || (long.Account() == short.Account()) != v.same {
			t.Errorf("variables %q and %q: canonical of %v is %v, want %v", v.first, v.second, long, long.Canonical(), want)
		}
	}
}

// TestErgoOneByte checks the shortest script: one byte.
func TestErgoOneByte(t *testing.T) {
	for b := range 256 {
		s := ergoText(3, []byte{byte(b)})
		if a, err := address.Parse("ergo", s); err != nil || a.Normalized() != s {
			t.Errorf("Parse of the script %#02x, %s: %v, %v", b, s, a, err)
		}
		if !slices.ContainsFunc(address.Detect(s), func(a address.Address) bool { return a.Chain() == "ergo" }) {
			t.Errorf("Detect does not find %s", s)
		}
	}
}
