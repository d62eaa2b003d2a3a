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

	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

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
		switch root.Name {
		case "export":
		case "WHOLE":
			return nil, d.Errorf("", "list in a format older than 1.1")
		default:
			return nil, d.Errorf("", "root element <%.64s> is not that of the list", root.Name)
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
	if err := d.Check(); err != nil {
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
	h.Find(time.Time{}, n.Texts()...) // what is in none of its parts
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
