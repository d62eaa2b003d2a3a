package eu

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"regexp"
	"strings"
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
// It reads remarks anywhere in an entity.
func readXML(r io.Reader) (*list, error) {
	digest := &digest{hash: sha256.New()}
	d := document{Scanner: xmlscan.New(io.TeeReader(r, digest))}
	if _, err := d.Next(); err != nil {
		return nil, err
	}
	digest.rootEnds(d.Offset())
	switch root := d.Name(); string(root) {
	case "export":
	case "WHOLE":
		return nil, d.Errorf("", "list in a format older than 1.1")
	default:
		return nil, d.Errorf("", "root element <%.64s> is not that of the list", root)
	}
	text := d.Attr("generationDate")
	published, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, d.Errorf("", "generationDate %.40q: want a time with a zone", text)
	}
	d.Revision.Published = published.UTC()
	err = d.Children(func(name string) error {
		if name != "sanctionEntity" {
			return d.Skip()
		}
		return d.entity()
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.Next(); err != io.EOF {
		return nil, err // the scanner lets nothing but EOF follow the root
	}
	if d.Revision.Records > 0 && d.references == 0 {
		return nil, d.Errorf("", "no entity has a euReferenceNumber: the list is of format 1.0, want 1.1")
	}
	if err := d.Check(); err != nil {
		return nil, d.Errorf("", "%w", err)
	}
	d.Revision.Digest = hex.EncodeToString(digest.hash.Sum(nil))
	return &d.list, nil
}

// A document is a list in XML that is being read.
type document struct {
	*xmlscan.Scanner
	list
	references int // entities that have one

	// The entity that is being read.
	holder             freetext.Holder
	published, summary time.Time // the first days of a regulation, and of a regulationSummary
}

// attr returns an attribute, or "".
func (d *document) attr(name string) string {
	v := d.Attr(name)
	if len(v) > maxText {
		return ""
	}
	return v
}

// entity reads a sanctionEntity.
func (d *document) entity() error {
	d.Revision.Records++
	if d.Revision.Records > maxEntities {
		return d.Errorf("", "more than %d entities", maxEntities)
	}
	d.published, d.summary = time.Time{}, time.Time{}
	h := &d.holder
	*h = freetext.Holder{Ref: strings.TrimSpace(d.attr("euReferenceNumber"))}
	if h.Ref != "" {
		d.references++
	} else if h.Ref = strings.TrimSpace(d.attr("logicalId")); h.Ref == "" {
		return d.Errorf("", "sanctionEntity without euReferenceNumber and logicalId")
	}
	h.ListedAt = day(d.Attr("designationDate"))
	begin := len(d.Wallets)
	err := d.Children(func(name string) error {
		switch name {
		case "remark":
			return d.remark()
		case "regulation":
			d.published = first(d.published, day(d.Attr("publicationDate")))
		case "nameAlias":
			d.name()
		}
		return d.part()
	})
	if err != nil || len(d.Wallets) == begin {
		return err
	}
	for _, day := range []time.Time{d.published, d.summary} {
		if h.ListedAt.IsZero() {
			h.ListedAt = day
		}
	}
	d.Holders = append(d.Holders, *h)
	return nil
}

// name notes the name of a nameAlias.
func (d *document) name() {
	name := fullName(d.attr("wholeName"), d.attr("firstName"), d.attr("middleName"), d.attr("lastName"))
	d.holder.Call(name, d.attr("strong") != "false")
}

// part reads a child of an entity. Its wallets are of the first day that a
// regulationSummary in it has.
func (d *document) part() error {
	var listed time.Time
	begin := len(d.Wallets)
	var below func(name string) error
	below = func(name string) error {
		switch name {
		case "remark":
			return d.remark()
		case "regulationSummary":
			listed = first(listed, day(d.Attr("publicationDate")))
		}
		return d.Children(below)
	}
	if err := d.Children(below); err != nil {
		return err
	}
	d.summary = first(d.summary, listed)
	for i := range d.Wallets[begin:] {
		d.Wallets[begin+i].ListedAt = listed
	}
	return nil
}

// remark reads a remark. The day of its wallets is not known yet.
func (d *document) remark() error {
	text, err := d.Content()
	if err != nil {
		return err
	}
	if err := d.Find(len(d.Holders), text, time.Time{}); err != nil {
		return d.Errorf(d.holder.Ref, "%w", err)
	}
	return nil
}

// A digest hashes a document without the attributes of the root element that change each
// time the Commission generates the file.
type digest struct {
	hash hash.Hash
	head []byte // the bytes written so far, until the root's start tag was read
	root bool
}

func (d *digest) Write(p []byte) (int, error) {
	if !d.root {
		d.head = append(d.head, p...)
		return len(p), nil
	}
	return d.hash.Write(p)
}

// generated matches the attributes of the root element that are left out.
var generated = regexp.MustCompile(`[ \t\r\n]+(generationDate|globalFileId)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')`)

// rootEnds says that the root's start tag ends at an offset of what was written.
func (d *digest) rootEnds(offset int64) {
	d.hash.Write(generated.ReplaceAll(d.head[:offset], nil))
	d.hash.Write(d.head[offset:])
	d.head, d.root = nil, true
}
