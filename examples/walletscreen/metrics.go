package main

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// A registry holds the metrics of one server.
type registry struct {
	*metrics.Metrics
	registry *prometheus.Registry
	rows     *prometheus.CounterVec // of tables
}

func newMetrics() *registry {
	// 200 keys have a counter of their own.
	m := &registry{metrics.New(200), prometheus.NewRegistry(), prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "walletscreen_table_rows_total", Help: `Rows of tables answered, by level ("" for none). They are not in walletscreen_screenings_total.`,
	}, []string{"level"})}
	m.registry.MustRegister(m.Metrics, m.rows,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	v := newVersion() // which go_build_info lacks if the program was built from a copy
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "walletscreen_build_info", Help: "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": v.Version, "commit": v.Commit, "go": v.Go, "scoring": v.Scoring},
	}, func() float64 { return 1 }))
	return m
}

// watch makes scrapes read the state of its arguments. trail and cert may be nil.
func (m *registry) watch(s *screening.Screener, keys *access.Keyring, trail *audit.Log, cert *certificate, offline bool) {
	m.Watch(s, keys, trail)
	m.gauge("walletscreen_offline", "Whether the server fetches no list, as -offline says.", func() float64 { return oneIf(offline) })
	if cert != nil {
		m.gauge("walletscreen_tls_certificate_expiry_timestamp_seconds", "When the certificate that is served expires.",
			func() float64 { return float64(cert.pair.Load().Leaf.NotAfter.UnixMilli()) / 1000 })
		m.gauge("walletscreen_tls_certificate_failing", "Whether the files of the certificate have changed and cannot be used.",
			func() float64 { return oneIf(cert.failing()) })
	}
}

// addTable adds the rows of a table.
func (m *registry) addTable(t *receipt.Table) {
	for level, n := range t.Levels {
		m.rows.WithLabelValues(string(level)).Add(float64(n))
	}
	m.rows.WithLabelValues("").Add(float64(t.Undecided))
}

// newDelivered returns a counter of the messages of a webhook that this process has delivered, or given up.
func newDelivered() *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "walletscreen_webhook_messages_total", Help: "Messages that the webhook accepted, and that expired after three days.",
	}, []string{"outcome"})
	c.WithLabelValues("accepted") // so that it is there from the start
	c.WithLabelValues("expired")
	return c
}

// watchWebhook makes scrapes read the outbox, which replicas share, and what this process has delivered.
func (m *registry) watchWebhook(box *outbox.Box, delivered *prometheus.CounterVec) {
	waiting := func(value func(n int64, oldest time.Time) float64) func() float64 {
		return func() float64 {
			ctx, done := context.WithTimeout(context.Background(), 5*time.Second)
			defer done()
			n, oldest, err := box.Waiting(ctx)
			if err != nil {
				return math.NaN()
			}
			return value(n, oldest)
		}
	}
	m.gauge("walletscreen_webhook_waiting_messages", "Messages in the outbox that the webhook has not accepted.",
		waiting(func(n int64, _ time.Time) float64 { return float64(n) }))
	m.gauge("walletscreen_webhook_oldest_message_age_seconds", "How long the oldest of these has waited; 0 if there is none.", waiting(func(n int64, oldest time.Time) float64 {
		if n == 0 {
			return 0
		}
		return max(0, time.Since(oldest).Seconds())
	}))
	m.registry.MustRegister(delivered)
}

func (m *registry) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// handler returns the handler of /metrics.
func (m *registry) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}
