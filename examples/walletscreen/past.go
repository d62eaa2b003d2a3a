package main

import (
	"context"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

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

// parsePast returns an instant of the past, at the latest now.
func parsePast(text string, now time.Time) (time.Time, error) {
	at, ok := instant(text)
	switch {
	case !ok:
		return at, fmt.Errorf("%.40q: want a day (2026-03-01), which means its end, or a time (2026-03-01T09:30:00Z)", text)
	case at.After(now.Add(oneDay)):
		return at, fmt.Errorf("%s is yet to come", text)
	case at.After(now):
		return now, nil
	}
	return at, nil
}

// openPast returns the lists that were answered from at a time, or an error if they are
// not kept, or did not decide then.
func (p *program) openPast(ctx context.Context, o *listOptions, at time.Time) (*screening.Past, error) {
	st, err := p.openStore(ctx, o, false)
	if err != nil {
		return nil, err
	}
	past, reconstructed, err := o.past(ctx, st, at)
	if err != nil {
		return nil, fmt.Errorf("-at: %w", err)
	}
	if reconstructed { // a label decides whatever is missing
		return past, nil
	}
	if _, err := past.Screen(anyAddress); err != nil {
		return nil, fmt.Errorf("nothing can be decided as of %s: %w", minute(at), err)
	}
	return past, nil
}
