package journal

import (
	"context"
	"errors"
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

// Accepted returns the event of the revision called name; the zero Event if there is none.
func (a *Journal) Accepted(ctx context.Context, name string) (e Event, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if r := j.of(name); err == nil && r != nil && r.order > 0 {
		source, _, _, _ := revision.ParseName(name)
		ref, _ := reference(name)
		e, _ = j.event(&line{kind: Accepted, source: []byte(source), ref: []byte(ref), json: r.accepted})
	}
	return e, err
}

// Most returns the greatest number of addresses that a list has had since it last lost more than
// half of them, which only the operator can accept: most before, and addresses now.
func Most(most, addresses int) int {
	if addresses*2 < most {
		return addresses
	}
	return max(most, addresses)
}

// MostOf returns Most of the accepted lists of a source.
func (a *Journal) MostOf(ctx context.Context, source string) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	return j.most[source], err
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
	for start := time.Now(); ; {
		e, last, err := a.answering(ctx, at, accept)
		wait := 200 * time.Millisecond // a program that has just accepted a revision writes the next event soon
		if errors.Is(err, errUnsettled) {
			wait = unsettled
		}
		if now := time.Now(); err == nil || now.Sub(last).Abs() > time.Minute || now.Sub(start) > wait {
			return e, err
		}
		select {
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answering is Answering. If the journal ends too early, it returns the time of the event
// that shows it.
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
	if found, err = j.answerAt(nanos(at), nanos(time.Now()), accept); err != nil {
		return Event{}, time.Unix(0, j.marks[len(j.marks)-1].at), err
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
// true, the zero Event if there is none; now is the present time. An event with LoadOnly counts
// if no program that answers questions was running. The error says that another one may have been lost.
func (j *memory) answerAt(at, now int64, accept func(Event) bool) (found Event, err error) {
	i := len(j.marks) - 1
	for ; i >= 0; i-- {
		m := &j.marks[i]
		if m.until != 0 && m.at <= at && at < m.until {
			return Event{}, fmt.Errorf("%w: from %v to %v it could not be written, or a list in use was damaged", store.ErrGap, time.Unix(0, m.at).UTC(), time.Unix(0, m.until).UTC())
		}
		if m.answer == nil || m.at > at {
			continue
		}
		if m.idle {
			switch followed, err := j.isFollowed(i, now); {
			case err != nil:
				return Event{}, err
			case followed:
				continue
			}
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

// A program that answers questions says again what it answers from, after a program that only
// loads lists has said what it holds: usually within unsettled, and otherwise within followWithin.
const (
	unsettled    = 6 * time.Second
	followWithin = time.Minute
)

var errUnsettled = fmt.Errorf("%w: a list was loaded just now, and it is not known yet whether a program was running then", store.ErrGap)

// isFollowed reports whether a program that answered questions went on at mark i, which a program
// left that only loads lists. The error says that this is not known yet.
func (j *memory) isFollowed(i int, now int64) (bool, error) {
	at := j.marks[i].at
	for _, m := range j.marks[i+1:] {
		if m.answer != nil && !m.idle {
			return m.at-at <= int64(followWithin), nil
		}
	}
	if now-at <= int64(unsettled) && slices.ContainsFunc(j.marks[:i], func(m mark) bool { return m.answer != nil && !m.idle }) {
		return false, errUnsettled
	}
	return false, nil
}

// answersFrom reports whether the last Answering event is of the revision of a source with
// this reference.
func (j *memory) answersFrom(source, ref string) bool {
	e, ok := j.newestAnswer()
	is, err := reference(e.Lists[source])
	return ok && err == nil && is == ref
}

// LastAnswering returns the last [Answering] event of a program that answers questions. It reports
// false if there is none, or if a later one may be lost.
func (a *Journal) LastAnswering(ctx context.Context) (Event, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	for i := len(j.marks) - 1; err == nil && i >= 0 && j.marks[i].answer != nil; i-- {
		if !j.marks[i].idle {
			e, ok := j.answer(&j.marks[i])
			return e, ok, nil
		}
	}
	return Event{}, false, err
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
