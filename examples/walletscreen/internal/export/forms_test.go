package export

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// vectors returns the valid addresses of package address's vectors and their
// canonical forms.
func vectors(t *testing.T) []address.Address {
	t.Helper()
	files, err := filepath.Glob("../../../../address/testdata/vectors/*.txt")
	if err != nil || len(files) < 100 {
		t.Fatalf("found %d files of vectors, %v", len(files), err)
	}
	var all []address.Address
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fields := map[string]string{}
		end := func() {
			if a, err := address.Normalize(address.Chain(fields["chain"]), fields["input"]); err == nil {
				all = append(all, a, a.Canonical())
			}
			clear(fields)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if k, v, ok := strings.Cut(lines.Text(), ": "); ok {
				fields[k] = v
			} else if lines.Text() == "" {
				end()
			}
		}
		end()
	}
	slices.SortFunc(all, address.Address.Compare)
	return slices.Compact(all)
}

// notEnumerated says why no form writes an address, "" if one must. It is what
// sql.md lists as not found by a join.
func notEnumerated(a address.Address) string {
	text, keys := a.Normalized(), a.AppendKeys(nil)
	switch c := a.Chain(); {
	case c == "kava" || c == "mantra": // their two keys are the same bytes
		return ""
	case c == "casper" && !strings.HasPrefix(text, "account-hash-"):
		return "Casper: the key of a listed `account-hash-…`"
	case strings.HasPrefix(text, "penumbracompat1"):
		return "Penumbra: `penumbracompat1…`"
	case c == "cardano" && len(keys) > 1, c == "zcash" && strings.HasPrefix(text, "u1") && len(keys) > 2:
		return "several keys in one address: Cardano base addresses, Zcash unified addresses"
	case c == "zcash" && strings.HasPrefix(text, "u1"), c == "zcash" && strings.HasPrefix(text, "zs1"), c == "pivx" && strings.HasPrefix(text, "ps1"):
		return "a shielded receiver of Zcash or PIVX in another combination"
	case c == "monero", c == "oxen":
		return "Monero and Oxen: integrated addresses, the same key on the other chain"
	case c == "liquid" && len(text) > 60:
		return "Liquid: confidential addresses"
	case c == "xrp" && text[0] == 'X':
		return "XRP: X-addresses with a destination tag"
	case c == "stellar" && text[0] == 'M':
		return "Stellar: muxed addresses (`M…`)"
	case a.Kind() == "virtual":
		return "Tempo: virtual addresses with another tag"
	case c == "cardano" && strings.HasPrefix(text, "addr1g"), c == "cardano" && strings.HasPrefix(text, "addr12"):
		return "Cardano: pointer addresses"
	case c == "internet-computer":
		return "Internet Computer: another spelling of an account than its 64 hex digits"
	case c == "groestlcoin" && !strings.HasPrefix(text, "grs1"):
		return "Groestlcoin: Base58 addresses of a key listed on another chain"
	case c == "hedera" && strings.HasPrefix(text, "0.0.30") && !strings.HasPrefix(text, "0.0.302a"):
		return "Hedera: aliases that show a secp256k1 key"
	case c == "decred" && strings.HasPrefix(text, "Dk"):
		return "Decred: addresses that show a public key"
	}
	return ""
}

// TestVectors checks that every address that is nothing but its key is among the
// spellings of that key.
func TestVectors(t *testing.T) {
	checked := map[string]bool{}
	for _, a := range vectors(t) {
		k, ok := a.Key()
		if !ok || notEnumerated(a) != "" {
			continue
		}
		want := spelling{a.Chain(), a.Normalized()}
		if isEVM(a) {
			want.chain = "ethereum"
		}
		if !slices.Contains(ofKey(k), want) {
			t.Errorf("%v is not among the spellings of its key %v", a, k)
		}
		_, tag := k.Identity()
		checked[fmt.Sprint(want.chain, " ", identity.Account(tag))] = true
	}
	if len(checked) < 140 {
		t.Errorf("only %d kinds of addresses were checked", len(checked))
	}
}

// TestOfAccount checks the spellings that no key decides.
func TestOfAccount(t *testing.T) {
	for _, tt := range []struct {
		chain address.Chain
		text  string
		want  []string
	}{
		{"ton", "0:1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262", []string{
			"EQAYYxQ8FMUWaAS9GSAzVtoTbJhWeM1NJ6G4xjKWBJAyYhKQ", "0:1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"}},
		{"starknet", "0x2ddfb499765c064eac5039e3841aa5f382e73b598097a40073bd8b48170ab57", []string{
			"0x02ddfb499765c064eac5039e3841aa5f382e73b598097a40073bd8b48170ab57", "0x2ddfb499765c064eac5039e3841aa5f382e73b598097a40073bd8b48170ab57"}},
		{"hedera", "0.0.98", []string{"0x0000000000000000000000000000000000000062"}},
		{"nem", "NAIKOGSJDNQI5WKYLGDLUR3XXLSDGKMB6DERDBYR", []string{"NAIKOG-SJDNQI-5WKYLG-DLUR3X-XLSDGK-MB6DER-DBYR"}},
		{"nimiq", "NQ0700000000000000000000000000000000", []string{"NQ07 0000 0000 0000 0000 0000 0000 0000 0000"}},
	} {
		a := address.MustParse(tt.chain, tt.text)
		all := ofAccount(a)
		for _, text := range tt.want {
			if !slices.Contains(all, spelling{tt.chain, text}) {
				t.Errorf("the spellings of %v are %v, without %s", a, all, text)
			}
		}
		for _, s := range all {
			if b, err := address.Normalize(s.chain, s.text); err != nil || b.Canonical() != a.Canonical() {
				t.Errorf("%s on %s is %v, %v, not %v", s.text, s.chain, b, err, a)
			}
		}
	}
	for _, a := range vectors(t) {
		for _, s := range ofAccount(a) {
			if b, err := address.Normalize(s.chain, s.text); err == nil && b.Canonical() != a.Canonical() {
				t.Errorf("%s on %s is %v, not %v", s.text, s.chain, b, a)
			}
		}
	}
}
