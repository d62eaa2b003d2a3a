package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

func (l *listsCall) diff(ctx context.Context, args []string) error {
	if err := l.lists.wantStore(); err != nil {
		return err
	}
	if len(args) == 0 || len(args) > 2 {
		return errors.New("want A, and B or nothing for now: days, times or digests of snapshots")
	}
	srcs, err := l.lists.sources(false)
	if err != nil {
		return err
	}
	st, err := l.openStore(ctx, false)
	if err != nil {
		return err
	}
	from, err := answering(ctx, st, args[0])
	to, err2 := answering(ctx, st, append(args, "now")[1])
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	var all []jsonChange
	ids := slices.AppendSeq(slices.Collect(maps.Keys(from.Held)), maps.Keys(to.Held))
	if len(l.lists.choose) > 0 {
		ids = idsOf(srcs)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		had, has := from.Held[id], to.Held[id]
		if had.Is(&has) && had.N != 0 {
			if _, err := journal.Open(ctx, st, id, &had, nil); err != nil { // who looks whether a backup is whole relies on it
				return err
			}
			continue
		}
		before, err := identities(ctx, st, id, had)
		after, err2 := identities(ctx, st, id, has)
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		all = appendMissing(all, "added", id, after, before)
		all = appendMissing(all, "removed", id, before, after)
	}
	slices.SortFunc(all, func(a, b jsonChange) int {
		return cmp.Or(slices.Compare(a.cells(), b.cells()), cmp.Compare(b.Change, a.Change)) // what went, then what came
	})
	t := layout{}
	t.add("", "LIST", "KIND", "ADDRESS", "REFERENCE", "NAME")
	added := 0
	for _, c := range all {
		sign := "-"
		if c.Change == "added" {
			sign = "+"
			added++
		}
		l.item(c, &t, append([]string{sign}, c.cells()...)...)
	}
	if l.json {
		return nil
	}
	if len(all) > 0 {
		t.print(l)
	}
	_, err = fmt.Fprintf(l.stderr, "%s added, %s removed between %s and %s\n", grouped(int64(added)), grouped(int64(len(all)-added)), minute(from.At), minute(to.At))
	return err
}

// A jsonChange is an entry that was added to a list, or removed.
type jsonChange struct {
	Change        string     `json:"change"` // added or removed
	Source        string     `json:"source"`
	SourceRef     string     `json:"source_ref"`
	Name          string     `json:"name"`
	Kind          string     `json:"kind"`
	Chain         string     `json:"chain,omitempty"` // left out if the text is not an address
	Address       string     `json:"address,omitempty"`
	ListedAddress string     `json:"listed_address"`
	ListedAt      *time.Time `json:"listed_at"` // the address, by the list
	EntityListed  *time.Time `json:"entity_listed_at"`
}

// cells returns what the table for people has of c.
func (c *jsonChange) cells() []string {
	text := c.ListedAddress
	if c.Address != "" {
		text = c.Chain + ":" + c.Address
	}
	return []string{c.Source, c.Kind, text, c.SourceRef, c.Name}
}

// appendMissing appends the entries that one state of a list has, and another one does not.
func appendMissing(all []jsonChange, change, id string, of, without map[sources.Entry]sources.Entry) []jsonChange {
	for key, e := range of {
		if _, ok := without[key]; !ok {
			all = append(all, jsonChange{change, id, e.Ref, e.Name, string(e.Kind), string(e.Address.Chain()), e.Address.Normalized(), e.Text(),
				orNull(e.ListedAt), orNull(e.EntityListedAt)})
		}
	}
	return all
}

// answering returns the lists that answered at a time, or a snapshot by the beginning of its digest.
func answering(ctx context.Context, st store.Store, when string) (*journal.Snapshot, error) {
	if len(when) >= 8 && strings.Trim(when, "0123456789abcdef") == "" {
		all, err := journal.Answered(ctx, st)
		for i := range all {
			if strings.HasPrefix(all[i].Digest, when) {
				return &all[i], nil
			}
		}
		return nil, cmp.Or(err, fmt.Errorf("no snapshot with the digest %s is kept", when))
	}
	now := time.Now()
	at, err := parsePast(when, now)
	_, _, isTime := dayOrTime(when)
	switch {
	case when == "now":
		at = now
	case !isTime:
		return nil, fmt.Errorf("%q is not a day (2026-11-21), a time (2026-11-21T09:30:00Z) or a digest", when)
	case err != nil:
		return nil, err
	}
	e, err := journal.At(ctx, st, at, now.Add(time.Minute), nil)
	if errors.Is(err, store.ErrNotFound) {
		return e, fmt.Errorf("nothing was kept before %s", minute(at))
	}
	return e, err
}

// identities returns the entries of a list that was held, by what makes them the same.
func identities(ctx context.Context, st store.Store, id string, held journal.Held) (map[sources.Entry]sources.Entry, error) {
	all := make(map[sources.Entry]sources.Entry)
	if held.N == 0 {
		return all, nil
	}
	for e, err := range journal.Entries(ctx, st, id, &held) {
		if err != nil {
			return nil, err
		}
		all[e.Canonical()] = e
	}
	return all, nil
}
