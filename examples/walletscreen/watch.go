package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A watcher notifies a webhook of customers whose verdict a refresh has changed.
//
// The outbox stores the digest of the snapshot up to which it has messages. All customers are
// screened against each snapshot that the journal has after that one and the one before it, so
// neither a restart nor a change that came too fast makes a difference.
type watcher struct {
	file     string // the value of -book
	screener *screening.Screener
	store    store.Store // of the lists
	ids      []string    // of the lists
	past     func(ctx context.Context, digest string) (*screening.Past, error)
	former   bool // the lists of the last messages may be in the store of an earlier version
	box      *outbox.Box
	hook     *outbox.Webhook
	holder   string // names this process, which may hold the lead
	log      *slog.Logger

	stamp   string // the size and time of the file when it was last checked
	failure string // the error of step that was last logged
	failing bool   // whether the webhook fails

	delivered *prometheus.CounterVec // messages, by what became of them
}

// maxSteps bounds the snapshots that are compared one by one. Of more, only the first and the last are.
const maxSteps = 8

// openWatcher opens customers, webhook and outbox, and returns nil without the options.
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
	w := &watcher{file: s.book, screener: s.screener, store: s.store, past: s.openPast, former: s.former, holder: instance(s.serveOptions), log: s.log, delivered: newDelivered()}
	for _, l := range s.screener.Sources() {
		w.ids = append(w.ids, l.Info.ID)
	}
	if w.hook, err = outbox.NewWebhook(s.webhook, secret); err != nil {
		return nil, fmt.Errorf("-webhook: %w", err)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("-book: %w", err)
	}
	w.box, err = outbox.Open(ctx, cmp.Or(s.lists.db, "sqlite:"+filepath.Join(s.lists.data, dbFile)))
	return w, err
}

// instance names the process with this data and address, so that it leads again once it starts again.
func instance(c *serveOptions) string {
	host, _ := os.Hostname()
	return host + ":" + absolute(c.lists.data) + " " + c.addr
}

// webhookSecret reads the secret of the webhook, or makes one in -data.
func webhookSecret(c *serveOptions) (string, error) {
	file := c.webhookSecret
	if file == "" {
		file = filepath.Join(c.lists.data, "webhook-secret")
		if err := writeNew(file, outbox.NewSecret()+"\n", 0o600); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	text, err := readSecret(file, 1<<10)
	return strings.TrimSpace(string(text)), err
}

// run watches and delivers until ctx ends.
func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-ticker.C:
		}
		failure := ""
		if err := w.step(ctx); err != nil && ctx.Err() == nil {
			if failure = err.Error(); failure != w.failure {
				w.log.Error("messages of the webhook cannot be made or delivered; trying again", "error", err)
			}
		}
		w.failure = failure
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	w.box.Resign(last, w.holder)
	w.box.Close()
}

// step stores the messages about all changes up to now, and delivers those that are due, if this process leads.
func (w *watcher) step(ctx context.Context) (err error) {
	for _, do := range []func(context.Context) error{w.sync, w.deliver} {
		leads, failure := w.box.Lead(ctx, w.holder, time.Minute) // longer than a delivery takes
		if leads && failure == nil {
			failure = do(ctx)
		}
		err = errors.Join(err, failure)
	}
	return err
}

func (w *watcher) deliver(ctx context.Context) error {
	d, err := w.box.Deliver(ctx, w.hook.Post)
	w.told(d)
	if err == nil {
		err = w.box.Sweep(ctx)
	}
	return err
}

// told logs what became of messages. A receiver is logged when it begins to fail, and when it accepts again.
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
	w.delivered.WithLabelValues("accepted").Add(float64(d.Accepted))
	w.delivered.WithLabelValues("expired").Add(float64(d.Expired))
}

// sync stores the messages about all changes up to now.
func (w *watcher) sync(ctx context.Context) error {
	if err := w.check(); err != nil {
		w.log.Error("the new table of customers cannot be used", "file", w.file, "error", err)
	}
	state, err := w.box.State(ctx)
	_, stale := w.screener.Screen(anyAddress)
	if err != nil || state == w.screener.Digest() || errors.Is(stale, screening.ErrNotLoaded) {
		return err
	}
	steps, err := w.steps(ctx, state)
	var before *screening.Past
	for i, digest := range steps {
		if state == "" && digest != w.screener.Digest() {
			continue // the first start: more lists are coming
		}
		after, err := w.after(ctx, digest)
		switch {
		case errors.Is(err, screening.ErrNotLoaded), i < len(steps)-1 && journal.IsAtFault(err):
			continue // nothing was answered from it, or it is no longer stored
		case err == nil && before == nil && state != "":
			before, err = w.before(ctx, state)
		}
		if err == nil && (state == "" || before == nil && w.former) { // entries listed now are not changes
			_, err = w.box.Add(ctx, state, digest, nil)
		} else if err == nil {
			err = w.compare(ctx, state, digest, before, after, stale == nil)
		}
		if err != nil {
			return err
		}
		state, before, w.former = digest, after, false
	}
	return err
}

// steps returns the digests of the snapshots that the journal has after the one of state, in order:
// only the last one if there are many, or if it does not have that one.
func (w *watcher) steps(ctx context.Context, state string) (all []string, err error) {
	known, last := false, ""
	err = journal.Read(ctx, w.store, func(l *journal.Line, s *journal.State) error {
		if l.Held == nil && l.Exceptions == nil {
			return nil
		}
		digest, _ := s.DigestOf(w.ids)
		switch {
		case digest == state:
			all, known = nil, true
		case digest != last:
			all = append(all, digest)
		}
		last = digest
		return nil
	})
	if n := len(all); n > maxSteps || n > 0 && !known {
		all = all[n-1:]
	}
	return all, err
}

// after opens the lists of a snapshot, and returns ErrNotLoaded if one that is required now is missing.
func (w *watcher) after(ctx context.Context, digest string) (*screening.Past, error) {
	past, err := w.past(ctx, digest)
	if err != nil {
		return nil, err
	}
	held := past.Sources()
	lacks := func(l screening.SourceStatus) bool {
		return l.Required && !slices.ContainsFunc(held, func(h screening.SourceStatus) bool { return h.Info.ID == l.Info.ID && h.Loaded() })
	}
	if slices.ContainsFunc(w.screener.Sources(), lacks) {
		return nil, screening.ErrNotLoaded
	}
	return past, nil
}

// before opens the lists of the last messages, and returns nil if they are no longer stored.
func (w *watcher) before(ctx context.Context, digest string) (*screening.Past, error) {
	past, err := w.past(ctx, digest)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case w.former && errors.Is(err, store.ErrNotFound):
		w.log.Warn("the lists of the last webhook messages are in the store of an earlier version; sending messages about what changes from now on. "+
			"To see what has changed before, screen the customers once with screen -in", "snapshot", digest)
	case err != nil && !journal.IsAtFault(err): // the store fails
		return nil, err
	case err != nil:
		w.former = false
		w.log.Warn("the lists of the last webhook messages are no longer stored; sending a message for every listed customer", "snapshot", digest, "error", err)
	}
	return past, nil
}

// compare stores messages about verdicts that differ. Nobody is all clear unless fresh is set.
func (w *watcher) compare(ctx context.Context, from, to string, old, now *screening.Past, fresh bool) error {
	refresh := rand.Text()
	var events []outbox.Event // before Add, which keeps keys from being written
	_, _, err := readCustomers(w.file, func(c customer) error {
		after, err := now.Screen(c.address)
		if err != nil {
			return err
		}
		var before *screening.Result
		if old != nil {
			if b, err := old.Screen(c.address); err == nil {
				before = &b
			}
		}
		if len(changesOf(before, &after)) > 0 {
			events = append(events, newMessage(refresh, from, to, c, before, &after, fresh))
		}
		return nil
	})
	if err != nil {
		return err
	}
	n, err := w.box.Add(ctx, from, to, events)
	if n > 0 {
		w.log.Info("customers have another verdict", "messages", n)
	}
	return err
}

// check reads the table if it has changed, and logs how many rows can be watched.
func (w *watcher) check() error {
	info, err := os.Stat(w.file)
	stamp := fmt.Sprint(err)
	if err == nil {
		stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	if stamp == w.stamp {
		return nil
	}
	if w.stamp = stamp; err != nil {
		return err
	}
	n := 0
	bad, columns, err := readCustomers(w.file, func(customer) error { n++; return nil })
	if err != nil {
		return err
	}
	w.log.Info("watching customers", "file", w.file, "addresses", n)
	if columns.ID < 0 {
		w.log.Warn("no column of the table of customers names the customer, so messages have the number of the row: call one of them customer", "file", w.file)
	}
	if len(columns.Unused)+len(columns.OtherSheets) > 0 {
		w.log.Warn("parts of the table of customers look like addresses or chains, and are not watched", "file", w.file, "read", columns.Address,
			"columns", columns.Unused, "sheets", columns.OtherSheets)
	}
	if bad > 0 {
		w.log.Warn("rows of the table of customers have no address that can be watched, or are not well formed; walletscreen validate -in says why", "file", w.file, "rows", bad)
	}
	return nil
}
