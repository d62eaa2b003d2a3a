package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/fbi"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// refreshEvery is how often the lists are asked for. The questions are
// conditional: a list that has not changed is not sent again.
const refreshEvery = time.Hour

// newScreener returns a Screener of the lists that c asks for, which holds none
// yet, and tells report what becomes of loading them.
func newScreener(c config, logger *slog.Logger, report func(screening.Report)) (*screening.Screener, error) {
	srcs := bundle.All()
	if !c.offline {
		srcs = []sources.Source{
			sources.Seeded(ofac.New(&ofac.Options{Progress: downloading(logger, "OFAC_SDN")}), bundle.OFAC()),
			sources.Seeded(eu.New(&eu.Options{Progress: downloading(logger, "EU_CONSOLIDATED")}), bundle.EU()),
			sources.Seeded(uk.New(&uk.Options{Progress: downloading(logger, "UK_CONSOLIDATED")}), bundle.UK()),
			sources.Seeded(fbi.New(nil), bundle.FBI()),
			sources.Seeded(badlist.New(nil), bundle.Badlist()), // 100 kB
		}
	}
	opts := &screening.Options{
		Logger:   logger,
		Report:   report,
		Optional: bundle.Optional(),
	}
	if c.data != "" {
		dir, err := store.Open(filepath.Join(c.data, "lists"))
		if err != nil {
			return nil, err
		}
		opts.Store = dir
	}
	return screening.New(srcs, opts)
}

// downloading returns what logs how far a list is that takes long to download: the
// 130 MB of OFAC's, on a slow line. It is for one download at a time.
func downloading(logger *slog.Logger, source string) func(read, total int64) {
	const step = 10 << 20
	var next int64
	return func(read, total int64) {
		if read == 0 {
			next = step // it begins, perhaps again
		}
		if read < next {
			return
		}
		next = read + step
		if total > 0 {
			logger.Info("downloading", "source", source, "bytes", read, "percent", 100*read/total)
		} else {
			logger.Info("downloading", "source", source, "bytes", read)
		}
	}
}

// openLists has s hold what is at hand without a network: what was kept, or what
// is bundled, whichever is newer. The error says that a required list is not at
// hand.
func openLists(ctx context.Context, c config, s *screening.Screener) error {
	open := s.Open
	if c.offline {
		open = s.Refresh
	}
	_, err := open(ctx)
	for _, l := range s.Sources() {
		if l.Required && !l.Loaded() {
			return err // the bundle itself is damaged
		}
	}
	return nil // what went wrong is logged, and what is held is good
}
