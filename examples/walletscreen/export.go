package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
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

func (l *listsCall) export(ctx context.Context, _ []string) error {
	if l.format != "csv" {
		return fmt.Errorf("-format %.40q: want csv", l.format)
	}
	s, srcs, err := l.open(ctx)
	if err != nil {
		return err
	}
	if bad := l.lists.undecidable(s); bad != nil {
		return bad
	}
	st, err := l.openStore(ctx, &l.lists, false)
	if err != nil {
		return err
	}
	out, err := openOutput(l.out, l.stdout, nil)
	if err != nil {
		return err
	}
	defer out.Close()
	n, err := exportLists(ctx, out.w, s, srcs, st)
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	fmt.Fprintf(l.stderr, "%s\n", count(n, "row"))
	return nil
}

// exportLists writes a row for each entry of the lists that s answers from.
func exportLists(ctx context.Context, w io.Writer, s *screening.Screener, srcs []sources.Source, st store.Store) (n int64, err error) {
	table := csv.NewWriter(w)
	table.Write(exportColumns) // Error below returns what fails
	for i, held := range s.Sources() {
		err := heldEntries(ctx, held, srcs[i], st, func(e sources.Entry) error {
			if !e.Until.IsZero() {
				return nil // it ended
			}
			n++
			return table.Write([]string{
				held.Info.ID, visible.Cell(e.Ref), string(e.Kind), visible.Cell(e.Name), string(e.Address.Chain()), e.Address.Normalized(), visible.Cell(e.Text()),
				visible.Cell(e.Asset), exportDay(e.ListedAt), exportDay(e.EntityListedAt), exportDay(e.NotListedOn), exportDay(held.Published),
			})
		})
		if err != nil {
			return n, fmt.Errorf("%s: %w", held.Info.ID, err)
		}
	}
	table.Flush()
	return n, table.Error()
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
		a := journal.New(st)
		names, err := a.Revisions(ctx, held.Info.ID)
		if err != nil {
			return err
		}
		n := slices.IndexFunc(names, func(name string) bool {
			_, _, digest, _ := revision.ParseName(name)
			return digest == held.Digest
		})
		if n >= 0 {
			return keptEntries(ctx, a, names[n], add)
		}
	}
	r, err := src.Load(ctx, sources.Revision{}, add)
	if err == nil && r.Digest != held.Digest {
		err = errors.New("the list changed meanwhile; export it again")
	}
	return err
}

// keptEntries calls add for the entries of a revision by its name in the store.
func keptEntries(ctx context.Context, a *journal.Journal, name string, add func(sources.Entry) error) error {
	f, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	for e, err := range f.Entries() {
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
