package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A watcher notifies a webhook of customers whose verdict a refresh has changed.
//
// The outbox stores the digest of the snapshot up to which it has messages, once the store
// has its lists. A Book answers the report of a refresh that begins there. After a restart, or a change that was missed, all customers are screened against
// both snapshots.
type watcher struct {
	file     string // the value of -book
	screener *screening.Screener
	past     func(ctx context.Context, digest string) (*screening.Past, error)
	kept     func(ctx context.Context, digest string) (bool, error) // whether past can open it
	box      *outbox.Box
	hook     *outbox.Webhook
	holder   string // names this process, which may hold the lead
	log      *slog.Logger

	leading atomic.Bool
	wake    chan struct{} // has room for one

	mu      sync.Mutex
	pending []screening.Report
	missed  bool // a report was dropped

	// Only the goroutine that runs sync uses these.
	last    string // the digest after the last report that was handled
	book    *book.Book
	stamp   string // the size and time of the file when book was made
	failure string // the error that was last logged

	former bool // the lists of the last messages may be in the store of an earlier version

	failing bool // whether the webhook fails; only the goroutine that delivers uses it

	measured webhookMetrics
}

// maxPending bounds the reports that wait: each holds the lists before and after it.
const maxPending = 8

// openWatcher opens the customers, the webhook and the outbox, and returns nil if the
// options have none.
func openWatcher(ctx context.Context, s *server) (*watcher, error) {
	switch {
	case s.book == "" && s.webhook == "" && s.webhookSecret == "":
		return nil, nil
	case s.book == "":
		return nil, errors.New("-webhook needs -book, the table of customers")
	case s.webhook == "":
		return nil, errors.New("-book needs -webhook, the URL to tell")
	case s.lists.data == "":
		return nil, errors.New("-book needs -data, which keeps the lists to compare with")
	}
	secret, err := webhookSecret(s.serveOptions)
	if err != nil {
		return nil, fmt.Errorf("-webhook-secret: %w", err)
	}
	w := &watcher{file: s.book, screener: s.screener, past: s.openPast, kept: keptIn(s.store), log: s.log, wake: make(chan struct{}, 1), holder: instance(s.lists.data), former: s.former}
	if w.hook, err = outbox.NewWebhook(s.webhook, secret); err != nil {
		return nil, fmt.Errorf("-webhook: %w", err)
	}
	if err := w.reload(); err != nil {
		return nil, fmt.Errorf("-book: %w", err)
	}
	database := s.lists.db
	if database == "" {
		database = "sqlite:" + filepath.Join(s.lists.data, dbFile)
	}
	w.box, err = outbox.Open(ctx, database)
	return w, err
}

// instance names the process that uses a data directory, so that it leads again as soon as
// it starts again.
func instance(data string) string {
	host, _ := os.Hostname()
	if path, err := filepath.Abs(data); err == nil {
		data = path
	}
	return host + ":" + data
}

// webhookSecret reads the secret of the webhook, or makes one in -data.
func webhookSecret(c *serveOptions) (string, error) {
	file := c.webhookSecret
	if file == "" {
		file = filepath.Join(c.lists.data, "webhook-secret")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			if err := os.MkdirAll(c.lists.data, 0o700); err != nil {
				return "", err
			}
			secret := outbox.NewSecret()
			_, err := writeSecret(file, secret)
			return secret, err
		}
	}
	text, err := readSecret(file, 1<<10)
	return strings.TrimSpace(string(text)), err
}

// report takes what a refresh has done. It does not block.
func (w *watcher) report(r screening.Report) {
	w.mu.Lock()
	if w.pending = append(w.pending, r); len(w.pending) > maxPending {
		w.pending, w.missed = nil, true
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run watches and delivers until ctx ends.
func (w *watcher) run(ctx context.Context) {
	const term = 15 * time.Second
	var jobs sync.WaitGroup
	lead := func() {
		leading, err := w.box.Lead(ctx, w.holder, term)
		if err != nil && ctx.Err() == nil {
			w.log.Error("the outbox of the webhook fails", "error", err)
		}
		w.leading.Store(leading && err == nil)
	}
	jobs.Go(func() {
		lead()
		periodically(ctx, term/6, nil, lead)
	})
	jobs.Go(func() { // watches
		periodically(ctx, time.Second, w.wake, func() {
			if !w.leading.Load() {
				return
			}
			failure := ""
			if err := w.sync(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, screening.ErrNotLoaded) {
				if failure = err.Error(); failure != w.failure {
					w.log.Error("the customers' verdicts cannot be compared; trying again", "error", err)
				}
			}
			w.failure = failure
		})
	})
	jobs.Go(func() { // delivers
		periodically(ctx, time.Second, nil, func() {
			accepted, err := 1, error(nil)
			for w.leading.Load() && accepted > 0 && err == nil {
				var d outbox.Delivery
				d, err = w.box.Deliver(ctx, w.hook.Post)
				accepted = d.Accepted
				w.told(d)
			}
			if w.leading.Load() && err == nil {
				err = w.box.Sweep(ctx)
			}
			if err == nil {
				err = w.measured.read(ctx, w.box)
			}
			if err != nil && ctx.Err() == nil {
				w.log.Error("the outbox of the webhook fails", "error", err)
			}
		})
	})
	jobs.Wait()
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	w.box.Resign(last, w.holder)
	w.box.Close()
}

// told logs what became of messages. A receiver that fails is logged when it begins to,
// and when it accepts messages again.
func (w *watcher) told(d outbox.Delivery) {
	switch {
	case d.Failure != nil && !w.failing:
		w.log.Error("the webhook does not accept a message; each is kept, and posted again for three days", "error", d.Failure)
	case d.Accepted > 0:
		w.log.Info("webhook messages delivered", "count", d.Accepted)
	}
	if d.Expired > 0 {
		w.log.Error("webhook messages given up after three days", "count", d.Expired)
	}
	if d.Accepted > 0 || d.Failure != nil {
		w.failing = d.Failure != nil
	}
	w.measured.add(d)
}

// periodically calls do every so often, and when wake, which may be nil, receives, until ctx ends.
func periodically(ctx context.Context, every time.Duration, wake <-chan struct{}, do func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-wake:
		case <-ctx.Done():
			return
		}
		do()
	}
}

// sync stores the messages about all changes up to now.
func (w *watcher) sync(ctx context.Context) error {
	w.mu.Lock()
	reports, missed := w.pending, w.missed
	w.pending, w.missed = nil, false
	w.mu.Unlock()
	state, err := w.box.State(ctx)
	if err != nil {
		return errors.Join(err, w.putBack(reports, missed))
	}
	if missed {
		w.last = ""
	}
	if err := w.reload(); err != nil {
		w.log.Error("the new table of customers cannot be used, keeping the old one", "file", w.file, "error", err)
	}
	for i, r := range reports {
		if r.Digest == state || r.Digest == w.last {
			w.last = r.Digest
			continue
		}
		if state == "" || w.last != state {
			break // it does not begin where the messages end
		}
		n := 0
		if err = w.awaitKept(ctx, r.Digest); err == nil {
			n, err = w.box.Add(ctx, state, r.Digest, sequence(func(add func(outbox.Event) error) error { return w.changedIn(r, add) }))
		}
		if err != nil {
			return errors.Join(err, w.putBack(reports[i:], false))
		}
		w.said(n)
		state, w.last = r.Digest, r.Digest
	}
	now, err := w.snapshot()
	if err != nil || now == state {
		if err == nil {
			w.last = now
		}
		return err
	}
	if err := w.awaitKept(ctx, now); err != nil {
		return err
	}
	if state == "" { // the first start: entries listed now are not changes
		_, err = w.box.Add(ctx, "", now, func(func(outbox.Event, error) bool) {})
	} else {
		err = w.compare(ctx, state, now)
	}
	if err == nil {
		w.last = now
	}
	return err
}

// keepPatience is how long messages wait for the store to save the lists they are about.
const keepPatience = time.Minute

// awaitKept waits until the store has the lists of a digest. A Screener answers from a list
// before the list is saved. If the outbox went on to it at once and the process was killed,
// the next process would have nothing to compare with.
func (w *watcher) awaitKept(ctx context.Context, digest string) error {
	for end := time.Now().Add(keepPatience); ; {
		kept, err := w.kept(ctx, digest)
		if kept || ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(end) {
			w.log.Warn("new lists are not saved after a minute; sending webhook messages about them anyway, which a restart may repeat for every listed customer", "snapshot", digest, "error", err)
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// keptIn returns a function that reports whether a store has the lists of a digest and the
// journal event that names them.
func keptIn(st store.Store) func(ctx context.Context, digest string) (bool, error) {
	return func(ctx context.Context, digest string) (bool, error) {
		events, err := journal.Answered(ctx, st)
		for i := range events {
			if events[i].Digest == digest {
				return events[i].IsKept(ctx, st)
			}
		}
		return false, err
	}
}

// putBack lets the next sync handle reports again.
func (w *watcher) putBack(reports []screening.Report, missed bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(reports, w.pending...)
	w.missed = w.missed || missed
	return nil
}

func (w *watcher) said(n int) {
	if n > 0 {
		w.log.Info("customers have another verdict", "messages", n)
	}
}

// snapshot returns the digest of the lists that answer now.
func (w *watcher) snapshot() (string, error) {
	_, err := w.screener.Screen(anyAddress)
	return w.screener.Digest(), err
}

// compare stores the messages about the customers whose verdicts differ between two
// snapshots.
func (w *watcher) compare(ctx context.Context, from, to string) error {
	past, err := w.past(ctx, from)
	if w.former && errors.Is(err, store.ErrNotFound) {
		w.log.Warn("the lists of the last webhook messages are in the store of an earlier version; sending messages about what changes from now on. "+
			"To see what has changed before, screen the customers once with screen -in", "snapshot", from)
		_, err := w.box.Add(ctx, from, to, func(func(outbox.Event, error) bool) {})
		return err
	}
	if err != nil {
		w.log.Warn("the lists of the last webhook messages are no longer stored; sending a message for every listed customer", "snapshot", from, "error", err)
	}
	refresh := rand.Text()
	n, err := w.box.Add(ctx, from, to, sequence(func(add func(outbox.Event) error) error {
		_, err := readCustomers(w.file, func(c customer) error {
			after, err := w.screener.Screen(c.address)
			if err != nil {
				return err
			}
			if after.Digest() != to {
				return errors.New("the lists have changed during the comparison")
			}
			var before *screening.Result
			if past != nil {
				if b, err := past.Screen(c.address); err == nil {
					before = &b
				}
			}
			if before == nil && len(after.Labels)+len(after.Suppressed) == 0 || before != nil && len(changesOf(before, &after)) == 0 {
				return nil
			}
			return add(newMessage(refresh, from, to, c, before, &after))
		})
		return err
	}))
	w.said(n)
	return err
}

// changedIn calls add for the messages about the customers that a refresh concerns.
func (w *watcher) changedIn(r screening.Report, add func(outbox.Event) error) error {
	changes := make(map[address.Address]book.Change)
	for c, err := range w.book.Changed(r) {
		if err != nil {
			return err
		}
		changes[c.Address] = c
	}
	if len(changes) == 0 {
		return nil
	}
	refresh := rand.Text()
	_, err := readCustomers(w.file, func(cu customer) error {
		c, ok := changes[cu.address]
		if !ok {
			return nil
		}
		before := &c.Before
		if c.Before.Level == "" {
			before = nil
		}
		return add(newMessage(refresh, w.last, r.Digest, cu, before, &c.After))
	})
	return err
}

// reload makes the book again if the table has changed.
func (w *watcher) reload() error {
	info, err := os.Stat(w.file)
	if err != nil {
		return err
	}
	stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	if stamp == w.stamp {
		return nil
	}
	w.stamp = stamp
	n, bad := 0, 0
	b, err := book.New(sequence(func(add func(address.Address) error) (err error) {
		bad, err = readCustomers(w.file, func(c customer) error {
			n++
			return add(c.address)
		})
		return err
	}))
	if err != nil {
		return err
	}
	w.book = b
	w.log.Info("watching customers", "file", w.file, "addresses", n)
	if bad > 0 {
		w.log.Warn("rows of the table of customers have no address that can be watched; walletscreen validate -in says why", "file", w.file, "rows", bad)
	}
	return nil
}
