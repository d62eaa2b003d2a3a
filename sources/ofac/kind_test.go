package ofac_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// The consolidated list, in its published formats, with two wallets of one
// holder. No real edition with wallets is known.
var (
	// One party is also on the SDN List, and the other is on two lists that the
	// file consolidates.
	consAdvanced = strings.NewReplacer(
		`<SanctionsEntry ProfileID="11" ListID="1"><EntryEvent><Date><Year>1999</Year><Month>1</Month><Day>1</Day></Date></EntryEvent></SanctionsEntry>`,
		`<SanctionsEntry ProfileID="11" ListID="1"><EntryEvent><Date><Year>2014</Year><Month>7</Month><Day>16</Day></Date></EntryEvent></SanctionsEntry>
    <SanctionsEntry ProfileID="11" ListID="3"><EntryEvent><Date><Year>2014</Year><Month>7</Month><Day>15</Day></Date></EntryEvent></SanctionsEntry>
    <SanctionsEntry ProfileID="7" ListID="1"><EntryEvent><Date><Year>2014</Year><Month>7</Month><Day>16</Day></Date></EntryEvent></SanctionsEntry>`,
		`<List ID="2">SDN List</List>`, `<List ID="2">SDN List</List><List ID="3">Sectoral Sanctions Identifications List</List>`,
		`<VersionDetail>nor this</VersionDetail>`, ``,
	).Replace(smallAdvanced)
	consXML = strings.NewReplacer(
		`<n:uid>12</n:uid><n:lastName>OTHER</n:lastName>`,
		`<n:uid>12</n:uid><n:lastName>OTHER</n:lastName><n:programList><n:program>NS-PLC</n:program></n:programList>`,
		`<n:lastName>LAST</n:lastName>`,
		`<n:lastName>LAST</n:lastName><n:programList><n:program>UKRAINE-EO13662</n:program><n:program>SDGT</n:program></n:programList>`,
	).Replace(smallXML)
)

const (
	consCSV = `11,"LAST, First","individual","UKRAINE-EO13662] [SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,` +
		`"Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h; alt. Digital Currency Address - NEW1 address."` + "\r\n" +
		`12,"OTHER",-0- ,"CMIC-EO13959",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ` + "\r\n\x1a"
)

func csvParser(parse func(_, _ io.Reader, _ func(sources.Entry) error) (sources.Revision, error)) listtest.Parser {
	return func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) { return parse(r, nil, add) }
}

func TestParseConsolidated(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		parse     listtest.Parser
		want      []string
	}{
		{"cons_advanced.xml", consAdvanced, ofac.ParseConsolidated, []string{
			"XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t11\t2014-07-15\tLAST First & Second",
			"NEW1\tno address\t-\t11\t2014-07-15\tLAST First & Second",
		}},
		{"consolidated.xml", consXML, ofac.ParseConsolidated, []string{
			"XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t11\t-\tFirst LAST",
			"NEW1\tno address\t-\t11\t-\tFirst LAST",
		}},
	} {
		for name, doc := range map[string]string{"": tt.doc, ", without wallets": strings.NewReplacer("Digital Currency Address", "Virtual Wallet", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "no address").Replace(tt.doc)} {
			entries, rev, err := listtest.Parse(t, tt.parse, strings.NewReader(doc))
			got, want := listtest.Rows(entries), tt.want
			if name != "" {
				want = nil
			}
			if err != nil || rev.Records != 2 || !slices.Equal(got, want) {
				t.Errorf("%s%s: %+v, %v\n%s\nwant 2 records, and\n%s", tt.name, name, rev, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for n := 0; n < len(doc)-3; n += longtest.Step(7, 1) {
				if rev, err := tt.parse(strings.NewReader(doc[:n]), func(sources.Entry) error { return nil }); err == nil && (n == 0 || doc[n-1] != '\n') {
					t.Fatalf("%s%s, %d of %d bytes: %+v, want an error", tt.name, name, n, len(doc), rev)
				}
			}
		}
	}
}

// TestWrongList passes each parser the other list.
func TestWrongList(t *testing.T) {
	longtest.WithoutRace(t)
	read := func(name string) string { return string(readFile(t, name)) }
	for _, tt := range []struct {
		name, doc string
		parse     listtest.Parser
	}{
		{"consolidated in sdn_advanced.xml", consAdvanced, ofac.Parse},
		{"consolidated in sdn.xml", consXML, ofac.Parse},
		{"consolidated in sdn.csv", consCSV, csvParser(ofac.ParseCSV)},
		{"SDN in cons_advanced.xml", read("sdn_advanced_excerpt_2025-03-21.xml.gz"), ofac.ParseConsolidated},
		{"SDN in consolidated.xml", string(recount(readFile(t, "sdn_excerpt_2020-04-22.xml"))), ofac.ParseConsolidated},
	} {
		_, err := tt.parse(strings.NewReader(tt.doc), func(sources.Entry) error { t.Error(tt.name, "adds an entry"); return nil })
		if err == nil || !strings.Contains(err.Error(), "not the ") && !strings.Contains(err.Error(), "no entry is on the ") {
			t.Errorf("%s: error %v, want one that says that it is the wrong list", tt.name, err)
		}
	}
}

func TestConsolidatedSource(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/CONS_ADVANCED.XML":
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(consAdvanced))
		case "/CONS_PRIM.CSV":
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(consCSV))
		case "/SDN_ADVANCED.XML":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(readFile(t, "sdn_advanced_excerpt_2025-03-21.xml.gz")))
		}
	}))
	defer server.Close()
	opts := &ofac.Options{URL: server.URL + "/CONS_ADVANCED.XML", Client: server.Client()}
	sourcetest.Run(t, func(*testing.T) sources.Source { return ofac.NewConsolidated(opts) })
	if info := ofac.NewConsolidated(nil).Info(); info.ID != "OFAC_CONSOLIDATED" || info == ofac.New(nil).Info() {
		t.Errorf("Info = %+v, want OFAC_CONSOLIDATED", info)
	}
	for name, src := range map[string]sources.Source{
		"New of cons_advanced.xml":            ofac.New(opts),
		"New of cons_prim.csv":                ofac.New(&ofac.Options{URL: server.URL + "/CONS_PRIM.CSV", Client: server.Client()}),
		"NewConsolidated of sdn_advanced.xml": ofac.NewConsolidated(&ofac.Options{URL: server.URL + "/SDN_ADVANCED.XML", Client: server.Client()}),
	} {
		if entries, rev, err := listtest.Load(t.Context(), src, sources.Revision{}); err == nil || entries != nil || !rev.IsZero() {
			t.Errorf("%s: %d entries, %+v, %v, want an error", name, len(entries), rev, err)
		}
	}
}
