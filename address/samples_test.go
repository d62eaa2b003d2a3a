package address_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 FIO's checksum
	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A sample is a random address of an EVM, CryptoNote or Substrate chain, or of
// another chain with Base58 and without UTXOs. The encoders below make it and
// share no code with the package. utxo_test.go has samples of UTXO chains,
// bech32_test.go of Bech32 and CashAddr, and base32_hex_test.go of the rest.
type sample struct {
	chain     address.Chain
	text      string // in normal form
	canonical string
	key       string // as Key.String has it, "none" for none
	form      string // tells the encodings of a chain apart
}

// samples returns n random samples of every encoding of every chain.
func samples(rng *rand.Rand, n int) []sample {
	var all []sample
	for range n {
		for _, f := range encodings {
			s := f.make(rng)
			s.chain, s.form = f.chain, f.form
			if s.canonical == "" {
				s.canonical = s.text
			}
			all = append(all, s)
		}
	}
	return all
}

type encoding struct {
	chain address.Chain
	form  string
	make  func(*rand.Rand) sample
}

var encodings = func() []encoding {
	all := []encoding{
		{"ethereum", "0x", evmSample("0x")},
		{"wanchain", "0x", evmSample("0x")},
		{"rootstock", "0x", evmSample("0x")},
		{"xdc", "0x", evmSample("0x")},
		{"xdc", "xdc", evmSample("xdc")},
		{"ronin", "0x", evmSample("0x")},
		{"ronin", "ronin:", evmSample("ronin:")},
		{"monero", "standard", cryptonoteSample(18, 0, 0)},
		{"monero", "sub", cryptonoteSample(42, 0, 0)},
		{"monero", "integrated", cryptonoteSample(19, 8, 18)},
		{"oxen", "standard", cryptonoteSample(114, 0, 0)},
		{"oxen", "sub", cryptonoteSample(116, 0, 0)},
		{"oxen", "integrated", cryptonoteSample(115, 8, 114)},
		{"neo", "", versionSample("\x17", 20, "script:")},
		{"ontology", "", versionSample("\x17", 20, "script:")},
		{"neo-n3", "", versionSample("\x35", 20, "script:")},
		{"tezos", "tz1", versionSample("\x06\xa1\x9f", 20, "")},
		{"tezos", "tz2", versionSample("\x06\xa1\xa1", 20, "")},
		{"tezos", "tz3", versionSample("\x06\xa1\xa4", 20, "")},
		{"tezos", "tz4", versionSample("\x06\xa1\xa6", 20, "")},
		{"tezos", "KT1", versionSample("\x02\x5a\x79", 20, "")},
		{"tezos", "sr1", versionSample("\x06\x7c\x75", 20, "")},
		{"helium", "compact", versionSample("\x00\x00", 32, "")},
		{"helium", "ed25519", versionSample("\x00\x01", 32, "ed25519:")},
		{"aeternity", "", func(rng *rand.Rand) sample {
			s := versionSample("", 32, "ed25519:")(rng)
			s.text = "ak_" + s.text
			return s
		}},
		{"waves", "", func(rng *rand.Rand) sample {
			b := append([]byte{1, 'W'}, randomBytes(rng, 20)...)
			inner := blake2b.Sum256(b)
			return sample{text: base58.Encode(append(b, legacyKeccak(inner[:])[:4]...)), key: "none"}
		}},
		{"fio", "", func(rng *rand.Rand) sample {
			key := compressedKey(rng)
			h := ripemd160.New()
			h.Write(key)
			return sample{
				text: "FIO" + base58.Encode(append(key, h.Sum(nil)[:4]...)),
				key:  "secp256k1:" + hex.EncodeToString(key[1:33]),
			}
		}},
		{"ergo", "P2PK", func(rng *rand.Rand) sample {
			key := compressedKey(rng)
			return sample{text: ergoText(1, key), key: "secp256k1:" + hex.EncodeToString(key[1:])}
		}},
		{"ergo", "P2SH", func(rng *rand.Rand) sample {
			return sample{text: ergoText(2, randomBytes(rng, 24)), key: "none"}
		}},
		{"ergo", "P2S", func(rng *rand.Rand) sample {
			script := append([]byte{0x10}, randomBytes(rng, 1+rng.IntN(80))...)
			return sample{text: ergoText(3, script), key: "none"}
		}},
		{"ergo", "P2S of a P2PK", func(rng *rand.Rand) sample {
			key := compressedKey(rng)
			script := append([]byte{0x00, 0x08, 0xcd}, key...)
			return sample{text: ergoText(3, script), canonical: ergoText(1, key), key: "secp256k1:" + hex.EncodeToString(key[1:])}
		}},
	}
	for _, c := range ss58Prefixes {
		all = append(all, encoding{c.chain, "", func(rng *rand.Rand) sample {
			id := randomBytes(rng, 32)
			return sample{text: ss58Text(c.prefix, id), key: "ss58:" + hex.EncodeToString(id)}
		}})
	}
	return all
}()

// ss58Prefixes are the prefixes of the SS58 registry.
var ss58Prefixes = []struct {
	chain  address.Chain
	prefix byte
}{
	{"polkadot", 0}, {"kusama", 2}, {"substrate", 42}, {"bittensor", 42}, {"aleph-zero", 42}, {"acala", 10},
	{"astar", 5}, {"polymesh", 12}, {"centrifuge", 36}, {"kilt", 38}, {"phala", 30}, {"hydration", 63},
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	// Leading zeros, which Base58 encodes in a special way.
	clear(b[:min(n, max(0, rng.IntN(8)-4))])
	return b
}

func legacyKeccak(b []byte) []byte {
	h := sha3.NewLegacyKeccak256()
	h.Write(b)
	return h.Sum(nil)
}

// compressedKey returns a random point of secp256k1.
func compressedKey(rng *rand.Rand) []byte {
	order := new(big.Int).SetBit(new(big.Int), 256, 1)
	order.Sub(order, big.NewInt(1<<32+977))
	for {
		x := new(big.Int).SetBytes(randomBytes(rng, 32))
		y2 := new(big.Int).Exp(x, big.NewInt(3), order)
		if big.Jacobi(y2.Add(y2, big.NewInt(7)), order) == 1 && x.Cmp(order) < 0 {
			return append([]byte{byte(2 + rng.IntN(2))}, x.FillBytes(make([]byte, 32))...)
		}
	}
}

func evmSample(prefix string) func(*rand.Rand) sample {
	return func(rng *rand.Rand) sample {
		digits := hex.EncodeToString(randomBytes(rng, 20))
		return sample{text: prefix + digits, canonical: "0x" + digits, key: "h20:" + digits}
	}
}

// mixedCase sets the letter case of digits by EIP-55, or with a prefix by
// ERC-1191.
func mixedCase(prefix, digits string) string {
	sum := hex.EncodeToString(legacyKeccak([]byte(prefix + digits)))
	out := []byte(digits)
	for i, c := range out {
		if c >= 'a' && sum[i] >= '8' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

func versionSample(version string, n int, class string) func(*rand.Rand) sample {
	return func(rng *rand.Rand) sample {
		payload := randomBytes(rng, n)
		key := "none"
		if class != "" {
			key = class + hex.EncodeToString(payload)
		}
		return sample{text: base58check(append([]byte(version), payload...)), key: key}
	}
}

func base58check(b []byte) string {
	first := sha256.Sum256(b)
	second := sha256.Sum256(first[:])
	return base58.Encode(append(bytes.Clone(b), second[:4]...))
}

func ss58Text(prefix byte, id []byte) string {
	b := append([]byte{prefix}, id...)
	sum := blake2b.Sum512(append([]byte("SS58PRE"), b...))
	return base58.Encode(append(b, sum[:2]...))
}

func ergoText(head byte, content []byte) string {
	b := append([]byte{head}, content...)
	sum := blake2b.Sum256(b)
	return base58.Encode(append(b, sum[:4]...))
}

// cryptonoteSample makes addresses with random points of the curve as keys. If
// standard is not zero, it is the tag of their canonical form.
func cryptonoteSample(tag byte, extra int, standard byte) func(*rand.Rand) sample {
	return func(rng *rand.Rand) sample {
		pair := append(randomPoint(rng), randomPoint(rng)...)
		sum := sha256.Sum256(pair)
		s := sample{
			text: cryptonoteText([]byte{tag}, pair, randomBytes(rng, extra)),
			key:  "cn:" + hex.EncodeToString(sum[:]),
		}
		if standard != 0 {
			s.canonical = cryptonoteText([]byte{standard}, pair)
		}
		return s
	}
}

func randomPoint(rng *rand.Rand) []byte {
	var wide [64]byte
	copy(wide[:], randomBytes(rng, 64))
	k, err := new(edwards25519.Scalar).SetUniformBytes(wide[:])
	if err != nil {
		panic(err)
	}
	return new(edwards25519.Point).ScalarBaseMult(k).Bytes()
}

// cryptonoteText writes the parts and their checksum in block-wise Base58: each
// block is the Base58 of its bytes, padded with 1s to the length of its size.
func cryptonoteText(parts ...[]byte) string {
	b := bytes.Join(parts, nil)
	b = append(b, legacyKeccak(b)[:4]...)
	var text strings.Builder
	for len(b) > 0 {
		block := b[:min(8, len(b))]
		b = b[len(block):]
		digits := strings.TrimLeft(base58.Encode(block), "1")
		width := []int{0, 2, 3, 5, 6, 7, 9, 10, 11}[len(block)]
		text.WriteString(strings.Repeat("1", width-len(digits)) + digits)
	}
	return text.String()
}

func TestSampleRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range samples(rng, 20) {
		a, err := address.Parse(s.chain, s.text)
		if err != nil {
			t.Errorf("Parse(%s, %q) (%s): %v", s.chain, s.text, s.form, err)
			continue
		}
		if b, err := address.Normalize(s.chain, s.text); err != nil || b != a {
			t.Errorf("Normalize(%s, %q) = %v, %v, Parse has %v", s.chain, s.text, b, err, a)
		}
		if a.Normalized() != s.text {
			t.Errorf("Parse(%s, %q): normal form %q", s.chain, s.text, a.Normalized())
		}
		canonical := a.Canonical()
		if canonical.Normalized() != s.canonical {
			t.Errorf("%v: canonical %q, want %q", a, canonical.Normalized(), s.canonical)
		}
		if canonical.Canonical() != canonical {
			t.Errorf("%v: canonical of the canonical is %v", a, canonical.Canonical())
		}
		if again, err := address.Parse(canonical.Chain(), canonical.Normalized()); err != nil || again != canonical {
			t.Errorf("%v: its canonical form parses to %v, %v", a, again, err)
		}
		key := "none"
		if k, ok := a.Key(); ok {
			key = k.String()
		}
		if key != s.key {
			t.Errorf("%v: key %s, want %s", a, key, s.key)
		}
		if k, ok := canonical.Key(); ok != (key != "none") || ok && k.String() != key {
			t.Errorf("%v: key %s, its canonical form has %v, %t", a, key, k, ok)
		}
	}
}

// TestSampleAccount compares Account with Canonical over all pairs of samples,
// including spellings of one account on several chains and encodings.
func TestSampleAccount(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var all []address.Address
	for _, s := range samples(rng, 3) {
		a := address.MustParse(s.chain, s.text)
		all = append(all, a, a.Canonical())
	}
	digits := "7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	for _, c := range []address.Chain{"ethereum", "xdc", "ronin", "rootstock", "wanchain", "bsc"} {
		all = append(all, address.MustParse(c, "0x"+digits))
	}
	all = append(all, address.MustParse("xdc", "xdc"+digits), address.MustParse("ronin", "ronin:"+digits))
	pair := append(randomPoint(rng), randomPoint(rng)...)
	for _, id := range []string{"12345678", "abcdefgh"} {
		all = append(all, address.MustParse("monero", cryptonoteText([]byte{19}, pair, []byte(id))))
	}
	all = append(all, address.MustParse("monero", cryptonoteText([]byte{18}, pair)),
		address.MustParse("monero", cryptonoteText([]byte{42}, pair)),
		address.MustParse("oxen", cryptonoteText([]byte{114}, pair)))
	hash := randomBytes(rng, 20)
	for _, version := range []string{"\x06\xa1\x9f", "\x06\xa1\xa1", "\x06\xa1\xa4", "\x06\xa1\xa6", "\x02\x5a\x79", "\x06\x7c\x75"} {
		all = append(all, address.MustParse("tezos", base58check(append([]byte(version), hash...))))
	}
	same := 0
	for i, a := range all {
		for _, b := range all[:i] {
			byAccount, byCanonical := a.Account() == b.Account(), a.Canonical() == b.Canonical()
			if byAccount != byCanonical {
				t.Errorf("%v and %v: equal Accounts %t, equal Canonicals %t", a, b, byAccount, byCanonical)
			}
			if byCanonical {
				same++
			}
		}
	}
	if same < len(encodings) {
		t.Errorf("only %d equal pairs among %d addresses", same, len(all))
	}
}

// TestSampleTypos changes single characters and checks that no address with a
// checksum becomes another one.
func TestSampleTypos(t *testing.T) {
	const characters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl _-%:\x00\xff"
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range samples(rng, longtest.N(2, 8)) {
		if strings.HasPrefix(s.key, "h20:") {
			continue // in lower case: no checksum
		}
		for i := range len(s.text) {
			c := characters[rng.IntN(len(characters))]
			if c == s.text[i] {
				continue
			}
			typo := s.text[:i] + string([]byte{c}) + s.text[i+1:]
			if a, err := address.Parse(s.chain, typo); err == nil {
				t.Errorf("Parse(%s, %q) = %v, a typing error at %d of %q", s.chain, typo, a, i, s.text)
			}
			if !strings.ContainsRune(characters[:58], rune(c)) {
				continue
			}
			// Nor is it valid with a second fault: a character lost, or one added.
			for _, other := range []string{typo[:i] + typo[i+1:], typo + "1", "1" + typo} {
				if a, err := address.Parse(s.chain, other); err == nil {
					t.Errorf("Parse(%s, %q) = %v, made of %q", s.chain, other, a, s.text)
				}
			}
		}
	}
}

// TestSampleBadCharacter checks that the error has the offset of the first
// character outside the alphabet.
func TestSampleBadCharacter(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, s := range samples(rng, 2) {
		from := 0
		for _, prefix := range []string{"0x", "xdc", "ronin:", "ak_", "FIO"} {
			if strings.HasPrefix(s.text, prefix) {
				from = len(prefix)
			}
		}
		for _, at := range []int{from, (from + len(s.text)) / 2, len(s.text) - 1} {
			bad, c := []byte(s.text), byte('0') // a character of another alphabet, which only decoding reveals
			if strings.HasPrefix(s.key, "h20:") {
				c = 'g'
			}
			bad[at] = c
			bad[len(bad)-1] = c
			_, err := address.Parse(s.chain, string(bad))
			var pe *address.ParseError
			if errors.Is(err, address.ErrSecret) {
				continue // a piece of a long address can have the shape of a key
			}
			if !errors.As(err, &pe) || pe.Offset != at {
				t.Errorf("Parse(%s, %q): %v, want the offset %d", s.chain, bad, err, at)
			}
		}
	}
}

// TestSampleAllocs checks that parsing input in normal form does not allocate.
func TestSampleAllocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, s := range samples(rng, 1) {
		name := fmt.Sprintf("%s %s", s.chain, s.form)
		a := address.MustParse(s.chain, s.text)
		for what, f := range map[string]func(){
			"Parse":     func() { address.Parse(s.chain, s.text) },
			"Normalize": func() { address.Normalize(s.chain, s.text) },
			"Account":   func() { a.Account() },
			"Key":       func() { a.Key() },
		} {
			if n := testing.AllocsPerRun(20, f); n != 0 && !longtest.Race {
				t.Errorf("%s: %s allocates %v times", name, what, n)
			}
		}
	}
}
