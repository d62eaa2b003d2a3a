package badlist_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

// TestTagPack reads excerpts of GraphSense's packs.
func TestTagPack(t *testing.T) {
	for _, tt := range []struct {
		file    string
		entries int
		kind    score.Kind
		first   string // the first entry
	}{
		{"lazarus_2023-08-22.tagpack.yaml", 6, score.CommunityReport, "3LU8wRu4ZnXP4UM8Yo6kkTiGHM9BubgyiG 2023-08-28 Lazarus group " +
			"https://www.fbi.gov/news/press-releases/fbi-identifies-cryptocurrency-funds-stolen-by-dprk"},
		{"ransomwhere_excerpt.tagpack.yaml", 50, score.Ransomware, "17TMc2UkVRSga2yYvuxSD9Q1XyB2EPRjTF 2022-02-15 Netwalker (Mailto) https://ransomwhe.re/"},
		{"hacks_excerpt.tagpack.yaml", 9, score.StolenFunds, "13HLqK2p7xwcxRQomKUyzXzsS2PCm1eAde 2021-11-12 Mtgox hack " +
			"https://bitcointalk.org/index.php?topic=576337"},
	} {
		text, err := os.ReadFile("testdata/" + tt.file)
		if err != nil {
			t.Fatal(err)
		}
		var entries []sources.Entry
		rev, err := badlist.Parse(strings.NewReader(string(text)), func(e sources.Entry) error {
			entries = append(entries, e)
			if !e.Address.IsValid() || e.Address.Chain() != "bitcoin" || e.Kind != tt.kind {
				t.Errorf("%s: %+v, want a Bitcoin address of the kind %s", tt.file, e, tt.kind)
			}
			return nil
		})
		if err != nil || rev.Records != strings.Count(string(text), "- address: ") || len(entries) != tt.entries || len(entries) == 0 {
			t.Fatalf("%s: %d entries of %+v, %v, want %d", tt.file, len(entries), rev, err, tt.entries)
		}
		e := entries[0]
		if got := strings.Join([]string{e.Listed, e.ListedAt.Format("2006-01-02"), e.Name, e.Ref}, " "); got != tt.first {
			t.Errorf("%s: the first entry is %s, want %s", tt.file, got, tt.first)
		}
	}
}

const tag = "- address: 1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4\n"

func TestTagPackForms(t *testing.T) {
	want := "bitcoin 1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4 SCAM It's a \"hoax\" https://a.example/#1 2024-05-06"
	for name, doc := range map[string]string{
		"head": "label: It's a \"hoax\"\nabuse: scam\ncurrency: BTC\nsource: https://a.example/#1\nlastmod: 2024-05-06\ntags:\n" + tag,
		"quotes": "---\n# a pack\ntitle: 'x: y'\ntags:\n  - address: \"1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4\" # one\n    currency: 'BTC'\n" +
			"    label: 'It''s a \"hoax\"'\n    abuse: \"scam\"\n    source: 'https://a.example/#1'\n    lastmod: 2024-05-06 # a day\n",
		"other fields, later": "title: x\ndescription: >-\n  tags:\n  more: text\nconcepts:\n- a\n- b\ntags:\n-\n   confidence: x\n   context: {a: 1}\n" +
			"   concepts:\n   - a\n   abuse: scam\n   network: BTC\n   lastmod: 2024-05-06\n   address: 1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4\n" +
			"   label: >-\n     It's a\n     \"hoax\"\n   source: https://a.example/#1\n",
		"own before head": "abuse: ransomware\nlabel: x\ncurrency: LTC\nsource: y\ntags:\n" + tag + "  abuse: scam\n  currency: BTC\n  label: \"It's a \\\"hoax\\\"\"\n" +
			"  source: https://a.example/#1\n  lastmod: 2024-05-06\n",
		"no line end": "label: It's a \"hoax\"\nabuse: scam\nlastmod: 2024-05-06\ntags:\n" + tag + "  source: https://a.example/#1",
		"CR LF":       strings.ReplaceAll("label: It's a \"hoax\"\nabuse: scam\nsource: https://a.example/#1\nlastmod: 2024-05-06\ntags:\n"+tag, "\n", "\r\n"),
	} {
		var got []string
		rev, err := badlist.Parse(strings.NewReader(doc), func(e sources.Entry) error {
			got = append(got, fmt.Sprintf("%s %s %s %s %s %s", e.Address.Chain(), e.Listed, e.Kind, e.Name, e.Ref, e.ListedAt.Format("2006-01-02")))
			return nil
		})
		if err != nil || len(got) != 1 || got[0] != want || !rev.OpenEnded {
			t.Errorf("%s: %q, %+v, %v, want %s", name, got, rev, err, want)
		}
	}
}

func TestTagPackFails(t *testing.T) {
	head := "title: x\nabuse: scam\ntags:\n"
	for name, doc := range map[string]string{
		"no tags": "title: x\nabuse: scam\n", "empty tags": head, "in brackets": "title: x\nabuse: scam\ntags: [{address: 1HV}]\n",
		"cut within an address": head + tag + "- address: 1HVi6re6zDr5", "cut behind a tag": head + "- currency: BTC\n",
		"an anchor": head + "- address: *a\n", "a field twice": head + tag + "  label: a\n  label: b\n", "head behind": head + tag + "abuse: scam\n",
		"a tab": head + "\t" + tag, "no field": head + tag + "  label\n", "a wrong indent": head + tag + " label: x\n",
		"an open quote": head + "- address: '1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4\n", "two quotes": head + "- address: 'a' 'b'\n",
		"no abuse": "title: x\ntags:\n" + tag, "two lines": head + "- address:\n    1HVi6re6zDr5c5v9Sk2mmL9u7svEHfiBt4\n",
		"a line without end": head + "- label: " + strings.Repeat("x", 1<<20) + "\n", "no address at all": head + "- address: hello\n",
		"a text without end": head + tag + "  label: |\n" + strings.Repeat("    xxxxxxxxxxxxxxx\n", 1<<13),
	} {
		rev, err := badlist.Parse(strings.NewReader(doc), func(sources.Entry) error { return nil })
		var at *sources.RecordError
		if err == nil || !rev.IsZero() || name != "no abuse" && name != "no address at all" && (!errors.As(err, &at) || at.Line == 0) {
			t.Errorf("%s: %+v, %v, want an error with its line", name, rev, err)
		}
	}
	full := errors.New("disk full")
	if _, err := badlist.Parse(strings.NewReader(head+tag), func(sources.Entry) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want that of add", err)
	}
}

// TestTagPackCut cuts a pack at each byte: the rest is an error, or has tags of the pack
// and no others.
func TestTagPackCut(t *testing.T) {
	text, err := os.ReadFile("testdata/lazarus_2023-08-22.tagpack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		wrong := ""
		_, err := badlist.Parse(io.LimitReader(strings.NewReader(string(text)), int64(n)), func(e sources.Entry) error {
			if !e.Address.IsValid() {
				wrong = e.Listed
			}
			return nil
		})
		if err == nil && wrong != "" {
			t.Errorf("cut at %d: no error, with the entry %q", n, wrong)
		}
	}
}

// TestPolkadotPhishing reads an excerpt of the list: each account with its site, on the chain
// of its prefix, and found on every chain of Substrate.
func TestPolkadotPhishing(t *testing.T) {
	f, err := os.Open("testdata/polkadot_phishing_excerpt.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	chains := map[string]int{}
	var first sources.Entry
	_, err = badlist.PolkadotPhishing().Parse(f, func(e sources.Entry) error {
		if first.Listed == "" {
			first = e
		}
		chains[string(e.Address.Chain())]++
		return nil
	})
	if err != nil || chains["polkadot"]+chains["kusama"] != 54 || chains["kusama"] == 0 {
		t.Errorf("accounts by chain %v, %v, want 54 of polkadot and kusama", chains, err)
	}
	if first.Listed != "155dDX3rWoNsY4aiJFbsu6wLB91c2J2Ws5BgMfJKyM1eGnkS" || first.Name != "3xpool.bid" || first.Kind != score.Phishing {
		t.Errorf("the first entry is %+v", first)
	}
}
