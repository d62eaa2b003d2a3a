package main

import (
	"fmt"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// printLists prints a table of the lists that answers come from, with their ages as of now.
func printLists(w io.Writer, lists []screening.SourceStatus, now time.Time) {
	t := layout{}
	t.add("LIST", "CHECKED", ">AGE", "PUBLISHED", ">AGE", ">ADDRESSES", "COMPLETE")
	for _, l := range lists {
		checked, published := since(l.LastUpdated, now), since(l.Published, now)
		if l.Info.Final && l.Loaded() { // it has no age
			checked, published = "-", "final"
		}
		t.add(l.Info.ID, day(l.LastUpdated), checked, day(l.Published), published, grouped(int64(l.Addresses)), note(l))
	}
	t.print(w)
}

// printProvenance prints where the lists come from that the program has not fetched, if
// there are any.
func printProvenance(w io.Writer, lists []screening.SourceStatus) {
	from := layout{indent: "  "}
	for _, l := range lists {
		if l.Provenance != "" {
			from.add(l.Info.ID, l.Provenance)
		}
	}
	if len(from.rows) > 0 {
		fmt.Fprintln(w, "\nBundled with the program:")
		from.print(w)
	}
}

// note returns how complete a list is, in words.
func note(l screening.SourceStatus) string {
	switch {
	case l.Completeness == sources.Partial:
		return "an excerpt"
	case !l.Loaded():
		return "not loaded"
	}
	if l.OpenEnded {
		return l.Completeness.String() + ", in a format that cannot show a cut at its end"
	}
	return l.Completeness.String()
}

// A jsonList is the state of a list for programs.
type jsonList struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Required    bool       `json:"required"`
	Loaded      bool       `json:"loaded"`
	Complete    string     `json:"completeness,omitempty"`
	Provenance  string     `json:"provenance,omitempty"` // of a list that was not fetched from its publisher
	OpenEnded   bool       `json:"open_ended,omitempty"` // the format cannot show a cut at the end
	LastUpdated *time.Time `json:"last_updated"`
	Published   *time.Time `json:"published_at"`
	Addresses   int        `json:"address_count"`
	Entries     int        `json:"entries"`
	Digest      string     `json:"digest"`
	Error       string     `json:"error,omitempty"`
}

func jsonLists(lists []screening.SourceStatus) []jsonList {
	all := make([]jsonList, 0, len(lists))
	for _, l := range lists {
		j := jsonList{ID: l.Info.ID, Name: l.Info.Name, Required: l.Required, Loaded: l.Loaded(),
			LastUpdated: orNull(l.LastUpdated), Published: orNull(l.Published), Addresses: l.Addresses, Entries: l.Entries, Digest: l.Digest}
		if l.Digest != "" {
			j.Complete, j.Provenance, j.OpenEnded = l.Completeness.String(), l.Provenance, l.OpenEnded
		}
		if err := failure(l); err != nil {
			j.Error = err.Error()
		}
		all = append(all, j)
	}
	return all
}
