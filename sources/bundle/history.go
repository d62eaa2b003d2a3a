package bundle

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

//go:embed ofac_history.csv.gz
var ofacHistory []byte

// History returns when addresses came on the list and left it, as [sources.History]
// describes. Nil for a list without a history.
func (s *source) History() ([]sources.Entry, error) {
	if s.history == nil {
		return nil, nil
	}
	entries, err := readHistory(s.history)
	if err != nil {
		return nil, fmt.Errorf("bundled history of %s: %w", s.info.ID, err)
	}
	return entries, nil
}

// readHistory reads CSV: ticker, address, not_listed_on, listed_by, delisted_by, entity_id,
// entity_name. The last two are of ended stays.
func readHistory(file []byte) ([]sources.Entry, error) {
	r := csv.NewReader(unpack.Gunzip(bytes.NewReader(file), true))
	r.FieldsPerRecord = 7
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	entries := make([]sources.Entry, 0, len(rows))
	for _, row := range rows[1:] {
		e := sources.Entry{Asset: row[0], Listed: row[1], Kind: score.Sanctioned, Ref: row[5], Name: row[6]}
		for i, t := range []*time.Time{&e.NotListedOn, &e.FirstSeen, &e.Until} {
			if row[2+i] == "" {
				continue
			}
			if *t, err = time.Parse(time.DateOnly, row[2+i]); err != nil {
				return nil, err
			}
		}
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
		entries = append(entries, e)
	}
	return slices.Clip(entries), nil
}
