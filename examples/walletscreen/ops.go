package main

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/screening"
)

// ops answers on the operators' listener. It is separate from the API, and off by
// default, because it asks for no key.
type ops struct {
	screener *screening.Screener
	lists    *listOptions
	trail    *audit.Log // nil for none
	metrics  *registry
	stopping atomic.Bool
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

// readiness reports whether a screening would be answered.
func (o *ops) readiness() readiness {
	r := readiness{Stopping: o.stopping.Load()}
	now := time.Now()
	for _, s := range o.screener.Sources() {
		if s.StoreErr != nil {
			r.Store = s.StoreErr.Error()
		}
		switch {
		case s.Required && !s.Loaded():
			r.Missing = append(r.Missing, s.Info.ID)
		case s.Required && (o.lists.tooOld(s, now) || o.lists.isDue(s, now)):
			r.Stale = append(r.Stale, s.Info.ID)
		}
	}
	if o.trail != nil {
		if err := o.trail.Err(); err != nil {
			r.Audit = err.Error()
		}
	}
	r.Ready = !r.Stopping && r.Missing == nil && r.Stale == nil && r.Audit == ""
	return r
}

// handler returns the handler of the operators' listener.
func (o *ops) handler() http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"GET /livez", "GET /healthz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("ok\n"))
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ready := o.readiness()
		w.Header().Set("Content-Type", "application/json")
		if !ready.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		json.NewEncoder(w).Encode(ready)
	})
	mux.Handle("GET /metrics", o.metrics.handler())
	return mux
}
