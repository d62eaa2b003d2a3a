package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// exportColumns are the columns of lists export.
var exportColumns = []string{
	"source", "source_ref", "kind", "name", "chain", "address", "listed_address", "asset",
	"listed_at", "entity_listed_at", "not_listed_on", "published_at",
}

// eachEntry calls add for the entries to export.
type eachEntry func(add func(held *screening.SourceStatus, e sources.Entry) error) error

func (l *listsCall) export(ctx context.Context, _ []string) error {
	write := map[string]func(lists, eachEntry) error{"csv": l.exportCSV, "lines": l.exportLines, "feed": l.exportLines, "nitro": l.exportNitro}[l.format]
	if write == nil {
		return fmt.Errorf("-format %.40q: want csv, lines, feed or nitro", l.format)
	}
	srcs, err := l.lists.sources(false)
	if err != nil {
		return err
	}
	keep := l.format == "nitro" && l.fromID == "" && l.lists.wantStore() == nil // so that -from-id finds them
	s, err := l.program.open(ctx, &l.lists, srcs, keep, &screening.Options{})
	if err != nil {
		return err
	}
	if keep && len(l.lists.own) > 0 {
		s.Refresh(ctx) // reads the files; Sources has the error of each
	}
	st, err := l.openStore(ctx, &l.lists, keep)
	if err != nil {
		return err
	}
	var from lists = s
	if l.fromID != "" {
		from, err = l.openID(ctx, st, srcs)
	} else {
		err = l.lists.undecidable(s)
	}
	if err != nil {
		return err
	}
	return write(from, func(add func(*screening.SourceStatus, sources.Entry) error) error {
		for i, held := range from.Sources() {
			if l.format == "lines" && len(l.lists.choose) == 0 && held.Info.ID != "OFAC_SDN" {
				continue // the files are known as OFAC's
			}
			if l.format == "feed" && held.Info.Jurisdiction == sources.Operator {
				continue // a feed is for others
			}
			err := heldEntries(ctx, held, srcs[i], st, func(e sources.Entry) error {
				if !e.Until.IsZero() {
					return nil // it ended
				}
				return add(&held, e)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", held.Info.ID, err)
			}
		}
		return nil
	})
}

// anyResult returns an answer from l, for what all answers have in common, or why there is none.
func anyResult(l lists) (screening.Result, error) {
	return l.Screen(address.MustParse("ethereum", "0x0000000000000000000000000000000000000000"))
}

// exportCSV writes a row for each entry.
func (l *listsCall) exportCSV(_ lists, each eachEntry) error {
	out, err := openOutput(l.out, l.stdout, nil)
	if err != nil {
		return err
	}
	defer out.Close()
	n, table := int64(0), csv.NewWriter(out.w)
	table.Write(exportColumns) // Error below returns what fails
	err = each(func(held *screening.SourceStatus, e sources.Entry) error {
		n++
		return table.Write([]string{
			held.Info.ID, visible.Cell(e.Ref), string(e.Kind), visible.Cell(e.Name), string(e.Address.Chain()), e.Address.Normalized(), visible.Cell(e.Text()),
			visible.Cell(e.Asset), exportDay(e.ListedAt), exportDay(e.EntityListedAt), exportDay(e.NotListedOn), exportDay(held.Published),
		})
	})
	if table.Flush(); err == nil {
		err = table.Error()
	}
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		fmt.Fprintf(l.stderr, "%s\n", count(n, "row"))
	}
	return err
}

// exportDay returns the day of t, or "" for none.
func exportDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// heldEntries calls add for the entries of the list that is held: those in the store, if there
// is one that has the list, or those of its source.
func heldEntries(ctx context.Context, held screening.SourceStatus, src sources.Source, st store.Store, add func(sources.Entry) error) error {
	if held.Digest == "" {
		return nil // an optional list that was never loaded
	}
	if st != nil {
		n := uint32(0)
		err := journal.Read(ctx, st, 0, func(l *journal.Line, _ *journal.State) error {
			if l.Source == held.Info.ID && l.Held != nil && l.Held.Revision.Digest == held.Digest {
				n = l.Held.N
			}
			return nil
		})
		if err != nil {
			return err
		}
		if n > 0 {
			return keptEntries(ctx, st, held.Info.ID, n, add)
		}
	}
	r, err := src.Load(ctx, sources.Revision{}, add)
	if err == nil && r.Digest != held.Digest {
		err = errors.New("the list changed meanwhile; export it again")
	}
	return err
}

// keptEntries calls add for the entries of an acceptance of a list in the store.
func keptEntries(ctx context.Context, st store.Store, id string, n uint32, add func(sources.Entry) error) error {
	for e, err := range journal.Entries(ctx, st, id, n) {
		if err == nil {
			err = add(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errStop = errors.New("nobody wants more")

// sequence returns the values for which each calls its argument, and its error.
func sequence[T any](each func(func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		more := true
		err := each(func(v T) error {
			if more = yield(v, nil); !more {
				return errStop
			}
			return nil
		})
		if err != nil && more {
			var none T
			yield(none, err)
		}
	}
}
