package main

import (
	"io"
	"path/filepath"

	"github.com/walletscreen/walletscreen/sources"
)

// historyFile has the history of the SDN List.
const historyFile = "ofac_history.stays.gz"

// continueHistory adds to the history what changed between two lists.
func continueHistory(dir string, held, came list, info sources.Info, out io.Writer) error {
	if held.rev.Completeness == sources.Partial || came.rev.Completeness == sources.Partial {
		return nil
	}
	name := filepath.Join(dir, historyFile)
	past, err := readList(name)
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
	open := make(map[key]bool)
	for i := range past.entries {
		e := &past.entries[i]
		k := key{e.Asset, e.Text()}
		if !e.Until.IsZero() {
			continue
		}
		if _, ok := now[k]; ok {
			open[k] = true
			continue
		}
		e.Until, e.Ref, e.Name = came.rev.Published, before[k].Ref, before[k].Name
	}
	for _, e := range came.entries {
		if k := (key{e.Asset, e.Text()}); !open[k] {
			open[k] = true
			past.entries = append(past.entries, sources.Entry{
				Address: e.Address, Listed: e.Listed, Asset: e.Asset, Kind: e.Kind, NotListedOn: held.rev.Published, FirstSeen: came.rev.Published,
			})
		}
	}
	return past.write(name, info, out)
}
