package uk

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"github.com/walletscreen/walletscreen/internal/xmlscan"
	"github.com/walletscreen/walletscreen/sources"
)

// readXML reads the list in XML. What matters of it is
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
func readXML(r io.Reader) (*list, error) {
	hash := sha256.New()
	d := document{Scanner: xmlscan.New(io.TeeReader(r, hash))}
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
	err := d.Children(func(name []byte) error {
		switch string(name) {
		case "DateGenerated":
			text, err := d.text()
			if err != nil {
				return err
			}
			if d.revision.Published = day(text); d.revision.Published.IsZero() {
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
	if err := d.check(); err != nil {
		return nil, d.Errorf("", "%w", err)
	}
	d.revision.Digest = hex.EncodeToString(hash.Sum(nil))
	return &d.list, nil
}

// A document is a list in XML while it is read.
type document struct {
	*xmlscan.Scanner
	list
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
		all.Write(text)
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
	d.revision.Records++
	if d.revision.Records > maxDesignations {
		return d.Errorf("", "more than %d designations", maxDesignations)
	}
	var h holder
	before := len(d.wallets)
	err := d.Children(func(name []byte) (err error) {
		var text string
		switch field := string(name); field {
		case "UniqueID", "DateDesignated", "OtherInformation", "UKStatementofReasons":
			if text, err = d.text(); err != nil {
				return err
			}
			switch field {
			case "UniqueID":
				h.id = sources.TrimListed(text)
			case "DateDesignated":
				h.listed = day(text)
			default:
				err = d.find(len(d.holders), text)
			}
		case "Names":
			return d.Children(func([]byte) error { return d.name(&h) })
		case "CryptoWalletAddresses":
			return d.Children(func([]byte) error {
				text, err := d.text()
				if err == nil {
					err = d.located(h.id, d.typed(len(d.holders), text))
				}
				return err
			})
		default:
			return d.Skip()
		}
		return d.located(h.id, err)
	})
	if err != nil {
		return err
	}
	if h.id == "" || len(h.id) > maxText {
		return d.Errorf("", "Designation without a UniqueID")
	}
	if len(d.wallets) > before {
		d.holders = append(d.holders, h)
	}
	return nil
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
func (d *document) name(h *holder) error {
	var parts [6]string
	var kind string
	err := d.Children(func(name []byte) error {
		if len(name) == 5 && string(name[:4]) == "Name" && name[4] >= '1' && name[4] <= '6' {
			i := name[4] - '1'
			text, err := d.text()
			parts[i] = text
			return err
		}
		if string(name) == "NameType" {
			text, err := d.text()
			kind = text
			return err
		}
		return d.Skip()
	})
	h.call(fullName(parts[:]...), isPrimary(kind))
	return err
}
