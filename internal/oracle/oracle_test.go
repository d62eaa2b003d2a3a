package oracle_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/ethereum/go-ethereum/common"
	"github.com/gagliardetto/solana-go"
	"github.com/paxosglobal/moneroutil"
	"github.com/stellar/go/strkey"
	"github.com/walletscreen/walletscreen/address"
	tonaddress "github.com/xssnick/tonutils-go/address"
)

// A referee compares the result of package address for one string on one chain with the
// result of another library. ok reports whether the string is valid, and a is the
// address. It returns an error if the libraries disagree.
type referee struct {
	chain address.Chain
	judge func(s string, a address.Address, ok bool) error
}

var referees = map[string]referee{
	"go-ethereum":  {"ethereum", judgeEthereum},
	"btcutil":      {"bitcoin", judgeBitcoin},
	"strkey":       {"stellar", judgeStellar},
	"tonutils-go":  {"ton", judgeTON},
	"solana-go":    {"solana", judgeSolana},
	"moneroutil":   {"monero", judgeMonero},
	"HexToAddress": {"polygon", judgeEthereum},
}

// judgeEthereum compares with package common of go-ethereum. IsHexAddress also
// accepts "0X" and a missing prefix, and HexToAddress truncates and pads. Both
// ignore letter case; Address.Hex returns the right one.
func judgeEthereum(s string, a address.Address, ok bool) error {
	want := common.IsHexAddress(s) && strings.HasPrefix(s, "0x")
	hex := common.HexToAddress(s).Hex()
	if want && s[2:] != strings.ToLower(s[2:]) && s[2:] != strings.ToUpper(s[2:]) {
		want = s == hex
	}
	if ok != want {
		return errors.New("go-ethereum says " + strconv.FormatBool(want))
	}
	if ok && a.Normalized() != strings.ToLower(hex) {
		return errors.New("go-ethereum reads " + hex)
	}
	return nil
}

// judgeBitcoin compares with btcutil. It accepts public keys in hex, which are not
// addresses, and witness programs of the test networks. It rejects witness versions
// above 1, and version 1 with a length other than 32, except for pay to anchor; BIP-350
// allows them. The account of such a program begins with its version, which btcutil
// leaves out.
func judgeBitcoin(s string, a address.Address, ok bool) error {
	theirs, err := btcutil.DecodeAddress(s, &chaincfg.MainNetParams)
	if _, key := theirs.(*btcutil.AddressPubKey); key {
		theirs, err = nil, errors.New("a public key")
	}
	if err == nil && !theirs.IsForNet(&chaincfg.MainNetParams) {
		theirs, err = nil, errors.New("of a test network")
	}
	switch {
	case ok && err != nil:
		if p := strings.ToLower(s); strings.HasPrefix(p, "bc1") && p[3] != 'q' {
			return nil
		}
		return err
	case !ok && err == nil:
		return errors.New("btcutil reads " + theirs.EncodeAddress())
	case !ok:
		return nil
	}
	want := theirs.ScriptAddress()
	if a.Kind() == "witness" {
		version := strings.IndexByte("qpzry9x8gf2tvdw0s3jn54khce6mua7l", strings.ToLower(s)[3])
		want = append([]byte{byte(version)}, want...)
	}
	if !bytes.Equal(a.Account().AppendBytes(nil), want) {
		return errors.New("btcutil reads " + hex.EncodeToString(theirs.ScriptAddress()))
	}
	return nil
}

// judgeStellar compares with the strkey package. It does not check the length of the
// payload, so it accepts strings that SEP-23 lists as invalid, and it skips line
// breaks.
func judgeStellar(s string, _ address.Address, ok bool) error {
	want := !strings.ContainsAny(s, "\r\n") && (len(s) == 56 && (strkey.IsValidEd25519PublicKey(s) || strkey.IsValidContractAddress(s)) ||
		len(s) == 69 && strkey.IsValidMuxedAccountEd25519PublicKey(s))
	if ok != want {
		return errors.New("strkey says " + strconv.FormatBool(want))
	}
	return nil
}

// judgeTON compares with tonutils-go. ParseAddr accepts only the URL alphabet of
// Base64, but also line breaks anywhere, any tag, and any workchain. ParseRawAddr
// accepts any workchain in any notation.
func judgeTON(s string, a address.Address, ok bool) error {
	friendly := strings.NewReplacer("+", "-", "/", "_").Replace(s)
	theirs, err := tonaddress.ParseAddr(friendly)
	isRaw := strings.HasPrefix(s, "0:") || strings.HasPrefix(s, "-1:")
	if raw, rawErr := tonaddress.ParseRawAddr(s); err != nil && rawErr == nil && isRaw {
		theirs, err = raw, nil
	} else if err == nil {
		b, _ := base64.RawURLEncoding.DecodeString(friendly)
		mixed := strings.ContainsAny(s, "+/") && strings.ContainsAny(s, "-_")
		if len(s) != 48 || len(b) != 36 || mixed || b[0] != 0x11 && b[0] != 0x51 {
			err = errors.New("a line end, or an unknown or a test tag")
		}
	}
	if err == nil && theirs.Workchain() != 0 && theirs.Workchain() != -1 {
		err = errors.New("another workchain")
	}
	switch {
	case ok != (err == nil):
		return errors.New("tonutils-go says " + strconv.FormatBool(err == nil))
	case ok && a.Canonical().Normalized() != theirs.StringRaw():
		return errors.New("tonutils-go reads " + theirs.StringRaw())
	}
	return nil
}

// judgeSolana compares with solana-go. It accepts points of small order as keys,
// although they cannot sign; the address of the system program is one. It also accepts
// points whose ordinate is not reduced modulo the field prime. It accepts the address
// of another chain if that happens to be Base58 of 32 bytes; we refuse it if a checksum
// proves the other chain, or if it looks like a mistyped address in another format.
func judgeSolana(s string, a address.Address, ok bool) error {
	if len(s) > 128 {
		return nil // it would take quadratic time
	}
	theirs, err := solana.PublicKeyFromBase58(s)
	if _, why := address.Parse("solana", s); errors.Is(why, address.ErrOtherChain) || errors.Is(why, address.ErrSyntax) && isLikeOther(s) {
		return nil
	}
	if ok != (err == nil) {
		return errors.New("solana-go says " + strconv.FormatBool(err == nil))
	}
	if !ok {
		return nil
	}
	if !bytes.Equal(a.Account().AppendBytes(nil), theirs[:]) {
		return errors.New("solana-go reads other bytes")
	}
	onCurve := theirs.IsOnCurve()
	if p, err := new(edwards25519.Point).SetBytes(theirs[:]); err == nil {
		onCurve = bytes.Equal(p.Bytes(), theirs[:]) && p.MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 0
	}
	if _, key := a.Key(); key != onCurve {
		return errors.New("solana-go says of being on the curve " + strconv.FormatBool(!key))
	}
	return nil
}

// isLikeOther reports whether s has few letters of one case, few characters that are not hex
// digits or, behind a "1", few that Bech32 does not have, or an address in it.
func isLikeOther(s string) bool {
	const upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
	among := func(s, set string) (n int) {
		for _, c := range s {
			if strings.ContainsRune(set, c) {
				n++
			}
		}
		return n
	}
	_, data, _ := strings.Cut(s, "1")
	return min(among(s, upper), among(s, lower)) <= 2 || len(s)-among(s, "0123456789abcdefABCDEF") <= 4 ||
		data != "" && len(data)-among(strings.ToLower(data), "qpzry9x8gf2tvdw0s3jn54khce6mua7l") <= 2 || len(address.FindAll(s)) > 0
}

// judgeMonero compares with moneroutil of 2017. It reads an invalid character as the
// digit 1, accepts any network and any bytes as keys, and supports neither integrated
// addresses nor, by name, subaddresses. So it only checks that a string that we accept
// decodes and encodes to itself.
func judgeMonero(s string, _ address.Address, ok bool) error {
	if !ok {
		return nil
	}
	if raw := moneroutil.DecodeMoneroBase58(s); moneroutil.EncodeMoneroBase58(raw) != s {
		return errors.New("moneroutil does not give it back")
	}
	return nil
}

// check compares with one referee on one string.
func check(t *testing.T, name, s string) {
	t.Helper()
	r := referees[name]
	a, err := address.Parse(r.chain, s)
	if wrong := r.judge(s, a, err == nil); wrong != nil {
		t.Errorf("%s on %s: %v, %v; but %v", strconv.Quote(s), r.chain, a, err, wrong)
	}
}

// inputs returns all inputs of the vectors of package address for a chain.
func inputs(t testing.TB, chain address.Chain) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../address/testdata/vectors", string(chain)+".txt"))
	if chain == "polygon" {
		return inputs(t, "ethereum")
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if s, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "input: "); ok {
			if u, err := strconv.Unquote(s); err == nil {
				s = u
			}
			all = append(all, s)
		}
	}
	return all
}

// TestReferees compares on every vector, and on each vector with one character changed,
// inserted, removed, doubled, or swapped with the next.
func TestReferees(t *testing.T) {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_+/: \r\n\x00\xff"
	for name, r := range referees {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			valid := 0
			for _, s := range inputs(t, r.chain) {
				check(t, name, s)
				if _, err := address.Parse(r.chain, s); err == nil {
					valid++
				}
				for i := range len(s) {
					c := string(characters[rng.IntN(len(characters))])
					check(t, name, s[:i]+c+s[i+1:])
					check(t, name, s[:i]+c+s[i:])
					check(t, name, s[:i]+s[i+1:])
					check(t, name, s[:i]+s[i:i+1]+s[i:])
					if i > 0 {
						check(t, name, s[:i-1]+s[i:i+1]+s[i-1:i]+s[i+1:])
					}
				}
			}
			if valid < 2 {
				t.Errorf("only %d valid addresses were tried", valid)
			}
		})
	}
}

// TestRareInputs compares on inputs that are far from any vector and that a fuzzer
// rarely finds.
func TestRareInputs(t *testing.T) {
	for name, inputs := range map[string][]string{
		"btcutil": {
			"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX", // BIP-173
			"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
			"bc1pfeessrawgf", "tb1pfees9rn5nz", // pay to anchor
			strings.Repeat("1", 66), strings.Repeat("0", 130), "bc1", "1", "\u212ac1q",
		},
		"tonutils-go": {
			"0:" + strings.Repeat("aA", 32), "-1:" + strings.Repeat("0", 64), "+0:" + strings.Repeat("0", 64), "-0:" + strings.Repeat("0", 64),
			"00:" + strings.Repeat("0", 64), "-01:" + strings.Repeat("0", 64), "1:" + strings.Repeat("0", 64), ":" + strings.Repeat("0", 64),
			"0:" + strings.Repeat("0", 63) + "\n", strings.Repeat("\n", 48), strings.Repeat("A", 47) + "\r",
		},
		"strkey": {strings.Repeat("\n", 56), strings.Repeat("A", 55) + "\n", "GAAA\n" + strings.Repeat("A", 51), strings.Repeat("\r", 69), "="},
	} {
		for _, s := range inputs {
			check(t, name, s)
		}
	}
	// Keys at both ends of the field and beyond it, with and without the sign bit.
	for _, from := range [][32]byte{{}, {0: 0xed - 20, 31: 0x7f}} {
		for i := range 30 {
			b := from
			for j := 1; from != [32]byte{} && j < 31; j++ {
				b[j] = 0xff
			}
			for range i {
				for j := range b {
					if b[j]++; b[j] != 0 {
						break
					}
				}
			}
			for range 2 {
				check(t, "solana-go", solana.PublicKeyFromBytes(b[:]).String())
				b[31] |= 0x80
			}
		}
	}
}

func fuzz(f *testing.F, name string) {
	for _, s := range inputs(f, referees[name].chain) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, name, s) })
}

func FuzzEthereum(f *testing.F) { fuzz(f, "go-ethereum") }
func FuzzBitcoin(f *testing.F)  { fuzz(f, "btcutil") }
func FuzzStellar(f *testing.F)  { fuzz(f, "strkey") }
func FuzzTON(f *testing.F)      { fuzz(f, "tonutils-go") }
func FuzzSolana(f *testing.F)   { fuzz(f, "solana-go") }
