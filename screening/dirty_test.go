package screening_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	ofaclist "github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/own"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// dirtyCells returns what a publisher may print by mistake for an address.
func dirtyCells(s string) map[string]string {
	half := len(s) / 2
	cells := map[string]string{
		"blank inside": s[:half] + " " + s[half:], "NBSP inside": s[:half] + "\u00a0" + s[half:],
		"zero-width space inside": s[:half] + "\u200b" + s[half:], "soft hyphen inside": s[:half] + "\u00ad" + s[half:],
		"directional mark behind": s + "\u200e", "isolates around": "\u2066" + s + "\u2069", "a note": s + " (BSC)", "quoted": "“" + s + "”",
		"comma behind": s + ",", "full stop behind": s + ".", "label": "XBT " + s, "tag": s + ":12345",
		"full width": strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s),
		"two":        s + " " + "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t", "two with a slash": "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t / " + s,
	}
	replace := func(name, old, with string) {
		if i := strings.LastIndex(s, old); i >= 0 {
			cells[name] = s[:i] + with + s[i+len(old):]
		}
	}
	switch {
	case strings.HasPrefix(s, "0x"):
		cells["no 0x"] = s[2:]
		cells["no 0x, a note"] = s[2:] + " (ETH)"
		cells["Ox"] = "O" + s[1:]
		cells["0х of Cyrillic"] = "0х" + s[2:]
		cells["two without 0x"] = s[2:] + "; 098b716b8aaf21512996dc57eb0615e2383e2f96"
		replace("O for 0", "0", "O")
		replace("l for 1", "1", "l")
	case strings.HasPrefix(s, "bc1"):
		cells["bcl"] = "bcl" + s[3:]
		cells["Bc1"] = "Bc1" + s[3:]
		replace("o for 0", "0", "o")
	default:
		replace("l for 1", "1", "l")
		replace("I for 1", "1", "I")
		replace("0 for o", "o", "0")
		replace("O for o", "o", "O")
		replace("Cyrillic T", "T", "Т")
		replace("Cyrillic a", "a", "а")
	}
	return cells
}

// TestDirtyCells checks that an account is found if the list that names it has a slip in
// the cell, in each format of each list, and that a good cell is not changed.
func TestDirtyCells(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	read := func(name string) string {
		b, err := os.ReadFile("../sources/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	escape := func(s string) string {
		var b bytes.Buffer
		xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	plain := func(s string) string { return s }
	type parse = func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
	csv := read("ofac/testdata/sdn_excerpt_2025-05.csv") + "\x1a"
	formats := []struct {
		name, text string
		escape     func(string) string
		parse      parse
	}{
		{"OFAC simple", strings.Replace(read("ofac/testdata/sdn_excerpt_2026-09-23.xml"), ">19391<", ">10<", 1), escape, ofaclist.Parse},
		{"OFAC advanced", gunzip(t, read("ofac/testdata/sdn_advanced_excerpt_2025-03-04.xml.gz")), escape, ofaclist.Parse},
		{"OFAC CSV", csv, plain, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
			return ofaclist.ParseCSV(r, strings.NewReader(read("ofac/testdata/sdn_comments_excerpt_2025-05.csv")), add)
		}},
		{"OpenSanctions", read("opensanctions/testdata/targets.simple.csv"), plain, opensanctions.Parse},
		{"UK", strings.Replace(
			read("uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml"),
			"</Designation>",
			"<CryptoWalletAddresses><CryptoWalletAddress>0x57ec89a0c056163a0314e413320f9b3abe761259</CryptoWalletAddress><CryptoWalletAddress>12QtD5BFwRsdNsAZY"+
				"76UVE1xyCGNTojH9h</CryptoWalletAddress></CryptoWalletAddresses></Designation>",
			1,
		), escape, uk.Parse},
		{
			"badlist",
			"address,comment\n0x57ec89a0c056163a0314e413320f9b3abe761259,x\n12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h,y\nbc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml,z" +
				"\nTA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d,w\n",
			func(s string) string { return `"` + s + `"` },
			badlist.Parse,
		},
		{
			"own list",
			"address,reason\n0x57ec89a0c056163a0314e413320f9b3abe761259,x\n12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h,y\nbc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml,z\n",
			func(s string) string { return `"` + s + `"` },
			ownList,
		},
	}
	step, number := longtest.Step(6, 2), 0 // of the cell, so that other slips are tried in the next one
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			clean := screenerOf(t, f.parse, f.text)
			var cells []sources.Entry
			if _, err := f.parse(strings.NewReader(f.text), func(e sources.Entry) error {
				if e.Address.IsValid() && e.Address.Proven() && strings.Contains(f.text, e.Text()) &&
					(f.name != "UK" || strings.Contains(f.text, ">"+e.Text()+"<")) { // not in remarks
					cells = append(cells, e)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			kind := func(e sources.Entry) string { return e.Text()[:2] } // one of each
			slices.SortFunc(cells, func(a, b sources.Entry) int { return strings.Compare(kind(a), kind(b)) })
			cells = slices.CompactFunc(cells, func(a, b sources.Entry) bool { return kind(a) == kind(b) })
			if strings.HasSuffix(f.name, "advanced") {
				cells = cells[:1] // the document is long
			}
			if len(cells) == 0 {
				t.Fatal("no address")
			}
			for _, e := range cells {
				cell, a := e.Text(), e.Address
				if r, err := clean.Screen(a); err != nil || len(r.Labels) == 0 {
					t.Fatalf("%s is not listed: %v", cell, err)
				}
				all := dirtyCells(cell)
				number++
				for i, name := range slices.Sorted(maps.Keys(all)) {
					dirty := all[name]
					if (i+number)%step > 0 {
						continue
					}
					if strings.Contains(f.name, "CSV") && strings.Contains(dirty, ";") {
						continue // items of remarks end there
					}
					s := screenerOf(t, f.parse, strings.ReplaceAll(f.text, cell, f.escape(dirty)))
					if s == nil {
						t.Errorf("%s: %q: no list", name, dirty)
						continue
					}
					if r, err := s.Screen(a); err != nil || len(r.Labels) == 0 || r.Labels[0].Match == score.Key {
						t.Errorf("%s: %q is clean for %s: %v", name, dirty, a, err)
					}
				}
			}
		})
	}
}

// screenerOf returns a screener of a list, or nil if the list is refused.
func screenerOf(t *testing.T, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error), text string) *screening.Screener {
	t.Helper()
	var entries []sources.Entry
	if _, err := parse(strings.NewReader(text), func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	}); err != nil {
		t.Log(err)
		return nil
	}
	src := sources.Static(sources.Info{ID: "LIST", Name: "a list", Jurisdiction: sources.US}, entries...)
	if entries[0].Kind == score.Blocked {
		src = sources.Static(sources.Info{ID: "LIST", Name: "a list", Jurisdiction: sources.Operator}, entries...)
	} else if !entries[0].Kind.Official() {
		src = sources.Static(sources.Info{ID: "LIST", Name: "a list", Jurisdiction: sources.Community}, entries...)
	}
	s, err := screening.New([]sources.Source{src}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// ownList reads a list of the operator's own.
func ownList(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return sources.Revision{}, err
	}
	f, err := os.CreateTemp("", "own-*.csv")
	if err != nil {
		return sources.Revision{}, err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(text); err != nil {
		return sources.Revision{}, err
	}
	if err := f.Close(); err != nil {
		return sources.Revision{}, err
	}
	return own.File("OWN", f.Name()).Load(context.Background(), sources.Revision{}, add)
}

func gunzip(t *testing.T, text string) string {
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
