package eu

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// readCSV reads CSV 1.1: separated by semicolons, a row for each name, address,
// document and so on of an entity, and the columns of the entity in each of them.
// It finds columns by name; the columns of remarks end in "_Remark". The day of a remark
// is the _Regulation_PublicationDate of the same group.
func readCSV(r io.Reader) (*list, error) {
	s := csvscan.New(r)
	s.Comma = ';'
	header, err := s.Header()
	if err != nil {
		return nil, err
	}
	t := table{Table: header, entities: make(map[string]int)}
	if err := t.columns(); err != nil {
		return nil, err
	}
	sum := sha256.New()
	t.addTo(sum, header.Names())
	err = t.Each(func() error {
		t.addTo(sum, t.Row)
		return t.row()
	})
	if err != nil {
		return nil, err
	}
	t.Revision.Records = len(t.Holders)
	if err := t.Check(); err != nil {
		return nil, t.Errorf("", "%w", err)
	}
	t.Revision.OpenEnded = true
	t.Revision.Digest = hex.EncodeToString(sum.Sum(nil))
	return &t.list, nil
}

// A table is a list in CSV that is being read.
type table struct {
	*csvscan.Table
	list
	entities map[string]int // of Holders, by logical id

	generated, id, ref, designated, regular int
	whole, firstName, middle, last          int
	remarks                                 []remarkColumn
}

// A remarkColumn is a column of remarks, and the column of their days, or -1.
type remarkColumn struct{ text, day int }

// columns finds the columns.
func (t *table) columns() error {
	t.generated, t.id, t.ref = t.Optional("fileGenerationDate"), t.Optional("Entity_LogicalId"), t.Optional("Entity_EU_ReferenceNumber")
	switch {
	case t.ref < 0 && (t.id >= 0 || t.Optional("Entity_logical_id") >= 0):
		return t.Errorf("", "no column Entity_EU_ReferenceNumber: the list is of format 1.0, want 1.1")
	case t.generated < 0 || t.id < 0 || t.ref < 0:
		return t.Errorf("", "columns of no format of the list")
	}
	t.designated, t.regular = t.Optional("Entity_DesignationDate"), t.Optional("Entity_Regulation_PublicationDate")
	t.whole, t.firstName, t.middle, t.last = t.Optional("NameAlias_WholeName"), t.Optional("NameAlias_FirstName"), t.Optional("NameAlias_MiddleName"), t.Optional("NameAlias_LastName")
	for i, name := range t.Names() {
		group, ok := strings.CutSuffix(name, "_remark")
		if !ok {
			continue
		}
		day := -1
		if group != "entity" {
			day = t.Optional(group + "_Regulation_PublicationDate")
		}
		t.remarks = append(t.remarks, remarkColumn{i, day})
	}
	if len(t.remarks) == 0 {
		return t.Errorf("", "no column of remarks")
	}
	return nil
}

// addTo adds a record to a digest, without the day of the file. Each field is preceded by
// its length.
func (t *table) addTo(sum hash.Hash, fields []string) {
	var size [binary.MaxVarintLen64]byte
	for i, field := range fields {
		if i != t.generated {
			sum.Write(binary.AppendUvarint(size[:0], uint64(len(field))))
			io.WriteString(sum, field)
		}
	}
}

// day returns the day in a field, in either of the forms of the file.
func (t *table) day(i int) time.Time {
	text := t.Text(i)
	if d, err := time.Parse("02/01/2006", text); err == nil {
		return d
	}
	return day(text)
}

// row reads a record.
func (t *table) row() error {
	if t.Revision.Published.IsZero() {
		if t.Revision.Published = t.day(t.generated); t.Revision.Published.IsZero() {
			return t.Errorf("", "fileGenerationDate %.40q: want DD/MM/YYYY", t.Text(t.generated))
		}
	}
	id := strings.TrimSpace(t.Text(t.id))
	switch {
	case id == "" || len(id) > maxText:
		return t.Errorf("", "no Entity_LogicalId")
	case id == "Entity_LogicalId":
		return t.Errorf("", "a second header: more than one list")
	}
	i, ok := t.entities[id]
	if !ok {
		if i = len(t.Holders); i == maxEntities {
			return t.Errorf("", "more than %d entities", maxEntities)
		}
		ref := strings.TrimSpace(t.Text(t.ref))
		if ref == "" || len(ref) > maxText {
			ref = id
		}
		t.entities[strings.Clone(id)] = i
		t.Holders = append(t.Holders, freetext.Holder{Ref: strings.Clone(ref)})
	}
	if h := &t.Holders[i]; h.Name == "" {
		if name := fullName(t.Text(t.whole), t.Text(t.firstName), t.Text(t.middle), t.Text(t.last)); len(name) <= maxText {
			h.Name = strings.Clone(name)
		}
	}
	for _, c := range t.remarks {
		if t.Row[c.text] == "" {
			continue
		}
		listed := t.day(c.day)
		for _, other := range []int{t.designated, t.regular} {
			if listed.IsZero() {
				listed = t.day(other)
			}
		}
		if err := t.Find(i, t.Row[c.text], listed); err != nil {
			return t.Errorf(t.Holders[i].Ref, "%w", err)
		}
	}
	return nil
}
