package address_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/ripemd160" //lint:ignore SA1019 FIO's checksum

	"github.com/walletscreen/walletscreen/address"
)

// TestHashedErrors gives texts whose checksum is right and which are wrong in
// something else, and secrets.
func TestHashedErrors(t *testing.T) {
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
		{"a seed with a typing error", "tezos", check("\x0d\x0f\x3a\x07", key) + "1", address.ErrSecret},
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
		{"a key too long", "ergo", ergoText(1, append(compressedKey(rng), 0)), address.ErrLength},
		{"a key too short", "ergo", ergoText(1, compressedKey(rng)[:32]), address.ErrLength},
		{"an uncompressed key", "ergo", ergoText(1, append([]byte{4}, key...)), address.ErrSyntax},
		{"a hash too short", "ergo", ergoText(2, key[:23]), address.ErrLength},
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
		{"a secret in hex", "aeternity", strings.Repeat("1f", 64), address.ErrSecret},
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
			if !errors.Is(err, v.want) {
				t.Errorf("%s: %s %.100q gives %v, %v, want %v", v.name, v.chain, v.text, a, err, v.want)
			}
			var pe *address.ParseError
			if errors.As(err, &pe) && v.want == address.ErrSecret && (pe.Input != "" || strings.Contains(err.Error(), v.text)) {
				t.Errorf("%s: the error on %s holds the secret: %v", v.name, v.chain, err)
			}
		}
	}
}

// TestErgoScript: a P2S address that spells out the script of a P2SH address is
// that account.
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
