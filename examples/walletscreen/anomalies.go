package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// anomalies prints the odd entries of the lists, by list and kind.
func (l *listsCall) anomalies(ctx context.Context, _ []string) error {
	s, err := l.open(ctx, &l.lists, nil, false, &screening.Options{})
	if err != nil {
		return err
	}
	for _, status := range s.Sources() {
		found := s.Anomalies(status.Info.ID)
		if l.json {
			err = l.anomaliesAsJSON(status.Info.ID, found)
		} else {
			err = l.anomaliesOf(status, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *listsCall) anomaliesAsJSON(id string, found []sources.Anomaly) error {
	type anomaly struct {
		Source  string `json:"source"`
		Kind    string `json:"kind"`
		Listed  string `json:"listed_address"`
		Asset   string `json:"asset,omitempty"`
		Ref     string `json:"source_ref,omitempty"`
		Name    string `json:"name,omitempty"`
		Meaning string `json:"meaning"`
	}
	for _, a := range found {
		e := a.Entry
		if err := writeJSON(l.stdout, anomaly{id, a.Kind, e.Text(), e.Asset, e.Ref, e.Name, sources.AnomalyMeaning(a.Kind)}); err != nil {
			return err
		}
	}
	return nil
}

func (l *listsCall) anomaliesOf(status screening.SourceStatus, found []sources.Anomaly) error {
	for _, k := range slices.Sorted(maps.Keys(status.AnomalyKinds)) {
		fmt.Fprintln(l.stdout, fold(fmt.Sprintf("%s: %d %s: %s", status.Info.ID, status.AnomalyKinds[k], k, sources.AnomalyMeaning(k))))
		t := layout{indent: "  "}
		for _, a := range found {
			if a.Kind == k {
				t.add(a.Entry.Text(), a.Entry.Asset, a.Entry.Ref, a.Entry.Name)
			}
		}
		if err := t.print(l.stdout); err != nil {
			return err
		}
	}
	return nil
}
