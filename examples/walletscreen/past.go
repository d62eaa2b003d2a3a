package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// lists are what verdicts come from: the current lists, a [screening.Screener], or the
// lists of -at, a [screening.Past].
type lists interface {
	Screen(address.Address) (screening.Result, error)
	ScreenInput(chain, text string) (screening.Result, address.Reading, error)
	Sources() []screening.SourceStatus
}

// instant returns the time that is written as a day, which means its end, or as a time.
func instant(text string) (time.Time, bool) {
	t, isDay, ok := dayOrTime(text)
	if isDay {
		t = t.Add(oneDay - 1)
	}
	return t, ok
}

// dayOrTime returns the time that is written in RFC 3339, or the beginning of a day.
func dayOrTime(text string) (t time.Time, isDay, ok bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, false, true
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil, err == nil
}

// parsePast returns the time of -at, at the latest now.
func parsePast(text string, now time.Time) (time.Time, error) {
	at, ok := instant(text)
	switch {
	case !ok:
		return at, fmt.Errorf("-at %.40q: want a day (2026-03-01), which means its end, or a time (2026-03-01T09:30:00Z)", text)
	case at.After(now.Add(oneDay)):
		return at, fmt.Errorf("-at %s is yet to come", text)
	case at.After(now):
		return now, nil
	}
	return at, nil
}

// openPast returns the lists that were answered from at a time, or an error if they are
// not kept, or did not decide then.
func (p *program) openPast(ctx context.Context, o *listOptions, at time.Time) (*screening.Past, error) {
	if o.wantStore() != nil {
		return o.reconstruct(ctx, at)
	}
	st, err := p.openStore(ctx, o, false)
	if err != nil {
		return nil, err
	}
	past, err := o.past(ctx, st, at)
	if errors.Is(err, store.ErrNotFound) {
		all, err2 := journal.New(st).Answerings(ctx)
		if err2 == nil && len(all) > 0 && all[len(all)-1].At.After(at) {
			if past, err := o.reconstruct(ctx, at); err == nil {
				return past, nil
			}
			return nil, fmt.Errorf("-at: nothing is kept of %s: the lists are kept since %s; walletscreen history ADDRESS shows what is known of before", minute(at), minute(all[len(all)-1].At))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("-at: %w", err)
	}
	var missing []string
	for _, l := range past.Sources() {
		if l.Required && !l.Loaded() {
			missing = append(missing, l.Info.ID)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("nothing can be decided as of %s: %s not loaded then", minute(at), strings.Join(missing, " and "))
	}
	if _, err := past.Screen(anyAddress); err != nil {
		return nil, fmt.Errorf("nothing can be decided as of %s: %w", minute(at), err)
	}
	return past, nil
}

// reconstruct returns the lists of a time before anything was kept, as far as the bundled lists
// know their past. Of a list that is not known, a clean address is not decided.
func (o *listOptions) reconstruct(ctx context.Context, at time.Time) (*screening.Past, error) {
	srcs, err := o.sources(false)
	if err != nil {
		return nil, err
	}
	opts := &screening.Options{}
	if err := o.limit(srcs, opts); err != nil {
		return nil, err
	}
	past, err := screening.Reconstruct(ctx, at, srcs, opts)
	if err != nil {
		return nil, err
	}
	for _, l := range past.Sources() {
		if l.Required && l.Digest != "" {
			return past, nil
		}
	}
	return nil, fmt.Errorf("-at: nothing is known of the lists of %s: -data or -db keeps them from the first start on, and walletscreen history ADDRESS shows what is known of before", minute(at))
}
