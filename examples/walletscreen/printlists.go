package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
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
		t.add(l.Info.ID, day(l.LastUpdated), checked, day(l.Published), published, grouped(int64(l.Addresses)), wholeness(l))
	}
	t.print(w)
}

// printProvenance prints where the lists come from that the program has not fetched.
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

// wholeness returns how complete a list is, in words.
func wholeness(l screening.SourceStatus) string {
	switch {
	case !l.Loaded() && l.Completeness != sources.Partial:
		return "not loaded"
	case l.OpenEnded:
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

// caveatTexts returns the caveats with their lists. Each list is named once.
func caveatTexts(caveats []screening.Caveat) (all []string) {
	said := make(map[string]string) // by list
	for _, c := range caveats {
		said[c.Source] = strings.TrimPrefix(said[c.Source]+" and "+cmp.Or(caveatWords[c.Kind], string(c.Kind)), " and ")
	}
	lists := make(map[string][]string) // by the remark on them
	for _, c := range caveats {
		text := said[c.Source]
		if lists[text] == nil {
			all = append(all, text)
		}
		if !slices.Contains(lists[text], c.Source) {
			lists[text] = append(lists[text], c.Source)
		}
	}
	for i, text := range all {
		all[i] = text + ": " + strings.Join(lists[text], ", ")
	}
	return all
}

// caveatWords say what caveats mean for a list.
var caveatWords = map[screening.CaveatKind]string{
	screening.CaveatMissing:       "not loaded",
	screening.CaveatPartial:       "only a part is loaded",
	screening.CaveatStale:         "last checked too long ago",
	screening.CaveatOld:           "published too long ago",
	screening.CaveatStore:         "the store fails, so newer lists cannot be saved",
	screening.CaveatReconstructed: "put together from what is known of the past",
}

// isBroken reports whether the newest list in the store cannot be read: an older one is held, or none.
func isBroken(l screening.SourceStatus) bool {
	return !l.Loaded() && (errors.Is(l.StoreErr, store.ErrDamaged) || errors.Is(l.StoreErr, store.ErrVersion) || errors.Is(l.StoreErr, store.ErrNotFound))
}

// failure returns the last error of a list. That nobody has fetched it is none.
func failure(l screening.SourceStatus) (err error) {
	if !errors.Is(l.Err, errOffline) && !errors.Is(l.Err, errByHand) {
		err = l.Err
	}
	if isBroken(l) {
		err = errors.Join(err, fmt.Errorf("the newest %s cannot be read: load it again with lists refresh or lists import: %w", l.Info.ID, l.StoreErr))
	}
	return err
}

// since returns how long ago t was, as a column of a table has it, or a dash for none.
func since(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return strings.Replace(ageText(now.Sub(t)), " days", " d", 1)
}
