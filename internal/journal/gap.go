package journal

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources/store"
)

// setWhole creates the file called revision.WholeName, or deletes it.
func (a *Journal) setWhole(ctx context.Context, whole bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !whole:
		err := a.st.Delete(ctx, revision.WholeName)
		a.whole = err != nil && !errors.Is(err, store.ErrNotFound)
	case !a.whole && a.answers:
		err := a.st.Put(ctx, revision.WholeName, func(w io.Writer) error {
			_, err := io.WriteString(w, "The journal has all events.\n")
			return err
		})
		a.whole = err == nil
	}
}

// begin returns the gap that a program before has left. The caller must have locked a.mu.
func (a *Journal) begin(ctx context.Context, j *memory, events []Event) ([]Event, error) {
	if a.begun || len(j.marks) == 0 {
		return nil, nil
	}
	var err error
	if a.whole, err = a.isWhole(ctx); a.whole || err != nil {
		return nil, err
	}
	now := time.Now()
	for _, e := range events {
		if e.Type != Confirmed && e.Type != Changed && !e.At.IsZero() { // those may be of long ago
			now = e.At
			break
		}
	}
	return []Event{{Type: Gap, From: time.Unix(0, j.knownUntil(nanos(now))+1), At: now}}, nil
}

// isWhole reports whether the file called revision.WholeName exists.
func (a *Journal) isWhole(ctx context.Context) (bool, error) {
	_, err := a.st.Open(ctx, revision.WholeName)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// sinceAccepted returns the time that has passed since a revision was accepted, and so
// since the previous revision was last in use. It returns 0 if that is not known.
func (a *Journal) sinceAccepted(name string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.memory.accepts(name) {
		return 0
	}
	return time.Duration(a.memory.elapsed - a.memory.of(name).elapsed)
}

// KnownUntil returns the time of the last event that is not later than now. It reports
// whether later times are not known: events were lost, or are not written yet, or the last
// [Answering] event is later than now, because it was written while the clock was ahead.
func (a *Journal) KnownUntil(ctx context.Context, now time.Time) (last time.Time, unknown bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil || len(j.marks) == 0 {
		return time.Time{}, false, err
	}
	whole, err := a.isWhole(ctx)
	if err != nil {
		return time.Time{}, false, err
	}
	last = time.Unix(0, j.knownUntil(nanos(now))).UTC()
	return last, !whole || j.marks[len(j.marks)-1].at > nanos(now), nil
}
