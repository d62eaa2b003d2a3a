package address_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// vectorsOf returns the vectors by chain. An EVM chain that writes addresses as
// ethereum does has the vectors of ethereum too.
func vectorsOf(t testing.TB) map[address.Chain][]vector {
	all := map[address.Chain][]vector{}
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			c := address.Chain(v.fields["chain"])
			all[c] = append(all[c], v)
		}
	}
	for _, c := range address.Chains() {
		if address.IsEVM(c) && c != "ethereum" && c != "rootstock" && c != "wanchain" {
			for _, v := range all["ethereum"] {
				if v.fields["expect"] != "other" && v.fields["other"] == "" {
					fields := map[string]string{}
					for k, value := range v.fields {
						fields[k] = value
					}
					fields["chain"] = string(c)
					all[c] = append(all[c], vector{v.line, fields})
				}
			}
		}
	}
	return all
}

// TestWritten checks that each codec reads what it writes, that the results keep the
// laws, and that Detect, FindAll and Spellings agree with Parse about them.
func TestWritten(t *testing.T) {
	vectors := vectorsOf(t)
	for n, c := range address.Chains() {
		var texts []string
		for _, v := range vectors[c] {
			texts = append(texts, v.fields["input"])
		}
		rnd := rand.New(rand.NewPCG(uint64(n), 1))
		for i, a := range address.Written(c, texts, rnd, t.Errorf) {
			checkLaws(t, a)
			if a.Proven() && len(a.Normalized()) >= 14 && !slices.ContainsFunc(address.FindAll("to "+a.Normalized()+" or so"), func(f address.Found) bool {
				return f.Address.Normalized() == a.Normalized()
			}) {
				t.Errorf("FindAll does not find %v", a)
			}
			all := a.Spellings()
			if len(all) == 0 || all[0] != a.Canonical() {
				t.Errorf("the spellings of %v are %v", a, all)
			}
			for _, b := range all {
				if b.Chain() == c && !slices.Equal(b.Spellings(), all) {
					t.Errorf("the spellings of %v are %v, of %v %v", a, all, b, b.Spellings())
				}
				checkLaws(t, b)
			}
			if i%longtest.N(16, 1) != 0 {
				continue
			}
			for _, k := range a.AppendKeys(nil) {
				for _, b := range k.Spellings() {
					if !slices.Contains(b.AppendKeys(nil), k) {
						t.Errorf("%v is no spelling of %v, a key of %v", b, k, a)
					}
					if on := k.SpellingsOn(b.Chain()); !slices.Contains(on, b) {
						t.Errorf("the spellings of %v on %s are %v, without %v", k, b.Chain(), on, b)
					}
				}
			}
		}
	}
}

// TestVectorsAreSpellings checks that Spellings returns each vector among the spellings of its account,
// except where the account does not show a part of the vector: a tag, a payment id, a blinding key, or
// the key whose hash the account is, and except for a padded address that lost a digit.
func TestVectorsAreSpellings(t *testing.T) {
	hidden := []string{"tagged", "integrated", "muxed", "virtual", "alias"}
	asked := 0
	for _, vectors := range vectorsOf(t) {
		for _, v := range vectors {
			a, err := address.Parse(address.Chain(v.fields["chain"]), v.fields["input"])
			isHash := a.Chain() == "casper" || a.Chain() == "hedera" && strings.HasPrefix(a.Normalized(), "0.0.30")
			if hides := isHash || a.Chain() == "liquid" || slices.Contains(hidden, a.Kind()); err != nil || hides && a != a.Canonical() || a.Doubt() == address.DoubtShort {
				continue
			}
			asked++
			if all := a.Spellings(); !slices.Contains(all, a) {
				t.Errorf("the spellings of %v are %v", a, all)
			}
		}
	}
	if asked < 1000 {
		t.Errorf("%d vectors were asked, want at least 1000", asked)
	}
}

// TestSpellingsOn checks the addresses of one key on each of several chains.
func TestSpellingsOn(t *testing.T) {
	if all := (address.Key{}).Spellings(); len(all)+len(address.Key{}.SpellingsOn("bitcoin")) > 0 {
		t.Errorf("the zero Key has the spellings %v", all)
	}
	k, _ := address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96").Key()
	for c, want := range map[address.Chain][]string{
		"bsc":            {"0x098b716b8aaf21512996dc57eb0615e2383e2f96"},
		"eip155:1234567": {"0x098b716b8aaf21512996dc57eb0615e2383e2f96"},
		"tron":           {"TAqg8TXo8tmpaz7TwHS669Tgt8MPSWgoxB"},
		"bitcoin":        nil,
		"unknown":        nil,
	} {
		var got []string
		for _, a := range k.SpellingsOn(c) {
			if a.Chain() != c || !slices.Contains(a.AppendKeys(nil), k) {
				t.Errorf("on %s: %v", c, a)
			}
			got = append(got, a.Normalized())
		}
		if !slices.Equal(got, want) {
			t.Errorf("on %s: %v, want %v", c, got, want)
		}
	}
}

// TestIDs checks that a row keeps its id: stores hold it. A new row is a new line at
// the end of the file.
func TestIDs(t *testing.T) {
	want, err := os.ReadFile("testdata/ids.golden")
	if err != nil {
		t.Fatal(err)
	}
	rows := append(address.Chains(), "eip155")
	slices.SortFunc(rows, func(a, b address.Chain) int { return address.RowID(a) - address.RowID(b) })
	var got bytes.Buffer
	for i, c := range rows {
		if i > 0 && address.RowID(c) == address.RowID(rows[i-1]) {
			t.Errorf("%s and %s have the same id", c, rows[i-1])
		}
		fmt.Fprintln(&got, address.RowID(c), c)
	}
	switch {
	case bytes.Equal(got.Bytes(), want):
	case *update && bytes.HasPrefix(got.Bytes(), want):
		if err := os.WriteFile("testdata/ids.golden", got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the ids of rows must not change; go generate ./address appends those of new rows to testdata/ids.golden. Now it would be\n%s", &got)
	}
}

// TestMutants changes each row in one thing at a time: a vector of the chain must
// notice, or a pair of derivations.txt.
func TestMutants(t *testing.T) {
	vectors, pairs := vectorsOf(t), pairsOf(t)
	mutants := 0
	for _, c := range address.Chains() {
		address.EachMutant(c, func(name string) {
			mutants++
			if !slices.ContainsFunc(vectors[c], func(v vector) bool { return !holds(v) }) &&
				!slices.ContainsFunc(pairs[c], func(p pair) bool { return !isDerived(p) }) {
				t.Errorf("%s: no vector notices a change: %s", c, name)
			}
		})
	}
	t.Logf("%d mutants", mutants)
}

// holds reports whether checkVector finds nothing wrong with v.
func holds(v vector) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false // the table makes no sense
		}
	}()
	return len(vectorFaults(v)) == 0
}
