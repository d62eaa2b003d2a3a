package eu_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
)

const excerpt = "xmlFullSanctionsList_1_1_excerpt_2026-09-22"

// parse returns the entries that Parse adds.
func parse(t testing.TB, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	return listtest.Parse(t, eu.Parse, r)
}

func TestParse(t *testing.T) {
	doc, entries, rev := listtest.Excerpt(t, eu.Parse, excerpt)
	if entries[0].Asset != "ETH" || entries[5].Asset != "TRX" {
		t.Errorf("the entries are in another order than in the list: %q", listtest.Rows(entries))
	}
	sum := sha256.Sum256([]byte(strings.Replace(doc, ` generationDate="2026-09-22T20:01:34.799+02:00" globalFileId="185564"`, "", 1)))
	if want := (sources.Revision{
		Digest:    hex.EncodeToString(sum[:]),
		Published: time.Date(2026, 9, 22, 18, 1, 34, 799e6, time.UTC),
		Records:   2,
	}); rev != want {
		t.Errorf("revision %+v, want %+v", rev, want)
	}
	for name, r := range map[string]io.Reader{
		"in halves":       iotest.HalfReader(strings.NewReader(doc)),
		"byte by byte":    iotest.OneByteReader(strings.NewReader(doc)),
		"byte order mark": strings.NewReader("\ufeff" + doc),
		"other namespace": strings.NewReader(strings.Replace(doc, "/fpi/fsd/export", "/other", 1)),
	} {
		again, _, err := parse(t, r)
		if err != nil || !slices.Equal(again, entries) {
			t.Errorf("%s: other entries, or %v", name, err)
		}
	}
}

// A regenerated file with the same list has the same digest. Any other change results
// in another digest.
func TestDigest(t *testing.T) {
	for _, doc := range []string{listtest.ReadFile(t, excerpt+".xml"), small} {
		_, rev, err := parse(t, strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			old, new string
			same     bool
		}{
			{"2026-09-22T20:01:34.799+02:00", "2026-09-23T08:00:00Z", true},
			{`globalFileId="185564"`, `globalFileId='185565'`, true},
			{` globalFileId="185564"`, ``, true},
			{"regulationType", "RegulationType", false},
			{"Garantex", "Garantey", false},
			{"2025-02-24", "2025-02-25", false},
			{`logicalId="172907"`, `logicalId="172908"`, false},
			{"</export>", " </export>", false},
		} {
			changed := strings.ReplaceAll(doc, tt.old, tt.new)
			if changed == doc {
				continue
			}
			_, again, err := parse(t, strings.NewReader(changed))
			if err != nil || (again.Digest == rev.Digest) != tt.same {
				t.Errorf("%q for %q in %.40q: digest %s, %v, before %s; want the same: %v", tt.new, tt.old, doc, again.Digest, err, rev.Digest, tt.same)
			}
			if tt.same && strings.Contains(tt.new, "23") && !again.Published.After(rev.Published) {
				t.Errorf("%q for %q: Published %v, want later than %v", tt.new, tt.old, again.Published, rev.Published)
			}
		}
	}
}

// The document small has the forms of the real list that are missing in the excerpt,
// and others that it could have: remarks, dates and names in every place.
const small = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-09-22T20:01:34.799+02:00" globalFileId="185564">
  <sanctionEntity designationDate="2020-01-01" euReferenceNumber="EU.1.1" logicalId="1">
    <remark>(BTC: 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH)</remark>
    <regulation publicationDate="2019-05-05"><remark>TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d</remark>
      <publicationUrl>https://example.org/</publicationUrl></regulation>
    <nameAlias wholeName="Weak" strong="false"/>
    <nameAlias firstName="First " middleName="" lastName="LAST" wholeName="" strong="true">
      <remark>wallet . addresses:TJqUC56SDZ373JYRur
zXtMcor2HQvN9BaU;</remark>
      <regulationSummary publicationDate="2024-02-02"/>
      <regulationSummary publicationDate="2023-02-02"/>
      <regulationSummary publicationDate="2025-02-02"/>
    </nameAlias>
    <nameAlias wholeName="Another" strong="true"/>
    <address countryIso2Code="00"><remark>TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</remark><regulationSummary publicationDate="2022-02-02"/></address>
    <address countryIso2Code="00"><remark>TCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN</remark><regulationSummary publicationDate="?"/></address>
    <identification number="7"><deep><deeper>
      <remark>ETH: 0x002471b8A185f9980708d0eAEC5B289714F56f8d and again TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</remark></deeper></deep></identification>
    <birthdate><remark>BSC: 0x002471b8A185f9980708d0eAEC5B289714F56f8d</remark></birthdate>
  </sanctionEntity>
  <sanctionEntity designationDate="" euReferenceNumber="" logicalId="2">
    <nameAlias wholeName="Only weak" strong="false"/>
    <citizenship><remark>XBT TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</remark></citizenship>
    <regulation publicationDate="2018-08-09"/><regulation publicationDate="2018-08-08"/><regulation publicationDate="2018-08-10"/>
    <address><regulationSummary publicationDate="2017-01-01"/></address>
  </sanctionEntity>
  <sanctionEntity euReferenceNumber="EU.3.3" logicalId="3">
    <remark><![CDATA[3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t]]></remark>
    <address><regulationSummary publicationDate="2017-01-01"/></address>
    <address><regulationSummary publicationDate="2016-01-01"/></address>
  </sanctionEntity>
  <sanctionEntity euReferenceNumber="EU.4.4" logicalId="4">
    <remark>LEI 984500B899H9EED3B354; bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zmm</remark></sanctionEntity>
  <sanctionEntity euReferenceNumber="EU.5.5" logicalId="5"><remark>3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t</remark></sanctionEntity>
</export>
`

func TestParseSmall(t *testing.T) {
	entries, rev, err := parse(t, strings.NewReader(small))
	want := []string{
		"BTC\t1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH\tbitcoin\tEU.1.1\t2020-01-01\tFirst LAST",
		"\tTA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d\ttron\tEU.1.1\t2020-01-01\tFirst LAST",
		"\tTJqUC56SDZ373JYRurzXtMcor2HQvN9BaU\ttron\tEU.1.1\t2023-02-02\tFirst LAST",
		"\tTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ\ttron\tEU.1.1\t2022-02-02\tFirst LAST",
		"\tTCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN\ttron\tEU.1.1\t2020-01-01\tFirst LAST",
		"ETH\t0x002471b8A185f9980708d0eAEC5B289714F56f8d\tethereum\tEU.1.1\t2020-01-01\tFirst LAST",
		"BSC\t0x002471b8A185f9980708d0eAEC5B289714F56f8d\tbsc\tEU.1.1\t2020-01-01\tFirst LAST",
		"XBT\tTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ\ttron\t2\t2018-08-08\tOnly weak",
		"\t3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t\tbitcoin\tEU.3.3\t2016-01-01\t",
		"\t3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t\tbitcoin\tEU.5.5\t-\t",
	}
	if got := listtest.Rows(entries); !slices.Equal(got, want) || rev.Records != 5 || err != nil {
		t.Errorf("Parse:\n%s\n%+v, %v, want\n%s", strings.Join(got, "\n"), rev, err, strings.Join(want, "\n"))
	}
}

// TestLabelled checks strings that are addresses only because of a label.
func TestLabelled(t *testing.T) {
	const solana, wrong = "42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi", "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8u"
	doc := strings.Replace(small, "<remark>3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t</remark>", "<remark>SOL: "+solana+"; BTC: "+wrong+"</remark>", 1)
	entries, _, err := parse(t, strings.NewReader(doc))
	got := listtest.Rows(entries)
	want := []string{"SOL\t" + solana + "\tsolana\tEU.5.5\t-\t", "BTC\t" + wrong + "\t-\tEU.5.5\t-\t"}
	if err != nil || len(got) < 2 || !slices.Equal(got[len(got)-2:], want) {
		t.Errorf("Parse gave %v\n%s\nwant at the end\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRefused(t *testing.T) {
	longtest.WithoutRace(t)
	for _, tt := range []struct {
		name, doc, old, new string
		want                string // in the error
	}{
		{"nothing", small, small, "", "unexpected EOF"},
		{"blanks", small, small, " \n\t", "unexpected EOF"},
		{"HTML", small, small, "\n<!doctype HTML>\n<html><head><title>EU Login</title></head><body><br></body></html>", "HTML"},
		{"HTML without a document type", small, small, "<HTML lang=en><br>", "attribute"},
		{"error document", small, small, `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>NoSuchKey</Code></Error>", "<Error>"},
		{"UK's list", small, small, "<Designations><DateGenerated>21/09/2026</DateGenerated></Designations>", "<Designations>"},
		{"the format of before 2017", small, small, `<WHOLE Date="01/01/2016"></WHOLE>`, "format 1.1"},
		{"another export", small, small, `<export><item/></export>`, "no records"},
		{"no records", small, small, `<export generationDate="2026-09-22T20:01:34.799+02:00"></export>`, "no records"},
		{"format 1.0", small, ` euReferenceNumber="`, ` reference="`, "1.0"},
		{"no date", small, "generationDate", "date", "no date"},
		{"a date without a zone", small, "34.799+02:00", "34.799", "no date"},
		{"no reference", small, ` euReferenceNumber="EU.3.3" logicalId="3"`, "", "logicalId"},
		{"not well-formed", small, "</address>", "</adress>", "closed by"},
		{"a bare ampersand", small, "LEI 98", "LEI & 98", "entity"},
		{"garbage behind the end", small, "</export>\n", "</export>\nx", "text outside"},
		{"two lists", small, "</export>\n", "</export>\n<export/>", "second root"},
		{"markup in a remark", small, "LEI", "<b>LEI</b>", "only text"},
		{"a wallet in another element", small, "</export>\n", "<wallets><wallet>TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</wallet></wallets></export>\n", "its form has changed"},
		{"a wallet in another attribute", small, "</export>\n", `<wallets><wallet of="EU.1.1" address="TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ"/></wallets></export>` + "\n", "its form has changed"},
		{"NULs", small, "</export>\n", "</export>\n\x00", "illegal"},
		{"JSON", small, small, `{"error": "no"}` + "\n", "not XML"},
		{"the CSV file", small, small, "fileGenerationDate;Entity_LogicalId;Entity_EU_ReferenceNumber;Entity_Remark\n", "not XML"},
		{"UTF-16", small, small, "\xff\xfef\x00i\x00l\x00e\x00\n", "EOF"},
		{"text", small, small, "Service unavailable\n", "not XML"},
	} {
		t.Run(tt.name, func(t *testing.T) { listtest.Refused(t, eu.Parse, tt.doc, tt.old, tt.new, tt.want) })
	}
	// A list in which no remark names a wallet may be whole, but its remarks may also
	// have been left out.
	doc := `<export generationDate="2026-09-22T20:01:34Z"><sanctionEntity euReferenceNumber="EU.1.1"/></export>`
	if _, _, err := parse(t, strings.NewReader(doc)); err == nil || !strings.Contains(err.Error(), "no wallet in 1 record") {
		t.Errorf("error %v, want no wallet", err)
	}
}

// large is a reader of a document like the real one, of about the given size: every
// hundredth entity names a wallet.
func large(size int) (r io.Reader, entities int, wallets []string) {
	var doc bytes.Buffer
	doc.WriteString(`<export generationDate="2026-09-22T20:01:34.799+02:00">` + "\n")
	for doc.Len() < size {
		entities++
		remark := "Date of UN designation: 2001-10-17, IMO 9187629, OGRN 1027700132195, Passport No: AB&quot;123456&quot;; " + strings.Repeat("prose ", 60)
		if entities%100 == 1 {
			a := fmt.Sprintf("0x%040x", entities)
			wallets = append(wallets, a)
			remark += "ETH: " + a + "."
		}
		fmt.Fprintf(&doc, `<sanctionEntity designationDate="2025-02-24" euReferenceNumber="EU.%d.1" logicalId="%[1]d"><remark>%s</remark>`, entities, remark)
		fmt.Fprintf(
			&doc,
			`<nameAlias wholeName="Name %d" strong="true"><regulationSummary publicationDate="2025-02-24"/></nameAlias></sanctionEntity>`+"\n",
			entities,
		)
	}
	doc.WriteString("</export>")
	return &doc, entities, wallets
}

func TestParseLarge(t *testing.T) {
	longtest.WithoutRace(t)
	r, entities, wallets := large(3 << 20)
	entries, rev, err := parse(t, r)
	if err != nil || rev.Records != entities || len(entries) != len(wallets) {
		t.Fatalf("%d entries of %d records, %v, want %d of %d", len(entries), rev.Records, err, len(wallets), entities)
	}
	for i, e := range entries {
		if e.Listed != wallets[i] || e.Asset != "ETH" || e.Ref == "" || !strings.HasPrefix(e.Name, "Name ") {
			t.Fatalf("entry %d: %+v, want %s", i, e, wallets[i])
		}
	}
}

// TestParseElsewhere finds a wallet in an attribute, such as the number of a document or the details
// of the designation, and in the text of an element that is no remark.
func TestParseElsewhere(t *testing.T) {
	const wallet = "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
	for _, tt := range [][2]string{
		{`<identification number="7">`, `<identification number="` + wallet + `">`},
		{`euReferenceNumber="EU.1.1"`, `euReferenceNumber="EU.1.1" designationDetails="Wallet: ` + wallet + `"`},
		{`<identification number="7">`, `<identification number="7"><note>` + wallet + `</note>`},
		{`<identification number="7">`, wallet + `<identification number="7">`},
	} {
		old, new := tt[0], tt[1]
		doc := strings.Replace(small, old, new, 1)
		entries, _, err := parse(t, strings.NewReader(doc))
		i := slices.IndexFunc(entries, func(e sources.Entry) bool { return e.Listed == wallet })
		if doc == small || err != nil || i < 0 || entries[i].Ref != "EU.1.1" || !entries[i].Address.IsValid() {
			t.Errorf("%s: %v, %v, want %s of EU.1.1", new, entries, err, wallet)
		}
	}
}
