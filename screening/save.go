package screening

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
)

// save saves the list of source i, or that it was confirmed, and returns it with the
// outcome. It finishes what it has begun even if ctx ends. The caller has the lock of
// the source.
func (s *Screener) save(ctx context.Context, i int, h current, report *SourceReport) current {
	ld := &s.sourceLocks[i]
	if s.archive == nil || !ld.asked || h.list == nil {
		return h
	}
	id := s.infos[i].ID
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if h.stored && !h.remade {
		rev := h.revision
		rev.Checked = h.checked
		if rev == h.confirmed {
			return h
		}
		h.confirmed = rev
		s.archive.pend(journal.Event{Type: journal.Confirmed, At: s.now(), Source: id, Revision: h.file, List: rev})
		return h
	}
	if !h.stored {
		if s.archive.isShared() || ld.unread {
			return h // share could not save it; or the store may have a newer list
		}
		if other := s.accepted(ctx, i, &h); other != nil {
			return *other
		}
	}
	wasStored, start := h.stored, time.Now()
	if err := s.archive.save(ctx, s.infos[i], &h); err != nil {
		h.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		s.log.ErrorContext(ctx, "list not saved: it will be lost when the program ends", "source", id, "error", err)
		return h
	}
	h.storeErr, ld.known = nil, h.file
	s.log.InfoContext(ctx, "list saved", "source", id, "took", time.Since(start))
	if !wasStored {
		s.archive.pend(s.acceptedEvent(id, &h, report))
	}
	return h
}

// accepted returns the list that another program has accepted and saved in the meantime, if it
// is the same as h, so that the store has it once and both know the same times.
func (s *Screener) accepted(ctx context.Context, i int, h *current) *current {
	names, _, err := s.archive.names(ctx, s.infos[i].ID)
	if err != nil || len(names) == 0 || names[0] == s.sourceLocks[i].known {
		return nil
	}
	if _, _, digest, ok := revision.ParseName(names[0]); !ok || digest != h.revision.Digest {
		return nil
	}
	other, err := s.openRevision(ctx, i, names[0], new(current), s.now())
	if err != nil || other.list.Digest != h.list.Digest || other.list.Entries != h.list.Entries ||
		other.revision.Completeness != h.revision.Completeness {
		return nil
	}
	s.sourceLocks[i].known = names[0]
	other.age(h.checked, s.now())
	other.err, other.seed = h.err, h.seed
	return other
}

// errOvertaken is why a list was not accepted.
var errOvertaken = errors.New("another program has accepted another list in the meantime")

// share saves the list next of source i, which follows had, in the store that replicas
// share, and returns what to hold: next only once it is saved, so that all answer from
// the same lists and know the same times. The caller has the lock of the source.
func (s *Screener) share(ctx context.Context, i int, had, next current, report SourceReport) (current, SourceReport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	id := s.infos[i].ID
	fail := func(err error) (current, SourceReport) {
		had.storeErr = sourceError(id, fmt.Errorf("store: %w", err))
		had.err, s.sourceLocks[i].unread = had.storeErr, true
		s.log.ErrorContext(ctx, "list not accepted: it cannot be saved", "source", id, "error", err)
		return had, SourceReport{SourceStatus: SourceStatus{Err: had.err}, Unchanged: had.list != nil}
	}
	unlock, err := s.archive.lock(ctx, id)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	now, err := s.restore(ctx, i, had)
	switch {
	case err != nil:
		return fail(err)
	case now.list != had.list:
		report = SourceReport{Unchanged: true}
		if now.list.Digest != next.list.Digest {
			now.err = sourceError(id, errOvertaken)
			report.Err = now.err
		}
		return now, report
	}
	if err := s.archive.save(ctx, s.infos[i], &next); err != nil {
		return fail(err)
	}
	s.archive.pendChange(&next)
	s.archive.pend(s.acceptedEvent(id, &next, &report))
	if err := s.archive.flush(ctx); err != nil {
		return fail(err)
	}
	next.storeErr, s.sourceLocks[i].known = nil, next.file
	s.log.InfoContext(ctx, "list saved", "source", id)
	return next, report
}

// acceptedEvent returns the event that h was accepted.
func (s *Screener) acceptedEvent(source string, h *current, report *SourceReport) journal.Event {
	return journal.Event{
		Type: journal.Accepted, At: h.accepted, Source: source, Revision: h.file, List: h.confirmed,
		Entries: h.list.Entries, Addresses: h.list.Addresses, Added: report.Added, Removed: report.Removed,
	}
}
