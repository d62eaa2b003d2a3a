package uk

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// readCSV reads the list in CSV: a line with the date, one with the names of the columns,
// and a row for each name, address and so on of a designation. Each row repeats the texts
// of the designation. It reads these parts:
//
//	Report Date: 08-Oct-2026
//	…,Unique ID,…,Name 6,Name 1,…,Name 5,Name type,…,Other Information,UK Statement of Reasons,…,Date Designated,…
//
// It finds columns by name.
func readCSV(r io.Reader) (*freetext.List, error) {
	t := table{Scanner: csvscan.New(r)}
	if err := t.header(); err != nil {
		return nil, err
	}
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
	}
	t.Revision.Records, t.Revision.OpenEnded = len(t.Holders), true
	if err := t.Check(); err != nil {
		return nil, t.Errorf("", "%w", err)
	}
	return &t.List, nil
}

// A table is a list in CSV that is being read.
type table struct {
	*csvscan.Scanner
	freetext.List
	fields       []string       // of the last record
	designations map[string]int // of Holders, by id

	columns                       int
	id, kind, information, reason int
	designated                    int
	names                         [6]int
}

// next reads the next record.
func (t *table) next() (err error) {
	t.fields, err = t.NextText()
	return err
}

// must is next for a required record.
func (t *table) must() error {
	err := t.next()
	if err == io.EOF {
		return t.Errorf("", "no records: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// header reads the first two records.
func (t *table) header() error {
	if err := t.must(); err != nil {
		return err
	}
	first := sources.TrimListed(t.fields[0])
	if first == "Last Updated" && len(t.fields) > 1 && !day(t.fields[1]).IsZero() {
		return t.Errorf("", "%w", ErrRetired)
	}
	text, ok := strings.CutPrefix(first, "Report Date:")
	if !ok {
		return t.Errorf("", "the first line is not that of the list: want Report Date")
	}
	text = sources.TrimListed(text)
	published, err := time.Parse("02-Jan-2006", text)
	if err != nil {
		return t.Errorf("", "Report Date %.40q: want DD-Mon-YYYY", text)
	}
	t.Revision.Published = published

	if err := t.must(); err != nil {
		return err
	}
	t.columns = len(t.fields)
	at := make(map[string]int)
	for i, name := range t.fields {
		name = strings.ToLower(sources.TrimListed(name))
		if _, twice := at[name]; twice && name != "" {
			return t.Errorf("", "column %.64q twice", name)
		}
		at[name] = i
	}
	var missing string
	column := func(name string) int {
		i, ok := at[name]
		if !ok && missing == "" {
			missing = name
		}
		return i
	}
	t.id, t.kind, t.information, t.reason = column("unique id"), column("name type"), column("other information"), column("uk statement of reasons")
	t.designated = column("date designated")
	for i := range t.names {
		t.names[i] = column(fmt.Sprintf("name %d", i+1))
	}
	if missing != "" {
		return t.Errorf("", "no column %q", missing)
	}
	t.designations = make(map[string]int)
	return nil
}

// row reads a record.
func (t *table) row() error {
	if len(t.fields) != t.columns {
		return t.Errorf("", "row of %d columns, want %d", len(t.fields), t.columns)
	}
	id := sources.TrimListed(t.fields[t.id])
	if id == "" || len(id) > maxText {
		return t.Errorf("", "row without a Unique ID")
	}
	i, ok := t.designations[id]
	if !ok {
		if i = len(t.Holders); i == maxDesignations {
			return t.Errorf("", "more than %d designations", maxDesignations)
		}
		id = strings.Clone(id) // and let go of the record
		t.designations[id] = i
		t.Holders = append(t.Holders, freetext.Holder{Ref: id, ListedAt: day(t.fields[t.designated])})
	}
	if h := &t.Holders[i]; !h.Main {
		var parts [6]string
		for k, at := range t.names {
			parts[k] = t.fields[at]
		}
		h.Call(fullName(parts[:]...), isPrimary(t.fields[t.kind]))
	}
	for _, at := range []int{t.information, t.reason} {
		if err := t.Find(i, t.fields[at], time.Time{}); err != nil {
			return t.Errorf(id, "%w", err)
		}
	}
	return nil
}
