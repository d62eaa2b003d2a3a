package address_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// A bech32Spelling is one way to write the accounts of a chain.
type bech32Spelling struct {
	name  string
	chain address.Chain
	size  int                     // bytes of the payload
	write func(p []byte) string   // the normal form
	key   func(p []byte) string   // the first key
	same  []func(p []byte) string // other spellings of the account, that Parse takes
	upper bool                    // all upper case is taken as well
}

func noKey([]byte) string { return "none" }

func keyOf(class string) func([]byte) string {
	return func(p []byte) string { return class + ":" + hex.EncodeToString(p) }
}

// toBech32 writes first, five-bit values, and the payload with prefix before the
// human-readable part.
func toBech32(hrp string, v bech32.Variant, first ...byte) func([]byte) string {
	return func(p []byte) string { return bech32.Encode(hrp, bech32.Unpack(first[:len(first):len(first)], p), v) }
}

// toCashAddr writes the bytes first and the payload as CashAddr.
func toCashAddr(a *bech32.Code, prefix string, first ...byte) func([]byte) string {
	return func(p []byte) string {
		return string(a.Append(nil, prefix, bech32.Unpack(nil, append(first[:len(first):len(first)], p...)), 0))
	}
}

func toHex(p []byte) string { return "0x" + hex.EncodeToString(p) }

// cosmosHRPs are human-readable parts from the Cosmos chain-registry.
var cosmosHRPs = map[address.Chain]string{
	"cosmos": "cosmos", "osmosis": "osmo", "axelar": "axelar", "fetch-ai": "fetch", "noble": "noble",
	"celestia": "celestia", "akash": "akash", "terra": "terra", "terra-classic": "terra", "kava": "kava",
	"thorchain": "thor", "secret": "secret", "crypto-org": "cro", "dydx": "dydx", "binance-beacon": "bnb",
	"sei": "sei", "juno": "juno", "stargaze": "stars", "stride": "stride", "kujira": "kujira", "neutron": "neutron",
	"coreum": "core", "persistence": "persistence", "band": "band", "maya": "maya", "agoric": "agoric",
	"irisnet": "iaa", "regen": "regen", "sentinel": "sent", "archway": "archway", "provenance": "pb",
}

var evmHRPs = map[address.Chain]string{
	"harmony": "one", "iotex": "io", "injective": "inj", "evmos": "evmos", "canto": "canto", "zetachain": "zeta",
}

// bech32Spellings returns all spellings of the chains that use Bech32 and
// CashAddr.
func bech32Spellings() []bech32Spelling {
	var all []bech32Spelling
	for chain, hrp := range cosmosHRPs {
		all = append(all,
			bech32Spelling{"account", chain, 20, toBech32(hrp, bech32.Bech32), keyOf("h160"), nil, true},
			bech32Spelling{"contract", chain, 32, toBech32(hrp, bech32.Bech32), noKey, nil, true})
	}
	for chain, hrp := range evmHRPs {
		all = append(all, bech32Spelling{"bech32", chain, 20, toBech32(hrp, bech32.Bech32), keyOf("h20"), []func([]byte) string{toHex}, true})
	}
	prefixed := func(prefix string) func([]byte) string {
		return func(p []byte) string { return prefix + toBech32("avax", bech32.Bech32)(p) }
	}
	bare := func(write func([]byte) string) func([]byte) string {
		return func(p []byte) string { _, body, _ := strings.Cut(write(p), ":"); return body }
	}
	bch := func(first ...byte) func([]byte) string { return toCashAddr(bech32.Cash, "bitcoincash", first...) }
	xec := func(first ...byte) func([]byte) string { return toCashAddr(bech32.Cash, "ecash", first...) }
	kas := func(first ...byte) func([]byte) string { return toCashAddr(bech32.Cash, "kaspa", first...) }
	cfx := func(nibble byte) func([]byte) string {
		return func(p []byte) string {
			p = append([]byte{0, nibble | p[0]&15}, p[1:]...)
			return toCashAddr(bech32.Conflux, "cfx")(p)
		}
	}
	verbose := func(typ string, write func([]byte) string) func([]byte) string {
		return func(p []byte) string {
			return strings.ToUpper(strings.Replace(write(p), ":", ":type."+typ+":", 1))
		}
	}
	return append(all,
		bech32Spelling{"x", "avalanche-x", 20, prefixed("X-"), keyOf("h160"), nil, false},
		bech32Spelling{"p", "avalanche-p", 20, prefixed("P-"), keyOf("h160"), nil, false},
		bech32Spelling{"zil", "zilliqa", 20, toBech32("zil", bech32.Bech32), keyOf("h20"), []func([]byte) string{toHex}, true},
		bech32Spelling{"erd", "multiversx", 32, toBech32("erd", bech32.Bech32), keyOf("ed25519"), nil, true},
		bech32Spelling{"xch", "chia", 32, toBech32("xch", bech32.Bech32m), noKey, nil, true},
		bech32Spelling{"oasis", "oasis", 21, toBech32("oasis", bech32.Bech32), noKey, nil, true},
		bech32Spelling{"validator", "pactus", 20, toBech32("pc", bech32.Bech32m, 1), noKey, nil, true},
		bech32Spelling{"secp256k1", "pactus", 20, toBech32("pc", bech32.Bech32m, 4), noKey, nil, true},
		bech32Spelling{"key", "handshake", 20, toBech32("hs", bech32.Bech32, 0), keyOf("hs"), nil, true},
		bech32Spelling{"script", "handshake", 32, toBech32("hs", bech32.Bech32, 0), noKey, nil, true},
		bech32Spelling{"v1", "handshake", 32, toBech32("hs", bech32.Bech32, 1), noKey, nil, true},
		bech32Spelling{"v31", "handshake", 40, toBech32("hs", bech32.Bech32, 31), noKey, nil, true},
		bech32Spelling{"q", "bitcoin-cash", 20, bch(0), keyOf("h160"), []func([]byte) string{bare(bch(0)), bch(16), bare(bch(16))}, true},
		bech32Spelling{"p", "bitcoin-cash", 20, bch(8), keyOf("script"), []func([]byte) string{bare(bch(8)), bch(24), bare(bch(24))}, true},
		bech32Spelling{"p32", "bitcoin-cash", 32, bch(11), keyOf("script"), []func([]byte) string{bare(bch(11)), bch(27), bare(bch(27))}, true},
		bech32Spelling{"q", "ecash", 20, xec(0), keyOf("h160"), []func([]byte) string{bare(xec(0))}, true},
		bech32Spelling{"p", "ecash", 20, xec(8), keyOf("script"), []func([]byte) string{bare(xec(8))}, true},
		bech32Spelling{"schnorr", "kaspa", 32, kas(0), keyOf("secp256k1"), nil, false},
		bech32Spelling{"ecdsa", "kaspa", 32, kas(1, 2), keyOf("secp256k1"), nil, false},
		bech32Spelling{"ecdsa odd", "kaspa", 32, kas(1, 3), keyOf("secp256k1"), nil, false},
		bech32Spelling{"script", "kaspa", 32, kas(8), noKey, nil, false},
		bech32Spelling{"user", "conflux", 20, cfx(0x10), noKey, []func([]byte) string{verbose("user", cfx(0x10))}, true},
		bech32Spelling{"contract", "conflux", 20, cfx(0x80), noKey, []func([]byte) string{verbose("contract", cfx(0x80))}, true},
		bech32Spelling{"builtin", "conflux", 20, cfx(0), noKey, []func([]byte) string{verbose("builtin", cfx(0))}, true},
	)
}

func payload(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func firstKey(a address.Address) string {
	if k, ok := a.Key(); ok {
		return k.String()
	}
	return "none"
}

// TestBech32Spellings checks that any spelling of any payload is parsed, and
// that all spellings are one account.
func TestBech32Spellings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sp := range bech32Spellings() {
		for range 8 {
			p := payload(r, sp.size)
			s := sp.write(p)
			a, err := address.Parse(sp.chain, s)
			if err != nil {
				t.Errorf("%s: Parse: %v", sp.name, err)
				continue
			}
			if a.Normalized() != s {
				t.Errorf("%s %q is normalized to %q, want itself", sp.chain, s, a.Normalized())
			}
			if got, want := firstKey(a), sp.key(p); got != want {
				t.Errorf("%s %q has key %s, want %s", sp.chain, s, got, want)
			}
			if b, err := address.Parse(sp.chain, strings.ToUpper(s)); sp.upper && (err != nil || b != a) {
				t.Errorf("%s %q in upper case: %v, %v", sp.chain, s, b, err)
			} else if !sp.upper && sp.chain == "kaspa" && !errors.Is(err, address.ErrCharset) {
				t.Errorf("%s %q in upper case: %v, want ErrCharset", sp.chain, s, err)
			}
			same := []address.Address{a}
			for _, write := range sp.same {
				b, err := address.Parse(sp.chain, write(p))
				if err != nil {
					t.Errorf("%s: Parse: %v", sp.name, err)
					continue
				}
				same = append(same, b)
			}
			for _, b := range same {
				c := b.Canonical()
				if c != a.Canonical() || b.Account() != a.Account() || firstKey(b) != firstKey(a) {
					t.Errorf("%v and %v: canonical %v, %v, account %v, %v, key %s, %s; want the same",
						a, b, a.Canonical(), c, a.Account(), b.Account(), firstKey(a), firstKey(b))
				}
				if c.Canonical() != c || c.Account() != a.Account() || firstKey(c) != firstKey(a) {
					t.Errorf("%v: canonical %v, whose canonical, account or key is another", b, c)
				}
				if d, err := address.Parse(c.Chain(), c.Normalized()); d != c || err != nil {
					t.Errorf("canonical %v is read back as %v, %v", c, d, err)
				}
				if d, err := address.Parse(b.Chain(), b.Normalized()); d != b || err != nil {
					t.Errorf("%v is read back as %v, %v", b, d, err)
				}
			}
			p[len(p)-1] ^= 1
			if b, err := address.Parse(sp.chain, sp.write(p)); err != nil || b.Account() == a.Account() || b.Canonical() == a.Canonical() {
				t.Errorf("%v and %v (%v) differ in one bit, want another account", a, b, err)
			}
		}
	}
}

// TestBech32AccountsOfForms checks that equal bytes in different kinds of
// accounts are different accounts, and that accounts are equal exactly if their
// canonical forms are.
func TestBech32AccountsOfForms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := payload(r, 40)
	p[0] &= 15 // the same on conflux, whatever the type
	canonical := map[address.Key]address.Address{}
	for _, sp := range bech32Spellings() {
		writes := append([]func([]byte) string{sp.write}, sp.same...)
		if sp.chain == "sei" {
			writes = append(writes, func([]byte) string { return toHex(p[:20]) })
		}
		for _, write := range writes {
			a, err := address.Parse(sp.chain, write(p[:sp.size]))
			if err != nil {
				t.Error(err)
				continue
			}
			c := a.Canonical()
			if other, ok := canonical[a.Account()]; ok && other != c {
				t.Errorf("%v and %v have one account", c, other)
			}
			canonical[a.Account()] = c
		}
	}
	seen := map[address.Address]bool{}
	for _, c := range canonical {
		if seen[c] {
			t.Errorf("%v has two accounts", c)
		}
		seen[c] = true
	}
	if len(seen) < len(bech32Spellings())-len(evmHRPs) {
		t.Errorf("%d accounts of %d spellings", len(seen), len(bech32Spellings()))
	}
}

// TestBech32OneWrongCharacter checks that no address is valid after one
// character has changed, including the prefix.
func TestBech32OneWrongCharacter(t *testing.T) {
	const printable = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:-. \x00\x80\xff"
	r := rand.New(rand.NewPCG(5, 6))
	for _, sp := range bech32Spellings() {
		if cosmosHRPs[sp.chain] != "" && sp.chain != "cosmos" && sp.chain != "binance-beacon" {
			continue // as these two
		}
		s := sp.write(payload(r, sp.size))
		for i := range len(s) {
			step := longtest.N(41, 1)
			for j := i % step; j < len(printable); j += step {
				if wrong := s[:i] + printable[j:j+1] + s[i+1:]; wrong != s {
					checkRefused(t, sp.chain, wrong, s)
				}
			}
			checkRefused(t, sp.chain, s[:i]+s[i+1:], s)
		}
	}
}

// checkRefused checks that Parse refuses wrong, and that Normalize refuses it
// or returns s: it may accept a scheme in capitals.
func checkRefused(t *testing.T, chain address.Chain, wrong, s string) {
	t.Helper()
	_, err := address.Parse(chain, wrong)
	var pe *address.ParseError
	if !errors.As(err, &pe) || pe.Offset >= len(wrong) {
		t.Errorf("%s: Parse of %q for %q gives %v", chain, wrong, s, err)
	}
	if a, err := address.Normalize(chain, wrong); err == nil && a != address.MustParse(chain, s) {
		t.Errorf("%s: Normalize of %q for %q gives %v", chain, wrong, s, a)
	}
}

// TestBech32WrongVariant checks that each chain accepts only one of the two
// checksums of Bech32.
func TestBech32WrongVariant(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, sp := range bech32Spellings() {
		s := sp.write(payload(r, sp.size))
		prefix, text, ok := strings.Cut(s, "-")
		if !ok {
			prefix, text = "", s
		} else {
			prefix += "-"
		}
		hrp, _, ok := strings.Cut(text, "1")
		if !ok || strings.Contains(text, ":") {
			continue
		}
		v, _, f := bech32.Std.Verify(hrp, text)
		if f != bech32.OK {
			t.Fatalf("%q: fault %d", text, f)
		}
		other := bech32.Bech32
		if v == other {
			other = bech32.Bech32m
		}
		var values []byte
		for _, c := range []byte(text[len(hrp)+1 : len(text)-bech32.Std.ChecksumLen]) {
			values = append(values, bech32.Std.Value(c))
		}
		wrong := prefix + bech32.Encode(hrp, values, other)
		if _, err := address.Parse(sp.chain, wrong); !errors.Is(err, address.ErrChecksum) {
			t.Errorf("%s %q: %v, want ErrChecksum", sp.chain, wrong, err)
		}
	}
}

// TestBech32Lengths checks that a payload of the wrong length is refused even
// if its checksum is valid.
func TestBech32Lengths(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	sizes := map[address.Chain]map[int]bool{}
	for _, sp := range bech32Spellings() {
		if sizes[sp.chain] == nil {
			sizes[sp.chain] = map[int]bool{}
		}
		sizes[sp.chain][sp.size] = true
	}
	for _, sp := range bech32Spellings() {
		if sp.chain == "handshake" || sp.chain == "conflux" {
			continue // other lengths are right in other versions; the length is bound to the type
		}
		for n := 1; n < 70; n++ {
			if sizes[sp.chain][n] {
				continue
			}
			s, want := sp.write(payload(r, n)), address.ErrLength
			if sp.chain == "pactus" {
				want = address.ErrSyntax // it may be one of peercoin, which has the same human-readable part
			}
			if _, err := address.Parse(sp.chain, s); !errors.Is(err, want) {
				t.Errorf("%s %q of %d bytes: %v, want %v", sp.chain, s, n, err, want)
			}
		}
	}
}

// TestBech32TestNetworks checks that an address of a test network is reported as
// ErrNetwork, not as a syntax error.
func TestBech32TestNetworks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	p20, p32 := payload(r, 20), payload(r, 32)
	tests := map[address.Chain][]string{
		"thorchain":      {toBech32("tthor", bech32.Bech32)(p20), toBech32("sthor", bech32.Bech32)(p20)},
		"maya":           {toBech32("tmaya", bech32.Bech32)(p20), toBech32("smaya", bech32.Bech32)(p20)},
		"binance-beacon": {toBech32("tbnb", bech32.Bech32)(p20)},
		"crypto-org":     {toBech32("tcro", bech32.Bech32)(p20)},
		"coreum":         {toBech32("testcore", bech32.Bech32)(p20), toBech32("devcore", bech32.Bech32)(p20)},
		"provenance":     {toBech32("tp", bech32.Bech32)(p20)},
		"iotex":          {toBech32("it", bech32.Bech32)(p20)},
		"avalanche-x":    {"X-" + toBech32("fuji", bech32.Bech32)(p20)},
		"avalanche-p":    {"P-" + toBech32("fuji", bech32.Bech32)(p20)},
		"zilliqa":        {toBech32("tzil", bech32.Bech32)(p20)},
		"chia":           {toBech32("txch", bech32.Bech32m)(p32)},
		"pactus":         {toBech32("tpc", bech32.Bech32m, 2)(p20)},
		"handshake":      {toBech32("ts", bech32.Bech32, 0)(p20), toBech32("rs", bech32.Bech32, 0)(p20), toBech32("ss", bech32.Bech32, 0)(p32)},
		"nervos":         {toBech32("ckt", bech32.Bech32)(append([]byte{1, 0}, p20...))},
		"bitcoin-cash": {
			toCashAddr(bech32.Cash, "bchtest", 0)(p20), toCashAddr(bech32.Cash, "bchreg", 8)(p20),
			strings.TrimPrefix(toCashAddr(bech32.Cash, "bchtest", 0)(p20), "bchtest:"),
			strings.ToUpper(toCashAddr(bech32.Cash, "bchtest", 0)(p20)),
			"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", // BIP-13 era address of the test network, from the Bitcoin wiki
		},
		"ecash": {toCashAddr(bech32.Cash, "ectest", 0)(p20), toCashAddr(bech32.Cash, "ecreg", 8)(p20)},
		"kaspa": {
			toCashAddr(bech32.Cash, "kaspatest", 0)(p32), toCashAddr(bech32.Cash, "kaspadev", 8)(p32),
			toCashAddr(bech32.Cash, "kaspasim", 0)(p32),
		},
		"conflux": {
			toCashAddr(bech32.Conflux, "cfxtest")(append([]byte{0, 0x10}, p20[1:]...)),
			toCashAddr(bech32.Conflux, "net8888")(append([]byte{0, 0x80}, p20[1:]...)),
			strings.ToUpper(toCashAddr(bech32.Conflux, "net8888")(append([]byte{0, 0x80}, p20[1:]...))),
		},
	}
	for chain, all := range tests {
		for _, s := range all {
			if a, err := address.Parse(chain, s); !errors.Is(err, address.ErrNetwork) {
				t.Errorf("%s %q: %v, %v, want ErrNetwork", chain, s, a, err)
			}
		}
	}
}

// TestBech32Operators checks that Normalize alone accepts the address of a
// validator, as its account, and refuses the addresses of consensus keys and
// public keys.
func TestBech32Operators(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	p := payload(r, 20)
	other := map[string]string{"iaa": "iva", "bnb": "bva", "cro": "crocncl"}
	check := func(chain address.Chain, hrp string) {
		operator := other[hrp]
		if operator == "" {
			operator = hrp + "valoper"
		}
		want := toBech32(hrp, bech32.Bech32)(p)
		for _, s := range []string{toBech32(operator, bech32.Bech32)(p), strings.ToUpper(toBech32(operator, bech32.Bech32)(p))} {
			if _, err := address.Parse(chain, s); err == nil {
				t.Errorf("Parse takes %s %q", chain, s)
			}
			a, err := address.Normalize(chain, s)
			if err != nil || a.Normalized() != want {
				t.Errorf("Normalize of %s %q gives %v, %v, want %q", chain, s, a, err, want)
			}
		}
		for _, s := range []string{
			toBech32(hrp+"valcons", bech32.Bech32)(p), toBech32(hrp+"pub", bech32.Bech32)(p),
			toBech32(operator, bech32.Bech32m)(p), toBech32(operator, bech32.Bech32)(append(p, p[:12]...)),
		} {
			if a, err := address.Normalize(chain, s); err == nil {
				t.Errorf("Normalize of %s %q gives %v", chain, s, a)
			}
		}
	}
	for chain, hrp := range cosmosHRPs {
		check(chain, hrp)
	}
	for chain, hrp := range evmHRPs {
		if chain != "harmony" && chain != "iotex" {
			check(chain, hrp)
		}
	}
}

// TestNervosScripts checks that all spellings of a lock script are one account.
func TestNervosScripts(t *testing.T) {
	codes := []string{
		"9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8", // RFC 24: SECP256K1/blake160
		"5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8", // RFC 24: SECP256K1/multisig
		"d369597ff47f29fbc0d47d2e3775370d1250b85140c670e4718af712983a2354", // RFC 24: anyone_can_pay on the main network
	}
	r := rand.New(rand.NewPCG(15, 16))
	seen := map[address.Address]bool{}
	for i, code := range codes {
		hash, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		args := payload(r, 20)
		full := toBech32("ckb", bech32.Bech32m)(append(append(append([]byte{0}, hash...), 1), args...))
		want, err := address.Parse("nervos", full)
		if err != nil || want.Normalized() != full || want.Canonical() != want {
			t.Fatalf("%q: %v, %v, want its own canonical form", full, want, err)
		}
		for _, s := range []string{
			toBech32("ckb", bech32.Bech32)(append([]byte{1, byte(i)}, args...)),
			toBech32("ckb", bech32.Bech32)(append(append([]byte{4}, hash...), args...)),
		} {
			a, err := address.Parse("nervos", s)
			if err != nil || a.Normalized() != s || a.Canonical() != want || a.Account() != want.Account() {
				t.Errorf("%q: %v, %v, want canonical %v", s, a, err, want)
			}
		}
		data := toBech32("ckb", bech32.Bech32)(append(append([]byte{2}, hash...), args...))
		a, err := address.Parse("nervos", data)
		if err != nil || a.Canonical() == want || a.Account() == want.Account() {
			t.Errorf("%q: %v, %v, want an account other than %v", data, a, err, want)
		}
		seen[want] = true
	}
	if len(seen) != len(codes) {
		t.Errorf("%d accounts, want %d", len(seen), len(codes))
	}
	code := payload(r, 32)
	faults := map[string]error{
		toBech32("ckb", bech32.Bech32)(append([]byte{1, 3}, code[:20]...)):                      address.ErrSyntax, // no such code
		toBech32("ckb", bech32.Bech32)(append([]byte{1, 0}, code[:21]...)):                      address.ErrLength,
		toBech32("ckb", bech32.Bech32m)(append([]byte{1, 0}, code[:20]...)):                     address.ErrChecksum,
		toBech32("ckb", bech32.Bech32)(append(append([]byte{0}, code...), 1)):                   address.ErrChecksum,
		toBech32("ckb", bech32.Bech32m)(append(append([]byte{4}, code...), 1)):                  address.ErrChecksum,
		toBech32("ckb", bech32.Bech32m)(append([]byte{0}, code...)):                             address.ErrLength,
		toBech32("ckb", bech32.Bech32)(append([]byte{4}, code[:31]...)):                         address.ErrLength,
		toBech32("ckb", bech32.Bech32m)(append(append([]byte{0}, code...), 3)):                  address.ErrSyntax, // no such hash type
		toBech32("ckb", bech32.Bech32)(append([]byte{3}, code...)):                              address.ErrSyntax, // no such format
		toBech32("ckb", bech32.Bech32)(nil):                                                     address.ErrLength,
		toBech32("ckb", bech32.Bech32m)(append(append([]byte{0}, code...), payload(r, 700)...)): address.ErrLength,
		"ckb1" + strings.Repeat("q", 100):                                                       address.ErrChecksum,
		"ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5b":                                        address.ErrCharset,
	}
	for s, want := range faults {
		if a, err := address.Parse("nervos", s); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v, want %v", s, a, err, want)
		}
	}
	for n := range 200 {
		s := toBech32("ckb", bech32.Bech32m)(append(append(append([]byte{0}, code...), 4), payload(r, n)...))
		if a, err := address.Parse("nervos", s); err != nil || a.Normalized() != s {
			t.Errorf("%d bytes of arguments: %v, %v", n, a, err)
		}
	}
}

// TestBech32Allocations checks that text in normal form is parsed without
// allocations, including its keys.
func TestBech32Allocations(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	all := bech32Spellings()
	for _, s := range []string{
		"ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqxwquc4",
		"ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v",
	} {
		all = append(all, bech32Spelling{"nervos", "nervos", 0, func([]byte) string { return s }, nil, nil, true})
	}
	for _, sp := range all {
		s := sp.write(payload(r, sp.size))
		var keep address.Key
		if n := testing.AllocsPerRun(20, func() {
			a, err := address.Parse(sp.chain, s)
			if err != nil {
				t.Fatal(err)
			}
			keep = a.Account()
			k, ok := a.Key()
			if ok {
				keep = k
			}
		}); n != 0 {
			t.Errorf("%s %q: %v allocations, want none", sp.chain, s, n)
		}
		_ = keep
	}
}

// cashText encodes five-bit values as CashAddr, by spec/cashaddr.md of
// bitcoincash.org. The padding bits of the last value can be set.
func cashText(digits, prefix string, values []byte) string {
	c := uint64(1)
	add := func(v byte) {
		top := c >> 35
		c = (c&0x07ffffffff)<<5 ^ uint64(v)
		for i, g := range []uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
			if top>>i&1 == 1 {
				c ^= g
			}
		}
	}
	for i := range len(prefix) {
		add(prefix[i] & 31)
	}
	add(0)
	text := prefix + ":"
	for _, v := range values {
		add(v)
		text += digits[v : v+1]
	}
	for range 8 {
		add(0)
	}
	c ^= 1
	for i := range 8 {
		v := c >> (35 - 5*i) & 31
		text += digits[v : v+1]
	}
	return text
}

// TestBech32Structure parses text with a valid checksum and an invalid
// structure.
func TestBech32Structure(t *testing.T) {
	const (
		bitcoin = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
		conflux = "abcdefghjkmnprstuvwxyz0123456789"
	)
	r := rand.New(rand.NewPCG(21, 22))
	p := payload(r, 80)
	cash := func(prefix string, first byte, n int) string {
		return toCashAddr(bech32.Cash, prefix, first)(p[:n])
	}
	cfx := func(first, second byte) string { return toCashAddr(bech32.Conflux, "cfx", first, second)(p[:19]) }
	// padded has a padding bit set, the last bit of the last value.
	padded := func(values []byte) []byte { values[len(values)-1] |= 1; return values }
	unpack := func(first ...byte) func(n int) []byte {
		return func(n int) []byte { return bech32.Unpack(nil, append(first, p[:n]...)) }
	}
	for _, v := range []struct {
		chain  address.Chain
		s      string
		want   error
		offset int
	}{
		{"bitcoin-cash", cash("bitcoincash", 3, 32), address.ErrLength, -1},     // P2PKH of 32 bytes
		{"bitcoin-cash", cash("bitcoincash", 16|3, 32), address.ErrLength, -1},  // the same, with tokens
		{"bitcoin-cash", cash("bitcoincash", 8|3, 20), address.ErrLength, -1},   // not the length that the version byte says
		{"bitcoin-cash", cash("bitcoincash", 8, 32), address.ErrLength, -1},     //
		{"bitcoin-cash", cash("bitcoincash", 1, 20), address.ErrLength, -1},     //
		{"bitcoin-cash", cash("bitcoincash", 8|1, 24), address.ErrLength, -1},   // no script has it
		{"bitcoin-cash", cash("bitcoincash", 32, 20), address.ErrCharset, 12},   // type 4
		{"bitcoin-cash", cash("bitcoincash", 0x78, 20), address.ErrCharset, 12}, // type 15
		{"bitcoin-cash", cash("bitcoincash", 0x80, 20), address.ErrCharset, 12}, // the reserved bit
		{"bitcoin-cash", cashText(bitcoin, "bitcoincash", padded(unpack(0)(20))), address.ErrSyntax, -1},
		{"bitcoin-cash", cash("ecash", 0, 20), address.ErrOtherChain, -1},
		{"bitcoin-cash", "bitcoincash:", address.ErrLength, -1},
		{"ecash", cash("ecash", 16, 20), address.ErrCharset, 6}, // no tokens
		{"ecash", cash("ecash", 8|3, 32), address.ErrLength, -1},
		{"ecash", cash("ecash", 24, 20), address.ErrCharset, 6},
		{"kaspa", cash("kaspa", 0, 33), address.ErrLength, -1},
		{"kaspa", cash("kaspa", 1, 32), address.ErrLength, -1},
		{"kaspa", cash("kaspa", 8, 33), address.ErrLength, -1},
		{"kaspa", cash("kaspa", 8, 20), address.ErrLength, -1},
		{"kaspa", cash("kaspa", 2, 32), address.ErrLength, -1},
		{"kaspa", cash("kaspa", 0x80, 32), address.ErrCharset, 6},
		{"kaspa", cashText(bitcoin, "kaspa", padded(unpack(0)(32))), address.ErrSyntax, -1},
		{"kaspa", "kaspa", address.ErrLength, -1},
		{"conflux", cfx(0, 0x20), address.ErrSyntax, -1},
		{"conflux", cfx(0, 0xff), address.ErrSyntax, -1},
		{"conflux", cfx(1, 0x10), address.ErrLength, -1},
		{"conflux", cfx(0x80, 0x10), address.ErrCharset, 4},
		{"conflux", cashText(conflux, "cfx", padded(unpack(0, 0x10)(19))), address.ErrSyntax, -1},
		{"conflux", "cfx", address.ErrLength, -1},
		{"conflux", toCashAddr(bech32.Conflux, "net1029", 0, 0x10)(p[:19]), address.ErrCharset, 0}, // the main network has another name
		{"conflux", "net30:" + testEVM, address.ErrCharset, 0},
		{"conflux", "NET8888:" + strings.ToUpper(testBC1), address.ErrCharset, 0},
		{"cosmos", bech32.Encode("cosmos", padded(unpack()(32)), bech32.Bech32), address.ErrSyntax, -1},
		{"cosmos", bech32.Encode("cosmos", append(unpack()(20), 0), bech32.Bech32), address.ErrLength, -1}, // five bits left over
		{"chia", bech32.Encode("xch", padded(unpack()(32)), bech32.Bech32m), address.ErrSyntax, -1},
		{"pactus", "pc1zan0f4y9jvu8lhuadxhpgs7n0xj44f50kmy9hnpx62gz93cm2wc", address.ErrLength, -1}, // with bits left over, too
		{"oasis", bech32.Encode("oasis", padded(unpack()(21)), bech32.Bech32), address.ErrSyntax, -1},
		{"handshake", toBech32("hs", bech32.Bech32, 0)(p[:21]), address.ErrLength, -1},
		{"handshake", toBech32("hs", bech32.Bech32, 0)(p[:40]), address.ErrLength, -1},
		{"handshake", toBech32("hs", bech32.Bech32, 1)(p[:1]), address.ErrLength, -1},
		{"handshake", toBech32("hs", bech32.Bech32, 31)(p[:41]), address.ErrLength, -1},
		{"handshake", toBech32("hs", bech32.Bech32)(nil), address.ErrLength, -1},
		{"handshake", bech32.Encode("hs", append([]byte{0}, padded(unpack()(32))...), bech32.Bech32), address.ErrSyntax, -1},
		{"pactus", toBech32("pc", bech32.Bech32m, 5)(p[:20]), address.ErrOtherChain, -1}, // peercoin has the same human-readable part
		{"pactus", toBech32("pc", bech32.Bech32m, 31)(p[:20]), address.ErrCharset, 3},
	} {
		a, err := address.Parse(v.chain, v.s)
		var pe *address.ParseError
		if !errors.As(err, &pe) || pe.Err != v.want || pe.Offset != v.offset {
			t.Errorf("%s %q: %v, %v, want %v at %d", v.chain, v.s, a, err, v.want, v.offset)
		}
	}
	for _, n := range []int{2, 3, 31, 33, 40} {
		if s := toBech32("hs", bech32.Bech32, 2)(p[:n]); address.MustParse("handshake", s).Normalized() != s {
			t.Errorf("%q is not its own normal form", s)
		}
	}
}

// TestContractHasNoKey checks that a contract of multiversx has no public key,
// and neither has an address of kaspa whose bytes are not an ECDSA key.
func TestContractHasNoKey(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	p := payload(r, 32)
	clear(p[:8])
	for chain, s := range map[address.Chain]string{
		"multiversx": toBech32("erd", bech32.Bech32)(p),
		"kaspa":      toCashAddr(bech32.Cash, "kaspa", 1, 4)(p),
	} {
		if k, ok := address.MustParse(chain, s).Key(); ok {
			t.Errorf("%s %q has key %v, want none", chain, s, k)
		}
	}
	p[7] = 1
	if _, ok := address.MustParse("multiversx", toBech32("erd", bech32.Bech32)(p)).Key(); !ok {
		t.Error("a user of multiversx has no key")
	}
}
