package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

var exportColumns = []string{
	"source", "source_ref", "kind", "name", "chain", "address", "listed_address", "asset",
	"listed_at", "entity_listed_at", "not_listed_on", "published_at",
}

func (l *listsCall) export(ctx context.Context, _ []string) error {
	write := map[string]func(screeningLists, iter.Seq2[exported, error]) error{
		"csv": l.exportCSV, "lines": l.exportLines, "feed": l.exportLines, "nitro": l.exportNitro}[l.format]
	if write == nil {
		return fmt.Errorf("-format %.40q: want csv, lines, feed or nitro", l.format)
	}
	switch {
	case l.format != "lines" && l.format != "feed" && (l.spellings || l.signingKey != ""):
		return fmt.Errorf("-spellings and -receipt-key are for -format lines and feed, not %s", l.format)
	case l.format != "nitro" && (l.match != "exact" || l.salt != ""):
		return fmt.Errorf("-match and -salt are for -format nitro, not %s", l.format)
	}
	from, entries, err := l.openExported(ctx)
	if err != nil {
		return err
	}
	return write(from, func(yield func(exported, error) bool) {
		for _, held := range from.Sources() {
			if l.format == "lines" && len(l.lists.choose) == 0 && held.Info.ID != "OFAC_SDN" {
				continue // the files are known as OFAC's
			}
			if l.format == "feed" && held.Info.Jurisdiction == sources.Operator {
				continue // a feed is for others
			}
			for e, err := range entries(held.Info.ID) {
				if err != nil {
					yield(exported{}, fmt.Errorf("%s: %w", held.Info.ID, err))
					return
				}
				if e.Until.IsZero() && !yield(exported{e, &held}, nil) { // else it ended
					return
				}
			}
		}
	})
}

// openExported opens the lists of now or of -from-id, and returns a function for the entries of each.
func (l *listsCall) openExported(ctx context.Context) (screeningLists, func(id string) iter.Seq2[sources.Entry, error], error) {
	srcs, err := l.lists.sources(false)
	if err != nil {
		return nil, nil, err
	}
	keep := l.format == "nitro" && l.fromID == "" && l.lists.wantStore() == nil // so that -from-id finds them
	s, err := l.open(ctx, srcs, keep, &screening.Options{})
	if err != nil {
		return nil, nil, err
	}
	if keep && len(l.lists.own) > 0 {
		s.Refresh(ctx) // reads the files; Sources has the error of each
	}
	if l.fromID != "" {
		return l.openID(ctx, srcs)
	}
	if err = l.lists.undecidable(s); err == nil && l.format == "nitro" && l.store != nil { // who is not in the filter passes
		err = l.sayUnasked(ctx, s.Sources(), time.Time{})
	}
	return s, s.Entries, err
}

func (l *listsCall) exportCSV(_ screeningLists, entries iter.Seq2[exported, error]) (err error) {
	out, err := openOutput(l.out, l.stdout, io.Discard)
	if err != nil {
		return err
	}
	n, table := int64(0), csv.NewWriter(out.w)
	table.Write(exportColumns) // Error below returns what fails
	for e, failure := range entries {
		if err = failure; err == nil {
			n++
			err = table.Write([]string{
				e.held.Info.ID, visible.Cell(e.Ref), string(e.Kind), visible.Cell(e.Name), string(e.Address.Chain()), e.Address.Normalized(), visible.Cell(e.Text()),
				visible.Cell(e.Asset), dayOrNone(e.ListedAt), dayOrNone(e.EntityListedAt), dayOrNone(e.NotListedOn), dayOrNone(e.held.Published),
			})
		}
		if err != nil {
			break
		}
	}
	table.Flush()
	if err = cmp.Or(err, table.Error(), out.Close()); err == nil {
		fmt.Fprintf(l.stderr, "%s\n", counted(n, "row"))
	}
	return err
}
