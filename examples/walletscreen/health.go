package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

func (p *program) healthCommand() *cli.Command {
	var addr string
	return p.command("health", "[flags]", "asks a server on this machine whether it is ready",
		"It asks /readyz of the listener of -ops-addr, for the health check of a container, and prints\n"+
			"what is missing. Exit codes: 0 if the server answers screenings, 2 if not.",
		[]cli.Flag{textFlag("ops-addr", "127.0.0.1:9090", "`address` that serve was given as -ops-addr", &addr)},
		func(ctx context.Context, _ []string) error { return p.health(ctx, addr) })
}

func (p *program) health(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-ops-addr %.80q: want HOST:PORT", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens on all addresses
	}
	ctx, done := context.WithTimeout(ctx, 5*time.Second)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("-ops-addr %.80q: want HOST:PORT", addr)
	}
	client := http.Client{Transport: &http.Transport{}} // no proxy is in between
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", errors.Unwrap(err))
	}
	defer resp.Body.Close()
	var r readiness
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&r)
	if err != nil || !r.Ready && r.why() == "" {
		return fmt.Errorf("%s answers with %s: is it the listener of -ops-addr?", addr, resp.Status)
	}
	if !r.Ready {
		return fmt.Errorf("not ready: %s", r.why())
	}
	fmt.Fprintln(p, "ready")
	return nil
}

// readiness is the body of /readyz.
type readiness struct {
	Ready bool `json:"ready"`
	// Missing are the required lists that are not loaded.
	Missing []string `json:"missing,omitempty"`
	// Stale are the required lists that are older than -max-age or -max-published.
	Stale []string `json:"stale,omitempty"`
	// Audit is why screenings cannot be recorded.
	Audit string `json:"audit,omitempty"`
	// Store is why the store of the lists fails. Answers go on, with the caveat store.
	Store string `json:"store,omitempty"`
	// Stopping means that the server finishes the requests that it has, and ends.
	Stopping bool `json:"stopping,omitempty"`
}

// why says why a server is not ready.
func (r *readiness) why() string {
	var all []string
	if r.Stopping {
		all = append(all, "the server is stopping")
	}
	if len(r.Missing) > 0 {
		all = append(all, strings.Join(r.Missing, ", ")+" not loaded")
	}
	if len(r.Stale) > 0 {
		all = append(all, strings.Join(r.Stale, ", ")+" too old")
	}
	if r.Audit != "" {
		all = append(all, "screenings cannot be recorded: "+clean(r.Audit))
	}
	return strings.Join(all, "; ")
}

// opsHandler returns the handler of the listener for operators, which is off by default: it asks for no key.
func opsHandler(ready func() readiness, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"GET /livez", "GET /healthz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("ok\n"))
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		now := ready()
		w.Header().Set("Content-Type", "application/json")
		if !now.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		json.NewEncoder(w).Encode(now)
	})
	mux.Handle("GET /metrics", metrics)
	return mux
}

// traceparent matches the field of W3C Trace Context that names the trace of a request.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traceKey is the key of the trace id in the context of a request.
type traceKey struct{}

// traced returns r with its trace id in the context, if it has one.
func traced(r *http.Request) *http.Request {
	m := traceparent.FindStringSubmatch(r.Header.Get("Traceparent"))
	if m == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), traceKey{}, m[1]))
}

// logAccess logs an answer, but no path and no word of the client, which may have a key or an address in it.
func logAccess(ctx context.Context, log *slog.Logger, o httpapi.Observation, screened int) {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	route := cmp.Or(o.Route, "unknown")
	trace, _ := ctx.Value(traceKey{}).(string)
	log.LogAttrs(ctx, slog.LevelDebug, "answered", slog.String("method", o.Method), slog.String("route", route), slog.Int("status", o.Status),
		slog.String("code", o.Code), slog.String("caller", o.CallerID), slog.String("request_id", o.RequestID), slog.String("trace_id", trace),
		slog.Duration("duration", o.Duration), slog.Int("screened", screened))
}

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
