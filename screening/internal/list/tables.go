package list

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// Tables returns the tables of l in the form that Open reads: the facts in JSON, the
// index of the entries, and the order. They are filed by Rule, and say nothing about the Past.
func (l *List) Tables() ([]io.WriterTo, error) {
	stored, err := storeFacts(&l.Facts)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	return []io.WriterTo{bytes.NewReader(text), l.entries.index, bytes.NewReader(l.order)}, nil
}

// Open returns the list of tables that Tables has returned, and that were filed by
// Rule. The List is answered from the tables as they lie there: file unmaps them when it
// cannot be reached any more, and is nil if they are not mapped. Their checksums must be
// right.
func Open(tables [][]byte, file File) (*List, error) {
	if len(tables) != 3 {
		return nil, damaged(fmt.Errorf("%w: there are %d", index.ErrDamaged, len(tables)))
	}
	l := &List{file: file}
	var err error
	if l.Facts, err = facts(tables[0]); err != nil {
		return nil, damaged(err)
	}
	if len(tables[2]) > 0 {
		l.order = tables[2] // mapped as long as the entries are
	}
	if l.entries, err = openTable(tables[1], file); err != nil {
		return nil, damaged(err)
	}
	if l.Entries < 0 || l.Entries > MaxEntries {
		return nil, damaged(fmt.Errorf("%w: the counts", index.ErrDamaged))
	}
	return l, nil
}

// A File is a mapped file.
type File interface {
	Verify() error
}

func openTable(data []byte, owner any) (*table, error) {
	ix, err := index.LoadOwned(data, owner)
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
