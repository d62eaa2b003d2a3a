package metrics_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/metrics"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

func ExampleNew() {
	m := metrics.New(100)
	s, err := screening.New([]sources.Source{bundle.OFAC()}, &screening.Options{Report: m.Report})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	keys := access.New(access.NewMemory(), nil)
	defer keys.Close(context.Background())
	h := httpapi.NewHandler(s, keys, &httpapi.Options{Meter: keys, Observe: m.Observe})
	m.Watch(s, keys, nil)
	registry := prometheus.NewRegistry() // or the default one: prometheus.MustRegister(m)
	registry.MustRegister(m)

	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/sources", nil))

	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			if n := metric.GetCounter().GetValue(); f.GetName() == "walletscreen_http_requests_total" && n > 0 {
				fmt.Println(n, "request with the", metric.GetLabel()[0].GetName(), metric.GetLabel()[0].GetValue())
			}
		}
	}
	// Output: 1 request with the code missing_credentials
}
