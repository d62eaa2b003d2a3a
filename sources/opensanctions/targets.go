package opensanctions

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// The columns of targets.simple.csv that are read, and their places in a row.
const (
	columnID = iota
	columnSchema
	columnName
	columnIdentifiers
	columnSanctions
	columnFirstSeen
	columnCount
)

var columnNames = [columnCount]string{"id", "schema", "name", "identifiers", "sanctions", "first_seen"}

// readTargets reads targets.simple.csv. Its header names its columns, among them
//
//	id,schema,name,…,identifiers,sanctions,…,first_seen,…
//
// The name of a wallet is one of its keys, if it has one, and all of them are
// among its identifiers.
func (d *dataset) readTargets(in io.Reader) error {
	s, err := csvscan.New(in).Header()
	if err != nil {
		return err
	}
	var places [columnCount]int
	for i, name := range columnNames {
		places[i] = s.Column(name)
	}
	return s.Each(func() error {
		var t [columnCount]string
		for i, place := range places {
			t[i] = s.Row[place]
		}
		if t[columnID] == "" || t[columnSchema] == "" {
			return fail(s.Line(), t[columnID], errors.New("no entity: id or schema missing"))
		}
		d.records++
		if t[columnSchema] != walletSchema {
			return nil
		}
		for i := range t {
			t[i] = strings.Clone(t[i]) // not to keep the row
		}
		if err := d.addTarget(t); err != nil {
			return fail(s.Line(), t[columnID], err)
		}
		return nil
	})
}

func (d *dataset) addTarget(t [columnCount]string) error {
	keys, err := values(t[columnIdentifiers])
	if err != nil {
		return fmt.Errorf("identifiers: %w", err)
	}
	name := t[columnName]
	_, ok := sources.Decode("", name)
	ok = ok || len(keys) == 0 && name != "" || len(sources.Repair("", name)) > 0
	if ok && !slices.Contains(keys, name) {
		keys = append(keys, name)
	}
	var topics []string
	if t[columnSanctions] != "" {
		topics = []string{"sanction"}
	}
	for _, key := range keys {
		err := d.add(wallet{
			id:        freetext.Name(t[columnID]),
			listed:    key,
			kind:      d.kind(topics),
			firstSeen: parseTime(t[columnFirstSeen]),
		})
		if err != nil {
			return err
		}
	}
	return d.end(t[columnID])
}

// values returns the values of a cell with several: CSV of its own, of one
// record with semicolons.
func values(cell string) ([]string, error) {
	if cell == "" {
		return nil, nil
	}
	s := csvscan.New(strings.NewReader(cell))
	s.Comma, s.OpenEnd = ';', true
	all, err := s.Next()
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	if _, err := s.Next(); err != io.EOF {
		return nil, errors.New("more than one line")
	}
	return all, nil
}
