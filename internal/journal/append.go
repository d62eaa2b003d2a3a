package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
)

// Append appends events to the journal; their At is now if it is zero. It deletes
// revisions that need not be kept: of a source after an [Accepted] event, and of all sources
// if the disk is full.
//
// Append leaves out a second [Accepted] event of a revision, a [Confirmed] event that
// says nothing new within a minute of the previous one, and an [Answering] event that says
// nothing new, unless the clock was put back since.
//
// After an error, append the same events again. If the program ends before that, the next
// Journal that appends notes a [Gap], as long as the Store still allowed to delete a file.
func (a *Journal) Append(ctx context.Context, events ...Event) error {
	err := a.append(ctx, events)
	a.setWhole(ctx, err == nil)
	return err
}

func (a *Journal) append(ctx context.Context, events []Event) error {
	lines, err := a.lines(ctx, events)
	if err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if len(lines) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.begun = true
			for _, e := range events {
				a.answers = a.answers || e.Type == Answering
			}
			a.answers = a.answers || len(a.memory.marks) > 0
		}
	}()
	if err = a.makeRoom(ctx, func() error { return a.st.Append(ctx, lines) }); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	for _, e := range events {
		if e.Type == Accepted {
			a.retain(ctx, e.Source)
		}
	}
	return nil
}

// lines returns the lines of those events that say something new.
func (a *Journal) lines(ctx context.Context, events []Event) (lines []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	gap, err := a.begin(ctx, j, events)
	if err != nil {
		return nil, err
	}
	w := lineWriter{memory: j, written: make(map[string]bool)}
	w.newest, w.known = j.newestAnswer()
	w.known = w.known && gap == nil
	for _, e := range slices.Concat(gap, events) {
		if err := w.add(e); err != nil {
			return nil, err
		}
	}
	return w.out, nil
}

// A lineWriter makes the lines of events that say something new.
type lineWriter struct {
	*memory
	out     []byte          // the lines
	newest  Event           // the last Answering event
	known   bool            // there is one, and no gap after it
	written map[string]bool // the exceptions in out, by their SHA-256
}

// add adds the line of e, if it says something new.
func (w *lineWriter) add(e Event) (err error) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if !utf8.ValidString(e.Exceptions) {
		return errors.New("the exceptions are not UTF-8")
	}
	list := true
	switch e.Type {
	case Accepted:
		if w.accepts(e.Revision) {
			return nil
		}
	case Confirmed:
		if !e.List.Checked.IsZero() {
			e.At = e.List.Checked
		}
		var news bool
		if list, news = w.compare(&e); !list && !news {
			return nil
		}
	case Gap:
		w.known = false
	case Answering:
		return w.addAnswering(e)
	}
	w.written[digestOf(e.Exceptions)] = true
	w.out, err = appendLine(w.out, &e, list, "")
	return err
}

// addAnswering adds the line of an Answering event, after the line of its exceptions.
func (w *lineWriter) addAnswering(e Event) (err error) {
	if e.Again && !(w.known && w.newest.LoadOnly) {
		return nil
	}
	counts := e.LoadOnly || !w.newest.LoadOnly
	if w.known && counts && !e.At.Before(w.newest.At) && w.newest.Digest == e.Digest && w.newest.Exceptions == e.Exceptions && maps.Equal(w.newest.Lists, e.Lists) && maps.Equal(w.newest.Broken, e.Broken) {
		return nil
	}
	w.newest, w.known = e, true
	text := digestOf(e.Exceptions)
	if text != "" && !w.written[text] && w.texts[text] == nil {
		if err := w.add(Event{Type: Exceptions, At: e.At, Exceptions: e.Exceptions}); err != nil {
			return err
		}
	}
	w.out, err = appendLine(w.out, &e, true, text)
	return err
}

// compare compares a Confirmed event to what the journal says of the revision. list
// reports whether more than its Checked has changed, or that cannot be told by e.At, and
// news whether it is not within a minute of the last check.
func (j *memory) compare(e *Event) (list, news bool) {
	r := j.of(e.Revision)
	if r == nil {
		return true, true
	}
	last, checked := r.latest(sources.Revision{}), e.List.Checked
	since := storable(e.List).Checked.Sub(last.Checked)
	news = since >= confirmEvery || since <= -confirmEvery
	last.Checked = storable(e.List).Checked
	return checked.IsZero() || storable(e.List) != last, news
}

// latest returns saved as the journal changes it.
func (r *known) latest(saved sources.Revision) sources.Revision {
	l := line{json: r.list}
	if p, ok := l.parsePayload(); ok && p.List != nil {
		saved = p.list()
	}
	if n := len(r.checks); n > 0 {
		saved.Checked = time.Unix(0, r.checks[n-1]).UTC()
	}
	return saved
}
