package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// A bundled is a list and the name of its file.
type bundled struct {
	file string
	src  sources.Source
}

// live returns the lists, each with the source that fetches it from its publisher, or
// from a mirror.
func live(mirror string) []bundled {
	url := func(name string) string {
		if mirror == "" {
			return ""
		}
		return strings.TrimSuffix(mirror, "/") + "/" + name
	}
	http := strings.HasPrefix(mirror, "http:")
	return []bundled{
		{"ofac.stays.gz", ofac.New(&ofac.Options{URL: url("ofac"), AllowHTTP: http})},
		{"eu.stays", eu.New(&eu.Options{URL: url("eu"), AllowHTTP: http})},
		{"uk.stays", uk.New(&uk.Options{URL: url("uk"), AllowHTTP: http})},
		{"badlist.stays.gz", badlist.New(&badlist.Options{URL: url("badlist"), AllowHTTP: http})},
	}
}

// fetchAll fetches the lists and replaces the file of each list that has changed. It returns how
// many it fetched, changed or not; the others keep their files, and the error says why.
func fetchAll(ctx context.Context, dir string, lists []bundled, accept string, out io.Writer, now time.Time) (fetched int, err error) {
	for _, l := range lists {
		if failed := fetchOne(ctx, dir, l, accept == l.src.Info().ID, out, now); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", l.src.Info().ID, failed))
			continue
		}
		fetched++
	}
	return fetched, err
}

func fetchOne(ctx context.Context, dir string, l bundled, accept bool, out io.Writer, now time.Time) error {
	name := filepath.Join(dir, l.file)
	held, err := readList(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	var came list
	came.rev, err = l.src.Load(ctx, sources.Revision{}, func(e sources.Entry) error {
		came.entries = append(came.entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	if came.rev.Digest == held.rev.Digest && came.rev.Completeness == held.rev.Completeness {
		fmt.Fprintf(out, "%s: unchanged\n", l.file)
		return nil
	}
	if err := came.date(now); err != nil {
		return err
	}
	came.rev.Provenance = "fetched from the publisher on " + now.UTC().Format(time.DateOnly)
	if err := suspect(held, came); err != nil && !accept {
		return fmt.Errorf("%w; -accept %s lets it in", err, l.src.Info().ID)
	}
	if l.file == "ofac.stays.gz" {
		if err := continueHistory(dir, held, came, l.src.Info(), out); err != nil {
			return fmt.Errorf("%s: %w", historyFile, err)
		}
	}
	return came.write(name, l.src.Info(), out)
}

// suspect returns an error if a list must not replace the list that is held, by the
// rules of a refresh.
func suspect(held, came list) error {
	before, now := held.addresses(), came.addresses()
	lost := before - now
	switch {
	case now == 0:
		return errors.New("the list has no addresses")
	case came.rev.Published.Before(held.rev.Published):
		return fmt.Errorf("published %s, before the bundled one of %s", came.rev.Published.Format(time.DateOnly), held.rev.Published.Format(time.DateOnly))
	case lost >= 3 && float64(lost) > 0.2*float64(before):
		return fmt.Errorf("shrank from %d to %d addresses", before, now)
	case held.rev.Completeness != sources.Partial && now > 10*before && now-before > 10_000:
		return fmt.Errorf("grew from %d to %d addresses", before, now)
	}
	return nil
}

// A list is what a file holds.
type list struct {
	rev     sources.Revision
	entries []sources.Entry
}

// addresses returns the number of distinct addresses.
func (l list) addresses() int {
	all := make(map[any]bool)
	for _, e := range l.entries {
		if e.Address.IsValid() {
			all[e.Address.Canonical()] = true
		} else {
			all[e.Listed] = true
		}
	}
	return len(all)
}

// date gives a list the dates of a bundled one. Published, if the list does not say, is
// the date of its newest entry. Checked is the day of the list. Entries without a date
// count as first seen then, not when a program starts.
func (l *list) date(now time.Time) error {
	if l.rev.Published.IsZero() {
		for _, e := range l.entries {
			if e.ListedAt.After(l.rev.Published) {
				l.rev.Published = e.ListedAt
			}
		}
	}
	if l.rev.Published.IsZero() || l.rev.Published.After(now) {
		return fmt.Errorf("published %v: want a date that has passed", l.rev.Published)
	}
	l.rev.Checked, l.rev.ETag, l.rev.LastModified = l.rev.Published, "", ""
	for i := range l.entries {
		if e := &l.entries[i]; e.ListedAt.IsZero() && e.EntityListedAt.IsZero() && e.FirstSeen.IsZero() {
			e.FirstSeen = l.rev.Published
		}
	}
	return nil
}

// write replaces the named file.
func (l list) write(name string, info sources.Info, out io.Writer) error {
	var all []stays.Stay
	for _, e := range l.entries {
		all = append(all, stays.Stay{Entry: e, In: 1})
		if !e.Address.IsValid() {
			fmt.Fprintf(out, "%s: no address: %s %q of %q\n", filepath.Base(name), e.Asset, e.Listed, e.Ref)
		}
	}
	f, err := stays.New(stays.Header{Source: info.ID, Name: info.Name, First: 1, Last: 1, Revision: l.rev}, all)
	if err != nil {
		return err
	}
	_, data, err := f.Bytes()
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".gz") {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		z.Write(data) // a Buffer takes all
		z.Close()
		data = packed.Bytes()
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes, %s, %s, %d records, %d entries of %d addresses\n", filepath.Base(name), len(data),
		l.rev.Published.Format(time.DateOnly), l.rev.Completeness, l.rev.Records, len(l.entries), l.addresses())
	return nil
}

// readList reads a file. A file that does not exist is an empty list.
func readList(name string) (list, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return list{}, nil
	}
	if err != nil {
		return list{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(unpack.Gunzip(file, false))
	if err != nil {
		return list{}, err
	}
	f, err := stays.Parse("", data)
	if err != nil {
		return list{}, fmt.Errorf("%s: %w", name, err)
	}
	l := list{rev: f.Revision}
	for s, err := range f.All() {
		if err != nil {
			return list{}, fmt.Errorf("%s: %w", name, err)
		}
		l.entries = append(l.entries, s.Entry)
	}
	return l, nil
}

// historyFile has the history of the SDN List.
const historyFile = "ofac_history.stays.gz"

// continueHistory adds to the history what changed between two lists.
func continueHistory(dir string, held, came list, info sources.Info, out io.Writer) error {
	name := filepath.Join(dir, historyFile)
	past, err := readList(name)
	if err != nil {
		return err
	}
	key := func(e sources.Entry) [2]string { return [2]string{e.Asset, e.Text()} }
	before, isNew := make(map[[2]string]sources.Entry), make(map[[2]string]bool)
	for _, e := range held.entries {
		before[key(e)] = e
	}
	for _, e := range came.entries {
		isNew[key(e)] = true
	}
	for i := range past.entries {
		e := &past.entries[i]
		k := key(*e)
		if _, ok := isNew[k]; ok && e.Until.IsZero() {
			isNew[k] = false
		} else if e.Until.IsZero() {
			e.Until, e.Ref, e.Name = came.rev.Published, before[k].Ref, before[k].Name
		}
	}
	for _, e := range came.entries {
		if k := key(e); isNew[k] {
			isNew[k] = false
			past.entries = append(past.entries, sources.Entry{
				Address: e.Address, Listed: e.Listed, Asset: e.Asset, Kind: e.Kind, NotListedOn: held.rev.Published, FirstSeen: came.rev.Published,
			})
		}
	}
	return past.write(name, info, out)
}
