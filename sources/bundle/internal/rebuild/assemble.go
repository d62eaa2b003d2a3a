package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
)

// extractions are the CSV files in testdata: ticker, address, entity_id, entity_name,
// listed_on, and perhaps first_seen.
var extractions = map[string]struct {
	csv          string
	published    time.Time
	completeness sources.Completeness
}{
	"ofac.stays": {"testdata/ofac_2026-10-01.csv", day(2026, 10, 1), sources.Assembled},
	"eu.stays":   {"testdata/eu_2026-09-22.csv", day(2026, 9, 22), sources.Assembled},
	"uk.stays":   {"testdata/uk_2026-10-02.csv", day(2026, 10, 2), sources.Partial},
}

// provenances say where the data of each file come from.
var provenances = map[string]string{
	"ofac.stays":    "public extractions of OFAC's file: thomasgregg/crypto-sanctions-list, meefs/ofac-naughtylist, bitnob/ofac-address-feed",
	"eu.stays":      "an extraction of the Commission's XML file 185564; the French register has the same addresses",
	"uk.stays":      "extractions of the five designations known to name wallets; at least one Bitcoin and two Tron addresses are missing",
	"badlist.stays": "the fork myvaporwallet/ethereum-lists, commit 478ee9f4",
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// assemble makes all files from the extractions, and from whole lists in testdata.
func assemble(dir string, out io.Writer) error {
	for _, b := range live("") {
		l, err := assembled(dir, b.file)
		if err == nil {
			l.rev.Provenance = provenances[b.file]
			err = l.date(time.Now())
		}
		if err == nil {
			err = l.write(filepath.Join(dir, b.file), b.src.Info(), out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.file, err)
		}
	}
	return assembleHistory(dir, out)
}

// assembled returns the list of a file.
func assembled(dir, file string) (list, error) {
	switch file {
	case "badlist.stays":
		return parseFile(filepath.Join(dir, "../badlist/testdata/addresses-darklist.json"), badlist.Parse)
	}
	x := extractions[file]
	text, err := os.ReadFile(filepath.Join(dir, x.csv))
	if err != nil {
		return list{}, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return list{}, fmt.Errorf("%s: %w", x.csv, err)
	}
	digest := sha256.Sum256(text)
	l := list{rev: sources.Revision{Digest: hex.EncodeToString(digest[:]), Published: x.published, Completeness: x.completeness}}
	entities := make(map[string]bool)
	for i, row := range rows[1:] {
		e, err := entryOf(rows[0], row)
		if err != nil {
			return list{}, fmt.Errorf("%s: row %d: %w", x.csv, i+2, err)
		}
		l.entries = append(l.entries, e)
		entities[e.Ref+" "+e.Name] = true
	}
	l.rev.Records = len(entities)
	return l, nil
}

// entryOf returns the entry of a row.
func entryOf(header, row []string) (sources.Entry, error) {
	e := sources.Entry{Kind: score.Sanctioned}
	for i, name := range header {
		v := row[i]
		switch name {
		case "ticker":
			e.Asset = v
		case "address":
			e.Listed = v
		case "entity_id":
			e.Ref = v
		case "entity_name":
			e.Name = v
		case "listed_on":
			if v != "" {
				var err error
				if e.EntityListedAt, err = time.Parse(time.DateOnly, v); err != nil {
					return e, err
				}
			}
		case "first_seen":
			// Also "2026-08-21..2026-10-01": then the date of the list counts.
			e.FirstSeen, _ = time.Parse(time.DateOnly, v)
		}
	}
	if !e.EntityListedAt.IsZero() {
		e.FirstSeen = time.Time{}
	}
	e.Address, _ = sources.Decode(e.Asset, e.Listed)
	return e, nil
}

// parseFile returns the list in a file.
func parseFile(name string, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (list, error) {
	f, err := os.Open(name)
	if err != nil {
		return list{}, err
	}
	defer f.Close()
	var l list
	l.rev, err = parse(f, func(e sources.Entry) error {
		l.entries = append(l.entries, e)
		return nil
	})
	return l, err
}
