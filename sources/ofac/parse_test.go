package ofac_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// readFile returns a file of testdata, uncompressed.
func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b := []byte(listtest.ReadFile(t, name))
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err == nil {
			b, err = io.ReadAll(z)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// recount sets Record_Count of a shortened sdn.xml to its number of records.
func recount(doc []byte) []byte {
	n := fmt.Sprintf("<Record_Count>%d<", bytes.Count(doc, []byte("<sdnEntry>")))
	return regexp.MustCompile("<Record_Count>[0-9]+<").ReplaceAll(doc, []byte(n))
}

// parse returns the entries that Parse adds.
func parse(t testing.TB, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	return listtest.Parse(t, ofac.Parse, r)
}

func TestParse(t *testing.T) {
	march := listtest.ReadRows(t, "sdn_advanced_excerpt_2025-03-04.tsv")
	withoutTornado := slices.DeleteFunc(slices.Clone(march), func(r string) bool { return strings.Contains(r, "\tTORNADO CASH") })
	for _, tt := range []struct {
		file, published string
		records         int
		want            []string
	}{
		{"sdn_advanced_excerpt_2025-03-04.xml.gz", "2025-03-04", 86, march},
		{"sdn_advanced_excerpt_2025-03-21.xml.gz", "2025-03-21", 85, withoutTornado},
		{"sdn_excerpt_2026-09-23.xml", "2026-09-23", 10, listtest.ReadRows(t, "sdn_excerpt_2026-09-23.tsv")},
	} {
		t.Run(tt.file, func(t *testing.T) {
			doc := recount(readFile(t, tt.file))
			entries, rev, err := parse(t, bytes.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(doc)
			published, _ := time.Parse(time.DateOnly, tt.published)
			if want := (sources.Revision{Digest: hex.EncodeToString(sum[:]), Published: published, Records: tt.records}); rev != want {
				t.Errorf("revision %+v, want %+v", rev, want)
			}
			if got := listtest.Rows(entries); !slices.Equal(got, tt.want) {
				t.Errorf("%d entries, want %d:\n%s\nwant\n%s", len(got), len(tt.want), strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			// The result does not depend on the sizes of reads or on the
			// namespace.
			for name, r := range map[string]io.Reader{
				"in halves":      iotest.HalfReader(bytes.NewReader(doc)),
				"data with EOF":  iotest.DataErrReader(bytes.NewReader(doc)),
				"old namespaces": bytes.NewReader(oldNamespaces(doc)),
			} {
				again, _, err := parse(t, r)
				if err != nil || !slices.Equal(again, entries) {
					t.Errorf("%s: other entries, or %v", name, err)
				}
			}
		})
	}
}

// oldNamespaces returns doc with the namespaces of OFAC's files up to May 2024.
func oldNamespaces(doc []byte) []byte {
	const base = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/"
	doc = bytes.ReplaceAll(doc, []byte(base+"ADVANCED_XML"), []byte("http://www.un.org/sanctions/1.0"))
	return bytes.ReplaceAll(doc, []byte(base+"XML"), []byte("http://tempuri.org/sdnList.xsd"))
}

// A real file in the old namespace, which names no wallet, so the test inserts
// one.
func TestParseOldNamespace(t *testing.T) {
	doc := recount(readFile(t, "sdn_excerpt_2020-04-22.xml"))
	if !bytes.Contains(doc, []byte("http://tempuri.org/sdnList.xsd")) {
		t.Fatal("the file is not in the old namespace")
	}
	if _, _, err := parse(t, bytes.NewReader(doc)); err == nil || !strings.Contains(err.Error(), "no wallet") {
		t.Errorf("a list without wallets: error %v, want no wallet", err)
	}
	doc = bytes.Replace(doc, []byte("<idType>Passport</idType>\n        <idNumber>Booklet A5250088<"),
		[]byte("<idType>Digital Currency Address - XBT</idType>\n        <idNumber>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h<"), 1)
	entries, rev, err := parse(t, bytes.NewReader(doc))
	want := "XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t10689\t-\tMuhammad SAEED"
	if len(entries) != 1 || listtest.Rows(entries)[0] != want || rev.Records != 8 || err != nil {
		t.Errorf("Parse = %v, %+v, %v, want %s", entries, rev, err, want)
	}
}

// A truncated file that claims to be whole is refused.
func TestRecordCount(t *testing.T) {
	for _, name := range []string{"sdn_excerpt_2026-09-23.xml", "sdn_excerpt_2020-04-22.xml"} {
		_, _, err := parse(t, bytes.NewReader(readFile(t, name)))
		if err == nil || !strings.Contains(err.Error(), "Record_Count") {
			t.Errorf("%s: error %v, want one about Record_Count", name, err)
		}
	}
}

const smallAdvanced = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<Sanctions xmlns="https://example.com/any">
  <DateOfIssue CalendarTypeID="1"><Year>2025</Year><Month>3</Month><Day>21</Day></DateOfIssue>
  <ReferenceValueSets>
    <FeatureTypeValues>
      <FeatureType ID="8">Birthdate</FeatureType>
      <FeatureType ID="344">Digital Currency Address - XBT</FeatureType>
      <FeatureType ID="9999">Digital Currency Address - NEW1</FeatureType>
    </FeatureTypeValues>
    <ListValues><List ID="1">Consolidated List</List><List ID="2">SDN List</List></ListValues>
  </ReferenceValueSets>
  <DistinctParties>
    <DistinctParty FixedRef="7"><Profile ID="7"><Feature FeatureTypeID="8"/></Profile></DistinctParty>
    <DistinctParty FixedRef="11"><Profile ID="11">
      <Identity Primary="false"><Alias Primary="true">
        <DocumentedName><DocumentedNamePart><NamePartValue>not me</NamePartValue></DocumentedNamePart></DocumentedName></Alias></Identity>
      <Identity Primary="true">
        <Alias Primary="false"><DocumentedName><DocumentedNamePart><NamePartValue>nor me</NamePartValue></DocumentedNamePart></DocumentedName></Alias>
        <Alias Primary="true">
          <DocumentedName><DocumentedNamePart><NamePartValue>LAST</NamePartValue></DocumentedNamePart>
            <DocumentedNamePart><NamePartValue>First &amp; Second</NamePartValue></DocumentedNamePart></DocumentedName>
          <DocumentedName><DocumentedNamePart><NamePartValue>Латиница</NamePartValue></DocumentedNamePart></DocumentedName>
        </Alias>
      </Identity>
      <Feature FeatureTypeID="344"><FeatureVersion><Comment/><VersionDetail> 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h
</VersionDetail></FeatureVersion></Feature>
      <Feature FeatureTypeID="9999"><FeatureVersion><VersionDetail>no address</VersionDetail><VersionDetail>nor this</VersionDetail></FeatureVersion></Feature>
    </Profile></DistinctParty>
  </DistinctParties>
  <SanctionsEntries>
    <SanctionsEntry ProfileID="11" ListID="1"><EntryEvent><Date><Year>1999</Year><Month>1</Month><Day>1</Day></Date></EntryEvent></SanctionsEntry>
    <SanctionsEntry ProfileID="11" ListID="2">
      <EntryEvent><Comment/><Date><Year>2020</Year><Month>2</Month><Day>29</Day></Date></EntryEvent>
      <EntryEvent><Date><Year>2019</Year><Month>8</Month><Day>21</Day></Date></EntryEvent>
    </SanctionsEntry>
  </SanctionsEntries>
</Sanctions>
`

const smallXML = `<?xml version="1.0" standalone="yes"?>
<n:sdnList xmlns:n="https://example.com/any">
  <n:publshInformation><n:Publish_Date>09/23/2026</n:Publish_Date><n:Record_Count>2</n:Record_Count></n:publshInformation>
  <n:sdnEntry><n:uid>11</n:uid><n:firstName>First</n:firstName><n:lastName>LAST</n:lastName>
    <n:idList>
      <n:id><n:uid>1</n:uid><n:idType>Digital Currency Address - XBT</n:idType><n:idNumber>` + "\u00a0\u200b" +
	`12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h </n:idNumber></n:id>
      <n:id><n:uid>2</n:uid><n:idType>Passport</n:idType><n:idNumber>12345</n:idNumber></n:id>
      <n:id><n:idNumber>no address</n:idNumber><n:idType>Digital Currency Address - NEW1</n:idType></n:id>
    </n:idList>
  </n:sdnEntry>
  <n:sdnEntry><n:uid>12</n:uid><n:lastName>OTHER</n:lastName></n:sdnEntry>
</n:sdnList>
`

func TestParseSmall(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		want      []string
	}{
		{"sdn_advanced.xml", smallAdvanced, []string{
			"XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t11\t2019-08-21\tLAST First & Second",
			"NEW1\tno address\t-\t11\t2019-08-21\tLAST First & Second",
			"NEW1\tnor this\t-\t11\t2019-08-21\tLAST First & Second",
		}},
		{"sdn.xml", smallXML, []string{
			"XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t11\t-\tFirst LAST",
			"NEW1\tno address\t-\t11\t-\tFirst LAST",
		}},
	} {
		entries, rev, err := parse(t, strings.NewReader(tt.doc))
		got := listtest.Rows(entries)
		if !slices.Equal(got, tt.want) || rev.Records != 2 || err != nil {
			t.Errorf("%s: Parse:\n%s\n%+v, %v, want:\n%s", tt.name, strings.Join(got, "\n"), rev, err, strings.Join(tt.want, "\n"))
		}
	}
}

// A mistyped date of listing does not count.
func TestMistypedDate(t *testing.T) {
	for text, day := range map[string]string{"": "2019-08-21", "32": "2020-02-29", "x": "2020-02-29"} {
		entries, _, err := parse(t, strings.NewReader(strings.Replace(smallAdvanced, "<Day>21</Day></Date></EntryEvent>", "<Day>"+cmp.Or(text, "21")+"</Day></Date></EntryEvent>", 1)))
		if err != nil || len(entries) != 3 || entries[0].EntityListedAt.Format(time.DateOnly) != day {
			t.Errorf("day %q: %+v, %v, want 3 entries of %s", text, entries, err, day)
		}
	}
}

// Addresses are found wherever OFAC has them in a record, and refused elsewhere.
func TestParseElsewhere(t *testing.T) {
	const address = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
	for _, tt := range []struct{ name, doc, old, new, want string }{
		{"remarks", smallXML, "OTHER</n:lastName>", "OTHER</n:lastName><n:remarks>USDT: " + address + ".</n:remarks>", "USDT\t" + address + "\ttron\t12\t-\tOTHER"},
		{"remarks with a letter of another alphabet", smallXML, "OTHER</n:lastName>", "OTHER</n:lastName><n:remarks>\u0422" + address[1:] + ".</n:remarks>",
			"\t\u0422" + address[1:] + "\t-\t12\t-\tOTHER"},
		{"attribute", smallXML, "<n:lastName>OTHER", `<n:lastName wallet="` + address + `">OTHER`, "\t" + address + "\ttron\t12\t-\tOTHER"},
		{"renamed", smallXML, "n:idList", "n:list", "XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t11\t-\tFirst LAST"},
		{"another type", smallXML, "12345", address, ""},
		{"another record", smallXML, "</n:sdnEntry>\n</", "</n:sdnEntry><n:new><n:id>" + address + "</n:id></n:new>\n</", ""},
		{"comment", smallAdvanced, "<Comment/>", "<Comment>also " + address + "</Comment>", "\t" + address + "\ttron\t11\t2019-08-21\tLAST First & Second"},
		{"beside the profile", smallAdvanced, `<Profile ID="11">`, address + `<Profile ID="11">`, "\t" + address + "\ttron\t11\t2019-08-21\tLAST First & Second"},
		{"another feature", smallAdvanced, "Digital Currency Address - XBT", "Wallet", ""},
		{"another section", smallAdvanced, "<DistinctParties>", "<Wallets><Wallet>" + address + "</Wallet></Wallets><DistinctParties>", ""},
	} {
		entries, _, err := parse(t, strings.NewReader(strings.ReplaceAll(tt.doc, tt.old, tt.new)))
		if found := slices.Contains(listtest.Rows(entries), tt.want); found != (tt.want != "") || (err == nil) != found {
			t.Errorf("%s: %q, %v, want %q", tt.name, listtest.Rows(entries), err, tt.want)
		}
	}
}

// Wallets are found whatever spelling OFAC uses for their kind.
func TestTicker(t *testing.T) {
	for kind, want := range map[string]string{
		"Digital Currency Address - XBT":        "XBT",
		" digital currency address - xbt ":      "xbt",
		"Digital Currency Address – USDT":       "USDT",
		"Digital Currency Address: A.B-1":       "A.B-1",
		"Digital Currency Address":              "",
		"Digital Currency Adress - XBT":         "XBT",
		"Virtual currency address-xbt":          "xbt",
		"DigitalCurrency Address":               "",
		"Digital&#32;Currency Address -&#160;Z": "Z",
	} {
		doc := strings.Replace(smallXML, "Digital Currency Address - XBT", kind, 1)
		entries, _, err := parse(t, strings.NewReader(doc))
		if len(entries) != 2 || entries[0].Asset != want || err != nil {
			t.Errorf("idType %q: %+v, %v, want 2 entries, the first with the ticker %q", kind, entries, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	advanced, simple := "Sanctions", "sdnList"
	for _, tt := range []struct {
		name, base, old, new string
		want                 string // in the error
	}{
		{"nothing", simple, smallXML, "", "unexpected EOF"},
		{"blanks", simple, smallXML, " \n", "unexpected EOF"},
		{"HTML", simple, smallXML, "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><br></body></html>", "document type"},
		{"XHTML", simple, smallXML, "<html></html>", "<html>"},
		{"error of S3", simple, smallXML, `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>NoSuchKey</Code></Error>", "<Error>"},
		{"CSV", simple, smallXML, `36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA"`, "not XML"},
		{"gzip", simple, smallXML, "\x1f\x8b\x08", "illegal"},
		{"garbage behind the end", simple, "</n:sdnList>\n", "</n:sdnList>\nx", "text outside"},
		{"two lists", simple, "</n:sdnList>\n", "</n:sdnList>\n<n:sdnList/>", "second root"},
		{"NULs behind the end", simple, "</n:sdnList>\n", "</n:sdnList>\n\x00\x00", "illegal"},

		{"no records", simple, smallXML, "<sdnList><publshInformation><Publish_Date>09/23/2026</Publish_Date>" +
			"<Record_Count>0</Record_Count></publshInformation></sdnList>", "no records"},
		{"too few records", simple, "<n:Record_Count>2<", "<n:Record_Count>3<", "Record_Count"},
		{"too many records", simple, "<n:Record_Count>2<", "<n:Record_Count>1<", "Record_Count"},
		{"no count", simple, "<n:Record_Count>2</n:Record_Count>", "", "Record_Count"},
		{"count of no number", simple, "<n:Record_Count>2<", "<n:Record_Count>two<", "Record_Count"},
		{"no date", simple, "<n:Publish_Date>09/23/2026</n:Publish_Date>", "", "no date"},
		{"date of another form", simple, "09/23/2026", "23/09/2026", "no date"},
		{"no uid", simple, "<n:uid>12</n:uid>", "", "uid"},
		{"empty address", simple, "no address", " \u200b ", "no text"},
		{"no address", simple, "<n:idNumber>no address</n:idNumber>", "", "no text"},
		{"address with markup", simple, "no address", "no <b>address</b>", "only text"},
		{"two numbers of one id", simple, "no address</n:idNumber>", "no address</n:idNumber><n:idNumber>x</n:idNumber>", "two <idNumber>"},
		{"another label", simple, "Digital Currency Address", "Virtual Wallet", "not known"},

		{"no parties", advanced, "DistinctParties", "Others", "not known"},
		{"no list", advanced, ">SDN List<", ">SSI List<", "no entry"},
		{"another list", advanced, `ListID="2"`, `ListID="3"`, "no entry"},
		{"holder without an entry", advanced, `ProfileID="11" ListID="2"`, `ProfileID="7" ListID="2"`, "record \"11\""},
		{"entry without a party", advanced, `ProfileID="11" ListID="1"`, `ProfileID="8" ListID="2"`, "record \"8\": an entry of the SDN List without its party"},
		{"no date of issue", advanced, "DateOfIssue", "DateOfNothing", "no date"},
		{"no such date", advanced, "<Day>21</Day></DateOfIssue>", "<Day>32</Day></DateOfIssue>", "date"},
		{"feature of an unknown type", advanced, `FeatureTypeID="8"`, `FeatureTypeID="10"`, "type"},
		{"feature without a type", advanced, `<Feature FeatureTypeID="8"/>`, `<Feature/>`, "type"},
		{"type without an id", advanced, `<FeatureType ID="8">`, `<FeatureType>`, "not in the document"},
		{"party without an id", advanced, `<Profile ID="7">`, `<Profile>`, "without ID"},
		{"same party twice", advanced, `<Profile ID="7"><Feature FeatureTypeID="8"/>`,
			`<Profile ID="11"><Feature FeatureTypeID="344"><FeatureVersion><VersionDetail>x</VersionDetail></FeatureVersion></Feature>`, "before"},
		{"empty address", advanced, "nor this", "", "no text"},
		{"no address", advanced, "VersionDetail", "VersionOther", "VersionDetail"},
		{"another label", advanced, "Digital Currency Address", "Virtual Wallet", "not known"},
		{"parties before the tables", advanced, "ReferenceValueSets", "LaterValueSets", "type"},
	} {
		t.Run(tt.base+" "+tt.name, func(t *testing.T) {
			doc := smallAdvanced
			if tt.base == simple {
				doc = smallXML
			}
			listtest.Refused(t, ofac.Parse, doc, tt.old, tt.new, tt.want)
		})
	}
}

// large is a reader of a document like the real sdn_advanced.xml, mostly
// parties without wallets. It has about the given size.
func large(t testing.TB, size int) io.Reader {
	t.Helper()
	doc := readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz")
	from := bytes.Index(doc, []byte("    <DistinctParty "))
	to := bytes.Index(doc, []byte("  </DistinctParties>"))
	wallet := regexp.MustCompile(`FeatureTypeID="(344|345|444|566|68[679]|688|706|726|746|887|907|992|998|1007|1008)"`)
	var others []byte
	for _, party := range bytes.SplitAfter(doc[from:to], []byte("</DistinctParty>")) {
		if !wallet.Match(party) {
			others = append(others, party...)
		}
	}
	if len(others) < 50_000 {
		t.Fatalf("%d bytes of parties without a wallet, want more", len(others))
	}
	parts := []io.Reader{bytes.NewReader(doc[:to])}
	for n := len(doc); n < size; n += len(others) {
		parts = append(parts, bytes.NewReader(others))
	}
	return io.MultiReader(append(parts, bytes.NewReader(doc[to:]))...)
}

// slowParse is a reference for Parse of a valid sdn_advanced.xml, which uses
// encoding/xml.
func slowParse(r io.Reader, add func(sources.Entry) error) error {
	type date struct{ Year, Month, Day int }
	d := xml.NewDecoder(r)
	types := make(map[string]string)
	var lists []string
	type held struct {
		entries []sources.Entry
	}
	var holders []*held
	byID := make(map[string]*held)
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "FeatureType":
			var v struct {
				ID   string `xml:",attr"`
				Text string `xml:",chardata"`
			}
			if err := d.DecodeElement(&v, &start); err != nil {
				return err
			}
			if asset, ok := strings.CutPrefix(v.Text, "Digital Currency Address - "); ok {
				types[v.ID] = asset
			}
		case "List":
			var v struct {
				ID   string `xml:",attr"`
				Text string `xml:",chardata"`
			}
			if err := d.DecodeElement(&v, &start); err != nil {
				return err
			}
			if v.Text == "SDN List" {
				lists = append(lists, v.ID)
			}
		case "Profile":
			var v struct {
				ID       string `xml:",attr"`
				Identity []struct {
					Primary bool `xml:",attr"`
					Alias   []struct {
						Primary        bool `xml:",attr"`
						DocumentedName []struct {
							Parts []string `xml:"DocumentedNamePart>NamePartValue"`
						}
					}
				}
				Feature []struct {
					FeatureTypeID string   `xml:",attr"`
					Details       []string `xml:"FeatureVersion>VersionDetail"`
				}
			}
			if err := d.DecodeElement(&v, &start); err != nil {
				return err
			}
			h := new(held)
			for _, f := range v.Feature {
				asset, ok := types[f.FeatureTypeID]
				for _, text := range f.Details {
					if ok {
						h.entries = append(h.entries, sources.Entry{Listed: text, Asset: asset, Kind: score.Sanctioned, Ref: v.ID})
					}
				}
			}
			if len(h.entries) == 0 {
				continue
			}
			var name string
			for _, identity := range v.Identity {
				for _, alias := range identity.Alias {
					if identity.Primary && alias.Primary && name == "" {
						name = strings.Join(alias.DocumentedName[0].Parts, " ")
					}
				}
			}
			for i := range h.entries {
				h.entries[i].Name = name
			}
			holders = append(holders, h)
			byID[v.ID] = h
		case "SanctionsEntry":
			var v struct {
				ProfileID string `xml:",attr"`
				ListID    string `xml:",attr"`
				Dates     []date `xml:"EntryEvent>Date"`
			}
			if err := d.DecodeElement(&v, &start); err != nil {
				return err
			}
			h := byID[v.ProfileID]
			if h == nil || !slices.Contains(lists, v.ListID) {
				continue
			}
			for _, x := range v.Dates {
				at := time.Date(x.Year, time.Month(x.Month), x.Day, 0, 0, 0, 0, time.UTC)
				for i := range h.entries {
					if e := &h.entries[i]; e.EntityListedAt.IsZero() || at.Before(e.EntityListedAt) {
						e.EntityListedAt = at
					}
				}
			}
		}
	}
	for _, h := range holders {
		for _, e := range h.entries {
			e.Address, _ = sources.Decode(e.Asset, e.Listed)
			if err := add(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestAgainstEncodingXML(t *testing.T) {
	var want []sources.Entry
	size := longtest.N(0, 4<<20)
	if err := slowParse(large(t, size), func(e sources.Entry) error { want = append(want, e); return nil }); err != nil {
		t.Fatal(err)
	}
	got, _, err := parse(t, large(t, size))
	if err != nil || len(want) != 717 || !slices.Equal(got, want) {
		t.Errorf("Parse: %d entries, %v; encoding/xml: %d, want the same 717", len(got), err, len(want))
	}
}

// FuzzParse checks that Parse does not panic, and that any list that it accepts
// has records and wallets.
func FuzzParse(f *testing.F) {
	f.Add([]byte(smallAdvanced))
	f.Add([]byte(smallXML))
	f.Fuzz(func(t *testing.T, doc []byte) {
		entries, rev, err := parse(t, bytes.NewReader(doc))
		if err != nil {
			return
		}
		if len(entries) == 0 || rev.Records == 0 || rev.Published.IsZero() || len(rev.Digest) != 64 {
			t.Errorf("Parse of %q = %d entries, %+v", doc, len(entries), rev)
		}
		for _, e := range entries {
			if strings.TrimSpace(e.Listed) == "" {
				t.Errorf("Parse of %q: entry %+v lists nothing", doc, e)
			}
		}
	})
}

const benchSize = 24 << 20

func BenchmarkParseAdvanced(b *testing.B) {
	benchmark(b, func(r io.Reader) error {
		_, err := ofac.Parse(r, func(sources.Entry) error { return nil })
		return err
	})
}

// BenchmarkParseAdvancedByEncodingXML is the reference for the benchmark above.
func BenchmarkParseAdvancedByEncodingXML(b *testing.B) {
	benchmark(b, func(r io.Reader) error { return slowParse(r, func(sources.Entry) error { return nil }) })
}

func benchmark(b *testing.B, parse func(io.Reader) error) {
	doc, err := io.ReadAll(large(b, benchSize))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := parse(bytes.NewReader(doc)); err != nil {
			b.Fatal(err)
		}
	}
}
