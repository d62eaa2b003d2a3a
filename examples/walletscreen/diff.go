package main

import (
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

// A jsonChange is a difference of two lists for programs.
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

func (l *listsCall) diff(ctx context.Context, args []string) error {
	if err := l.lists.wantStore(); err != nil {
		return err
	}
	if len(args) == 0 || len(args) > 2 {
		return errors.New("want A, and B or nothing for now: days, times or digests of snapshots")
	}
	st, err := l.openStore(ctx, &l.lists, false)
	if err != nil {
		return err
	}
	a := journal.New(st)
	from, err := answering(ctx, a, args[0])
	if err != nil {
		return err
	}
	to, err := answering(ctx, a, append(args, "now")[1])
	if err != nil {
		return err
	}
	t := layout{}
	t.add("", "LIST", "KIND", "ADDRESS", "REFERENCE", "NAME")
	added, removed := 0, 0
	show := func(sign, change, id string, e sources.Entry) error {
		if l.json {
			j := jsonChange{change, id, e.Ref, e.Name, string(e.Kind), string(e.Address.Chain()), e.Address.Normalized(), e.Text(), orNull(e.ListedAt), orNull(e.EntityListedAt)}
			return writeJSON(l.stdout, j)
		}
		text := e.Text()
		if e.Address.IsValid() {
			text = e.Address.String()
		}
		t.add(sign, id, string(e.Kind), text, e.Ref, e.Name)
		return nil
	}
	ids := slices.AppendSeq(slices.Collect(maps.Keys(from.Lists)), maps.Keys(to.Lists))
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if from.Lists[id] == to.Lists[id] {
			continue
		}
		before, err := identities(ctx, a, from.Lists[id])
		if err != nil {
			return err
		}
		after, err := identities(ctx, a, to.Lists[id])
		if err != nil {
			return err
		}
		for _, side := range []struct {
			sign, change string
			of, without  map[sources.Entry]sources.Entry
			n            *int
		}{{"+", "added", after, before, &added}, {"-", "removed", before, after, &removed}} {
			for key, e := range side.of {
				if _, ok := side.without[key]; ok {
					continue
				}
				*side.n++
				if err := show(side.sign, side.change, id, e); err != nil {
					return err
				}
			}
		}
	}
	if l.json {
		return nil
	}
	if len(t.rows) > 1 {
		slices.SortStableFunc(t.rows[1:], func(a, b []string) int { return slices.Compare(a[1:], b[1:]) })
		if err := t.print(l.stdout); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(l.stderr, "%s added, %s removed between %s and %s\n", grouped(int64(added)), grouped(int64(removed)), minute(from.At), minute(to.At))
	return err
}

// answering returns from which lists questions were answered at a time, or in a snapshot
// whose digest begins with the text.
func answering(ctx context.Context, a *journal.Journal, when string) (journal.Event, error) {
	at := time.Now()
	if t, ok := instant(when); ok {
		at, when = t, "now"
	}
	if when == "now" {
		e, err := a.Answering(ctx, at, func(journal.Event) bool { return true })
		if errors.Is(err, store.ErrNotFound) {
			return e, fmt.Errorf("nothing was kept before %s", minute(at))
		}
		return e, err
	}
	if len(when) < 8 || strings.Trim(when, "0123456789abcdef") != "" {
		return journal.Event{}, fmt.Errorf("%q is not a day (2026-11-21), a time (2026-11-21T09:30:00Z) or a digest", when)
	}
	all, err := a.Answerings(ctx)
	if err != nil {
		return journal.Event{}, err
	}
	for _, e := range all {
		if strings.HasPrefix(e.Digest, when) {
			return e, nil
		}
	}
	return journal.Event{}, fmt.Errorf("no snapshot with the digest %s is kept", when)
}

// identities returns the entries of a revision by what makes them the same.
func identities(ctx context.Context, a *journal.Journal, name string) (map[sources.Entry]sources.Entry, error) {
	all := make(map[sources.Entry]sources.Entry)
	if name == "" {
		return all, nil
	}
	return all, keptEntries(ctx, a, name, func(e sources.Entry) error {
		all[e.Canonical()] = e
		return nil
	})
}
