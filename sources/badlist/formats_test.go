package badlist_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// parseAs returns everything that Options.Parse yields.
func parseAs(f badlist.Options, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := f.Parse(r, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

const (
	tron1 = "TB5UPBTtXYwwmSviWBkQcFM64o6R1CDXUY" // named by Israel's NBCTF
	tron2 = "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3" // the same, and the UK
	sol   = "7XsTNWyhcVmDMXYLpfRSEfQtH1dRBfA9Ea8mLQ5gBnX9"
)

// A line has the fields of an entry that most tests compare: chain, listed
// string, asset, kind, ref and name.
func lines(entries []sources.Entry) []string {
	var all []string
	for _, e := range entries {
		chain := "-"
		if e.Address.IsValid() {
			chain = string(e.Address.Chain())
		}
		all = append(all, strings.Join([]string{chain, e.Listed, e.Asset, string(e.Kind), e.Ref, e.Name}, "|"))
	}
	return all
}

func TestFormats(t *testing.T) {
	scams := badlist.Options{Kind: score.Scam, Ref: "r"}
	tests := []struct {
		name   string
		format badlist.Options
		in     string
		want   []string
	}{
		{
			"array",
			badlist.Options{},
			`["` + lazarus + `", "` + genesis + `"]`,
			[]string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||", "bitcoin|" + genesis + "||COMMUNITY_REPORT||"},
		},
		{
			"array, all that can be said",
			badlist.Options{Kind: score.Scam, Ref: "r", Asset: "USDT"},
			`["` + lazarus + `"]`,
			[]string{"ethereum|" + lazarus + "|USDT|SCAM|r|"},
		},
		{
			"objects of members",
			badlist.Options{Info: sources.Info{ID: "X"}},
			`{"result":[{"address":"` + lazarus + `","family":"x"}],"more":[{"address":"` + genesis + `"}]}`,
			[]string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||x", "bitcoin|" + genesis + "||COMMUNITY_REPORT||"},
		},
		{
			"by address",
			badlist.Options{Info: sources.Info{ID: "X"}},
			`{"` + lazarus + `":{"comment":"fake","kind":"stolen_funds","ref":"r7"},"` + genesis + `":"a mixer"}`,
			[]string{"ethereum|" + lazarus + "||STOLEN_FUNDS|r7|fake", "bitcoin|" + genesis + "||MIXER||a mixer"},
		},
		{
			"by address, with another one",
			badlist.Options{Info: sources.Info{ID: "X"}},
			`{"` + lazarus + `":{"address":"` + genesis + `","comment":"fake"}}`,
			[]string{"bitcoin|" + genesis + "||SCAM||fake", "ethereum|" + lazarus + "||SCAM||fake"},
		},
		{
			"csv, kinds and references",
			badlist.Options{},
			"address,kind,comment,ref\n" + lazarus + ",PHISHING,fake,r1\n" + genesis + ",contract,fake,\n" + tron1 + ",COMMUNITY_REPORT,fake,\n",
			[]string{"ethereum|" + lazarus + "||PHISHING|r1|fake", "bitcoin|" + genesis + "||SCAM||fake", "tron|" + tron1 + "||COMMUNITY_REPORT||fake"},
		},
		{
			"no address in an array",
			badlist.Options{},
			`["x","` + lazarus + `"]`,
			[]string{"-|x||COMMUNITY_REPORT||", "ethereum|" + lazarus + "||COMMUNITY_REPORT||"},
		},

		{
			"by domain",
			badlist.Options{Kind: score.Phishing, Ref: "r"},
			`{"a.example":["` + lazarus + `","` + genesis + `"],"none.example":[],"b.example":["` + lazarus + `"]}`,
			[]string{
				"ethereum|" + lazarus + "||PHISHING|r|a.example",
				"bitcoin|" + genesis + "||PHISHING|r|a.example",
				"ethereum|" + lazarus + "||PHISHING|r|b.example",
			},
		},

		{
			"objects, other members",
			scams,
			`[{"address":"` + tron1 + `","network":"Tron","family":1.5,"title":1,"x":[{}]},{"address":"` + lazarus + `","network":null}]`,
			[]string{"tron|" + tron1 + "||SCAM|r|1.5", "ethereum|" + lazarus + "||SCAM|r|"},
		},
		{
			"two members for one column",
			badlist.Options{Info: sources.Info{ID: "X"}},
			`[{"blockchain":"","address":"` + lazarus + `","chain":"ETH","network":"bsc"}]`,
			[]string{"ethereum|" + lazarus + "|ETH|COMMUNITY_REPORT||"},
		},
		{
			"csv, a chain",
			badlist.Options{},
			"chain,address\nsolana," + sol + "\n,a\n",
			[]string{"solana|" + sol + "||COMMUNITY_REPORT||", "-|a||COMMUNITY_REPORT||"},
		},

		{
			"csv",
			badlist.Options{},
			"address,comment\n" + lazarus + ",fake\n" + genesis + ",\n",
			[]string{"ethereum|" + lazarus + "||SCAM||fake", "bitcoin|" + genesis + "||COMMUNITY_REPORT||"},
		},
		{
			"csv, swapped cells",
			badlist.Options{},
			"address,chain,comment\n" + genesis + ",BTC,\nETH," + lazarus + ",fake\nscam,tron," + tron1 + "\n",
			[]string{"bitcoin|" + genesis + "|BTC|COMMUNITY_REPORT||", "ethereum|" + lazarus + "|ETH|SCAM||fake", "tron|" + tron1 + "||SCAM||scam"},
		},
		{
			"csv, an address in a comment",
			badlist.Options{},
			"address,chain,comment\n" + lazarus[:41] + ",ETH," + tron1 + "\n" + genesis + ",,\n",
			[]string{"-|" + lazarus[:41] + "|ETH|COMMUNITY_REPORT||" + tron1, "bitcoin|" + genesis + "||COMMUNITY_REPORT||"},
		},
		{"csv of one column", badlist.Options{}, "Address\r\n" + lazarus + "\r\n\r\n", []string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||"}},
		{
			"csv, semicolons, quotes, a mark, empty lines",
			badlist.Options{},
			"\ufeff\n\"ADDRESS \";x\n\n\"" + lazarus + "\";\"a,\nb\"\n",
			[]string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||"},
		},
		{"csv, tabs", badlist.Options{}, "n\taddress\n1\t" + lazarus + "\n", []string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||"}},
		{"text, blanks for an end", badlist.Options{}, lazarus + "\n \t", []string{"ethereum|" + lazarus + "||COMMUNITY_REPORT||"}},
		{
			"text, an address behind #",
			badlist.Options{},
			"id;wallet\n#7;x\na #" + genesis + "\nNo#7;" + lazarus + "\n" + lazarus + "#" + genesis + "\n",
			[]string{"-|id;wallet||COMMUNITY_REPORT||", "bitcoin|" + genesis + "||COMMUNITY_REPORT||",
				"ethereum|" + lazarus + "||COMMUNITY_REPORT||", "ethereum|" + lazarus + "||COMMUNITY_REPORT||" + genesis},
		},
		{
			"text, an asset",
			badlist.Options{Asset: "BSV", Kind: score.Ransomware, Ref: "r"},
			genesis + " # fake\n",
			[]string{"bitcoin-sv|" + genesis + "|BSV|RANSOMWARE|r|fake"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, rev, err := parseAs(tt.format, strings.NewReader(tt.in))
			if got := lines(entries); err != nil || !slices.Equal(got, tt.want) {
				t.Fatalf("%q, error %v, want %q", got, err, tt.want)
			}
			if rev.Records != len(tt.want) {
				t.Errorf("%d records, want %d", rev.Records, len(tt.want))
			}
			again, revAgain, err := parseAs(tt.format, iotest.OneByteReader(strings.NewReader(tt.in)))
			if err != nil || revAgain != rev || !slices.Equal(again, entries) {
				t.Errorf("byte by byte: %+v, %+v, %v, want %+v, %+v", again, revAgain, err, entries, rev)
			}
			// A truncated JSON file is always refused, files in other formats
			// unless they are cut between two lines.
			text := strings.TrimSpace(tt.in)
			for n := 1; n < len(text); n++ {
				_, _, err := parseAs(tt.format, strings.NewReader(text[:n]))
				if between := text[0] != '{' && text[0] != '[' && text[n-1] == '\n'; err == nil && !between {
					t.Errorf("cut to %q: no error", text[:n])
				}
			}
		})
	}
}

// TestChain checks how the words that lists use for chains are read.
func TestChain(t *testing.T) {
	tests := []struct{ said, listed, want, asset string }{
		{"bitcoin", genesis, "bitcoin", ""},
		{"Bitcoin", genesis, "bitcoin", ""},
		{"BTC", genesis, "bitcoin", "BTC"},
		{"bitcoin cash", genesis, "bitcoin-cash", ""},
		{"ethereum", lazarus, "ethereum", ""},
		{"bsc", lazarus, "bsc", ""},
		{"Solana", sol, "solana", ""},
		{"SOL", sol, "solana", "SOL"},
		{"", sol, "-", ""},
		{"no such chain", sol, "-", "no such chain"},
		{"no such chain", tron1, "tron", "no such chain"},
		{"bitcoin", tron1, "tron", ""}, // a hint, never a gate
		{"BTC", lazarus, "ethereum", "BTC"},
		{"near", tron1[:20], "-", ""}, // capitals, so no name on NEAR either
	}
	format := badlist.Options{Info: sources.Info{ID: "X"}}
	for _, tt := range tests {
		in := `[{"address":"` + tt.listed + `","chain":"` + tt.said + `"},{"address":"` + lazarus + `"}]`
		entries, _, err := parseAs(format, strings.NewReader(in))
		if err != nil || len(entries) != 2 {
			t.Errorf("%q, %q: %+v, %v, want two entries", tt.said, tt.listed, entries, err)
			continue
		}
		if got, want := lines(entries)[0], tt.want+"|"+tt.listed+"|"+tt.asset+"|COMMUNITY_REPORT||"; got != want {
			t.Errorf("%q, %q: %s, want %s", tt.said, tt.listed, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	for said, want := range map[string]time.Time{
		"2018-11-06":                date(2018, 11, 6),
		" 2018-11-06 ":              date(2018, 11, 6),
		"11/6/18":                   date(2018, 11, 6),
		"2018-11-06T12:00:00.000Z":  date(2018, 11, 6).Add(12 * time.Hour),
		"2018-11-06T01:00:00+02:00": date(2018, 11, 5).Add(23 * time.Hour),
		"2018-11-06 12:00:00":       date(2018, 11, 6).Add(12 * time.Hour),
		"2018-11-06T12:00:00":       date(2018, 11, 6).Add(12 * time.Hour),
		"6.11.2018":                 {},
		"1541462400":                {},
		"":                          {},
	} {
		entries, _, err := parse(strings.NewReader("address,date\n" + lazarus + "," + said + "\n"))
		if err != nil || entries[0].ListedAt != want {
			t.Errorf("%q: %+v, %v, want %v", said, entries, err, want)
		}
	}
}

// TestWithin uses cells like those in the seizure orders of Israel's NBCTF: two
// addresses in one cell, notes, user ids of an exchange, and letters of another
// alphabet.
func TestWithin(t *testing.T) {
	const hex64 = "98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de"
	cyrillic := strings.NewReplacer("H", "Н", "c", "с").Replace(tron2)
	tests := []struct {
		name, cell string
		want       []string // chains and listed strings
	}{
		{"two", lazarus + ", " + tron1, []string{"ethereum " + lazarus, "tron " + tron1}},
		{"two, no blank", lazarus + ";" + tron1, []string{"ethereum " + lazarus, "tron " + tron1}},
		{"two, one without a checksum", tron1 + ";" + sol, []string{"tron " + tron1, "- " + sol}},
		{"two, one mistyped", lazarus + "\n" + tron1[:33] + "8 and " + tron2, []string{"ethereum " + lazarus, "- " + tron1[:33] + "8", "tron " + tron2}},
		{"a note", tron1 + " (Address tag 1051035076)", []string{"tron " + tron1}},
		{"a URL", "https://tronscan.example/#/address/" + tron1, []string{"tron " + tron1}},
		{
			"of a form",
			"Id: bfac42d5-d12a-44d1-b3e2-4ea258a7b882\nName: " + tron1 + "\n\n-------------\nId: 1d835d57-df62-4312-8821-5482d7109c70\nName: " + tron2 + "\n",
			[]string{"tron " + tron1, "tron " + tron2},
		},
		{"long", strings.Repeat("- ", 2000) + tron1, []string{"tron " + tron1}},
		{"64 hex digits beside", lazarus + ", " + hex64, []string{"ethereum " + lazarus, "- " + hex64}},
		{"an id of Arweave beside", "GRQ7swQO1AMyFgnuAPI7AvGQlW3lzuQuwlJb-pWV7xk / " + lazarus, []string{"- GRQ7swQO1AMyFgnuAPI7AvGQlW3lzuQuwlJb-pWV7xk", "ethereum " + lazarus}},
		{"a user id", "35561732", []string{"- 35561732"}},
		{"letters of another alphabet", cyrillic, []string{"tron " + cyrillic}},
		{"the same, with a note", "(" + cyrillic + ") №1", []string{"tron " + cyrillic}},
		{"the same, in hex", "0х" + strings.Replace(lazarus[2:], "a", "а", 1), []string{"ethereum 0х" + strings.Replace(lazarus[2:], "a", "а", 1)}},
		{"letters of another alphabet, and a wrong checksum", cyrillic[:len(cyrillic)-1] + "4", []string{"- " + cyrillic[:len(cyrillic)-1] + "4"}},
		{"what does not show", tron1[:9] + "\u200b\u00ad" + tron1[9:], []string{"tron " + tron1[:9] + "\u200b\u00ad" + tron1[9:]}},
		{"no address of any kind", "צ.ת 18/26", []string{"- צ.ת 18/26"}},
	}
	for _, tt := range tests {
		in := "address\n\"" + tt.cell + "\"\n" + genesis + "\n"
		entries, rev, err := parse(strings.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, e := range entries {
			chain := "-"
			if e.Address.IsValid() {
				chain = string(e.Address.Chain())
			}
			got = append(got, chain+" "+e.Listed)
		}
		if want := append(tt.want, "bitcoin "+genesis); !slices.Equal(got, want) || rev.Records != 2 {
			t.Errorf("%s: %q of %d records, want %q of 2", tt.name, got, rev.Records, want)
		}
	}
}

// TestIDBesideAddress lists an id that nothing proves, though an address stands in another column.
func TestIDBesideAddress(t *testing.T) {
	for _, id := range []string{"alice.near", "35561732"} {
		entries, rev, err := parse(strings.NewReader("address,comment\n" + id + "," + genesis + "\n"))
		if want := []string{"-|" + id + "||COMMUNITY_REPORT||" + genesis, "bitcoin|" + genesis + "||COMMUNITY_REPORT||" + id}; err != nil || rev.Records != 1 || !slices.Equal(lines(entries), want) {
			t.Errorf("%q of %d records, %v, want %q", lines(entries), rev.Records, err, want)
		}
	}
}

func TestFormatErrors(t *testing.T) {
	item := `{"address":"` + lazarus + `"}`
	tests := []struct {
		name   string
		format badlist.Options
		in     string
		want   string // in the error
		line   int64  // of the RecordError; 0: it names a byte
	}{
		{"an object after a string", badlist.Options{}, `["` + lazarus + `",` + item + `]`, "{", 0},
		{"a string after an object", badlist.Options{}, `[` + item + `,"` + lazarus + `"]`, "a string", 0},
		{"a blank string", badlist.Options{}, `["` + lazarus + `",""]`, "no address", 0},
		{"numbers", badlist.Options{}, `[1]`, "a number", 0},
		{"addresses that are false", badlist.Options{}, `{"` + lazarus + `":false}`, "a boolean, want an object or a text", 0},
		{"addresses with comments", badlist.Options{}, `{"` + lazarus + `":["fake"]}`, "[, want an object or a text", 0},
		{"arrays in an array", badlist.Options{}, `{"a.example":[[]]}`, "[, want an object or a text", 0},
		{"an address among domains", badlist.Options{}, `{"a.example":[],"` + lazarus + `":["x"]}`, "[, want an object or a text", 0},
		{"a domain without an array", badlist.Options{}, `{"a.example":"` + lazarus + `"}`, "want an array", 0},
		{"an error", badlist.Options{}, `{"error":"` + lazarus + `"}`, "want an array", 0},
		{"more behind the object", badlist.Options{}, `{"list":["` + lazarus + `"]}]`, "after the list", 0},
		{"an address twice", badlist.Options{}, `[{"address":"` + lazarus + `","address":"` + genesis + `"}]`, "twice", 0},

		{"csv: a row with less", badlist.Options{}, "address,comment\n" + lazarus + ",\n" + lazarus + "\n", "1 columns", 3},
		{"csv: a row with more", badlist.Options{}, "address,comment\n" + lazarus + ",a,b\n", "3 columns", 2},
		{"csv: no address", badlist.Options{}, "\n\naddress,comment\n" + lazarus + ",\n,x\n", "no address", 5},
		{"csv: a row in a quote", badlist.Options{}, "address,comment\n" + lazarus + ",\"\n- " + genesis + ",\"\n", "out of place", 2},
		{"csv: a row in a quote, from its address on", badlist.Options{}, "comment,address\n\"," + lazarus + "\n\"," + genesis + "\n", "out of place", 2},
		{"csv: a row behind another break", badlist.Options{}, "address,comment\n" + lazarus + ",\"a\u2028" + genesis + ",\"\n", "out of place", 2},
		{"csv: a row in the header", badlist.Options{}, "address,comment\u2028" + lazarus + ",x\n" + genesis + ",x,y\n", "in the header", 1},
		{"csv: not UTF-8", badlist.Options{}, "address\n" + lazarus + "\n\xff\n", "UTF-8", 3},
		{"csv: quotes", badlist.Options{}, "address\n" + lazarus + "\n\"" + lazarus + "\n", "EOF", 3},
	}
	for _, tt := range tests {
		_, rev, err := parseAs(tt.format, strings.NewReader(tt.in))
		var place *sources.RecordError
		if !errors.As(err, &place) || place.Line != tt.line || !strings.Contains(err.Error(), tt.want) || !rev.IsZero() {
			t.Errorf("%s: %+v, error %v, want one with %q at line %d", tt.name, rev, err, tt.want, tt.line)
		}
	}
	fails := io.MultiReader(strings.NewReader("address\n"+lazarus+"\n"), iotest.ErrReader(os.ErrDeadlineExceeded))
	if _, _, err := parse(fails); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("csv: error %v, want that of the reader", err)
	}
	// An error that a reader returns only once must not be lost.
	for _, in := range []string{lazarus + "\n", "#\n", ""} {
		if _, _, err := parse(&failsOnce{r: strings.NewReader(in)}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q and an error told once: %v, want it", in, err)
		}
	}
}

// A failsOnce returns an error at the end of r, and then io.EOF.
type failsOnce struct {
	r      io.Reader
	failed bool
}

func (f *failsOnce) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if err == io.EOF && !f.failed {
		f.failed, err = true, os.ErrDeadlineExceeded
	}
	return n, err
}

// TestRansomwhere reads a document with the structure of the export.
func TestRansomwhere(t *testing.T) {
	data := readFile(t, "testdata/ransomwhere_export.json")
	entries, rev, err := parseAs(*badlist.Ransomwhere(), strings.NewReader(data))
	if err != nil || len(entries) != 50 || rev.Records != 50 {
		t.Fatalf("%d entries, %+v, %v, want 50", len(entries), rev, err)
	}
	want := sources.Entry{
		Address: address.MustParse("bitcoin", "115p7UMMngoj1pMvkpHijcRdfJNXj6LrLn"), Listed: "115p7UMMngoj1pMvkpHijcRdfJNXj6LrLn",
		Kind: score.Ransomware, Name: "WannaCry", ListedAt: date(2022, 2, 15),
	}
	if !slices.Contains(entries, want) {
		t.Errorf("there is no entry %+v", want)
	}
	for _, e := range entries {
		if e.Address.Chain() != "bitcoin" || e.Kind != score.Ransomware || e.Name == "" {
			t.Errorf("entry %+v: want one of bitcoin, of a family", e)
		}
	}
	for n := 0; n < len(strings.TrimSpace(data)); n += longtest.Step(211, 11) {
		if _, _, err := parseAs(*badlist.Ransomwhere(), strings.NewReader(data[:n])); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

// TestCrossCheck reads lists that other projects derive from OFAC's, one file
// for each ticker.
func TestCrossCheck(t *testing.T) {
	for ticker, want := range map[string]map[address.Chain]int{
		"USDT": {"ethereum": 8, "bitcoin": 7, "tron": 11},
		"BCH":  {"bitcoin-cash": 7},
	} {
		data := readFile(t, "testdata/sanctioned_addresses_"+ticker+".txt")
		entries, _, err := parseAs(badlist.Options{Asset: ticker}, strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		got := map[address.Chain]int{}
		for _, e := range entries {
			got[e.Address.Chain()]++
			if e.Asset != ticker || e.Kind != score.CommunityReport {
				t.Errorf("entry %+v: want a report of %s", e, ticker)
			}
		}
		for _, c := range address.Chains() {
			if got[c] != want[c] {
				t.Errorf("%s: %d addresses of %s, want %d", ticker, got[c], c, want[c])
			}
		}
	}
}

// TestLists checks the options for the lists of other projects: which URLs they
// request, and that their sources conform.
func TestLists(t *testing.T) {
	three := `["` + lazarus + `","0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b","0x7F367cC41522cE07553e823bf3be79A889DEbe1B"]`
	for _, tt := range []struct {
		options   func() *badlist.Options
		id, url   string
		body      string
		kind      score.Kind
		ref, name string // of the first entry
	}{
		{badlist.ScamSniffer, "SCAMSNIFFER", "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/address.json", three, score.Scam,
			"address.json", ""},
		{badlist.ScamSnifferDomains, "SCAMSNIFFER_DOMAINS", "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/combined.json",
			`{"a.example":` + three + "}", score.Phishing, "combined.json", "a.example"},
		{badlist.Ransomwhere, "RANSOMWHERE", "https://api.ransomwhe.re/export", readFile(t, "testdata/ransomwhere_export.json"), score.Ransomware, "",
			"Netwalker (Mailto)"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			opts := tt.options()
			if opts.URL != tt.url || opts.Info.ID != tt.id || opts.Info.Jurisdiction != sources.Community || opts.Info.Licence == "" ||
				opts.Info.Attribution == "" {
				t.Errorf("options %+v, want those of %s, with a licence and an attribution", opts, tt.url)
			}
			served := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, tt.body) })
			opts.URL, opts.Client = served.URL, served.Client
			sourcetest.Run(t, func(*testing.T) sources.Source { return badlist.New(opts) })
			entries, _, err := listtest.Load(t.Context(), badlist.New(opts), sources.Revision{})
			if err != nil {
				t.Fatal(err)
			}
			if e := entries[0]; e.Kind != tt.kind || e.Ref != tt.ref || e.Name != tt.name {
				t.Errorf("the first entry is %+v, want %s, %q, %q", e, tt.kind, tt.ref, tt.name)
			}
		})
	}
}

func FuzzFormat(f *testing.F) {
	f.Add(`{"list":[{"address":"`+lazarus+`","network":"bsc","kind":"scam","date":"2020-01-01"}]}`, "BTC")
	f.Add(`{"a.example":["`+lazarus+`"]}`, "")
	f.Add(`{"`+lazarus+`":["fake"],"`+genesis+`":{"comment":"x"}}`, "")
	f.Add("address;chain\n\""+lazarus+", "+tron1+"\";TRX\n", "")
	f.Add("address\tcomment\n"+tron1[:9]+"\u200b"+tron1[9:]+"\tx\nТ\tx\n", "ETH")
	f.Fuzz(func(t *testing.T, in, asset string) {
		entries, rev, err := parseAs(badlist.Options{Asset: asset}, strings.NewReader(in))
		if err != nil {
			return
		}
		if rev.Records == 0 || len(entries) < rev.Records {
			t.Fatalf("%d records, %d entries", rev.Records, len(entries))
		}
		for _, e := range entries {
			if sources.TrimListed(e.Listed) == "" {
				t.Errorf("an entry lists nothing: %+v", e)
			}
			if a, ok := sources.Decode(e.Asset, e.Listed); ok && !e.Address.IsValid() {
				t.Errorf("%+v: no address, want %v", e, a)
			}
			if a, err := address.Normalize(e.Address.Chain(), sources.TrimListed(e.Listed)); err == nil && a.Account() != e.Address.Account() {
				t.Errorf("%+v: Listed is %v", e, a)
			}
		}
	})
}

// TestCarriageReturn finds both addresses of a cell of CSV in which a carriage return stands, as some
// programs end lines, and none is taken for a comment.
func TestCarriageReturn(t *testing.T) {
	const other = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	var got []string
	_, err := badlist.Parse(strings.NewReader("address\n"+lazarus+"\r"+other+"\n"), func(e sources.Entry) error {
		got = append(got, e.Listed)
		return nil
	})
	if err != nil || !slices.Equal(got, []string{lazarus, other}) {
		t.Errorf("%q, %v, want both addresses", got, err)
	}
	if _, err := badlist.Parse(strings.NewReader("address,comment\n"+lazarus+",a\n#a\r"+other+",b\n"), func(sources.Entry) error { return nil }); err == nil {
		t.Error("an address in the line of a comment: no error")
	}
}
