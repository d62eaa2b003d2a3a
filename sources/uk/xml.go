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
	if _, err := d.Next(); err != nil {
		return nil, err
	}
	switch root := d.Name(); string(root) {
	case "Designations":
	case "ArrayOfFinancialSanctionsTarget":
		return nil, d.Errorf("", "%w", ErrRetired)
	default:
		return nil, d.Errorf("", "root element <%.64s> is not that of the list", root)
	}
	err := d.Children(func(name string) error {
		switch name {
		case "DateGenerated":
			text, err := d.text()
			if err != nil {
				return err
			}
			if d.Revision.Published = day(text); d.Revision.Published.IsZero() {
				return d.Errorf("", "DateGenerated %.40q: want DD/MM/YYYY", text)
			}
			return nil
		case "Designation":
			return d.designation()
		}
		return d.Skip()
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.Next(); err != io.EOF {
		return nil, err // the scanner lets nothing but EOF follow the root
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

// text returns the text of the element whose start tag was just read, and of all
// elements in it, with a line feed for each tag between, and moves behind its end
// tag.
func (d *document) text() (string, error) {
	var all strings.Builder
	for depth := 1; depth > 0; {
		text, err := d.Text()
		if err != nil {
			return "", err
		}
		if all.Len() > 0 {
			all.WriteByte('\n')
		}
		if all.Len()+len(text) > xmlscan.MaxToken {
			return "", d.Errorf("", "text of more than %d bytes", xmlscan.MaxToken)
		}
		all.WriteString(text)
		t, err := d.Next()
		if err != nil {
			return "", err
		}
		if t == xmlscan.Start {
			depth++
		} else {
			depth--
		}
	}
	return all.String(), nil
}

// designation reads a Designation.
func (d *document) designation() error {
	d.Revision.Records++
	if d.Revision.Records > maxDesignations {
		return d.Errorf("", "more than %d designations", maxDesignations)
	}
	var h freetext.Holder
	before := len(d.Wallets)
	err := d.Children(func(name string) (err error) {
		var text string
		switch name {
		case "UniqueID", "DateDesignated", "OtherInformation", "UKStatementofReasons":
			if text, err = d.text(); err != nil {
				return err
			}
			switch name {
			case "UniqueID":
				h.Ref = sources.TrimListed(text)
			case "DateDesignated":
				h.ListedAt = day(text)
			default:
				err = d.Find(len(d.Holders), text, time.Time{})
			}
		case "Names":
			return d.Children(func(string) error { return d.name(&h) })
		case "CryptoWalletAddresses":
			return d.Children(func(string) error {
				text, err := d.text()
				if err == nil {
					err = d.located(h.Ref, d.typed(text))
				}
				return err
			})
		default:
			return d.Skip()
		}
		return d.located(h.Ref, err)
	})
	if err != nil {
		return err
	}
	if h.Ref == "" || len(h.Ref) > maxText {
		return d.Errorf("", "Designation without a UniqueID")
	}
	if len(d.Wallets) > before {
		d.Holders = append(d.Holders, h)
	}
	return nil
}

// typed adds what an element for wallets says. Here an address needs no checksum,
// and nothing is left out.
func (d *document) typed(text string) error {
	text = sources.TrimListed(text)
	if text == "" {
		return nil
	}
	if len(text) > maxText {
		return fmt.Errorf("CryptoWalletAddress of %d bytes", len(text))
	}
	w := freetext.Wallet{Holder: len(d.Holders), Text: text}
	var ok bool
	if w.Address, ok = sources.Decode("", text); ok {
		return d.AddNew(w)
	}
	found := freetext.Find(text)
	if len(found) > 0 && len(found) >= len(sources.Repair("", text)) {
		return d.Find(len(d.Holders), text, time.Time{})
	}
	if fields := strings.Fields(text); len(fields) == 2 {
		asset := strings.TrimRight(fields[0], ":-")
		if a, ok := sources.Decode(asset, fields[1]); ok {
			w.Asset, w.Text, w.Address = asset, fields[1], a
		}
	}
	return d.AddNew(w)
}

// located returns err as one at this place of the document, in the designation
// ref.
func (d *document) located(ref string, err error) error {
	if err == nil {
		return nil
	}
	return d.Errorf(ref, "%w", err)
}

// name reads a Name.
func (d *document) name(h *freetext.Holder) error {
	var parts [6]string
	var kind string
	err := d.Children(func(name string) error {
		if len(name) == 5 && string(name[:4]) == "Name" && name[4] >= '1' && name[4] <= '6' {
			i := name[4] - '1'
			text, err := d.text()
			parts[i] = text
			return err
		}
		if name == "NameType" {
			text, err := d.text()
			kind = text
			return err
		}
		return d.Skip()
	})
	h.Call(fullName(parts[:]...), isPrimary(kind))
	return err
}
