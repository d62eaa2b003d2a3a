package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources/store"
)

var errListsChanged = errors.New("the lists have changed meanwhile: screen the table again")

// receipt returns the receipt of a table that was read to its end, from what it says without the table.
func (t *tableJob) receipt(rec *receipt.Receipt, j *judge, signers []signed.Signer) ([]byte, error) {
	r, err := j.screener.Screen(anyAddress)
	if err == nil && r.Digest() != rec.Snapshot {
		err = errListsChanged
	}
	if err != nil {
		return nil, err
	}
	rec.Table = t.table()
	rec.Table.Input, rec.Table.Output, rec.Table.Settings = hexSum(t.hashes.input), hexSum(t.hashes.output), t.options.settings()
	return rec.Encode(signers...)
}

// keepsLists reports whether a store, which may be nil, or the program has the lists of a result.
func keepsLists(ctx context.Context, st store.Store, r *screening.Result) bool {
	var ids []string
	for _, s := range r.Sources() {
		ids = append(ids, s.Info.ID)
	}
	if st != nil {
		if _, err := journal.Find(ctx, st, r.Digest(), ids); err == nil {
			return true
		}
	}
	bundled, remove := bundledStore()
	defer remove()
	st, err := bundled(ctx)
	if err == nil {
		_, err = journal.Find(ctx, st, r.Digest(), ids)
	}
	return err == nil
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// table returns what became of the rows, for a receipt.
func (t *tableJob) table() *receipt.Table {
	levels := maps.Clone(t.total.levels)
	if levels == nil {
		levels = make(map[score.Level]int64)
	}
	return &receipt.Table{Rows: t.total.rows, Levels: levels, Undecided: t.total.undecided, Verdicts: hexSum(t.hashes.verdicts)}
}

// listedRows returns how many rows of a table are listed.
func listedRows(t *receipt.Table) (n int64) {
	for level, rows := range t.Levels {
		if level != score.CleanNoMatch {
			n += rows
		}
	}
	return n
}

// hash writes the verdict as one line of JSON, without the texts for people, which another
// version of the program may word otherwise, and without dates.
func (v *verdict) hash(w io.Writer) {
	type label struct {
		Kind                 score.Kind
		Match                score.Match
		Source, Ref, Address string
	}
	line := struct {
		Level              score.Level
		Score              int
		Doubts             []address.Doubt
		Undecided          bool
		Labels, Suppressed []label
	}{Level: v.result.Level, Score: v.result.Score, Doubts: v.result.Doubts, Undecided: v.isUndecided()}
	for i := range v.result.Labels {
		l := &v.result.Labels[i]
		line.Labels = append(line.Labels, label{l.Kind, l.Match, l.Source, l.Ref, l.Listed})
	}
	for i := range v.result.Suppressed {
		l := &v.result.Suppressed[i].Label
		line.Suppressed = append(line.Suppressed, label{l.Kind, l.Match, l.Source, l.Ref, l.Listed})
	}
	json.NewEncoder(w).Encode(line) // a hash returns no error
}

// reading returns what says how a table is read, by the names of the flags.
func (o *tableOptions) reading() map[string]*string {
	return map[string]*string{
		"chain": &o.chain, "address-column": &o.addressColumn, "chain-column": &o.chainColumn,
		"format": &o.format, "delimiter": &o.delimiter, "sheet": &o.sheet,
	}
}

// settings returns how a table is read, for a receipt.
func (o tableOptions) settings() map[string]string {
	o.format = o.formatOrName()
	all := make(map[string]string)
	for name, value := range o.reading() {
		if *value != "" {
			all[name] = *value
		}
	}
	return all
}

// setSettings sets how a table is read.
func (o *tableOptions) setSettings(all map[string]string) error {
	known := o.reading()
	for name, value := range all {
		if known[name] == nil {
			return fmt.Errorf("this program does not know the setting %.40q of the receipt", name)
		}
		*known[name] = value
	}
	return o.checkDelimiter()
}
