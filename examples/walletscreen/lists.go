package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// listOptions say which lists to hold, and how good they must be.
type listOptions struct {
	require []string
	maxAge  time.Duration
}

// official are the ids of the lists that -require all means.
var official = []string{"OFAC_SDN", "EU_CONSOLIDATED", "UK_CONSOLIDATED"}

func (p *program) listFlags(o *listOptions) []cli.Flag {
	return []cli.Flag{
		p.texts("require", "`lists` without which nothing is decided, as OFAC_SDN,UK_CONSOLIDATED; all means "+strings.Join(official, ", ")+" (default: those that are bundled whole)", &o.require),
		p.duration("max-age", "refuse to decide by a required list that was not checked for this `time`, as 48h or 7d (default: any age)", &o.maxAge),
	}
}

// optional returns which of these lists need not be loaded.
func (o *listOptions) optional(srcs []sources.Source) ([]string, error) {
	var ids []string
	for _, s := range srcs {
		ids = append(ids, s.Info().ID)
	}
	required := o.require
	switch {
	case len(required) == 0:
		for _, s := range bundle.All() {
			if id := s.Info().ID; !slices.Contains(bundle.Optional(), id) {
				required = append(required, id)
			}
		}
	case slices.Contains(required, "all"):
		required = append(slices.Clone(required), official...)
	}
	for _, id := range required {
		if id != "all" && !slices.Contains(ids, id) {
			return nil, fmt.Errorf("-require: there is no list %.80q%s", id, didYouMean(id, ids, ""))
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(required, id) }), nil
}

// openLists returns a Screener that holds the lists, or an error if one that is required
// is missing or too old.
func (p *program) openLists(ctx context.Context, o listOptions) (*screening.Screener, error) {
	srcs := bundle.All()
	optional, err := o.optional(srcs)
	if err != nil {
		return nil, err
	}
	s, err := screening.New(srcs, &screening.Options{Optional: optional, MaxAge: o.maxAge})
	if err != nil {
		return nil, err
	}
	_, err = s.Refresh(ctx)
	now := time.Now()
	var missing, old []string
	for _, l := range s.Sources() {
		switch {
		case l.Required && !l.Loaded():
			missing = append(missing, l.Info.ID)
		case l.Required && o.maxAge > 0 && now.Sub(l.LastUpdated) > o.maxAge:
			old = append(old, fmt.Sprintf("%s is %s old", l.Info.ID, age(now.Sub(l.LastUpdated))))
		}
	}
	switch {
	case len(missing) > 0:
		return nil, errors.Join(fmt.Errorf("nothing can be decided: %s not loaded", strings.Join(missing, " and ")), err)
	case len(old) > 0:
		return nil, fmt.Errorf("nothing can be decided: %s, older than -max-age %v", strings.Join(old, " and "), o.maxAge)
	}
	return s, nil
}

// printLists prints a table of the lists that answers come from.
func printLists(w io.Writer, lists []screening.SourceStatus) {
	now := time.Now()
	t := layout{}
	t.add("LIST", "DATE", ">AGE", ">ADDRESSES", "COMPLETENESS")
	for _, l := range lists {
		old := "-"
		if !l.LastUpdated.IsZero() {
			old = age(now.Sub(l.LastUpdated))
		}
		t.add(l.Info.ID, day(l.LastUpdated), old, grouped(int64(l.Addresses)), note(l))
	}
	t.print(w)
}

// note returns how complete a list is, in words.
func note(l screening.SourceStatus) string {
	switch {
	case l.Completeness == sources.Partial:
		return "not loaded, except for an excerpt of " + day(l.Published)
	case !l.Loaded():
		return "not loaded"
	}
	return l.Completeness.String()
}

// age returns d in days, or in hours if it is less than two days.
func age(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

// A jsonList is the state of a list for programs.
type jsonList struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Required    bool       `json:"required"`
	Loaded      bool       `json:"loaded"`
	Complete    string     `json:"completeness,omitempty"`
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
			j.Complete = l.Completeness.String()
		}
		if l.Err != nil {
			j.Error = l.Err.Error()
		}
		all = append(all, j)
	}
	return all
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
