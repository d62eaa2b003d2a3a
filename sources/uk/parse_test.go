package uk_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/uk"
)

const (
	excerpt = "UK-Sanctions-List_excerpt_2026-09-21"
	ship    = "UK-Sanctions-List_excerpt_2026-10-08.csv"
	retired = "ConList_excerpt_2020-04-27.csv"
)

// parse returns the entries that Parse adds.
func parse(t testing.TB, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	return listtest.Parse(t, uk.Parse, r)
}

func TestParse(t *testing.T) {
	doc, entries, rev := listtest.Excerpt(t, uk.Parse, excerpt)
	if len(entries) != 16 || entries[0].Asset != "ETH" || entries[1].Asset != "BNB" || entries[15].Ref != "RUS3602" {
		t.Errorf("the entries are in another order than in the list: %q", listtest.Rows(entries))
	}
	keys := map[string]bool{}
	for _, e := range entries {
		keys[string(e.Address.Canonical().String())] = true
	}
	if len(keys) != 14 {
		t.Errorf("%d distinct accounts, want 14", len(keys))
	}
	sum := sha256.Sum256([]byte(doc))
	if want := (sources.Revision{Digest: hex.EncodeToString(sum[:]), Published: time.Date(2026, 9, 21, 0, 0, 0, 0, time.UTC), Records: 4}); rev != want {
		t.Errorf("revision %+v, want %+v", rev, want)
	}
	for name, r := range map[string]io.Reader{
		"in halves":       iotest.HalfReader(strings.NewReader(doc)),
		"byte by byte":    iotest.OneByteReader(strings.NewReader(doc)),
		"byte order mark": strings.NewReader("\ufeff" + doc),
	} {
		again, _, err := parse(t, r)
		if err != nil || !slices.Equal(again, entries) {
			t.Errorf("%s: other entries, or %v", name, err)
		}
	}
}

// The document small has forms that are missing in the excerpt.
const small = `<?xml version="1.0" encoding="utf-8"?>
<Designations>
  <DateGenerated>21/09/2026</DateGenerated>
  <Designation>
    <CryptoWalletAddresses>
      <CryptoWalletAddress> TJqUC56SDZ373JYRurzXtMcor2HQvN9BaU </CryptoWalletAddress>
      <CryptoWalletAddress>BTC: 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH</CryptoWalletAddress>
      <CryptoWalletAddress/>
      <CryptoWalletAddress>USDT (TRC20): TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d, TCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN</CryptoWalletAddress>
      <CryptoWalletAddress>SOL 7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv</CryptoWalletAddress>
      <CryptoWalletAddress><Currency>SOL:</Currency><Address>7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv</Address></CryptoWalletAddress>
      <CryptoWalletAddress>5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320</CryptoWalletAddress>
    </CryptoWalletAddresses>
    <OtherInformation>Wallets: TVa1p4aTVoHuF4EDGthn57F
bKNbu4DRJkQ; TJqUC56SDZ373JYRurzXtMcor2HQvN9BaU.</OtherInformation>
    <UKStatementofReasons>The wallet TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ, (USDT: TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ) received funds.</UKStatementofReasons>
    <Names>
      <Name><Name6>ALIAS</Name6><NameType>Alias</NameType></Name>
      <Name><Name6>LAST</Name6><Name2>Second</Name2><Name1> First</Name1><NameType>primary name </NameType></Name>
      <Name><Name6>OTHER</Name6><NameType>Primary Name</NameType></Name>
    </Names>
    <DateDesignated>27/03/2024</DateDesignated>
    <UniqueID> CTD0001 </UniqueID>
  </Designation>
  <Designation>
    <UniqueID>RUS0002</UniqueID><DateDesignated/>
    <Names><Name><Name6>ONLY</Name6><NameType>Alias</NameType></Name></Names>
    <UKStatementofReasons>XBT TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</UKStatementofReasons>
  </Designation>
  <Designation><UniqueID>RUS0003</UniqueID>
    <OtherInformation>LEI 984500B899H9EED3B354, IMO9826902; 3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8T</OtherInformation></Designation>
</Designations>
`

func TestParseSmall(t *testing.T) {
	entries, rev, err := parse(t, strings.NewReader(small))
	want := []string{
		"\tTJqUC56SDZ373JYRurzXtMcor2HQvN9BaU\ttron\tCTD0001\t2024-03-27\tFirst Second LAST",
		"BTC\t1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH\tbitcoin\tCTD0001\t2024-03-27\tFirst Second LAST",
		"USDT\tTA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d\ttron\tCTD0001\t2024-03-27\tFirst Second LAST",
		"USDT\tTCQqA58EmX6AnUZKPCogL2Q441B4ThbJGN\ttron\tCTD0001\t2024-03-27\tFirst Second LAST",
		"SOL\t7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv\tsolana\tCTD0001\t2024-03-27\tFirst Second LAST",
		"\t5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320\t-\tCTD0001\t2024-03-27\tFirst Second LAST",
		"\tTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ\ttron\tCTD0001\t2024-03-27\tFirst Second LAST",
		"USDT\tTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ\ttron\tCTD0001\t2024-03-27\tFirst Second LAST",
		"XBT\tTVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ\ttron\tRUS0002\t-\tONLY",
	}
	if got := listtest.Rows(entries); !slices.Equal(got, want) || rev.Records != 3 || err != nil {
		t.Errorf("Parse:\n%s\n%+v, %v, want\n%s", strings.Join(got, "\n"), rev, err, strings.Join(want, "\n"))
	}
}

// TestLabelled checks strings that are addresses only because of a label.
func TestLabelled(t *testing.T) {
	const solana, wrong = "42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi", "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8u"
	entries, _, err := parse(t, strings.NewReader("<Designations><DateGenerated>21/09/2026</DateGenerated><Designation><UniqueID>CTD0004</UniqueID>"+
		"<Names><Name><Name6>AYASH</Name6></Name></Names><OtherInformation>Digital Currency Address: SOL "+solana+"\t\t\n"+
		"Digital Currency Address: XBT "+wrong+".</OtherInformation></Designation></Designations>"))
	want := []string{"SOL\t" + solana + "\tsolana\tCTD0004\t-\tAYASH", "XBT\t" + wrong + "\t-\tCTD0004\t-\tAYASH"}
	if got := listtest.Rows(entries); err != nil || !slices.Equal(got, want) {
		t.Errorf("Parse gave %v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLongTyped checks that an element for wallets that is too long for Repair is an entry as a whole, so that package
// screening refuses the list: no mistyped address in the element is lost beside the right ones.
func TestLongTyped(t *testing.T) {
	long := "BTC: 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH" + strings.Repeat(", see above", 500) + ", TJqUC56SDZ373JYRurzXtMcor2HQvN9Ba U"
	entries, _, err := parse(t, strings.NewReader(strings.Replace(small, "5be5543f", long, 1)))
	if err != nil || !slices.ContainsFunc(entries, func(e sources.Entry) bool { return strings.HasPrefix(e.Listed, long) }) {
		t.Errorf("error %v, %d entries without the whole text", err, len(entries))
	}
}

func TestRetired(t *testing.T) {
	for name, tt := range map[string]struct{ doc, want string }{
		"CSV": {listtest.ReadFile(t, retired), "closed on 28 January 2026"},
		"XML": {`<?xml version="1.0"?><ArrayOfFinancialSanctionsTarget xmlns="http://schemas.hmtreasury.gov.uk/ofsi/consolidatedlist"/>`, "closed on 28 January 2026"},
	} {
		_, _, err := parse(t, strings.NewReader(tt.doc))
		var at *sources.RecordError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want a *RecordError with %q", name, err, tt.want)
		}
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
		{"HTML", small, small, "<!DOCTYPE html>\n<html><head><title>Page not found</title></head><body><br></body></html>", "HTML"},
		{"error document", small, small, `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>BlobNotFound</Code></Error>", "<Error>"},
		{"EU's list", small, small, `<export generationDate="2026-09-22T20:01:34.799+02:00"></export>`, "<export>"},
		{"no records", small, small, "<Designations><DateGenerated>21/09/2026</DateGenerated></Designations>", "no records"},
		{"no date", small, "<DateGenerated>21/09/2026</DateGenerated>", "", "no date"},
		{"date of another form", small, "21/09/2026", "2026-09-21", "no date"},
		{"no such date", small, "21/09/2026", "09/21/2026", "no date"},
		{"no id", small, "<UniqueID>RUS0003</UniqueID>", "", "UniqueID"},
		{"not well-formed", small, "</Names>", "</Name>", "closed by"},
		{"garbage behind the end", small, "</Designations>\n", "</Designations>\nx", "text outside"},
		{"a wallet in another element", small, "</Designations>\n", "<Wallets><Wallet>TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ</Wallet></Wallets></Designations>\n", "its form has changed"},
		{"two lists", small, "</Designations>\n", "</Designations>\n<Designations/>", "second root"},
		{"the list in CSV", small, small, listtest.ReadFile(t, ship), "not XML"},
		{"text", small, small, "Service unavailable\n", "not XML"},
	} {
		t.Run(tt.name, func(t *testing.T) { listtest.Refused(t, uk.Parse, tt.doc, tt.old, tt.new, tt.want) })
	}
	doc := "<Designations><DateGenerated>21/09/2026</DateGenerated><Designation><UniqueID>A</UniqueID></Designation></Designations>"
	if _, _, err := parse(t, strings.NewReader(doc)); err == nil || !strings.Contains(err.Error(), "no wallet in 1 record") {
		t.Errorf("a list without wallets: error %v, want no wallet", err)
	}
}

// large returns a document like the real one, of about the given size: it
// repeats the designation without wallets of the excerpt, and has one
// designation with forty.
func large(t testing.TB, size int) (doc *bytes.Buffer, records int, wallets []string) {
	text := listtest.ReadFile(t, excerpt+".xml")
	from := strings.LastIndex(text, "<Designation>")
	to := strings.Index(text, "</Designations>")
	doc = new(bytes.Buffer)
	doc.WriteString(text[:strings.Index(text, "<Designation>")])
	doc.WriteString("<Designation><UniqueID>GHR0190</UniqueID><OtherInformation>controls: ")
	for i := range 40 {
		wallets = append(wallets, fmt.Sprintf("0x%040x", i+1))
	}
	doc.WriteString(strings.Join(wallets, "; ") + ".</OtherInformation></Designation>")
	for records = 1; doc.Len() < size; records++ {
		doc.WriteString(text[from:to])
	}
	doc.WriteString(text[to:])
	return doc, records, wallets
}

func TestParseLarge(t *testing.T) {
	longtest.WithoutRace(t)
	doc, records, wallets := large(t, 3<<20)
	entries, rev, err := parse(t, doc)
	var got []string
	for _, e := range entries {
		got = append(got, e.Listed)
	}
	if err != nil || rev.Records != records || !slices.Equal(got, wallets) {
		t.Errorf("%d entries of %d records, %v, want %d of %d", len(got), rev.Records, err, len(wallets), records)
	}
}

// TestParseElsewhere finds a wallet in the text of any element.
func TestParseElsewhere(t *testing.T) {
	const wallet = "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
	for _, added := range []string{
		"<Addresses><Address><AddressLine1>Wallet " + wallet + "</AddressLine1></Address></Addresses>",
		"<CryptoWalletAddresses>" + wallet + "</CryptoWalletAddresses>",
		`<CryptoWalletAddresses><CryptoWalletAddress address="` + wallet + `"/></CryptoWalletAddresses>`,
		`<Websites><Website note="pays to ` + wallet + `"/></Websites>`,
		"<br/>Wallet: " + wallet + "<br/>",
		"<Names><Name><Name6>" + wallet + "</Name6></Name></Names>",
	} {
		entries, _, err := parse(t, strings.NewReader(strings.Replace(small, "<UniqueID>RUS0003</UniqueID>", "<UniqueID>RUS0003</UniqueID>"+added, 1)))
		found := slices.ContainsFunc(entries, func(e sources.Entry) bool {
			return e.Listed == wallet && e.Ref == "RUS0003" && e.Address.IsValid()
		})
		if err != nil || !found {
			t.Errorf("%s: %v, %v, want it", added, entries, err)
		}
	}
}
