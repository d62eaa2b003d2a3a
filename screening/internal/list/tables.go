package list

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// Tables returns the tables of l in the form that Open reads: the facts in JSON, the
// index of the entries, and the order. They are filed by Rule, and say nothing about the Past.
func (l *List) Tables() ([]io.WriterTo, error) {
	facts, err := json.Marshal(storeFacts(&l.Facts))
	if err != nil {
		return nil, err
	}
	return []io.WriterTo{bytes.NewReader(facts), l.entries.index, bytes.NewReader(l.order)}, nil
}

// Open returns the list of tables that Tables has returned, and that were filed by
// Rule. The List is answered from the tables as they lie there: file unmaps them when it
// cannot be reached any more, and is nil if they are not mapped. Their checksums must be
// right.
func Open(tables [][]byte, file File) (*List, error) {
	if len(tables) != 3 {
		return nil, damaged(fmt.Errorf("%w: there are %d", index.ErrDamaged, len(tables)))
	}
	var facts storedFacts
	if err := json.Unmarshal(tables[0], &facts); err != nil {
		return nil, damaged(err)
	}
	l := &List{Facts: facts.facts(), file: file}
	if len(tables[2]) > 0 {
		l.order = tables[2] // mapped as long as the entries are
	}
	var err error
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

// storedFacts are Facts in JSON.
type storedFacts struct {
	Digest         string
	Entries        int
	Addresses      int
	Chains         map[address.Chain]int
	Classes        map[string]int
	Kinds          []score.Kind
	LatestSeen     time.Time
	Anomalies      map[string]int
	FirstAnomalies []storedAnomaly
	Bytes          int
	Sequence       [][]byte `json:",omitempty"`
}

// A storedAnomaly is an anomaly in JSON, which would change bytes that are not UTF-8
// in a string, and has no years of more than four digits.
type storedAnomaly struct {
	Kind                     string
	Address                  address.Address
	EntryKind                score.Kind
	Listed, Asset, Ref, Name []byte
	ListedAt, EntityListedAt [2]int64 // seconds and nanoseconds
	FirstSeen                [2]int64
}

func storedTime(t time.Time) [2]int64 { return [2]int64{t.Unix(), int64(t.Nanosecond())} }
func timeOf(t [2]int64) time.Time     { return time.Unix(t[0], t[1]).UTC() }

func storeFacts(f *Facts) *storedFacts {
	s := &storedFacts{
		Digest: f.Digest, Entries: f.Entries, Addresses: f.Addresses, Chains: f.Chains, Classes: f.Classes,
		Kinds: f.Kinds, LatestSeen: f.LatestSeen, Anomalies: f.AnomalyKinds, Bytes: f.Bytes, Sequence: f.Sequence,
	}
	for _, a := range f.Anomalies {
		e := a.Entry
		s.FirstAnomalies = append(s.FirstAnomalies, storedAnomaly{
			a.Kind, e.Address, e.Kind, []byte(e.Listed), []byte(e.Asset), []byte(e.Ref), []byte(e.Name),
			storedTime(e.ListedAt), storedTime(e.EntityListedAt), storedTime(e.FirstSeen),
		})
	}
	return s
}

func (s *storedFacts) facts() Facts {
	f := Facts{
		Digest: s.Digest, Entries: s.Entries, Addresses: s.Addresses, Chains: s.Chains, Classes: s.Classes,
		Kinds: s.Kinds, LatestSeen: s.LatestSeen, Bytes: s.Bytes, AnomalyKinds: s.Anomalies, Sequence: s.Sequence,
	}
	for _, a := range s.FirstAnomalies {
		f.Anomalies = append(f.Anomalies, sources.Anomaly{Kind: a.Kind, Entry: sources.Entry{
			Address: a.Address, Kind: a.EntryKind, Listed: string(a.Listed), Asset: string(a.Asset), Ref: string(a.Ref), Name: string(a.Name),
			ListedAt: timeOf(a.ListedAt), EntityListedAt: timeOf(a.EntityListedAt), FirstSeen: timeOf(a.FirstSeen),
		}})
	}
	return f
}
