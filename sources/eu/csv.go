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
// It finds columns by name; those of remarks end in "_Remark". The day of a remark is
// the _Regulation_PublicationDate of the same group.
func readCSV(r io.Reader) (*list, error) {
	t := table{Scanner: csvscan.New(r)}
	t.Comma = ';'
	if err := t.header(); err != nil {
		return nil, err
	}
	sum := sha256.New()
	t.addTo(sum)
	for {
		err := t.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = t.row()
		}
		if err != nil {
			return nil, err
		}
		t.addTo(sum)
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
	*csvscan.Scanner
	list
	fields   []string       // of the last record
	entities map[string]int // of Holders, by logical id

	columns                                 int
	generated, id, ref, designated, regular int
	whole, firstName, middle, last          int
	remarks                                 []remarkColumn
}

// A remarkColumn is a column of remarks, and that of their days, or -1.
type remarkColumn struct{ text, day int }

// next reads the next record.
func (t *table) next() (err error) {
	t.fields, err = t.NextText()
	return err
}

// header reads the first record.
func (t *table) header() error {
	err := t.next()
	if err == io.EOF {
		return t.Errorf("", "no records: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return err
	}
	t.columns = len(t.fields)
	at := make(map[string]int)
	var names []string
	for i, name := range t.fields {
		name = strings.TrimSpace(name)
		if _, twice := at[name]; twice && name != "" {
			return t.Errorf("", "column %.64q twice", name)
		}
		at[name] = i
		names = append(names, name)
	}
	column := func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		return -1
	}
	t.generated, t.id, t.ref = column("fileGenerationDate"), column("Entity_LogicalId"), column("Entity_EU_ReferenceNumber")
	switch {
	case t.ref < 0 && (t.id >= 0 || column("Entity_logical_id") >= 0):
		return t.Errorf("", "no column Entity_EU_ReferenceNumber: the list is of format 1.0, want 1.1")
	case t.generated < 0 || t.id < 0 || t.ref < 0:
		return t.Errorf("", "columns of no format of the list")
	}
	t.designated, t.regular = column("Entity_DesignationDate"), column("Entity_Regulation_PublicationDate")
	t.whole, t.firstName, t.middle, t.last = column("NameAlias_WholeName"), column("NameAlias_FirstName"), column("NameAlias_MiddleName"), column("NameAlias_LastName")
	for i, name := range names {
		group, ok := strings.CutSuffix(name, "_Remark")
		if !ok {
			continue
		}
		day := -1
		if group != "Entity" {
			day = column(group + "_Regulation_PublicationDate")
		}
		t.remarks = append(t.remarks, remarkColumn{i, day})
	}
	if len(t.remarks) == 0 {
		return t.Errorf("", "no column of remarks")
	}
	t.entities = make(map[string]int)
	return nil
}

// addTo adds the last record to a digest, without the day of the file. Each field is
// preceded by its length.
func (t *table) addTo(sum hash.Hash) {
	var size [binary.MaxVarintLen64]byte
	for i, field := range t.fields {
		if i != t.generated {
			sum.Write(binary.AppendUvarint(size[:0], uint64(len(field))))
			io.WriteString(sum, field)
		}
	}
}

// text returns a field, or "" if there is no such column.
func (t *table) text(i int) string {
	if i < 0 {
		return ""
	}
	return t.fields[i]
}

// day returns the day in a field.
func (t *table) day(i int) time.Time {
	if i < 0 {
		return time.Time{}
	}
	return anyDay(t.text(i))
}

// anyDay reads a day in either of the forms of the file.
func anyDay(text string) time.Time {
	if d, err := time.Parse("02/01/2006", text); err == nil {
		return d
	}
	return day(text)
}

// row reads a record.
func (t *table) row() error {
	if len(t.fields) != t.columns {
		return t.Errorf("", "row of %d columns, want %d", len(t.fields), t.columns)
	}
	if t.Revision.Published.IsZero() {
		if t.Revision.Published = t.day(t.generated); t.Revision.Published.IsZero() {
			return t.Errorf("", "fileGenerationDate %.40q: want DD/MM/YYYY", t.text(t.generated))
		}
	}
	id := strings.TrimSpace(t.text(t.id))
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
		ref := strings.TrimSpace(t.text(t.ref))
		if ref == "" || len(ref) > maxText {
			ref = id
		}
		t.entities[strings.Clone(id)] = i
		t.Holders = append(t.Holders, freetext.Holder{Ref: strings.Clone(ref)})
	}
	if h := &t.Holders[i]; h.Name == "" {
		if name := fullName(t.text(t.whole), t.text(t.firstName), t.text(t.middle), t.text(t.last)); len(name) <= maxText {
			h.Name = strings.Clone(name)
		}
	}
	for _, c := range t.remarks {
		if t.fields[c.text] == "" {
			continue
		}
		listed := t.day(c.day)
		for _, other := range []int{t.designated, t.regular} {
			if listed.IsZero() {
				listed = t.day(other)
			}
		}
		if err := t.Find(i, t.fields[c.text], listed); err != nil {
			return t.Errorf(t.Holders[i].Ref, "%w", err)
		}
	}
	return nil
}
