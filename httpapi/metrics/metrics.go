// Package metrics exposes what package [httpapi] answers, and the state of the lists,
// quotas and audit records behind it, to Prometheus.
//
//	m := metrics.New(100)
//	s, err := screening.New(srcs, &screening.Options{Report: m.Report})
//	h := httpapi.NewHandler(s, keys, &httpapi.Options{Meter: keys, Observe: m.Observe})
//	m.Watch(s, keys, nil)
//	prometheus.MustRegister(m)
//
// Start with [New]. No metric shows who screened which address.
package metrics

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// A Metrics is a [prometheus.Collector]. Answers and refreshes are counted when they
// happen; the state of lists, quotas and records is read at each scrape. Each label
// has few values, and clients cannot invent any. Its methods may be called
// concurrently.
type Metrics struct {
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	levels     *prometheus.CounterVec
	matches    *prometheus.CounterVec
	suppressed prometheus.Counter
	refreshes  *prometheus.CounterVec
	callers    *prometheus.CounterVec

	mu         sync.Mutex
	known      map[string]bool // callers with a series of their own
	maxCallers int
	screener   *screening.Screener
	keys       *access.Keyring
	trail      *audit.Log
}

var _ prometheus.Collector = (*Metrics)(nil)

// New returns a Metrics. The first callers of each process, up to the given number,
// get a counter of their own, labeled with their ID; the others share the ID
// "other". Zero means one counter for all.
func New(callers int) *Metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		known: make(map[string]bool), maxCallers: callers,
		requests: counters("walletscreen_http_requests_total",
			`Requests answered, by endpoint ("other" for an unknown path, and what Admit has refused), status, and code of the problem ("" for none).`,
			"route", "status", "code"),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "walletscreen_http_request_duration_seconds",
			Help:    "Time from reading a request's header to writing its answer.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		levels:  counters("walletscreen_screenings_total", "Screenings answered, by level.", "level"),
		matches: counters("walletscreen_screening_matches_total", "Screenings answered with at least one label of a source, by source.", "source"),
		suppressed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "walletscreen_screenings_suppressed_total",
			Help: "Screenings answered for which an exception took a label out of the score.",
		}),
		refreshes: counters("walletscreen_source_refreshes_total",
			`Attempts to load a list, by outcome: "loaded", "unchanged", "refused" (because it was suspect), "failed"; and why it was refused: "shrunk", "emptied", "grown", "older", "future", "cut".`,
			"source", "result", "reason"),
		callers: counters("walletscreen_caller_screenings_total",
			`Screenings answered, by caller ("other" for all callers beyond the limit of this metric).`, "caller"),
	}
	// A counter that exists from the start has a rate from its first increment on.
	for _, l := range []score.Level{score.CleanNoMatch, score.Low, score.Medium, score.High, score.Critical} {
		m.levels.WithLabelValues(string(l))
	}
	m.requests.WithLabelValues("/api/v1/screen", "500", "internal")
	m.requests.WithLabelValues("/api/v1/screen", "503", "overloaded")
	m.callers.WithLabelValues(otherCaller)
	return m
}

// otherCaller is the label of callers without a counter of their own.
const otherCaller = "other"

// reasons are the values of the label reason, if the result is "refused".
var reasons = []struct {
	err  error
	name string
}{
	{screening.ErrShrunk, "shrunk"},
	{screening.ErrEmptied, "emptied"},
	{screening.ErrGrown, "grown"},
	{screening.ErrOlder, "older"},
	{screening.ErrFuture, "future"},
	{screening.ErrCut, "cut"},
}

// Observe counts an answer. It is for Options.Observe of [httpapi.NewHandler].
func (m *Metrics) Observe(_ context.Context, o httpapi.Observation) {
	route := o.Route
	if route == "" {
		route = "other"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(o.Status), o.Code).Inc()
	m.durations.WithLabelValues(route).Observe(o.Duration.Seconds())
	m.AddScreenings(o.CallerID, len(o.Screenings))
	for i := range o.Screenings {
		m.count(&o.Screenings[i].Result)
	}
}

// AddScreenings counts n screenings of a caller. Call it for those that no Observation has, such as
// the rows of a table.
func (m *Metrics) AddScreenings(caller string, n int) {
	if n > 0 {
		m.callers.WithLabelValues(m.caller(caller)).Add(float64(n))
	}
}

// caller returns the label of a caller, which must be UTF-8.
func (m *Metrics) caller(id string) string {
	id = strings.ToValidUTF8(id, "\uFFFD")
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[id] {
		return id
	}
	if len(m.known) >= m.maxCallers {
		return otherCaller
	}
	m.known[id] = true
	return id
}

// count counts one result.
func (m *Metrics) count(r *screening.Result) {
	m.levels.WithLabelValues(string(r.Level)).Inc()
	if len(r.Suppressed) > 0 {
		m.suppressed.Inc()
	}
	for i, l := range r.Labels {
		if !slices.ContainsFunc(r.Labels[:i], func(before screening.Label) bool { return before.Source == l.Source }) {
			m.matches.WithLabelValues(l.Source).Inc()
		}
	}
}

// Report counts the outcomes of a refresh. It is for Options.Report of
// [screening.New].
func (m *Metrics) Report(r screening.Report) {
	for _, s := range r.Sources {
		result, reason := "loaded", refusal(s.Err)
		switch {
		case reason != "":
			result = "refused"
		case s.Err != nil:
			result = "failed"
		case s.Unchanged:
			result = "unchanged"
		case s.Entries == 0:
			continue // the source has no list and was not asked for one
		}
		m.refreshes.WithLabelValues(s.Info.ID, result, reason).Inc()
	}
}

// refusal returns why a list was refused, if that is because of what it holds.
func refusal(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return ""
}

// Watch sets what the next scrapes read. Each argument may be nil.
func (m *Metrics) Watch(s *screening.Screener, keys *access.Keyring, trail *audit.Log) {
	m.mu.Lock()
	m.screener, m.keys, m.trail = s, keys, trail
	m.mu.Unlock()
	if s == nil {
		return
	}
	for _, l := range s.Sources() {
		m.matches.WithLabelValues(l.Info.ID)
		for _, result := range []string{"loaded", "unchanged", "failed"} {
			m.refreshes.WithLabelValues(l.Info.ID, result, "")
		}
		for _, r := range reasons {
			m.refreshes.WithLabelValues(l.Info.ID, "refused", r.name)
		}
	}
}
