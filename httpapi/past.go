package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// lists are what answers come from: a [screening.Screener], or a [screening.Past].
type lists interface {
	ScreenText(c address.Chain, text string) (screening.Result, error)
	ScreenInput(chain, text string) (screening.Result, address.Reading, error)
	Sources() []screening.SourceStatus
}

// pasts keeps the Past that was asked for last.
type pasts struct {
	turn chan struct{} // semaphore: one is opened at a time
	last *screening.Past
	at   time.Time
}

func noPast(reason, detail string) *problem {
	return &problem{Code: pastUnavailable, Field: "at", Reason: reason, Detail: detail}
}

// readAt returns the time in the field at of a request; zero for now.
func (e *exchange) readAt(text string) (time.Time, *problem) {
	if !e.caller.has(scopePast) {
		return time.Time{}, e.lacks(scopePast, "of this endpoint")
	}
	at, ok := instant(text)
	switch {
	case e.Past == nil:
		return at, noPast("unsupported", "This server screens with the lists of now only.")
	case !ok:
		return at, noPast("malformed", "The field at is neither a day such as 2026-03-01, which means its end, nor a time such as 2026-03-01T09:30:00Z.")
	case at.After(time.Now().Add(24 * time.Hour)):
		return at, noPast("future", "The time in the field at is yet to come.")
	case at.After(time.Now()): // the end of today
		return time.Time{}, nil
	}
	return at, nil
}

// openPast opens the lists of a time, which takes long: the caller has a turn.
func (e *exchange) openPast(at time.Time) (lists, *problem) {
	past, err := e.pasts.open(e.Context(), e.Past, at)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrGap), errors.Is(err, store.ErrDamaged):
		return nil, noPast("not_kept", "The lists of that time are not kept here, or not whole, so nothing can be said about it."+e.keptSince())
	case err != nil:
		return nil, e.failed(err)
	}
	e.asOf = past.At()
	return past, nil
}

// keptSince returns a sentence that says since when all lists are kept, or "".
func (e *exchange) keptSince() string {
	if e.Store != nil && e.kept == "" {
		if all, err := journal.Answered(e.Context(), e.Store); err == nil && len(all) > 0 {
			e.kept = " All lists are kept since " + all[len(all)-1].At.UTC().Format(time.RFC3339) + "; walletscreen history shows what is known of before."
		}
	}
	return e.kept
}

// open returns the Past of an instant.
func (p *pasts) open(ctx context.Context, open func(context.Context, time.Time) (*screening.Past, error), at time.Time) (*screening.Past, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.last != nil && p.at.Equal(at) {
		return p.last, nil
	}
	past, err := open(ctx, at)
	if err == nil {
		p.last, p.at = past, at
	}
	return past, err
}

// instant returns the time that is written as a day, which means its end, or as a time.
func instant(text string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, !t.IsZero() // which stands for now
	}
	t, err := time.Parse(time.DateOnly, text)
	return t.Add(24*time.Hour - 1), err == nil
}
