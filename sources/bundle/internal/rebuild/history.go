package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// historyGz is the history of the SDN List.
const historyGz = "ofac_history.csv.gz"

// The columns of the history. The last two are the id and the name of the entity, for ended
// stays.
const (
	ticker = iota
	listed
	notListedOn
	listedBy
	delistedBy
	entityID
	entityName
)

// continueHistory adds to the embedded history what changed between two lists.
func continueHistory(dir string, held, came list, out io.Writer) error {
	if held.rev.Completeness == sources.Partial || came.rev.Completeness == sources.Partial {
		return nil
	}
	file, err := os.ReadFile(filepath.Join(dir, historyGz))
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return err
	}
	type key struct{ ticker, listed string }
	keysOf := func(l list) map[key]sources.Entry {
		all := make(map[key]sources.Entry)
		for _, e := range l.entries {
			all[key{e.Asset, e.Text()}] = e
		}
		return all
	}
	before, now := keysOf(held), keysOf(came)
	day := came.rev.Published.Format(time.DateOnly)
	open := make(map[key]bool)
	for _, row := range rows[1:] {
		k := key{row[ticker], row[listed]}
		if row[delistedBy] != "" {
			continue
		}
		if _, ok := now[k]; ok {
			open[k] = true
			continue
		}
		row[delistedBy], row[entityID], row[entityName] = day, before[k].Ref, before[k].Name
	}
	for _, e := range came.entries {
		if k := (key{e.Asset, e.Text()}); !open[k] {
			open[k] = true
			rows = append(rows, []string{k.ticker, k.listed, held.rev.Published.Format(time.DateOnly), day, "", "", ""})
		}
	}
	return writeHistory(dir, rows, out)
}

// writeHistory writes the embedded file.
func writeHistory(dir string, rows [][]string, out io.Writer) error {
	var file bytes.Buffer
	z, _ := gzip.NewWriterLevel(&file, gzip.BestCompression)
	w := csv.NewWriter(z)
	if err := errors.Join(w.WriteAll(rows), z.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes, %d stays\n", historyGz, file.Len(), len(rows)-1)
	return os.WriteFile(filepath.Join(dir, historyGz), file.Bytes(), 0o644)
}
