package main

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
)

// A registry holds the metrics of one server.
type registry struct {
	*metrics.Metrics
	registry *prometheus.Registry
}

// meteredKeys is the number of keys that have a counter of their own.
const meteredKeys = 200

func newMetrics() *registry {
	m := &registry{metrics.New(meteredKeys), prometheus.NewRegistry()}
	m.registry.MustRegister(m.Metrics,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

// watch makes scrapes read the state of its arguments. trail and cert may be nil.
func (m *registry) watch(s *screening.Screener, keys *access.Keyring, trail *audit.Log, cert *certificate, offline bool) {
	m.Watch(s, keys, trail)
	m.gauge("walletscreen_offline", "Whether the server fetches no list, as -offline says.", func() float64 { return oneIf(offline) })
	if cert != nil {
		m.gauge("walletscreen_tls_certificate_expiry_timestamp_seconds", "When the certificate that is served expires.",
			func() float64 { return float64(cert.notAfter().UnixMilli()) / 1000 })
		m.gauge("walletscreen_tls_certificate_failing", "Whether the files of the certificate have changed and cannot be used.",
			func() float64 { return oneIf(cert.failing()) })
	}
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
