package journal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// Latest returns saved, which is the Revision in the file called name, as it was
// last confirmed: with the validators and the Checked of that time.
func (a *Journal) Latest(ctx context.Context, name string, saved sources.Revision) (sources.Revision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if r := j.of(name); err == nil && r != nil {
		saved = r.latest(saved)
	}
	return saved, err
}

// Checks returns the times at which the revision called name was known to be the
// publisher's, in the order of the journal: first the Checked with which it was
// accepted, then the times of its confirmations.
func (a *Journal) Checks(ctx context.Context, name string) ([]time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	r := j.of(name)
	if err != nil || r == nil {
		return nil, err
	}
	var checks []time.Time
	accepted := line{json: r.accepted}
	if p, _ := accepted.parsePayload(); !p.list().Checked.IsZero() {
		checks = append(checks, p.list().Checked)
	}
	for _, at := range r.checks {
		checks = append(checks, time.Unix(0, at).UTC())
	}
	return checks, nil
}

// Answering returns what questions were answered from at a time: the last [Answering]
// event, in the order of the journal, that is not later than at and for which accept
// returns true. The error wraps [store.ErrNotFound] if there is none, [store.ErrGap] if there is a
// [Gap] at that time, and [store.ErrDamaged] if a
// later one may have been lost: because a line is damaged, because there is a file that
// the journal does not mention, or because it ends with a revision that was accepted.
func (a *Journal) Answering(ctx context.Context, at time.Time, accept func(Event) bool) (Event, error) {
	for try := 0; ; try++ {
		e, last, err := a.answering(ctx, at, accept)
		// A program that has just accepted a revision writes the next event soon.
		if err == nil || time.Since(last).Abs() > time.Minute || try == 10 {
			return e, err
		}
		select {
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answering is Answering. If the journal ends too early, it returns the time of the
// revision that shows it.
func (a *Journal) answering(ctx context.Context, at time.Time, accept func(Event) bool) (found Event, last time.Time, err error) {
	names, err := a.st.Names(ctx)
	if err != nil {
		return Event{}, time.Time{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return Event{}, time.Time{}, err
	}
	if found, err = j.answerAt(nanos(at), accept); err != nil {
		return Event{}, time.Time{}, err
	}
	if found.Type == "" {
		return Event{}, time.Time{}, fmt.Errorf("what was answered from at %v: %w", at, store.ErrNotFound)
	}
	for source, name := range found.Lists {
		ref, err := reference(name)
		if n, ok := j.newest[source]; ok && err == nil && n.ref != ref && n.marks == len(j.marks) && n.at <= nanos(at) && !j.answersFrom(source, n.ref) {
			return Event{}, time.Unix(0, n.at), fmt.Errorf("%w: the journal ends with a revision of %s that was accepted", store.ErrDamaged, source)
		}
	}
	for _, name := range names {
		source, accepted, _, _ := revision.ParseName(name)
		_, held, _, ok := revision.ParseName(found.Lists[source])
		if ok && (!j.accepts(name) || j.of(name).late) && accepted.After(held) && !accepted.After(at) {
			return Event{}, accepted, fmt.Errorf("%w: the journal does not mention %s", store.ErrDamaged, name)
		}
	}
	return found, time.Time{}, nil
}

// answerAt returns the last Answering event that is not later than at and for which accept returns
// true, the zero Event if there is none. The error says that another one may have been lost.
func (j *memory) answerAt(at int64, accept func(Event) bool) (found Event, err error) {
	i := len(j.marks) - 1
	for ; i >= 0; i-- {
		m := &j.marks[i]
		if m.until != 0 && m.at <= at && at < m.until {
			return Event{}, fmt.Errorf("%w: from %v to %v it could not be written, or a list in use was damaged", store.ErrGap, time.Unix(0, m.at).UTC(), time.Unix(0, m.until).UTC())
		}
		if m.answer == nil || m.at > at {
			continue
		}
		e, ok := j.answer(m)
		if !ok {
			return Event{}, fmt.Errorf("%w: the journal does not have the exceptions of %v", store.ErrDamaged, time.Unix(0, m.at).UTC())
		}
		if accept(e) {
			found = e
			break
		}
	}
	if j.damagedAfter(i, at) {
		return Event{}, fmt.Errorf("%w: a line of the journal that may be about %v cannot be read", store.ErrDamaged, time.Unix(0, at).UTC())
	}
	return found, nil
}

// answersFrom reports whether the last Answering event is of the revision of a source with
// this reference.
func (j *memory) answersFrom(source, ref string) bool {
	e, ok := j.newestAnswer()
	is, err := reference(e.Lists[source])
	return ok && err == nil && is == ref
}

// Answerings returns all [Answering] events, the last one first. If lines that may be
// such events are damaged, it returns an error that wraps [store.ErrDamaged], and the others.
func (a *Journal) Answerings(ctx context.Context) ([]Event, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	var events []Event
	damaged := 0
	for i := range slices.Backward(j.marks) {
		m := &j.marks[i]
		if m.until != 0 {
			continue
		}
		if m.answer != nil {
			if e, ok := j.answer(m); ok {
				events = append(events, e)
				continue
			}
		}
		damaged++
	}
	if damaged > 0 {
		err = fmt.Errorf("%w: %d lines of the journal cannot be read", store.ErrDamaged, damaged)
	}
	return events, err
}
