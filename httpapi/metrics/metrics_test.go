package metrics_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestCallers checks that each screening is counted for its caller, and that the number of
// series is bounded, whatever the callers are.
func TestCallers(t *testing.T) {
	for _, tt := range []struct {
		callers int
		want    map[string]float64
	}{
		{0, map[string]float64{"other": 1018}},
		{2, map[string]float64{"user@corp.example": 7, "a\uFFFD": 2, "other": 1009}},
	} {
		m := metrics.New(tt.callers)
		observe := func(id string, screened int) {
			m.Observe(t.Context(), httpapi.Observation{Route: "/api/v1/screen", Status: 200, CallerID: id, Screenings: make([]httpapi.Screening, screened)})
		}
		observe("free", 0) // a caller that screens nothing takes no series
		observe("user@corp.example", 3)
		observe("a\xff", 2) // Prometheus takes UTF-8 only
		for i := range 1009 {
			observe(fmt.Sprint("caller-", i), 1)
		}
		observe("user@corp.example", 4)
		registry := prometheus.NewRegistry()
		registry.MustRegister(m)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]float64)
		for _, f := range families {
			if f.GetName() == "walletscreen_caller_screenings_total" {
				for _, one := range f.GetMetric() {
					got[one.GetLabel()[0].GetValue()] = one.GetCounter().GetValue()
				}
			}
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("with %d callers: got %d series, %v, want %v", tt.callers, len(got), got, tt.want)
		}
	}
}

// TestRefused checks that each reason for which a list is suspect counts as a refusal, with a
// word of its own, and that other errors do not.
func TestRefused(t *testing.T) {
	m := metrics.New(0)
	suspect := []error{screening.ErrShrunk, screening.ErrEmptied, screening.ErrGrown, screening.ErrOlder, screening.ErrFuture, screening.ErrCut}
	for _, err := range append(suspect, screening.ErrStale) {
		m.Report(screening.Report{Sources: []screening.SourceReport{{SourceStatus: screening.SourceStatus{Info: sources.Info{ID: "LIST"}, Err: fmt.Errorf("refused: %w", err)}}}})
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, f := range families {
		if f.GetName() == "walletscreen_source_refreshes_total" {
			for _, one := range f.GetMetric() { // the labels are reason, result and source
				got[one.GetLabel()[1].GetValue()]++
			}
		}
	}
	if want := map[string]int{"refused": len(suspect), "failed": 1}; !maps.Equal(got, want) {
		t.Errorf("got %v series, want %v", got, want)
	}
}
