package screening

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// settings are the options of New, checked and with defaults filled in, and the sources. They are never
// changed.
type settings struct {
	opts     Options
	sources  []sources.Source
	infos    []sources.Info
	required []bool
	rank     map[string]int  // by the id of the source, for the order of labels
	stale    time.Duration   // the age of a check from which a list has a caveat
	old      []time.Duration // by source: the age from which it has one; zero: none
	now      func() time.Time
}

// staleAfter is the age of a check from which a list has a caveat without Options.MaxAge.
const staleAfter = 48 * time.Hour

// newSettings checks the arguments of New.
func newSettings(srcs []sources.Source, opts *Options) (*settings, error) {
	set := &settings{opts: *opts, sources: slices.Clone(srcs), rank: make(map[string]int), now: time.Now}
	if opts.LoadOnly && opts.Store == nil {
		return nil, errors.New("screening: LoadOnly needs a Store")
	}
	if len(srcs) == 0 {
		return nil, errors.New("screening: no sources: without a list every address would be clean")
	}
	if opts.Table == nil {
		set.opts.Table = score.Latest()
	}
	if opts.Logger == nil {
		set.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.MaxAge < 0 {
		return nil, fmt.Errorf("screening: MaxAge is %v: want a positive duration, or 0 for no limit", opts.MaxAge)
	}
	set.stale = cmp.Or(opts.MaxAge, staleAfter)
	for _, src := range srcs {
		if src == nil {
			return nil, errors.New("screening: a source is nil")
		}
		info := src.Info()
		if err := info.Validate(); err != nil {
			return nil, fmt.Errorf("screening: %w", err)
		}
		if set.has(info.ID) {
			return nil, fmt.Errorf("screening: two sources have the id %s", info.ID)
		}
		required := !slices.Contains(opts.Optional, info.ID)
		set.infos, set.required, set.rank[info.ID] = append(set.infos, info), append(set.required, required), rankOf(info)
		set.old = append(set.old, cmp.Or(opts.MaxPublished[info.ID], info.Rhythm))
	}
	for _, given := range []struct {
		option string
		ids    iter.Seq[string]
	}{{"Optional", slices.Values(opts.Optional)}, {"Schedule", maps.Keys(opts.Schedule)}, {"MaxPublished", maps.Keys(opts.MaxPublished)}} {
		for id := range given.ids {
			if !set.has(id) {
				return nil, fmt.Errorf("screening: %s names %q, which is not among the sources: want one of %s", given.option, id, strings.Join(set.ids(), ", "))
			}
		}
	}
	for id, sched := range opts.Schedule {
		if sched.Every < 0 || sched.Retry < 0 || sched.Timeout < 0 {
			return nil, fmt.Errorf("screening: the schedule of %s has a negative duration", id)
		}
	}
	for id, limit := range opts.MaxPublished {
		if limit <= 0 {
			return nil, fmt.Errorf("screening: MaxPublished of %s is %v: want a positive duration", id, limit)
		}
	}
	set.opts.Schedule, set.opts.MaxPublished = maps.Clone(opts.Schedule), maps.Clone(opts.MaxPublished)
	return set, nil
}

// has reports whether there is a source with this id.
func (set *settings) has(id string) bool {
	return slices.ContainsFunc(set.infos, func(i sources.Info) bool { return i.ID == id })
}

// ids returns the ids of the sources.
func (set *settings) ids() (all []string) {
	for _, info := range set.infos {
		all = append(all, info.ID)
	}
	return all
}

// A Schedule says when Run loads a source. The zero value of each field means the
// default.
type Schedule struct {
	// Every is the time from the beginning of one load to the beginning of the next.
	// Zero means the duration given to Run.
	Every time.Duration
	// Retry is the time from the beginning of a load that failed to the beginning of the
	// next, if that is sooner. Zero means a minute after the first failure, and twice as
	// long after each further one.
	Retry time.Duration
	// Timeout is how long a load may go on without another entry or another byte; zero means
	// an hour. Then, and after 24 times as long in any case, the context of the load ends.
	Timeout time.Duration
}

// schedule returns the Schedule of source i.
func (set *settings) schedule(i int) Schedule { return set.opts.Schedule[set.infos[i].ID] }

const (
	defaultTimeout = time.Hour
	firstRetry     = time.Minute
)
