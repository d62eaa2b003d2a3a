package nbctf_test

import (
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/nbctf"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

var (
	now     = time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC)
	wallets = "wallets_2026-08-21.csv"
	orders  = "releases_2026-08-21.csv"
	export  = "orders_2026-10.csv"
)

func parse(t *testing.T, doc string, at time.Time) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	var all []sources.Entry
	rev, err := nbctf.ParseAt(strings.NewReader(doc), at, func(e sources.Entry) error { all = append(all, e); return nil })
	if err != nil && (all != nil || !rev.IsZero()) {
		t.Errorf("%d entries and %+v beside error %v, want none", len(all), rev, err)
	}
	return all, rev, err
}

// accounts returns the different accounts of entries.
func accounts(entries []sources.Entry) map[address.Address]bool {
	all := make(map[address.Address]bool)
	for _, e := range entries {
		for _, a := range meant(e) {
			all[a.Canonical()] = true
		}
	}
	return all
}

// meant returns the addresses that an entry is found by.
func meant(e sources.Entry) (all []address.Address) {
	if e.Address.IsValid() {
		return []address.Address{e.Address}
	}
	for _, r := range sources.Repair(e.Asset, e.Listed) {
		all = append(all, r.Address)
	}
	return all
}

// asPage returns CSV as a page with one table, the wallets as the publisher's page has them:
// an order is a line above its wallets, and four columns about persons come first.
func asPage(t *testing.T, tables ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html dir=\"rtl\"><head><script>if (1 < 2) document.write('<table><tr><td>');</script></head><body><table><tr><td>\n")
	for _, name := range tables {
		b.WriteString("<table class='x>y'>")
		last := ""
		for i, line := range strings.Split(strings.TrimSpace(listtest.ReadFile(t, name)), "\n") {
			var cells []string
			if strings.Contains(line, `"`) { // the only cell with a comma
				first, rest, _ := strings.Cut(line, `,"`)
				cell, asset, _ := strings.Cut(rest, `",`)
				cells = []string{first, cell, asset}
			} else {
				cells = strings.Split(line, ",")
			}
			if name == wallets {
				order := cells[0]
				cells = append([]string{"PERSON", "12345678", "PASSPORT", "1.1.1970"}, cells[1:]...)
				if i == 0 {
					cells = []string{"שם מלא", "תעודת זהות", "דרכון", "תאריך לידה",
						"מספר זיהוי הארנק האלקטרוני/ יוזר", "מטבע"}
				} else if order != last {
					fmt.Fprintf(&b, "<tr><td colspan=6><b>%s</b></td></tr>\n", html.EscapeString(order))
					last = order
				}
			}
			b.WriteString("<tr>")
			for _, c := range cells {
				fmt.Fprintf(&b, "<td><div>\u200b%s&nbsp;</div></td>", html.EscapeString(c))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n")
	}
	return b.String() + "</td></tr></table><!-- <table> --></body></html>\n"
}

// TestParse reads the tables in each form, and finds all addresses in each.
func TestParse(t *testing.T) {
	longtest.WithoutRace(t)
	w, o := listtest.ReadFile(t, wallets), listtest.ReadFile(t, orders)
	for name, tt := range map[string]struct {
		doc       string
		openEnded bool
		published time.Time
	}{
		"wallets":            {w, true, time.Time{}},
		"wallets and orders": {w + o, true, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)},
		"orders and wallets": {"\ufeff" + o + w, true, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)},
		"page":               {asPage(t, orders, wallets), false, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)},
		"page, other order":  {asPage(t, wallets, orders), false, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)},
	} {
		entries, rev, err := parse(t, tt.doc, now)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found := accounts(entries)
		if len(found) != 492 || rev.OpenEnded != tt.openEnded || rev.Published != tt.published || len(rev.Digest) != 64 {
			t.Errorf("%s: %d addresses, %+v, want 492", name, len(found), rev)
		}
		// Each cell that has the form of an address is found. Two have a wrong checksum.
		listed, decoded := make(map[string]bool), make(map[string]bool)
		for _, e := range entries {
			for _, text := range strings.Split(e.Listed, ", ") { // two addresses in a cell
				listed[text], decoded[text] = true, meant(e) != nil
			}
		}
		forms := regexp.MustCompile(`\b(T[1-9A-HJ-NP-Za-km-z]{33}|0x[0-9a-fA-F]{40}|[13LDtR][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[0-9a-z]{20,60}|Ddz\w+)\b`)
		n := 0
		for _, text := range forms.FindAllString(w, -1) {
			n++
			if misprinted := slices.Contains([]string{"3HQJ9ta7TmYNRjkby3nbMGdHzNCCiXs3Ui", "18yzhmcgHtRVoEX3doCrqhis6fFU1dHFUE"}, text); !listed[text] ||
				misprinted == decoded[text] {
				t.Errorf("%s: %s is not found", name, text)
			}
		}
		if n < 480 {
			t.Errorf("%s: only %d cells compared", name, n)
		}
		for _, e := range entries {
			if e.Kind != score.TerroristFinancing || !strings.Contains(e.Ref, "/") || !e.ListedAt.IsZero() || !e.Until.IsZero() {
				t.Fatalf("%s: %+v", name, e)
			}
			if text := e.Listed + e.Name + e.Asset; strings.Contains(text, "PERSON") || strings.Contains(text, "PASSPORT") || strings.Contains(text, "40000") ||
				strings.Contains(text, "1970") {
				t.Errorf("%s: %+v keeps something about a person", name, e)
			}
		}
		count := func(listed string) (n int) {
			for _, e := range entries {
				if e.Listed == listed {
					n++
				}
			}
			return n
		}
		if users, missing := count("(exchange user)"), count("(no address)"); users < 20 || missing < 1 {
			t.Errorf("%s: %d users and %d missing addresses are counted", name, users, missing)
		}
	}
}

// TestCells reads the cells that hold more, or something else, than an address.
func TestCells(t *testing.T) {
	const tron = "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3"
	for cell, want := range map[string][]string{
		tron: {tron},
		"T\u041d96tFMn8KGiYSLiw\u0441V3E2UiaJc8jmcbz3":                 {tron},
		"TH96tFMn8KGi\u200bYSLiwcV3E2UiaJc8jmcbz3\u200b":               {tron},
		"\"0xc8fe1c81e927540fcc99ebb3c880a840082293da, " + tron + "\"": {"0xc8fe1c81e927540fcc99ebb3c880a840082293da", tron},
		"rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh (Address tag 102334770)*":  {"rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"},
		"12154055054877559948854L":                                     {"12154055054877559948854L"},
		"binanceiost (Address tag 100343788) *":                        {"binanceiost (Address tag 100343788) *"},
		"35561732":                                                     {"(exchange user)"}, "970599266247": {"(exchange user)"}, "+970 59-926": {"(exchange user)"},
		"-": {"(no address)"}, "": {"(no address)"},
	} {
		doc := "order,wallet_or_user,asset\n1/20," + cell + ",-\n1/20," + tron + ",\n"
		entries, rev, err := parse(t, doc, now)
		if err != nil || rev.Records != 2 {
			t.Fatalf("%q: %+v, %v", cell, rev, err)
		}
		var got []string
		for _, e := range entries[:len(entries)-1] {
			for _, a := range meant(e) {
				got = append(got, a.Normalized())
			}
			if got == nil {
				got = append(got, e.Listed)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
}

// TestOrders checks which orders are in force at a time.
func TestOrders(t *testing.T) {
	longtest.WithoutRace(t)
	both := listtest.ReadFile(t, wallets) + listtest.ReadFile(t, orders)
	digests := make(map[string]bool)
	for _, tt := range []struct {
		at    time.Time
		ended []string
	}{
		{now, nil},
		{time.Date(2028, 2, 1, 23, 0, 0, 0, time.UTC), nil},
		{time.Date(2028, 2, 2, 0, 0, 0, 0, time.UTC), []string{"1/26", "2/26"}},
		{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), []string{"1/26", "13/26", "18/26", "2/26", "6/26", "7/26", "8/26"}},
	} {
		entries, rev, err := parse(t, both, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		var ended []string
		for _, e := range entries {
			if !e.Until.IsZero() {
				ended = append(ended, e.Ref)
			}
			if e.Ref == "53/25" && e.Name != "Israel, seizure order 53/25, forfeiture order 14/26" {
				t.Errorf("name %q", e.Name)
			}
		}
		slices.Sort(ended)
		if ended = slices.Compact(ended); !slices.Equal(ended, tt.ended) {
			t.Errorf("at %v: %q have ended, want %q", tt.at, ended, tt.ended)
		}
		digests[rev.Digest] = true
	}
	if len(digests) != 3 {
		t.Errorf("%d digests, want another one whenever an order has ended", len(digests))
	}
	entries, _, err := parse(t, listtest.ReadFile(t, wallets), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || slices.ContainsFunc(entries, func(e sources.Entry) bool { return !e.Until.IsZero() }) {
		t.Errorf("an order without a line in the table of orders has ended, %v", err)
	}
}

// TestMistypedDay does not end an order on a day before the order was issued.
func TestMistypedDay(t *testing.T) {
	const tron = "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3"
	for day, ended := range map[string]bool{"01.07.2026": true, "01.01.2026": true, "01.07.2016": false, "31.12.2025": false, "01.07.1928": false} {
		for _, doc := range []string{
			"סוג,תוקף\n18/26," + day + "\norder,wallet_or_user,asset\n18/26," + tron + ",\n",
			"Order Number,Assets,Validity Date\n18/26,Name: " + tron + "," + day + "\n",
		} {
			entries, _, err := parse(t, doc, now)
			if err != nil || len(entries) != 1 || entries[0].Until.IsZero() == ended {
				t.Errorf("%q: %+v, %v, want that it has ended: %t", doc, entries, err, ended)
			}
		}
	}
}

// TestExport reads the orders that the newer site exports.
func TestExport(t *testing.T) {
	doc := listtest.ReadFile(t, export)
	entries, rev, err := parse(t, doc, now)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %s %s %v", e.Ref, e.Listed, e.ListedAt.Format(time.DateOnly), e.Until.IsZero()))
	}
	want := []string{
		"6/26 TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY 2026-02-16 true",
		"6/26 TGtpnHgW8gcfzRj1NEkLXR9AbN8WWLdJ2p 2026-02-16 true",
		"6/26 TP834zaucGKtAVjJPc9QQQkz5ses87KEf8 2026-02-16 true",
		"50/25 TSoQQCZ3DrZ1us6RcHGHd9UXp6bM6PukNQ 2025-10-23 true",
		"2/24 (exchange user) 2024-01-21 true",
		"2/24 (exchange user) 2024-01-21 true",
		"2/24 0x21B8d56BDA776bbE68655A16895afd96F5534feD 2024-01-21 true",
		"2/24 T\u041d96tFMn8KGiYSLiw\u0441V3E2UiaJc8jmcbz3 2024-01-21 true",
		"2/24 0x175d44451403edf28469df03a9280c1197adb92c 2024-01-21 true",
		"19/23 TRwvSmistRy7vK8mq2xpPA85fj9wRJKcUB 2023-04-21 true",
		"19/23 0xc8fe1c81e927540fcc99ebb3c880a840082293da, TR2nTb64cQMx6tqFwisoC6o7barFWHhPiw 2023-04-21 true",
		"15/23 (exchange user) 2023-04-04 true",
	}
	if err != nil || !slices.Equal(got, want) || rev.Published != time.Date(2026, 2, 16, 0, 0, 0, 0, time.UTC) {
		t.Errorf("%v, %v\n%s\nwant\n%s", rev.Published, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Another time, a seizure that is not forfeited has ended, and a canceled order is left out.
	entries, _, err = parse(t, doc, time.Date(2028, 2, 17, 0, 0, 0, 0, time.UTC))
	if err != nil || entries[0].Until.IsZero() || !entries[3].Until.IsZero() {
		t.Errorf("%+v, %v", entries[0], err)
	}
	entries, _, err = parse(t, strings.Replace(doc, "2026-02-16,2028-02-16,False,,False", "2026-02-16,2028-02-16,False,,True", 1), now)
	if err != nil || len(entries) != 9 || entries[0].Ref != "50/25" {
		t.Errorf("%d entries with a canceled order, %v", len(entries), err)
	}
}

// TestExportLines reads a wallet that is broken over two lines of a cell, and one behind another word
// than Name.
func TestExportLines(t *testing.T) {
	doc := listtest.ReadFile(t, export)
	for _, tt := range []struct{ lines, want string }{
		{"Name: TB5UPBTtXYwwmSviWBk\nQcFM64o6R1CDXUY", "TB5UPBTtXYwwmSviWBk QcFM64o6R1CDXUY"},
		{"Name:\nTB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY", "TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY"},
		{"Wallet: TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY", "TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY"},
	} {
		changed := strings.Replace(doc, "Name: TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY", tt.lines, 1)
		entries, _, err := parse(t, changed, now)
		if err != nil || changed == doc || len(entries) != 12 || entries[0].Listed != tt.want {
			t.Errorf("%q: %d entries, %v, want %q and 11 more", tt.lines, len(entries), err, tt.want)
		}
	}
}

// TestOtherColumns finds a wallet in a column that is not the one of wallets.
func TestOtherColumns(t *testing.T) {
	const tron, evm = "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", "0xc8fe1c81e927540fcc99ebb3c880a840082293da"
	for _, doc := range []string{
		"order,wallet_or_user,asset,wallet 2\n1/20," + tron + ",,and " + evm + "\n",
		"שם,הארנק,מטבע,הערה\n1/20,,,\n," + tron + ",," + evm + "\n",
		"הערה,הארנק,מטבע\n1/20,,\n" + evm + ",-,\nof," + tron + ",\n",
		"Order Number,Assets,Validity Date,Descriptions\n1/20,Name: " + tron + ",," + evm + " and " + tron + "\n",
	} {
		entries, _, err := parse(t, doc, now)
		got := make(map[string]int)
		for _, e := range entries {
			got[e.Text()]++
		}
		if err != nil || got[tron] != 1 || got[evm] != 1 {
			t.Errorf("%q: %v, %v, want %s and %s", doc, entries, err, tron, evm)
		}
	}
}

// TestMistyped finds a mistyped wallet in a column, or behind a word, that is not of wallets.
func TestMistyped(t *testing.T) {
	const tron, mistyped = "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3", "TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUZ"
	for _, doc := range []string{
		"order,wallet_or_user,asset,wallet 2\n1/20," + tron + ",," + mistyped + "\n",
		"שם,דרכון,הארנק,מטבע\n1/20,,,\n,," + tron + ",\n" + mistyped + ",\n",
		"Order Number,Assets,Validity Date\n1/20,\"Name: " + tron + "\nWallet: " + mistyped + "\",\n",
	} {
		entries, _, err := parse(t, doc, now)
		if err != nil || !slices.ContainsFunc(entries, func(e sources.Entry) bool { return e.Listed == mistyped }) {
			t.Errorf("%q: %v, %v, want %s", doc, entries, err, mistyped)
		}
	}
}

func TestParseFails(t *testing.T) {
	longtest.WithoutRace(t)
	w := listtest.ReadFile(t, wallets)
	page := asPage(t, orders, wallets)
	const header = "order,wallet_or_user,asset\n"
	for name, doc := range map[string]string{
		"nothing": "", "orders alone": listtest.ReadFile(t, orders), "header alone": header, "another page": "<html><body>Not found</body></html>",
		"a page cut": page[:len(page)-10], "a page cut in the middle": page[:len(page)/2], "text": "404: Not Found\n",
		"no order": header + ",TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,\n", "no line with an order": "הארנק,מטבע\nTH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,\n",
		"a row too long": header + "1/20,TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,,\n", "a row too short": header + "1/20,TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3\n",
		"a table without a known header": w + "name,account\nx,TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3\n", "another table of a page": strings.Replace(page, "</body>", "<table><tr><td>account</td></tr><tr><td>TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3</td></tr></table></body>", 1),
		"users alone": header + "1/20,35561732,\n", "not UTF-8": header + "1/20,\xff,\n",
		"too long": w + strings.Repeat("\n", 16<<20), "an open quote": w + "\"",
		"a row too long below an order":     "הארנק,מטבע\n1/20,\nTH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,,x\n",
		"an address in the table of orders": "סוג,תוקף\n1/20 TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,\n" + w,
	} {
		if _, _, err := parse(t, doc, now); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	full := errors.New("disk full")
	if _, err := nbctf.Parse(strings.NewReader(w), func(sources.Entry) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want that of add", err)
	}
}

// TestSource loads a page from a mirror, and a file.
func TestSource(t *testing.T) {
	page := asPage(t, orders, wallets)
	mirror := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			t.Error("the request has a condition: an order can end while the page stays the same")
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
	}))
	defer mirror.Close()
	src := nbctf.New(&nbctf.Options{URL: mirror.URL, Client: mirror.Client()})
	sourcetest.Run(t, func(*testing.T) sources.Source { return src })
	_, held, err := listtest.Load(t.Context(), src, sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	if again, rev, err := listtest.Load(t.Context(), src, held); !errors.Is(err, sources.ErrUnchanged) || again != nil || rev.Digest != held.Digest {
		t.Errorf("the same page: %d entries, %+v, %v, want ErrUnchanged", len(again), rev, err)
	}
	file := filepath.Join(t.TempDir(), "nbctf.csv")
	if err := os.WriteFile(file, []byte(listtest.ReadFile(t, wallets)+listtest.ReadFile(t, orders)), 0o600); err != nil {
		t.Fatal(err)
	}
	if longtest.Enabled() { // it is slow, and the conformance of File is tested in package sources
		sourcetest.Run(t, func(*testing.T) sources.Source { return sources.File(nbctf.New(nil).Info(), file, nbctf.Parse) })
	}
	if _, err := nbctf.New(nil).Load(t.Context(), sources.Revision{}, nil); err == nil || !strings.Contains(err.Error(), "import") {
		t.Errorf("without a URL: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("order,wallet_or_user,asset\n1/20,TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3,\n")
	f.Add(
		"<table><tr><td>סוג<td>תוקף<tr><td>1/20<td>1.1.2020</table><table><tr><th>הארנק<th>מטבע<tr><td>1/20<tr><td>TH96tFMn8KGiYSLiwcV3E2Uia" +
			"Jc8jmcbz3</table></html>",
	)
	f.Add("Order Number,Validity Date,Assets\n1/20,2020-01-01,\"Name: TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3\n\"\n")
	f.Fuzz(func(t *testing.T, doc string) {
		entries, rev, err := parse(t, doc, now)
		if err != nil {
			return
		}
		if len(accounts(entries)) == 0 && !slices.ContainsFunc(entries, func(e sources.Entry) bool { return !e.Until.IsZero() }) && rev.Records == 0 {
			t.Errorf("no wallet and no error")
		}
		for _, e := range entries {
			if e.Text() == "" || e.Ref == "" {
				t.Errorf("entry %+v", e)
			}
		}
		if _, err := nbctf.Parse(io.LimitReader(strings.NewReader(doc), 1<<20), func(sources.Entry) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}
