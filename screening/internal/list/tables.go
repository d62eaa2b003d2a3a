package list

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// Write writes the entries of l and, in the form that Open reads, its tables: the facts in JSON,
// and the index of the entries. They are filed by Rule, and say nothing about the Past.
func (l *List) Write(w *revision.Writer) error {
	stored, err := storeFacts(&l.Facts)
	if err != nil {
		return err
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	if err := w.Entries(l.all); err != nil {
		return err
	}
	if err := w.Table(bytes.NewReader(text)); err != nil {
		return err
	}
	return w.Table(l.entries.index)
}

// Open returns the list in f, whose tables must be filed by Rule. The List is answered from f as
// it lies there.
func Open(f *revision.File) (*List, error) {
	tables := f.Tables(Rule)
	if len(tables) != 2 {
		return nil, damaged(fmt.Errorf("%w: there are %d", index.ErrDamaged, len(tables)))
	}
	l := &List{all: f.List()}
	if f.IsMapped() {
		l.file = f
	}
	var err error
	if l.Facts, err = facts(tables[0]); err != nil {
		return nil, damaged(err)
	}
	if l.entries, err = openTable(tables[1], f); err != nil {
		return nil, damaged(err)
	}
	if l.Entries != l.all.Len() || l.Entries > MaxEntries {
		return nil, damaged(fmt.Errorf("%w: tables of %d entries, but there are %d", index.ErrDamaged, l.Entries, l.all.Len()))
	}
	return l, nil
}

func openTable(data []byte, owner any) (*table, error) {
	ix, err := index.Load(data, owner)
	if err != nil {
		return nil, err
	}
	return newTable(ix), nil
}

// damaged wraps an error about tables.
func damaged(err error) error {
	if !errors.Is(err, index.ErrDamaged) {
		err = fmt.Errorf("%w: %w", index.ErrDamaged, err)
	}
	return fmt.Errorf("the tables of a list: %w", err)
}

// storedFacts are Facts in JSON, with the anomalies apart: JSON would change bytes that are not
// UTF-8 in a string.
type storedFacts struct {
	*Facts
	FirstKinds   []string // the kinds of Facts.Anomalies
	FirstEntries []byte   // their entries, as a revision.Delta gains them
}

func storeFacts(f *Facts) (s storedFacts, err error) {
	s.Facts = f
	var d revision.Delta
	for _, a := range f.Anomalies {
		s.FirstKinds, d.Gained = append(s.FirstKinds, a.Kind), append(d.Gained, a.Entry)
	}
	s.FirstEntries, err = d.Append(nil)
	return s, err
}

// facts returns the Facts of JSON.
func facts(text []byte) (f Facts, err error) {
	s := storedFacts{Facts: &f}
	if err := json.Unmarshal(text, &s); err != nil {
		return f, err
	}
	d, err := revision.ParseDelta(s.FirstEntries)
	if err == nil && len(d.Gained) != len(s.FirstKinds) {
		err = fmt.Errorf("%d anomalies of %d kinds", len(d.Gained), len(s.FirstKinds))
	}
	for i, e := range d.Gained[:min(len(d.Gained), len(s.FirstKinds))] {
		f.Anomalies = append(f.Anomalies, sources.Anomaly{Kind: s.FirstKinds[i], Entry: e})
	}
	return f, err
}
