package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Seeded returns a list that is answered from seed, such as bundled data, until live has
// been loaded. The first Load of a caller that holds no revision returns the entries of
// seed; later ones return the entries of live. Info returns the Info of live. If the held
// revision is not whole, live is loaded without conditions. Package screening supports seeds:
// Open loads them, and Refresh and Run ask live.
func Seeded(live, seed Source) Source { return seeded{live, seed} }

type seeded struct {
	Source
	seed Source
}

func (s seeded) Load(ctx context.Context, prev Revision, add func(Entry) error) (Revision, error) {
	if prev.IsZero() {
		return s.seed.Load(ctx, prev, add)
	}
	if prev.Completeness != Whole {
		prev = Revision{} // not the publisher's document, so live cannot compare with it
	}
	prev.Provenance = "" // the publisher confirms the list or sends another
	return s.Source.Load(ctx, prev, add)
}

// Seed returns what src is answered from until it has been loaded: the seed of a Source that
// Seeded returned, or the result of the method
//
//	Seed() Source
//
// of a Source that has one. A bundled list is its own seed. For any other Source it returns
// false.
func Seed(src Source) (Source, bool) {
	if s, ok := src.(interface{ Seed() Source }); ok {
		return s.Seed(), true
	}
	return nil, false
}

func (s seeded) Seed() Source { return s.seed }

// History returns what src, or its seed (see [Seeded]), knows of the past of its list; nil
// if that is nothing. It calls the method
//
//	History() ([]Entry, error)
//
// of a Source that has one, as the bundled SDN List has.
//
// Each entry is a stay of an address on the list: FirstSeen is the date of the first copy of
// the list that is known to have it, NotListedOn the date of the last copy before that is
// known not to have it, and Until the date of the first later copy that is known not to have
// it, or zero if it was not delisted. The caller owns the slice.
func History(src Source) ([]Entry, error) {
	if seed, ok := Seed(src); ok {
		src = seed
	}
	if s, ok := src.(interface{ History() ([]Entry, error) }); ok {
		return s.History()
	}
	return nil, nil
}

// AsOf returns the list of src, or of its seed, as it was at the end of a day: put together
// from its [History], or, if each entry has a date, from these. Its revision is
// [Reconstructed], or Partial if the day is before the first copy that the history knows.
// Load returns an error, which wraps [ErrNoPast], if nothing is known of the day.
//
// An address counts on the days of the copies that have it, and in between. It also counts
// between the last copy without it and the first one with it, when it may have been listed.
func AsOf(src Source, day time.Time) Source {
	if seed, ok := Seed(src); ok {
		src = seed
	}
	return asOf{src, day.UTC().Truncate(24 * time.Hour)}
}

// ErrNoPast is the error of a list whose past is not known.
var ErrNoPast = errors.New("its past is not known")

type asOf struct {
	Source
	day time.Time
}

func (s asOf) Seed() Source { return s }

func (s asOf) Load(ctx context.Context, _ Revision, add func(Entry) error) (Revision, error) {
	stays, err := History(s.Source)
	if err != nil {
		return Revision{}, err
	}
	type listed struct{ asset, text string }
	holders := make(map[listed][]Entry)
	var now []Entry
	rev, err := s.Source.Load(ctx, Revision{}, func(e Entry) error {
		k := listed{e.Asset, e.Text()}
		now, holders[k] = append(now, e), append(holders[k], e)
		return nil
	})
	switch {
	case err != nil:
		return Revision{}, err
	case stays != nil && s.day.After(rev.Published):
		return Revision{}, fmt.Errorf("%w after %s", ErrNoPast, rev.Published.Format(time.DateOnly))
	case stays == nil:
		clear(holders) // an entry is a stay
		for _, e := range now {
			if e.ListedAt.IsZero() {
				return Revision{}, ErrNoPast
			}
			e.FirstSeen, e.NotListedOn = e.ListedAt, e.ListedAt.AddDate(0, 0, -1)
			stays = append(stays, e)
		}
	}
	complete, since := Reconstructed, time.Time{}
	var then []Entry
	for _, e := range stays {
		if since.IsZero() || e.FirstSeen.Before(since) {
			since = e.FirstSeen
		}
		all := []Entry{e}
		if h := holders[listed{e.Asset, e.Text()}]; h != nil && e.Until.IsZero() { // it has lasted
			all = h
		}
		for _, h := range all {
			if h.FirstSeen, h.NotListedOn, h.Until = e.FirstSeen, e.NotListedOn, e.Until; s.isListed(&h) {
				if s.day.Before(h.FirstSeen) { // it may have been listed
					h.FirstSeen = s.day
				}
				h.Until = time.Time{}
				then = append(then, h)
			}
		}
	}
	switch {
	case len(then) == 0:
		return Revision{}, fmt.Errorf("%w before %s", ErrNoPast, since.Format(time.DateOnly))
	case s.day.Before(since):
		complete = Partial
	}
	for _, e := range then {
		if err := add(e); err != nil {
			return Revision{}, err
		}
	}
	sum := sha256.Sum256([]byte(rev.Digest + " as of " + s.day.Format(time.DateOnly)))
	return Revision{Digest: hex.EncodeToString(sum[:]), Published: s.day, Checked: s.day, Records: len(then), Completeness: complete,
		Provenance: "reconstructed from what is known of its past, since " + since.Format(time.DateOnly)}, nil
}

// isListed reports whether an entry that was listed at some time was, or may have been, on the day.
func (s asOf) isListed(e *Entry) bool {
	switch {
	case !e.Until.IsZero() && !s.day.Before(e.Until):
		return false
	case !s.day.Before(e.FirstSeen): // also if a copy of the same day lacks it: there may be two
		return true
	case e.NotListedOn.IsZero():
		return !s.day.Before(e.EntityListedAt)
	}
	return s.day.After(e.NotListedOn)
}
