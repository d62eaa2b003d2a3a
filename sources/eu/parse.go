// Package eu reads the European Union's consolidated list of persons, groups and entities
// subject to financial sanctions. Begin with [New], or with [Parse] for a file.
//
// The list has no field for wallets: their addresses stand in remarks, in free text. What
// [address.FindAll] finds there is an address. Text without a valid checksum is one only
// behind a ticker, as in "SOL: 7x…".
//
// The format is XML 1.1 (xmlFullSanctionsList_1_1). The Commission's CSV was found in July
// 2026 to lack the addresses, and is refused. The data may be reused under Commission
// Decision 2011/833/EU if the source is named: © European Union. Only what the Official
// Journal prints is authentic.
package eu

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// Parse reads the list from r; see package sources. An address that an entity's remarks
// repeat under the same ticker is added once. Text that a ticker and a colon label as an
// address is added with a zero Address if it is none.
//
// Ref is the EU reference number, such as "EU.12747.39", or the logical id of the few
// entities without one. Name is the first name that is not a weak alias. Asset is the
// ticker that labels the address, or "". ListedAt is the day of the regulation given for
// the name, address or document of the remark, since a wallet may be added to an entity
// long after its listing. EntityListedAt is the entity's day of designation, or else the
// first day on which a regulation about it was published.
//
// Nothing is added unless r is the whole list: of format 1.1, well-formed to its last byte,
// with a date, records and a wallet. Format 1.0, which has no reference numbers, is refused.
//
// The Commission regenerates the file without changing it. So the revision's digest
// covers the document without the generationDate and globalFileId of its root element.
// Published is that date.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	l, err := readXML(r)
	if err != nil {
		return sources.Revision{}, err
	}
	return l.Emit("entity", add)
}

// day reads a day such as 2025-02-24, perhaps with more behind it.
func day(text string) time.Time {
	return freetext.Date(text[:min(len(text), len(time.DateOnly))], time.DateOnly)
}

// readXML reads XML 1.1. It reads these parts:
//
//	<export generationDate="2026-09-22T20:01:34.799+02:00" globalFileId="185564">
//	  <sanctionEntity designationDate="2025-02-24" euReferenceNumber="EU.12747.39" logicalId="172907">
//	    <remark>…</remark>
//	    <regulation publicationDate="2025-02-24"/>
//	    <nameAlias wholeName="Garantex" strong="true">
//	      <remark>ETH: 0x002471b8A185f9980708d0eAEC5B289714F56f8d …</remark>
//	      <regulationSummary publicationDate="2025-02-24"/>
//	    </nameAlias>
//	    <address>                                like nameAlias; so are
//	    <identification>                         these, and whatever else
//	    <birthdate>                              there may be one day
//
// Wallets may be in any text or attribute of an entity.
func readXML(r io.Reader) (*document, error) {
	sum, digest := sha1.New(), sha256.New()
	r = io.TeeReader(r, sum)
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	root, _, _ := bytes.Cut(head[:n], []byte("<sanctionEntity"))
	digest.Write(generated.ReplaceAll(root, nil))
	digest.Write(head[len(root):n])
	d := document{Scanner: xmlscan.New(io.MultiReader(bytes.NewReader(head[:n]), io.TeeReader(r, digest)))}
	d.Scanner.Stray = freetext.Stray
	err = d.Document(func(root *xmlscan.Node) (map[string]func(*xmlscan.Node) error, error) {
		if root.Name != "export" {
			return nil, d.Errorf("", "root element <%.64s> is not that of the list in format 1.1", root.Name)
		}
		d.Revision.Published = freetext.Date(root.Attr("generationDate"), time.RFC3339Nano)
		return map[string]func(*xmlscan.Node) error{"sanctionEntity": d.entity}, nil
	})
	if err != nil {
		return nil, err
	}
	if d.Revision.Records > 0 && d.references == 0 {
		return nil, d.Errorf("", "no entity has a euReferenceNumber: the list is of format 1.0, want 1.1")
	}
	if err := d.Check(false); err != nil {
		return nil, d.Errorf("", "%w", err)
	}
	d.Revision.Digest, d.sha1 = hex.EncodeToString(digest.Sum(nil)), hex.EncodeToString(sum.Sum(nil))
	return &d, nil
}

// A document is the list in XML, as far as it concerns wallets.
type document struct {
	*xmlscan.Scanner
	freetext.List
	references int    // entities that have one
	sha1       string // of the file, in hex
}

// entity reads a sanctionEntity.
func (d *document) entity(n *xmlscan.Node) error {
	d.Revision.Records++
	h := &freetext.Holder{Ref: freetext.Name(n.Attr("euReferenceNumber")), ListedAt: day(n.Attr("designationDate"))}
	if h.Ref != "" {
		d.references++
	} else if h.Ref = freetext.Name(n.Attr("logicalId")); h.Ref == "" {
		return d.Errorf("", "sanctionEntity without euReferenceNumber and logicalId")
	}
	var published, summary time.Time // the first days of a regulation, and of a regulationSummary
	for _, part := range n.Nodes {
		switch part.Name {
		case "regulation":
			published = freetext.First(published, day(part.Attr("publicationDate")))
		case "nameAlias":
			name := freetext.Name(part.Attr("wholeName"))
			if name == "" {
				name = freetext.Name(part.Attr("firstName") + " " + part.Attr("middleName") + " " + part.Attr("lastName"))
			}
			h.Call(name, part.Attr("strong") != "false")
		}
		listed, err := listedAt(part)
		if err != nil {
			return d.Errorf(h.Ref, "%w", err)
		}
		h.Find(listed, part.Texts()...)
		summary = freetext.First(summary, listed)
	}
	h.Find(time.Time{}, n.Texts()...) // texts in none of its parts
	h.ListedAt = cmp.Or(h.ListedAt, published, summary)
	return d.Add(h)
}

// listedAt returns the first day that a regulationSummary in an element of an entity has.
func listedAt(n *xmlscan.Node) (listed time.Time, err error) {
	if n.Name == "regulationSummary" {
		listed = day(n.Attr("publicationDate"))
	}
	for _, below := range n.Nodes {
		if n.Name == "remark" {
			return listed, fmt.Errorf("element <%.64s> in a remark, want only text", below.Name)
		}
		day, err := listedAt(below)
		if err != nil {
			return listed, err
		}
		listed = freetext.First(listed, day)
	}
	return listed, nil
}

// generated matches the attributes of the root element that the digest leaves out: they change each time the
// Commission generates the file.
var generated = regexp.MustCompile(`[ \t\r\n]+(generationDate|globalFileId)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')`)
