package screening

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/sources/store"
)

const (
	// leadEvery is how often Run asks whether this program leads a source.
	leadEvery = 3 * time.Second
	// followRetry is the time until a store that failed is asked again.
	followRetry = time.Second
)

// Follow keeps the lists as Options.Store has them until ctx ends; then it returns
// ctx.Err(). It is Run for a program that loads nothing itself, such as a replica
// without a network: it calls Open, and swaps in each list that another program accepts,
// usually within a second. If the store is not one that replicas share, such as that of
// package pgstore, Follow returns an error.
func (s *Screener) Follow(ctx context.Context) error {
	if !s.isShared() {
		return errors.New("screening: Follow needs an Options.Store that replicas share")
	}
	s.Open(ctx) // errors are logged there
	s.follow(ctx)
	return ctx.Err()
}

// isShared reports whether the store is one that replicas share.
func (s *Screener) isShared() bool { return s.archive != nil && s.archive.files.IsShared() }

// follow swaps in what the store has, whenever its journal grows, until ctx ends. Sources
// do not wait for each other.
func (s *Screener) follow(ctx context.Context) {
	var wg sync.WaitGroup
	grown := make([]chan struct{}, len(s.sources))
	for i := range grown {
		grown[i] = make(chan struct{}, 1)
		wg.Go(func() {
			for range grown[i] {
				for s.update(ctx, i, stored, true).Err != nil && ctx.Err() == nil {
					pause(ctx, followRetry)
				}
			}
		})
	}
	var at int64
	failing := false
	for ctx.Err() == nil {
		next, err := s.archive.wait(ctx, at)
		if failing != (err != nil) && ctx.Err() == nil {
			failing = err != nil
			s.log.WarnContext(ctx, "following the store", "failing", failing, "error", err)
		}
		if err != nil {
			pause(ctx, followRetry)
			continue
		}
		at = next
		for _, c := range grown {
			select {
			case c <- struct{}{}:
			default: // it will look again
			}
		}
	}
	for _, c := range grown {
		close(c)
	}
	wg.Wait()
}

// pause waits until d has passed or ctx has ended.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// leads reports whether this program loads source i. While a shared store fails, no
// program does: a list that cannot be saved could not be answered from.
func (s *Screener) leads(ctx context.Context, i int) bool {
	if !s.isShared() {
		return true
	}
	leads, err := s.archive.lead(ctx, s.infos[i].ID)
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "list not loaded: the store does not say whether this program leads", "source", s.infos[i].ID, "error", err)
	}
	return err == nil && leads
}

// resign gives up the lead of source i, which this program could not load: another one may
// reach its publisher. It returns after a time, or, with true, once another program has
// loaded the list.
func (s *Screener) resign(ctx context.Context, i int, wait time.Duration) (loaded bool) {
	if err := s.archive.resign(ctx, s.infos[i].ID); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "the lead was not given up", "source", s.infos[i].ID, "error", err)
	}
	checked, until := s.list(i).checked, time.Now().Add(wait)
	for ctx.Err() == nil && time.Now().Before(until) && !loaded {
		pause(ctx, min(leadEvery, time.Until(until)))
		loaded = !s.list(i).checked.Equal(checked)
	}
	return loaded
}

// errOvertaken is why a list was not accepted.
var errOvertaken = errors.New("another program has accepted another list meanwhile")

// share saves the list next of source i, which follows had, in the store that replicas
// share, and returns what to hold: next only once it is saved, so that all answer from
// the same lists and know the same times. The caller has the lock of the source.
func (s *Screener) share(ctx context.Context, i int, had, next held, report SourceReport) (held, SourceReport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	id := s.infos[i].ID
	fail := func(err error) (held, SourceReport) {
		had.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		had.err, s.loaders[i].unread = had.storeErr, true
		s.log.ErrorContext(ctx, "list not accepted: it cannot be saved", "source", id, "error", err)
		return had, SourceReport{SourceStatus: SourceStatus{Err: had.err}, Unchanged: had.list != nil, opened: report.opened}
	}
	unlock, err := s.archive.lock(ctx, id)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	now, err := s.restore(ctx, i, had)
	switch {
	case err != nil:
		return fail(err)
	case now.list != had.list:
		report = SourceReport{Unchanged: true, opened: true}
		if now.list.Digest != next.list.Digest {
			now.err = sourceError(id, errOvertaken)
			report.Err = now.err
		}
		return now, report
	}
	if err := s.archive.save(ctx, s.infos[i], &next); err != nil {
		return fail(err)
	}
	if err := s.archive.append(ctx, []store.Event{accepted(id, &next, &report)}); err != nil {
		return fail(err)
	}
	next.storeErr, s.loaders[i].known = nil, next.file
	s.log.InfoContext(ctx, "list saved", "source", id)
	return next, report
}

// accepted returns the event that h was accepted.
func accepted(source string, h *held, report *SourceReport) store.Event {
	return store.Event{
		Type: store.Accepted, At: h.accepted, Source: source, Revision: h.file, List: h.confirmed,
		Entries: h.list.Entries, Addresses: h.list.Addresses, Added: report.Added, Removed: report.Removed,
	}
}

func (a *archive) wait(ctx context.Context, from int64) (next int64, err error) {
	defer caught(&err)
	return a.files.Wait(ctx, from)
}

func (a *archive) lead(ctx context.Context, source string) (leads bool, err error) {
	defer caught(&err)
	return a.files.Lead(ctx, source)
}

func (a *archive) resign(ctx context.Context, source string) (err error) {
	defer caught(&err)
	return a.files.Resign(ctx, source)
}

func (a *archive) lock(ctx context.Context, source string) (unlock func(), err error) {
	defer caught(&err)
	return a.files.Lock(ctx, source)
}
