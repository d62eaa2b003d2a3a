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
	s := csvscan.New(r)
	first, err := s.Header()
	if err != nil {
		return nil, err
	}
	var t table
	if t.Revision.Published, err = reportDate(first); err != nil {
		return nil, err
	}
	if t.Table, err = s.Header(); err != nil {
		return nil, err
	}
	t.id, t.kind, t.information, t.reason = t.Column("unique id"), t.Column("name type"), t.Column("other information"), t.Column("uk statement of reasons")
	t.designated = t.Column("date designated")
	for i := range t.names {
		t.names[i] = t.Column(fmt.Sprintf("name %d", i+1))
	}
	t.designations = make(map[string]int)
	if err := t.Each(t.row); err != nil {
		return nil, err
	}
	t.Revision.Records, t.Revision.OpenEnded = len(t.Holders), true
	if err := t.Check(); err != nil {
		return nil, t.Errorf("", "%w", err)
	}
	return &t.List, nil
}

// A table is a list in CSV that is being read.
type table struct {
	*csvscan.Table
	freetext.List
	designations map[string]int // of Holders, by id

	id, kind, information, reason, designated int
	names                                     [6]int
}

// reportDate returns the date in the first record.
func reportDate(t *csvscan.Table) (time.Time, error) {
	first := t.Names()
	if first[0] == "last updated" && len(first) > 1 && !day(first[1]).IsZero() {
		return time.Time{}, t.Errorf("", "%w", ErrRetired)
	}
	text, ok := strings.CutPrefix(first[0], "report date:")
	if !ok {
		return time.Time{}, t.Errorf("", "the first line is not that of the list: want Report Date")
	}
	text = sources.TrimListed(text)
	published, err := time.Parse("02-Jan-2006", text)
	if err != nil {
		return time.Time{}, t.Errorf("", "Report Date %.40q: want DD-Mon-YYYY", text)
	}
	return published, nil
}

// row reads a record.
func (t *table) row() error {
	id := sources.TrimListed(t.Row[t.id])
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
		t.Holders = append(t.Holders, freetext.Holder{Ref: id, ListedAt: day(t.Row[t.designated])})
	}
	if h := &t.Holders[i]; !h.Main {
		var parts [6]string
		for k, at := range t.names {
			parts[k] = t.Row[at]
		}
		h.Call(fullName(parts[:]...), isPrimary(t.Row[t.kind]))
	}
	for _, at := range []int{t.information, t.reason} {
		if err := t.Find(i, t.Row[at], time.Time{}); err != nil {
			return t.Errorf(id, "%w", err)
		}
	}
	return nil
}
