// Package customsource is an example of a [sources.Source] for a list of your own. It
// reads a database table through database/sql, with the driver that your program
// already uses. Copy it and change the query.
//
//	CREATE TABLE watched (
//		id       BIGINT PRIMARY KEY,
//		address  TEXT NOT NULL, -- as reported
//		ticker   TEXT NOT NULL, -- of the asset, or ''
//		reason   TEXT NOT NULL,
//		added_at TIMESTAMP NOT NULL
//	);
//
// For a list in a file use [sources.File], and for a list in memory [sources.Static].
package customsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// Table returns a source that reads the table named watched in db.
func Table(db *sql.DB) sources.Source { return &table{db} }

type table struct{ db *sql.DB }

func (t *table) Info() sources.Info {
	return sources.Info{
		ID:           "WATCHED",
		Name:         "Addresses that our analysts watch",
		Jurisdiction: sources.Community,
		Licence:      "ours",
	}
}

func (t *table) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	entries, err := t.read(ctx)
	if err != nil {
		return sources.Revision{}, fmt.Errorf("table watched: %w", err)
	}
	return sources.Static(t.Info(), entries...).Load(ctx, prev, add)
}

// read returns the rows as entries. A single query sees one state of the table, so it needs no
// transaction.
func (t *table) read(ctx context.Context) (entries []sources.Entry, err error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, address, ticker, reason, added_at FROM watched ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text, ticker, reason string
		var added time.Time
		if err := rows.Scan(&id, &text, &ticker, &reason, &added); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(entries)+1, err)
		}
		if sources.TrimListed(text) == "" {
			return nil, fmt.Errorf("row with the id %d: no address", id)
		}
		// An entry that does not decode still matches its exact string.
		a, _ := sources.Decode(ticker, text)
		entries = append(entries, sources.Entry{
			Address: a, Listed: text, Asset: ticker, Kind: score.Scam,
			Ref: fmt.Sprint(id), Name: reason, ListedAt: added.UTC(),
		})
	}
	// A broken connection ends the loop like the last row does.
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, errors.New("the table is empty: want at least one row")
	}
	return entries, nil
}
