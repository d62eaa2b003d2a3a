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
	turn turns // of one goroutine: to read the store
	last *screening.Past
	at   time.Time

	kept string    // what keptSince returns
	read time.Time // when kept was read
}

// turns is a semaphore: receive to end a turn.
type turns chan struct{}

// take waits for a turn, until ctx ends.
func (t turns) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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

// openPast opens the lists of a time. That takes long, and a store that hangs does not answer at
// all. So openPast waits for a turn, does not keep it, and gives up when the answer could hardly be sent. The
// caller must not have a turn.
func (e *exchange) openPast(at time.Time) (lists, *problem) {
	e.waitTurn()
	ctx, cancel := context.WithDeadline(e.Context(), e.sendBy)
	defer cancel()
	past, err := e.pasts.open(ctx, e.Past, at)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, overload()
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrGap), errors.Is(err, store.ErrDamaged):
		return nil, noPast("not_kept", "The lists of that time are not kept here, or not whole, so nothing can be said about it."+e.keptSince())
	case err != nil:
		return nil, e.failed(err)
	}
	e.asOf = past.At()
	return past, nil
}

// keptSince returns a sentence that says since when all lists are kept, or "". It is at most a
// minute old, because to read a journal takes long.
func (e *exchange) keptSince() string {
	p := &e.pasts
	ctx, cancel := context.WithTimeout(e.Context(), changesPatience)
	defer cancel()
	if e.Store == nil || p.turn.take(ctx) != nil {
		return ""
	}
	defer func() { <-p.turn }()
	if now := time.Now(); now.Sub(p.read) >= time.Minute {
		p.read, p.kept = now, ""
		if all, err := journal.Answered(ctx, e.Store); err == nil && len(all) > 0 {
			p.kept = " All lists are kept since " + all[len(all)-1].At.UTC().Format(time.RFC3339) + "; walletscreen history shows what is known of before."
		}
	}
	return p.kept
}

// open returns the Past of an instant.
func (p *pasts) open(ctx context.Context, open func(context.Context, time.Time) (*screening.Past, error), at time.Time) (*screening.Past, error) {
	if err := p.turn.take(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.turn }()
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
