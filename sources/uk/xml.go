package uk

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

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
	d := document{Scanner: xmlscan.New(r)}
	d.Scanner.Stray = freetext.Stray
	err := d.Document(func(root *xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) {
		switch root.Name {
		case "Designations":
		case "ArrayOfFinancialSanctionsTarget":
			return nil, d.Errorf("", "%w", errRetired)
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
	if err := d.Check(); err != nil {
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
			if err := addTyped(h, strings.Join(wallet.Texts(), "\n")); err != nil {
				return d.Errorf(h.Ref, "%w", err)
			}
		}
	}
	h.Find(time.Time{}, n.Texts()...) // in any element: the EU has wallets in addresses
	return d.Add(h)
}

// addTyped adds what an element for wallets says. Here an address needs no checksum,
// and nothing is left out.
func addTyped(h *freetext.Holder, text string) error {
	text = sources.TrimListed(text)
	if text == "" {
		return nil
	}
	if len(text) > xmlscan.MaxField {
		return fmt.Errorf("CryptoWalletAddress of %d bytes", len(text))
	}
	labeled := "Digital Currency Address: " + text // so that a ticker before it is its label
	if n := len(freetext.Find(labeled)); n > 0 && n >= len(sources.Repair("", text)) {
		h.Find(time.Time{}, labeled)
	} else {
		h.AddNew(freetext.Wallet{Text: text})
	}
	return nil
}
