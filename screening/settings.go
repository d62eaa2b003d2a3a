package screening

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// settings are the options of New, checked and with defaults filled in. They are never
// changed.
type settings struct {
	sources   []sources.Source
	infos     []sources.Info
	required  []bool
	rank      map[string]int // by the id of the source, for the order of labels
	schedules []Schedule
	table     *score.Table
	maxAge    time.Duration   // zero if no source is required
	due       []time.Duration // by source: Options.MaxPublished
	ages      *ageLimits
	maxShrink float64
	loadOnly  bool
	accept    func(source string, reason error, held, came SourceStatus) bool
	progress  func(string, int)
	bytes     func(string, int64, int64)
	log       *slog.Logger
	now       func() time.Time
}

// has reports whether there is a source with this id.
func (set *settings) has(id string) bool {
	return slices.ContainsFunc(set.infos, func(i sources.Info) bool { return i.ID == id })
}

// ids returns the ids of the sources for an error.
func (set *settings) ids() string {
	var ids []string
	for _, info := range set.infos {
		ids = append(ids, info.ID)
	}
	return strings.Join(ids, ", ")
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

const (
	defaultTimeout = time.Hour
	firstRetry     = time.Minute
)

// schedule sets the schedules of the sources.
func (set *settings) schedule(given map[string]Schedule) error {
	for id := range given {
		if !set.has(id) {
			return fmt.Errorf("screening: the scheduled source %q is not among the sources: want one of %s", id, set.ids())
		}
	}
	for _, info := range set.infos {
		sched := given[info.ID]
		if sched.Every < 0 || sched.Retry < 0 || sched.Timeout < 0 {
			return fmt.Errorf("screening: the schedule of %s has a negative duration", info.ID)
		}
		if sched.Timeout == 0 {
			sched.Timeout = defaultTimeout
		}
		set.schedules = append(set.schedules, sched)
	}
	return nil
}

// ageLimits are the ages from which the lists have caveats.
type ageLimits struct {
	checked   time.Duration
	published []time.Duration // by source; zero: none
}

// staleAfter is the age of a check from which a list has a caveat without Options.MaxAge.
const staleAfter = 48 * time.Hour

// limitAges sets the limits of ages.
func (set *settings) limitAges(opts *Options) error {
	for id, limit := range opts.MaxPublished {
		if !set.has(id) {
			return fmt.Errorf("screening: MaxPublished is of %q, which is not among the sources: want one of %s", id, set.ids())
		}
		if limit <= 0 {
			return fmt.Errorf("screening: MaxPublished of %s is %v: want a positive duration", id, limit)
		}
	}
	set.ages = &ageLimits{checked: cmp.Or(opts.MaxAge, staleAfter)}
	for i, info := range set.infos {
		limit := opts.MaxPublished[info.ID]
		set.ages.published = append(set.ages.published, cmp.Or(limit, info.Rhythm))
		if !set.required[i] {
			limit = 0
		}
		set.due = append(set.due, limit)
	}
	return nil
}
