package address_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// spellingsOf returns texts that may spell a.
func spellingsOf(a address.Address) []string {
	c, text := string(a.Chain()), a.Normalized()
	all := []string{text, strings.ToUpper(text), strings.ToLower(text), a.Display(), " " + text + "\r\n",
		"0X" + strings.TrimPrefix(text, "0x"), "0x" + strings.ToUpper(strings.TrimPrefix(text, "0x")),
		c + ":" + text, strings.ToUpper(c + ":" + text), c + ":" + text + "?amount=1"}
	if id, ok := a.CAIP10(); ok {
		all = append(all, id)
	}
	if a.Chain() == "tron" {
		digits := strings.TrimPrefix(address.MustParse("ethereum", "0x"+a.Account().String()[len("account:"):]).Normalized(), "0x")
		all = append(all, "41"+digits, "41"+strings.ToUpper(digits))
	}
	return all
}

// TestEquality checks that Addresses are equal, and one key of a map, if and only if
// their chains and normal forms are, in whichever way they were made.
func TestEquality(t *testing.T) {
	addresses := validAddresses(t)
	type form struct {
		chain address.Chain
		text  string
	}
	known := map[address.Address]form{}
	made := map[form]address.Address{}
	note := func(how string, a address.Address) {
		f := form{a.Chain(), a.Normalized()}
		if was, ok := known[a]; ok && was != f {
			t.Errorf("%s makes %v, which is equal to %v", how, f, was)
		}
		if was, ok := made[f]; ok && was != a {
			t.Errorf("%s makes another %v", how, f)
		}
		known[a], made[f] = f, a
	}
	for _, a := range addresses {
		note("Parse", address.MustParse(a.Chain(), a.Normalized()))
	}
	spelled, of := 0, 0
	for i, a := range addresses {
		if i%longtest.N(3, 1) != 0 {
			continue
		}
		of++
		for _, s := range spellingsOf(a) {
			if b, err := address.Normalize(a.Chain(), s); err == nil {
				note("Normalize of "+s, b)
				spelled++
			}
			if b, err := address.Parse(a.Chain(), s); err == nil {
				note("Parse of "+s, b)
			}
			for _, b := range address.Detect(s) {
				note("Detect of "+s, b)
			}
			for _, f := range address.FindAll(s) {
				note("FindAll of "+s, f.Address)
			}
			spelling, words, _ := a.Chain().Identify(s)
			var b address.Address
			if address.SetSpelled(&b, spelling, words); b.IsValid() {
				note("Identify of "+s, b)
			}
		}
		var b address.Address
		if err := b.UnmarshalText([]byte(a.String())); err != nil {
			t.Errorf("UnmarshalText of %v: %v", a, err)
		}
		note("UnmarshalText", b)
		note("Canonical", a.Canonical())
		spelling, words, _ := a.Identity()
		address.SetSpelled(&b, spelling, words)
		note("Identity", b)
	}
	if spelled < 4*of {
		t.Errorf("%d spellings of %d addresses were accepted", spelled, of)
	}
}

// TestCompare checks the order of Addresses.
func TestCompare(t *testing.T) {
	addresses := append(validAddresses(t), address.Address{})
	for i, a := range addresses {
		for _, b := range addresses[i:min(len(addresses), i+50)] {
			want := strings.Compare(string(a.Chain()), string(b.Chain()))
			if want == 0 {
				want = strings.Compare(a.Normalized(), b.Normalized())
			}
			if got := a.Compare(b); got != want || b.Compare(a) != -want {
				t.Errorf("Compare(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestSpellingsAllocate checks that the spellings of perf.md's chains cost no
// allocation, and AppendNormalized no more than the room it needs.
func TestSpellingsAllocate(t *testing.T) {
	for _, tt := range []struct {
		chain address.Chain
		text  string
	}{
		{"ethereum", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"},
		{"ethereum", "0x7E5F4552091A69125D5DFCB7B8C2659029395BDF"},
		{"eip155:98865", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"},
		{"sei", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"},
		{"bitcoin", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"},
		{"bitcoin", "BC1P0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQZK5JJ0"},
		{"bitcoin", "BC1PFEESSRAWGF"},
		{"litecoin", "LTC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KGMN4N9"},
		{"tron", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"},
	} {
		a, err := address.Parse(tt.chain, tt.text)
		if err != nil {
			t.Error(err)
		}
		b := make([]byte, 0, 128)
		for name, f := range map[string]func(){
			"Parse":            func() { address.Parse(tt.chain, tt.text) },
			"Normalize":        func() { address.Normalize(tt.chain, tt.text) },
			"Identify":         func() { tt.chain.Identify(tt.text) },
			"Canonical":        func() { a.Canonical() },
			"Compare":          func() { a.Compare(a) },
			"AppendNormalized": func() { b = a.AppendNormalized(b[:0]) },
		} {
			if n := testing.AllocsPerRun(10, f); n != 0 && !longtest.Race {
				t.Errorf("%s of %v allocates %v times", name, a, n)
			}
		}
		if string(b) != a.Normalized() {
			t.Errorf("AppendNormalized of %v appends %s", a, b)
		}
	}
}
