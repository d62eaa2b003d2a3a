// Package uk reads the UK Sanctions List of the Foreign, Commonwealth and Development
// Office, the only list of the United Kingdom since 28 January 2026. Begin with [New], or
// with [Parse] for a file.
//
// The list has an element for wallets, which was empty in all of 2026: their addresses
// stand in free text. What [address.FindAll] finds there is an address. Text without a
// valid checksum is one only behind a ticker, as in "SOL: 7x…".
//
// The format is XML (UK-Sanctions-List.xml); the publisher's CSV has no more, and cannot prove
// that it is whole. The data contain public sector information licensed under the Open
// Government Licence v3.0.
package uk

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/info"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

const (
	listURL  = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml"
	maxBytes = 256 << 20 // of the list, which had 22 MB in October 2026
)

// Options configure [New]; see package sources. The publisher's XML has some 22 MB.
type Options = fetch.Options

// New returns the UK Sanctions List as the Foreign, Commonwealth and Development Office
// publishes it, with the id UK_CONSOLIDATED; see package sources.
func New(opts *Options) sources.Source {
	return fetch.New("uk", info.UK, opts, listURL, maxBytes, Parse)
}

// Parse reads the UK Sanctions List from r, in XML; see package sources. Wallets stand in
// CryptoWalletAddress, and in the texts of other elements, such as OtherInformation and
// UKStatementofReasons. An address that they repeat under the same ticker is added once per
// designation. The content of CryptoWalletAddress, and text that a ticker and a colon label,
// is added with a zero Address if it is not an address.
//
// Ref is the unique id of the designation, such as "RUS1421"; Name is its primary name;
// Asset is the ticker that labels the address, or "". EntityListedAt is the day on which the
// holder was designated. The list does not say when an address was added to a designation.
//
// Nothing is added unless r is the whole list: well-formed to its last byte, with a date,
// designations and a wallet. OFSI's list, which was closed, is refused.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return freetext.Parse(r, "designation", add, readXML)
}

// day reads a day such as 27/03/2024.
func day(text string) time.Time { return freetext.Date(text, "02/01/2006") }

// retired is the error for the list of the Office of Financial Sanctions Implementation, in XML or CSV, which many
// still have: without it, one who imports that list looks for a fault in the file.
const retired = "this is the Consolidated List of OFSI, closed on 28 January 2026; want the UK Sanctions List"

// readXML reads the list in XML. It reads these parts:
//
//	<Designations>
//	  <DateGenerated>21/09/2026</DateGenerated>
//	  <Designation>
//	    <DateDesignated>27/03/2024</DateDesignated>
//	    <UniqueID>CTD0004</UniqueID>
//	    <Names>
//	      <Name>
//	        <Name1>Mustafa</Name1>
//	        <Name6>AYASH</Name6>
//	        <NameType>Primary Name</NameType>
//	    <OtherInformation>… (1) ETH: 0x175d44451403Edf28469dF03A9280c1197ADb92c …</OtherInformation>
//	    <UKStatementofReasons>…</UKStatementofReasons>
//	    <CryptoWalletAddresses>
//	      <CryptoWalletAddress>…</CryptoWalletAddress>
func readXML(r io.Reader) (*freetext.List, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(len("Last Updated,2"))
	d := document{Scanner: xmlscan.New(b)}
	d.Scanner.Stray = freetext.Stray
	if digit, ok := bytes.CutPrefix(head, []byte("Last Updated,")); ok && bytes.ContainsAny(digit, "0123456789") { // in CSV
		return nil, d.Errorf("", retired)
	}
	err := d.Document(func(root *xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) {
		switch root.Name {
		case "Designations":
		case "ArrayOfFinancialSanctionsTarget":
			return nil, d.Errorf("", retired)
		default:
			return nil, d.Errorf("", "root element <%.64s> is not that of the list", root.Name)
		}
		return map[string]func(*xmlscan.Node) error{"Designation": d.designation, "DateGenerated": func(n *xmlscan.Node) error {
			d.Revision.Published = day(n.Text)
			return nil
		}}, nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.Check(false); err != nil {
		return nil, d.Errorf("", "%w", err)
	}
	return &d.List, nil
}

// A document is a list in XML while it is read.
type document struct {
	*xmlscan.Scanner
	freetext.List
}

// designation reads a Designation.
func (d *document) designation(n *xmlscan.Node) error {
	d.Revision.Records++
	f, err := d.Fields(n, "UniqueID", "DateDesignated")
	if err != nil {
		return err
	}
	h := &freetext.Holder{Ref: f[0], ListedAt: day(f[1])}
	if h.Ref == "" {
		return d.Errorf("", "Designation without a UniqueID")
	}
	for _, name := range n.All("Names", "") {
		f, err := d.Fields(name, "Name1", "Name2", "Name3", "Name4", "Name5", "Name6", "NameType")
		if err != nil {
			return err
		}
		h.Call(freetext.Name(strings.Join(f[:6], " ")), strings.EqualFold(f[6], "Primary Name")) // Name6 is the family name, or the name of an entity
	}
	for _, part := range n.All("CryptoWalletAddresses") {
		wallets := part.Nodes
		if len(wallets) == 0 {
			wallets = []*xmlscan.Node{part}
		}
		for _, wallet := range wallets {
			addTyped(h, strings.Join(wallet.Texts(), "\n"))
		}
	}
	h.Find(time.Time{}, n.Texts()...) // in any element: the EU has wallets in addresses
	return d.Add(h)
}

// maxTyped is the length of the texts that sources.Repair reads, in bytes.
const maxTyped = 4096

// addTyped adds what an element for wallets says. Here an address needs no checksum,
// and nothing is left out: package screening refuses a text that is too long to be read.
func addTyped(h *freetext.Holder, text string) {
	text = sources.TrimListed(text)
	if text == "" {
		return
	}
	labeled := "Digital Currency Address: " + text // so that a ticker before it is its label
	if n := len(freetext.Find(labeled)); n > 0 && n >= len(sources.Repair("", text)) && len(text) <= maxTyped {
		h.Find(time.Time{}, labeled)
	} else {
		h.AddNew(sources.Entry{Listed: text})
	}
}
