package screening

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// errAhead is why a list is not loaded: a file of the store is ahead of its journal, and could
// not be accepted.
var errAhead = fmt.Errorf("%w: files of the list are ahead of the journal, and it cannot be written", store.ErrDamaged)

// open returns the list that the journal says is held, unless that is had, and lets offers be judged by that.
func (s *Screener) open(ctx context.Context, i int, had current, held *journal.Held) (current, error) {
	id, now := s.infos[i].ID, s.now()
	if held.N == 0 || had.damaged == nil && had.list != nil && held.Is(&had.held) {
		if held.N > 0 {
			if held.Revision.Checked.After(had.held.Revision.Checked) {
				had.err = nil // another program has reached the publisher
			}
			had.held = *held
			had.age(held.Revision.Checked, now)
		}
		s.sourceLocks[i].known = *held
		return had, nil
	}
	start := time.Now()
	next, err := s.openHeld(ctx, s.book.Store(), i, held, now)
	if err == nil {
		s.sourceLocks[i].known = *held
		if u := had.unsaved; u != nil && (u.last != nil || u.err != nil) { // files that were ahead do not match any more
			next.unsaved = u
		}
		s.opts.Logger.InfoContext(ctx, "list opened from the store", "source", id, "entries", next.list.Entries,
			"last_updated", next.checked, "digest", next.held.Revision.Digest, "took", time.Since(start))
		if held.Damaged {
			held.Damaged = false
			s.note(ctx, &journal.Line{Type: journal.Answering, Source: id, Held: held})
		}
		return next, nil
	}
	if !journal.IsAtFault(err) {
		return had, err
	}
	s.sourceLocks[i].known = *held
	damage := fmt.Errorf("store: %w", err)
	if had.damaged == nil || had.list == nil {
		s.opts.Logger.ErrorContext(ctx, "the list accepted last cannot be opened", "source", id, "error", err)
	}
	if had.list == nil {
		had = s.openOlder(ctx, i, now)
	}
	had.damaged, had.later = damage, *held
	if !held.Damaged {
		held.Damaged = true
		s.note(ctx, &journal.Line{Type: journal.Damaged, Source: id, Held: held, Reason: err.Error()})
	}
	return had, nil
}

// build builds the list of a file of source i.
func (s *Screener) build(i int, f *stays.File) (l *list.List, err error) {
	err = s.building(func() (err error) {
		l, err = list.Build(f, func(e sources.Entry) error {
			if err := s.check(i, &e); err != nil {
				return fmt.Errorf("%w: %w", journal.ErrNotTaken, err)
			}
			return nil
		})
		return err
	})
	return l, err
}

// openFile opens a file of source i in the store, as it is.
func (s *Screener) openFile(ctx context.Context, i int, name stays.Name) (*list.List, error) {
	f, err := journal.Load(ctx, s.book.Store(), name)
	if err != nil {
		return nil, err
	}
	return s.build(i, f)
}

// openHeld opens a list of source i in a store, at the time now.
func (s *Screener) openHeld(ctx context.Context, st store.Store, i int, held *journal.Held, now time.Time) (h current, err error) {
	_, err = journal.Open(ctx, st, s.infos[i].ID, held, func(f *stays.File) (digest string, err error) {
		if h.list, err = s.build(i, f); err == nil {
			digest = h.list.Digest
		}
		return digest, err
	})
	if err != nil {
		return current{}, err
	}
	h.held = *held
	h.held.Damaged = false
	h.age(held.Revision.Checked, now)
	return h, nil
}

// openSnapshot opens lists of a store, at a time, except lists that had has, and the exceptions that held with them.
func (s *Screener) openSnapshot(ctx context.Context, st store.Store, held map[string]journal.Held, had []current, excepted journal.Excepted, at time.Time) (*snapshot, error) {
	all, errs := make([]current, len(s.infos)), make([]error, len(s.infos)+1)
	var wg sync.WaitGroup
	for i, info := range s.infos {
		h := held[info.ID]
		switch {
		case h.N == 0:
		case had != nil && h.Is(&had[i].held):
			all[i] = had[i]
		default:
			wg.Go(func() {
				var err error
				if all[i], err = s.openHeld(ctx, st, i, &h, at); err != nil {
					errs[i] = sourceError(info.ID, err)
				}
			})
		}
	}
	wg.Wait()
	exceptions, err := ReadExceptions(strings.NewReader(excepted.Text))
	var set *exceptionSet
	if err == nil {
		set, err = newExceptionSet(exceptions)
	}
	if err != nil {
		errs[len(s.infos)] = fmt.Errorf("screening: %w: the exceptions: %w", store.ErrDamaged, err)
	}
	return newSnapshot(s.settings, all, set, nil, nil), errors.Join(errs...)
}

// openOlder returns the newest list that can be read: what it has matches.
func (s *Screener) openOlder(ctx context.Context, i int, now time.Time) (h current) {
	names, _ := journal.Names(ctx, s.book.Store(), s.infos[i].ID)
	for _, name := range names {
		if l, err := s.openFile(ctx, i, name); err == nil {
			h = current{list: l, held: heldOf(l)}
			h.age(h.held.Revision.Checked, now)
			break
		}
	}
	return h
}

// adopt makes the newest file that is ahead of the journal the list held. It was judged; its line
// is missing because the program was killed before it wrote it, or because the end of the
// journal is lost. Of files that contradict each other none is adopted, and all match. answers says that a list answers already: then
// the line of a file may be missing only because another program is about to write it.
func (s *Screener) adopt(ctx context.Context, i int, had current, answers bool) (current, error) {
	id, state, now := s.infos[i].ID, s.book.State(), s.now()
	names, err := journal.Names(ctx, s.book.Store(), id)
	held, begun := state.Held[id], min(state.Said(id), state.Begun) // lines of other lists, and of this program, may follow
	names = slices.DeleteFunc(names, func(n stays.Name) bool { return !journal.IsAhead(n, begun, held.N) })
	var ahead []*list.List
	isBroken := false
	if err == nil {
		ahead, isBroken, err = s.openAhead(ctx, i, names, &had, held.Digest, answers)
	}
	switch {
	case len(ahead) == 0, !isBroken && ahead[0].Digest == held.Digest: // it was accepted again after lines were lost
		return had, err
	case isBroken: // until the publisher answers
		if had.list == nil {
			had.list, had.held = ahead[0], heldOf(ahead[0])
		}
		return had, err
	}
	newest, isLast := ahead[0], err == nil // the list that was accepted last
	next := current{list: newest, held: heldOf(newest), unsaved: had.unsaved, err: had.err}
	since := state.At // until then, it is known what answered
	if !answers {
		next.unsaved, since = nil, state.Began
	}
	for _, l := range ahead {
		isLast = isLast && !contradicts(l, newest) && !l.File().Written.Add(list.Skew).Before(held.Accepted) // or the journal was lost before
		had.addAhead(l, now)
	}
	if !isLast { // until the publisher answers
		return had, err
	}
	next.held.Most, next.held.Asked = journal.Most(had.held.Most, newest.Addresses), next.held.Accepted
	next.age(next.held.Revision.Checked, now)
	return s.saveAhead(ctx, i, had, next, since)
}

// openAhead opens files that are ahead of the journal, whose names come with the newest first, and returns their lists in the same
// order. isBroken says that the newest one cannot be opened, which had says then. Older ones that do not matter, such as those
// before the list with the digest in the journal, are not opened.
func (s *Screener) openAhead(ctx context.Context, i int, names []stays.Name, had *current, digest string, answers bool) (ahead []*list.List, isBroken bool, err error) {
	id := s.infos[i].ID
	for ; len(names) > 0 && err == nil; names = names[1:] {
		if len(ahead) > 0 && (isBroken || ahead[0].Digest == digest) {
			break
		}
		l, cause := s.openFile(ctx, i, names[0])
		switch {
		case cause == nil && (!answers || s.now().Sub(l.File().Written).Abs() >= storeTimeout):
			ahead = append(ahead, l)
		case cause != nil && !journal.IsAtFault(cause):
			err = cause
		case cause != nil && len(ahead) == 0 && !isBroken:
			isBroken = true
			had.damaged, had.later = fmt.Errorf("store: %w", cause), journal.Held{N: names[0].Last, Damaged: true}
			s.note(ctx, &journal.Line{Type: journal.Damaged, Source: id, Held: &had.later, Reason: cause.Error()})
			s.sourceLocks[i].known = s.book.State().Held[id]
		}
	}
	return ahead, isBroken, err
}

// addAhead lets l, the list of a file that is ahead of the journal, match beside the list held.
func (h *current) addAhead(l *list.List, now time.Time) {
	h.add(l, now, nil, nil)
	h.damaged = errAhead
	if f := l.File(); f.Last > h.later.N { // the next acceptance has a greater number than any
		h.later = journal.Held{N: f.Last, Digest: l.Digest, Addresses: l.Addresses, Revision: f.Revision}
	}
}

// contradicts reports whether the file of l cannot have been written before the newest one, of another list.
func contradicts(l, newest *list.List) bool {
	f, last := l.File(), newest.File()
	return l.Digest != newest.Digest && (f.After == last.After || f.Last >= last.Last || f.Written.After(last.Written.Add(list.Skew)))
}

// saveAhead appends the line of next, the list of a file that is ahead of the journal, and returns next; or had, if
// the journal cannot be written. It is known what answered until since.
func (s *Screener) saveAhead(ctx context.Context, i int, had, next current, since time.Time) (current, error) {
	if next.held.Accepted.Before(since) {
		since = next.held.Accepted
	}
	if err := s.say(ctx, i, &journal.Line{Type: journal.Accepted, Held: &next.held, From: since, Reason: "a file was ahead of the journal"}); err != nil {
		if errors.Is(err, store.ErrMoved) {
			return had, err
		}
		s.opts.Logger.WarnContext(ctx, "a list that was accepted is not in the journal, and cannot be written there", "source", s.infos[i].ID, "error", err)
		return had, nil
	}
	return next, nil
}

// heldOf returns what the journal would say of l.
func heldOf(l *list.List) journal.Held {
	f := l.File()
	return journal.Held{N: f.Last, Digest: l.Digest, Entries: l.Entries, Addresses: l.Addresses, Revision: f.Revision, Accepted: f.Written}
}
