package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// metrics are the metrics of one server, in a registry of their own. What happens
// is counted when it does; the state of lists, quotas and records is read when it
// is asked for. Each label has few values, none of which a client makes up, and
// none says whom or what somebody has screened.
type metrics struct {
	registry *prometheus.Registry

	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	levels     *prometheus.CounterVec
	matches    *prometheus.CounterVec
	suppressed prometheus.Counter
	refreshes  *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "walletscreen_http_requests_total",
			Help: `Requests answered, by endpoint ("other" for a path that is none), status, and code of the problem ("" for none).`,
		}, []string{"route", "status", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "walletscreen_http_request_duration_seconds",
			Help:    "Time from when a request's header was read to when its answer was written.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		levels: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "walletscreen_screenings_total",
			Help: "Screenings answered, by level.",
		}, []string{"level"}),
		matches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "walletscreen_screening_matches_total",
			Help: "Screenings answered for which a source has at least one label, by source.",
		}, []string{"source"}),
		suppressed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "walletscreen_screenings_suppressed_total",
			Help: "Screenings answered for which an exception has taken a label out of the score.",
		}),
		refreshes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "walletscreen_source_refreshes_total",
			Help: `Attempts to load a list, by what became of them: "loaded", "unchanged", "shrunk" (refused, because it has lost too many addresses), "failed".`,
		}, []string{"source", "result"}),
	}
	m.registry.MustRegister(m.requests, m.durations, m.levels, m.matches, m.suppressed, m.refreshes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	// A counter that is there from the start has a rate from its first step on.
	for _, l := range []score.Level{score.CleanNoMatch, score.Low, score.Medium, score.High, score.Critical} {
		m.levels.WithLabelValues(string(l))
	}
	m.requests.WithLabelValues("/api/v1/screen", "500", "internal")
	m.requests.WithLabelValues("/api/v1/screen", "503", "overloaded")
	return m
}

// observe counts an answer.
func (m *metrics) observe(_ context.Context, o httpapi.Observation) {
	route := o.Route
	if route == "" {
		route = "other"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(o.Status), o.Code).Inc()
	m.durations.WithLabelValues(route).Observe(o.Duration.Seconds())
	if o.Result.Level == "" {
		return
	}
	m.levels.WithLabelValues(string(o.Result.Level)).Inc()
	if len(o.Result.Suppressed) > 0 {
		m.suppressed.Inc()
	}
	for i, l := range o.Result.Labels {
		first := true
		for _, before := range o.Result.Labels[:i] {
			first = first && before.Source != l.Source
		}
		if first {
			m.matches.WithLabelValues(l.Source).Inc()
		}
	}
}

// report counts what became of loading lists.
func (m *metrics) report(r screening.Report) {
	for _, s := range r.Sources {
		result := "loaded"
		switch {
		case errors.Is(s.Err, screening.ErrShrunk):
			result = "shrunk"
		case s.Err != nil:
			result = "failed"
		case s.Unchanged:
			result = "unchanged"
		case s.Entries == 0:
			continue // nothing was at hand, and nothing asked for
		}
		m.refreshes.WithLabelValues(s.Info.ID, result).Inc()
	}
}

// watch has the state of these be asked for. trail and cert may be nil.
func (m *metrics) watch(s *screening.Screener, quota *httpapi.Quota, trail *audit.Log, cert *certificate) {
	for _, l := range s.Sources() {
		m.matches.WithLabelValues(l.Info.ID)
		for _, result := range []string{"loaded", "unchanged", "shrunk", "failed"} {
			m.refreshes.WithLabelValues(l.Info.ID, result)
		}
	}
	m.registry.MustRegister(collector(func(g *gauges) { collectLists(g, s) }), collector(func(g *gauges) { collectQuota(g, quota) }))
	if trail != nil {
		m.registry.MustRegister(collector(func(g *gauges) { collectAudit(g, trail) }))
	}
	if cert != nil {
		m.registry.MustRegister(collector(func(g *gauges) { collectCertificate(g, cert) }))
	}
}

func collectLists(g *gauges, s *screening.Screener) {
	now := time.Now()
	version := score.Latest().Version()
	g.gauge("walletscreen_snapshot_info", "Always 1: the digest of the lists that are held, and the version of the scoring.", 1, "digest", s.Digest(), "scoring_version", version)
	g.gauge("walletscreen_exceptions", "Exceptions that the operator has set.", float64(len(s.Exceptions())))
	for _, l := range s.Sources() {
		id := l.Info.ID
		g.gauge("walletscreen_source_loaded", "Whether the whole list is held. As long as a required one is not, nothing is answered.", bit(l.Loaded()), "source", id, "required", strconv.FormatBool(l.Required))
		if !l.LastUpdated.IsZero() {
			g.gauge("walletscreen_source_age_seconds", "Time since the list was last loaded, or verified to be unchanged.", now.Sub(l.LastUpdated).Seconds(), "source", id)
			g.gauge("walletscreen_source_last_success_timestamp_seconds", "When the list was last loaded, or verified to be unchanged.", seconds(l.LastUpdated), "source", id)
		}
		if !l.Published.IsZero() {
			g.gauge("walletscreen_source_published_timestamp_seconds", "The publisher's date of the list that is held.", seconds(l.Published), "source", id)
		}
		g.gauge("walletscreen_source_failing", "Whether the last attempt to load the list has failed.", bit(l.Err != nil), "source", id)
		g.gauge("walletscreen_source_store_failing", "Whether the list that is held could not be kept on the disk.", bit(l.StoreErr != nil), "source", id)
		g.gauge("walletscreen_source_entries", "Entries held of the list.", float64(l.Entries), "source", id)
		g.gauge("walletscreen_source_addresses", "Distinct addresses held of the list.", float64(l.Addresses), "source", id)
		g.gauge("walletscreen_source_memory_bytes", "Memory that answers need of the list.", float64(l.Bytes), "source", id)
		for kind, n := range l.AnomalyKinds {
			g.gauge("walletscreen_source_anomalies", "Entries of the list that are odd, by how.", float64(n), "source", id, "kind", string(kind))
		}
	}
}

func collectQuota(g *gauges, quota *httpapi.Quota) {
	q := quota.Stats()
	g.gauge("walletscreen_quota_keys", "API keys that have been used in the last minutes.", float64(q.Keys))
	g.gauge("walletscreen_quota_held", "Screenings that this process has leased and not granted.", float64(q.Held))
	g.counter("walletscreen_quota_leases_total", "Leases that the store of quotas has answered.", float64(q.Leases))
	g.counter("walletscreen_quota_store_failures_total", "Failures of the store of quotas.", float64(q.Failures))
}

func collectAudit(g *gauges, trail *audit.Log) {
	s := trail.State()
	g.gauge("walletscreen_audit_failing", "Whether audit records cannot be written at the moment; then nothing is answered.", bit(s.Err != nil))
	g.gauge("walletscreen_audit_queue", "Audit records that wait to be written, or flushed.", float64(s.Queued))
	g.counter("walletscreen_audit_written_total", "Audit records that were written and flushed.", float64(s.Written))
	g.counter("walletscreen_audit_refused_total", "Screenings that were not answered because their audit record could not be taken.", float64(s.Refused))
}

func collectCertificate(g *gauges, cert *certificate) {
	g.gauge("walletscreen_tls_certificate_expiry_timestamp_seconds", "Until when the certificate is valid that is served.", seconds(cert.notAfter()))
	g.gauge("walletscreen_tls_certificate_failing", "Whether the files of the certificate have changed, and cannot be used.", bit(cert.failing()))
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// A collector is a Collector that adds what it finds, and describes nothing
// beforehand.
type collector func(*gauges)

func (c collector) Describe(chan<- *prometheus.Desc)         {}
func (c collector) Collect(metrics chan<- prometheus.Metric) { c(&gauges{metrics}) }

// gauges are what a collector adds to. The labels are names, each before its
// value.
type gauges struct{ metrics chan<- prometheus.Metric }

func (g *gauges) gauge(name, help string, v float64, labels ...string) {
	g.add(prometheus.GaugeValue, name, help, v, labels)
}

func (g *gauges) counter(name, help string, v float64, labels ...string) {
	g.add(prometheus.CounterValue, name, help, v, labels)
}

func (g *gauges) add(kind prometheus.ValueType, name, help string, v float64, labels []string) {
	var names, values []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	g.metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, v, values...)
}

// handler returns the handler of /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}
