package address_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// validAddresses returns the addresses in the vectors, with their canonical
// forms.
func validAddresses(t testing.TB) []address.Address {
	t.Helper()
	var all []address.Address
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			if e := v.fields["expect"]; e != "valid" && e != "tolerant" {
				continue
			}
			a, err := address.Normalize(address.Chain(v.fields["chain"]), v.fields["input"])
			if err != nil {
				t.Errorf("%s:%d: %v", name, v.line, err)
				continue
			}
			all = append(all, a, a.Canonical())
		}
	}
	slices.SortFunc(all, address.Address.Compare)
	return slices.Compact(all)
}

// checkLaws checks the rules for every valid Address.
func checkLaws(t testing.TB, a address.Address) {
	t.Helper()
	if !a.IsValid() || a == (address.Address{}) {
		t.Fatalf("%v is not valid", a)
	}
	if a.Chain().Name() == "" {
		t.Errorf("%v has a chain without a name", a)
	}
	b, err := address.Parse(a.Chain(), a.Normalized())
	if err != nil || b != a {
		t.Errorf("Parse(%s, %q) = %v, %v, want %v", a.Chain(), a.Normalized(), b, err, a)
	}
	if b, err = address.Normalize(a.Chain(), a.Normalized()); err != nil || b != a {
		t.Errorf("Normalize(%s, %q) = %v, %v, want %v", a.Chain(), a.Normalized(), b, err, a)
	}
	if b, err = address.Normalize(a.Chain(), a.String()); err != nil || b != a {
		t.Errorf("Normalize(%s, %q) = %v, %v, want %v", a.Chain(), a.String(), b, err, a)
	}
	text, err := a.MarshalText()
	if err != nil || string(text) != a.String() || a.String() != string(a.Chain())+":"+a.Normalized() {
		t.Errorf("String is %q, MarshalText %q, %v", a.String(), text, err)
	}
	if appended, err := a.AppendText([]byte("x")); err != nil || !bytes.Equal(appended, append([]byte("x"), text...)) {
		t.Errorf("AppendText of %v gives %q, %v", a, appended, err)
	}
	var c address.Address
	if err := c.UnmarshalText(text); err != nil || c != a {
		t.Errorf("UnmarshalText(%q) = %v, %v", text, c, err)
	}
	can := a.Canonical()
	if b, err = address.Parse(can.Chain(), can.Normalized()); err != nil || b != can {
		t.Errorf("Parse(%s, %q) = %v, %v, want the canonical form of %v", can.Chain(), can.Normalized(), b, err, a)
	}
	if can.Canonical() != can {
		t.Errorf("%v has the canonical form %v, and that %v", a, can, can.Canonical())
	}
	if a.Account() != can.Account() || a.Account().IsZero() {
		t.Errorf("the account of %v is %v, that of its canonical form %v", a, a.Account(), can.Account())
	}
	ks := a.AppendKeys(nil)
	k, ok := a.Key()
	if ok && (len(ks) == 0 || k != ks[0]) || ok == k.IsZero() || len(ks) >= address.MaxKeys {
		t.Errorf("%v has the key %v, %v, and the keys %v", a, k, ok, ks)
	}
	for i, k := range ks {
		if k.IsZero() || slices.Contains(ks[:i], k) || k.Class() == identity.Class(0) || k.Class().String() == "none" || k.Class().String() == "account" {
			t.Errorf("%v has the keys %v", a, ks)
		}
	}
	// A spelling can show a key, and the canonical form only its hash. Otherwise
	// all spellings have the same keys.
	cks := can.AppendKeys(nil)
	for _, k := range cks {
		if !slices.Contains(ks, k) {
			t.Errorf("%v has the keys %v, its canonical form %v", a, ks, cks)
		}
	}
	got, want := insideOf(a), insideOf(can)
	if got != want && len(ks) == len(cks) {
		t.Errorf("%v has the identity %+v, its canonical form %+v", a, got, want)
	}
	// If the tag has a key, the bytes are its bytes, and the others follow from it.
	key := identity.Key(got.tag)
	if key != 0 && !sameBytes(ks[0], a.Account()) || !identity.HasMore(got.tag) && (len(ks) > 1 || len(ks) > 0 && key == 0) {
		t.Errorf("%v has the identity %+v, the account %v and the keys %v", a, got, a.Account(), ks)
	}
	if identity.HasOnlyScripts(got.tag) && slices.ContainsFunc(ks[1:], func(k address.Key) bool { return k.Class() != identity.ScriptHash }) {
		t.Errorf("%v has the keys %v, and its tag says that they are scripts", a, ks)
	}
	if !slices.ContainsFunc(address.Detect(a.Normalized()), func(d address.Address) bool {
		return d == a || a.IsEVM() && d.Canonical() == can
	}) {
		t.Errorf("Detect(%q) = %v, without %s", a.Normalized(), address.Detect(a.Normalized()), a.Chain())
	}
	if a.Compare(a) != 0 || a.Compare(address.Address{}) != 1 || (address.Address{}).Compare(a) != -1 {
		t.Errorf("Compare of %v", a)
	}
}

// An inside is a result of Identity.
type inside struct {
	words identity.Words
	tag   identity.Tag
}

func insideOf(a address.Address) (in inside) {
	in.words, in.tag = a.Identity()
	return in
}

func sameBytes(a, b address.Key) bool { return bytes.Equal(a.AppendBytes(nil), b.AppendBytes(nil)) }

func TestLaws(t *testing.T) {
	all := validAddresses(t)
	seen := map[address.Chain]bool{}
	for _, a := range all {
		seen[a.Chain()] = true
		checkLaws(t, a)
	}
	for _, c := range address.Chains() {
		if !seen[c] && !strings.HasPrefix(c.CAIP2(), "eip155:") && !address.IsEVM(c) {
			t.Errorf("no vector of %s", c)
		}
	}
}

// TestLawsOfPairs compares all pairs of addresses of the vectors.
func TestLawsOfPairs(t *testing.T) {
	all := validAddresses(t)
	accounts := make([]address.Key, len(all))
	canonical := make([]address.Address, len(all))
	byKey := map[string]address.Key{}
	for i, a := range all {
		accounts[i], canonical[i] = a.Account(), a.Canonical()
		for _, k := range append(a.AppendKeys(nil), accounts[i]) {
			// Equal keys have equal texts, and keys of different classes have
			// different ones.
			text := fmt.Sprintf("%d %x", k.Class(), k.AppendBytes(nil))
			if old, ok := byKey[text]; ok && old != k {
				t.Errorf("%v and %v are both %s", old, k, text)
			}
			byKey[text] = k
		}
	}
	for i, a := range all {
		for j, b := range all {
			if apart := j > i+8 || j < i-8; apart && (i+j)%longtest.N(4, 1) != 0 {
				continue
			}
			if (a.Compare(b) == 0) != (a == b) || a.Compare(b) != -b.Compare(a) {
				t.Errorf("Compare(%v, %v) = %d, and %d the other way round", a, b, a.Compare(b), b.Compare(a))
			}
			if (accounts[i] == accounts[j]) != (canonical[i] == canonical[j]) {
				t.Errorf("%v and %v: accounts %v, %v; canonical forms %v, %v", a, b, accounts[i], accounts[j], canonical[i], canonical[j])
			}
		}
	}
}

func TestZeroAddress(t *testing.T) {
	var a address.Address
	if text, err := a.MarshalText(); a.IsValid() || a.Chain() != "" || a.Normalized() != "" || a.Canonical() != a || a.String() != "invalid address" ||
		len(text) != 0 || err != nil ||
		!a.Account().IsZero() || a.AppendKeys(nil) != nil || a.Proven() ||
		a.Compare(a) != 0 {
		t.Error("the zero Address")
	}
	if k, ok := a.Key(); ok || !k.IsZero() {
		t.Errorf("the zero Address has the key %v", k)
	}
	b := address.MustParse("ethereum", testEVM)
	if err := b.UnmarshalText(nil); err != nil || b != a {
		t.Errorf("UnmarshalText of nothing: %v, %v", b, err)
	}
	for _, text := range []string{"x", ":", "ethereum:", "ethereum", "eth:" + testEVM, "ethereum:" + testBTC, ":" + testEVM} {
		b := address.MustParse("bitcoin", testBTC)
		if err := b.UnmarshalText([]byte(text)); err == nil || b != address.MustParse("bitcoin", testBTC) {
			t.Errorf("UnmarshalText(%q) = %v, %v", text, b, err)
		} else {
			parseError(t, err)
		}
	}
}

var (
	slugForm   = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)
	caip2Form  = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`) // CAIP-2
	tickerForm = regexp.MustCompile(`^[A-Z0-9]+(-[A-Z0-9]+)*$`)
)

func TestChainTable(t *testing.T) {
	chains := address.Chains()
	if len(chains) < 100 || !slices.IsSorted(chains) {
		t.Errorf("%d chains, sorted: %v", len(chains), slices.IsSorted(chains))
	}
	names := map[string]address.Chain{}
	ids := map[string]address.Chain{}
	for _, c := range chains {
		if c.Name() == "" || c.SLIP44() < -1 {
			t.Errorf("%s has the name %q and the coin type %d", c, c.Name(), c.SLIP44())
		}
		for _, name := range append([]string{string(c)}, c.Aliases()...) {
			if !slugForm.MatchString(name) || len(name) > 64 {
				t.Errorf("%s has the name %q", c, name)
			}
			if other, ok := names[name]; ok {
				t.Errorf("%s and %s are both named %s", c, other, name)
			}
			names[name] = c
		}
		id := c.CAIP2()
		if id != "" && !caip2Form.MatchString(id) {
			t.Errorf("%s has the CAIP-2 id %q", c, id)
		}
		if other, ok := ids[id]; ok && id != "" {
			t.Errorf("%s and %s have the CAIP-2 id %s", c, other, id)
		}
		ids[id] = c
		for _, ticker := range c.Tickers() {
			if !tickerForm.MatchString(ticker) {
				t.Errorf("%s has the ticker %q", c, ticker)
			}
		}
		// The caller owns the slices.
		if tickers := c.Tickers(); len(tickers) > 0 {
			tickers[0] = "changed"
			if c.Tickers()[0] == "changed" {
				t.Errorf("the tickers of %s can be changed", c)
			}
		}
	}
	if c := address.Chain("nosuchchain"); c.Name() != "" || c.CAIP2() != "" || c.SLIP44() != -1 || len(c.Aliases())+len(c.Tickers()) != 0 {
		t.Error("nosuchchain is described")
	}
}

// TestNormalFormIsFree checks that parsing the normal form of any valid vector
// does not allocate, and neither do the methods that screening calls.
func TestNormalFormIsFree(t *testing.T) {
	for _, a := range validAddresses(t) {
		s := a.Normalized()
		for name, f := range map[string]func(){
			"Parse":     func() { address.Parse(a.Chain(), s) },
			"Normalize": func() { address.Normalize(a.Chain(), s) },
			"Account":   func() { a.Account() },
			"Key":       func() { a.Key() },
			"AppendKeys": func() {
				var buf [address.MaxKeys]address.Key
				a.AppendKeys(buf[:0])
			},
		} {
			if n := testing.AllocsPerRun(5, f); n != 0 && !longtest.Race {
				t.Errorf("%s of %v allocates %v times", name, a, n)
			}
		}
	}
}

// TestRefusalIsFree checks that Valid does not look for the reason why a mistyped address is
// none, as Parse does, which allocates.
func TestRefusalIsFree(t *testing.T) {
	for _, a := range validAddresses(t) {
		s := a.Normalized()
		for _, s := range []string{s[1:], s[:len(s)-1], s[:len(s)/2] + "q" + s[len(s)/2:]} {
			if address.Valid(a.Chain(), s) {
				continue
			}
			if n := testing.AllocsPerRun(5, func() { address.Valid(a.Chain(), s) }); n != 0 && !longtest.Race {
				t.Errorf("Valid(%s, %q) allocates %v times", a.Chain(), s, n)
			}
		}
	}
}

// TestRespellingAllocatesOnce checks that Parse makes at most the text of the normal
// form, whatever the spelling of a vector is.
func TestRespellingAllocatesOnce(t *testing.T) {
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			c, s := address.Chain(v.fields["chain"]), v.fields["input"]
			if _, err := address.Parse(c, s); err != nil {
				continue
			}
			if n := testing.AllocsPerRun(5, func() { address.Parse(c, s) }); n > 1 && !longtest.Race {
				t.Errorf("Parse(%s, %q) allocates %v times", c, s, n)
			}
		}
	}
}
