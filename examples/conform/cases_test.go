package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// TestGenerate makes the cases again, and compares them with the files.
func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	all, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(dir+"/lists", 0o777), writeCases(dir, all), writeLists(dir+"/lists", all)); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(dir + "/*/*")
	more, err2 := filepath.Glob(dir + "/*.json")
	if made = append(made, more...); err != nil || err2 != nil || len(made) != len(themes)+8 {
		t.Fatalf("%d files made, want %d; %v", len(made), len(themes)+8, err)
	}
	for _, name := range made {
		rel, _ := filepath.Rel(dir, name)
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("cases", rel))
		if err != nil || string(got) != string(want) {
			t.Errorf("cases/%s is not what the generator makes: run go -C examples/conform generate .; %v", rel, err)
		}
	}
}

// bundled are the entries of the bundled lists, by list and printed text, and the accounts
// that are listed.
var bundled = sync.OnceValues(func() (entries map[string][]sources.Entry, accounts map[address.Key]bool) {
	entries, accounts = make(map[string][]sources.Entry), make(map[address.Key]bool)
	for _, src := range bundle.All() {
		_, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
			k := src.Info().ID + " " + sources.TrimListed(e.Text())
			entries[k] = append(entries[k], e)
			accounts[e.Address.Account()] = true
			return nil
		})
		if err != nil {
			panic(err)
		}
	}
	return entries, accounts
})

// contradiction returns what in a case contradicts its list or the rules of its chain.
func contradiction(c *Case) string {
	entries, accounts := bundled()
	chain, err := address.ParseChain(c.Asked.Chain)
	if err != nil || chain.CAIP2() != c.Asked.CAIP2 {
		return "asked names no chain, or has the CAIP-2 id of another"
	}
	strict, invalid := address.Parse(chain, c.Asked.Text)
	asked := address.Interpret(string(chain), c.Asked.Text)
	var listed address.Address
	if l := c.Listed; l != nil {
		i := slices.IndexFunc(entries[l.List+" "+l.Text], func(e sources.Entry) bool {
			return e.Asset == l.Ticker && e.Ref == l.Ref && e.Name == l.Entity
		})
		if i < 0 {
			return "the entry is not in " + l.List
		}
		listed = entries[l.List+" "+l.Text][i].Address
	}
	answers := append([]string{c.Expect}, c.Accept...)
	means := asked.Err == nil && slices.ContainsFunc(asked.Addresses, func(a address.Address) bool { return sameHolder(a, listed) })
	if c.Lists != nil {
		return stateContradiction(c, answers, means)
	}
	switch {
	case means && !slices.Contains(answers, isListed):
		return "the text means the listed account, or one of its key, and listed is not accepted"
	case c.Expect == isListed && !means:
		return "the text is neither the listed account nor one of its key"
	case c.Expect == isNotListed && invalid != nil:
		return "the text is not an address: " + invalid.Error()
	case c.Expect == isNotListed && accounts[strict.Account()]:
		return "the account is listed"
	case c.Expect == isError && invalid == nil:
		return "the text is an address of the chain, so an answer is due"
	}
	return ""
}

// stateContradiction returns what in a case contradicts the lists that it loads. means says
// that the text means the listed account.
func stateContradiction(c *Case, answers []string, means bool) string {
	good, has, old := 0, false, false
	for _, name := range c.Lists.Documents {
		f, err := os.Open("cases/lists/" + name)
		if err != nil {
			return err.Error()
		}
		found := 0
		rev, err := ofac.Parse(f, func(e sources.Entry) error {
			found++
			has = has || means && sources.TrimListed(e.Text()) == c.Listed.Text
			return nil
		})
		f.Close()
		if err == nil && found > 0 {
			good++
			old = c.Lists.MaxAge > 0 && time.Since(rev.Published) > time.Duration(c.Lists.MaxAge)*24*time.Hour
		}
	}
	switch {
	case has != slices.Contains(answers, isListed):
		return "listed is due, or accepted, if a list that the system was given has the account"
	case slices.Contains(answers, isNotListed) && (good == 0 || old || has):
		return "no list lets a system say that the account is not listed"
	case c.Expect == isError && good > 0 && !old:
		return "the system has a list, so an answer is due"
	}
	return ""
}

// sameHolder reports whether a is the account b, or both are of one key.
func sameHolder(a, b address.Address) bool {
	if a.Account() == b.Account() {
		return true
	}
	keys := b.AppendKeys(nil)
	return slices.ContainsFunc(a.AppendKeys(nil), func(k address.Key) bool { return slices.Contains(keys, k) })
}

// TestCases checks each case against its list, its chain and the schema.
func TestCases(t *testing.T) {
	all, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 600 {
		t.Errorf("%d cases, want at least 600", len(all))
	}
	count := make(map[string]int)
	for _, c := range all {
		count[c.Theme]++
		if s := contradiction(&c); s != "" {
			t.Errorf("%s: %+v: %s", c.ID, c.Asked, s)
		}
	}
	for _, theme := range themes {
		if count[theme] < 10 {
			t.Errorf("%d cases of the theme %s, want at least 10", count[theme], theme)
		}
	}
}

// TestWrongCases puts wrong cases into a file, and checks that each is found.
func TestWrongCases(t *testing.T) {
	all, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	first := func(theme, expect string) Case {
		for _, c := range all {
			if c.Theme == theme && c.Expect == expect {
				l := Listed{}
				if c.Listed != nil {
					l = *c.Listed
					c.Listed = &l
				}
				return c
			}
		}
		t.Fatal("no case of " + theme)
		return Case{}
	}
	for _, tt := range []struct {
		name, theme, expect string
		spoil               func(c *Case)
	}{
		{"a stranger is listed", "evm", isListed, func(c *Case) { c.Asked.Text = strangers[3].text }},
		{"a listed account is not listed", "evm", isListed, func(c *Case) { c.Expect, c.Severity, c.Accept = isNotListed, falseHit, nil }},
		{"an address is an error", "evm", isListed, func(c *Case) { c.Expect, c.Severity = isError, unread }},
		{"a mistyped text is not listed", "mistyped", isError, func(c *Case) { c.Expect, c.Severity = isNotListed, falseHit }},
		{"another entity", "ticker", isListed, func(c *Case) { c.Listed.Entity = "Somebody Else" }},
		{"another list", "ticker", isListed, func(c *Case) { c.Listed.List = "EU_CONSOLIDATED" }},
		{"another ticker", "ticker", isListed, func(c *Case) { c.Listed.Ticker = "DOGE" }},
		{"another chain id", "evm", isListed, func(c *Case) { c.Asked.CAIP2 = "eip155:999999" }},
		{"no chain", "evm", isListed, func(c *Case) { c.Asked.Chain = "" }},
		{"no authority", "evm", isListed, func(c *Case) { c.Authority = "" }},
		{"an unknown flag", "evm", isListed, func(c *Case) { c.Flags = []string{"nice"} }},
		{"an unknown severity", "evm", isListed, func(c *Case) { c.Severity = "bad" }},
		{"a severity of another answer", "evm", isListed, func(c *Case) { c.Severity = falseHit }},
		{"clean is accepted for a listed account", "evm", isListed, func(c *Case) { c.Accept = []string{isNotListed} }},
		{"an unknown answer", "evm", isListed, func(c *Case) { c.Expect = "maybe" }},
		{"another theme", "evm", isListed, func(c *Case) { c.Theme = "key" }},
	} {
		c := first(tt.theme, tt.expect)
		if err := c.check(); err != nil || contradiction(&c) != "" {
			t.Fatalf("%s: wrong before: %v %s", tt.name, err, contradiction(&c))
		}
		tt.spoil(&c)
		if c.check() == nil && contradiction(&c) == "" {
			t.Errorf("%s: not found in %+v", tt.name, c)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("cases")); err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string][2]string{
		"an unknown member": {`"expect": "listed"`, `"expected": "listed"`},
		"the same id twice": {all[1].ID, all[0].ID},
	} {
		text, err := os.ReadFile("cases/checksum.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/checksum.json", []byte(strings.Replace(string(text), with[0], with[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readCases(os.DirFS(dir)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSchema checks that the schema has the members and values that the program knows.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("cases/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Case struct {
				Properties map[string]struct {
					Enum  []string
					Items struct{ Enum []string }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	p := schema.Defs.Case.Properties
	for member, want := range map[string][]string{"theme": themes, "expect": expect, "severity": grades} {
		if d := cmp.Diff(want, p[member].Enum); d != "" {
			t.Errorf("%s in the schema (-want +got):\n%s", member, d)
		}
	}
	for member, want := range map[string][]string{"flags": flags, "accept": expect} {
		if d := cmp.Diff(want, p[member].Items.Enum); d != "" {
			t.Errorf("%s in the schema (-want +got):\n%s", member, d)
		}
	}
	var c map[string]any
	full, err := json.Marshal(Case{Lists: &Lists{}, Listed: &Listed{}, Accept: []string{""}})
	if err := errors.Join(err, json.Unmarshal(full, &c)); err != nil {
		t.Fatal(err)
	}
	for member := range c {
		if _, ok := p[member]; !ok {
			t.Errorf("the schema lacks %s", member)
		}
	}
	if len(p) != len(c) {
		t.Errorf("the schema has %d members, want %d", len(p), len(c))
	}
}
