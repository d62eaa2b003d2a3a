package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// Describe implements [prometheus.Collector]. It describes nothing, because the
// metrics of lists depend on the lists.
func (m *Metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for _, c := range []prometheus.Collector{m.requests, m.durations, m.levels, m.matches, m.suppressed, m.refreshes, m.callers} {
		c.Collect(out)
	}
	m.mu.Lock()
	screener, keys, trail := m.screener, m.keys, m.trail
	m.mu.Unlock()
	if screener != nil {
		collectLists(out, screener)
	}
	if keys != nil {
		collectQuotas(out, keys)
	}
	if trail != nil {
		collectAudit(out, trail)
	}
}

func collectLists(out chan<- prometheus.Metric, s *screening.Screener) {
	now := time.Now()
	gauge(out, "walletscreen_snapshot_info", "Always 1: the digest of the lists that are held, and the version of the scoring.", 1, "digest", s.Digest(), "scoring_version", score.Latest().Version())
	gauge(out, "walletscreen_exceptions", "Exceptions that the operator has set.", float64(len(s.Exceptions())))
	for _, l := range s.Sources() {
		id := l.Info.ID
		gauge(out, "walletscreen_source_loaded", "Whether the whole list is held. While a required one is not, nothing is answered.", bit(l.Loaded()), "source", id, "required", strconv.FormatBool(l.Required))
		if !l.LastUpdated.IsZero() {
			gauge(out, "walletscreen_source_age_seconds", "Time since the list was last loaded or verified to be unchanged.", now.Sub(l.LastUpdated).Seconds(), "source", id)
			gauge(out, "walletscreen_source_last_success_timestamp_seconds", "When the list was last loaded or verified to be unchanged.", seconds(l.LastUpdated), "source", id)
		}
		if !l.Published.IsZero() {
			gauge(out, "walletscreen_source_published_timestamp_seconds", "The publisher's date of the list that is held.", seconds(l.Published), "source", id)
		}
		gauge(out, "walletscreen_source_failing", "Whether the last attempt to load the list failed.", bit(l.Err != nil), "source", id)
		gauge(out, "walletscreen_source_store_failing", "Whether the list that is held could not be saved.", bit(l.StoreErr != nil), "source", id)
		gauge(out, "walletscreen_source_entries", "Entries held of the list.", float64(l.Entries), "source", id)
		gauge(out, "walletscreen_source_addresses", "Distinct addresses held of the list.", float64(l.Addresses), "source", id)
		gauge(out, "walletscreen_source_memory_bytes", "Memory that answers need of the list.", float64(l.Bytes), "source", id)
		for kind, n := range l.AnomalyKinds {
			gauge(out, "walletscreen_source_anomalies", "Unusual entries of the list, by kind.", float64(n), "source", id, "kind", string(kind))
		}
	}
}

func collectQuotas(out chan<- prometheus.Metric, keys *access.Keyring) {
	callers, held, leases, failures := keys.Stats()
	gauge(out, "walletscreen_quota_keys", "Callers that were charged in the last minutes.", float64(callers))
	gauge(out, "walletscreen_quota_held", "Screenings that this process has leased and not used.", float64(held))
	counter(out, "walletscreen_quota_leases_total", "Leases that the store of quotas has granted or refused.", float64(leases))
	counter(out, "walletscreen_quota_store_failures_total", "Failures of the store of keys and quotas.", float64(failures))
}

func collectAudit(out chan<- prometheus.Metric, trail *audit.Log) {
	queued, written, refused := trail.Stats()
	gauge(out, "walletscreen_audit_failing", "Whether audit records cannot be written at the moment; then nothing is answered.", bit(trail.Err() != nil))
	gauge(out, "walletscreen_audit_queue", "Audit records that wait to be written or flushed.", float64(queued))
	counter(out, "walletscreen_audit_written_total", "Audit records that were written and flushed.", float64(written))
	counter(out, "walletscreen_audit_refused_total", "Screenings that were not answered because they could not be recorded.", float64(refused))
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// gauge sends a gauge. The labels are names, each followed by its value.
func gauge(out chan<- prometheus.Metric, name, help string, v float64, labels ...string) {
	send(out, prometheus.GaugeValue, name, help, v, labels)
}

// counter sends a counter.
func counter(out chan<- prometheus.Metric, name, help string, v float64) {
	send(out, prometheus.CounterValue, name, help, v, nil)
}

func send(out chan<- prometheus.Metric, kind prometheus.ValueType, name, help string, v float64, labels []string) {
	var names, values []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, v, values...)
}
