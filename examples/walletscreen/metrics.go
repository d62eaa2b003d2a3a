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
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "walletscreen_offline", Help: "Whether the server fetches no list, as -offline says.",
	}, func() float64 {
		if offline {
			return 1
		}
		return 0
	}))
	if cert != nil {
		m.registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "walletscreen_tls_certificate_expiry_timestamp_seconds", Help: "When the certificate that is served expires.",
			}, func() float64 { return float64(cert.notAfter().UnixMilli()) / 1000 }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "walletscreen_tls_certificate_failing", Help: "Whether the files of the certificate have changed and cannot be used.",
			}, func() float64 {
				if cert.failing() {
					return 1
				}
				return 0
			}))
	}
}

// handler returns the handler of /metrics.
func (m *registry) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}
