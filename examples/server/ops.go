package main

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/screening"
)

// ops is what the operators' listener says. That is one of its own, and off unless
// it is asked for: it has no keys, and what it tells is nobody else's business; and
// a second server on the same machine would find the port taken.
type ops struct {
	screener *screening.Screener
	trail    *audit.Log // nil for none
	metrics  *registry
	stopping atomic.Bool
}

// readiness is the body of /readyz.
type readiness struct {
	Ready bool `json:"ready"`
	// Missing are the required lists that are not loaded.
	Missing []string `json:"missing,omitempty"`
	// Audit is why no screening can be put on record.
	Audit string `json:"audit,omitempty"`
	// Stopping: the server answers what has begun, and ends.
	Stopping bool `json:"stopping,omitempty"`
}

// readiness returns whether a screening would be answered. How old the lists are
// has no part in it: that is for an alert, as no other replica has newer ones.
func (o *ops) readiness() readiness {
	r := readiness{Stopping: o.stopping.Load()}
	for _, s := range o.screener.Sources() {
		if s.Required && !s.Loaded() {
			r.Missing = append(r.Missing, s.Info.ID)
		}
	}
	if o.trail != nil {
		if err := o.trail.State().Err; err != nil {
			r.Audit = err.Error()
		}
	}
	r.Ready = !r.Stopping && r.Missing == nil && r.Audit == ""
	return r
}

// handler returns the handler of the operators' listener.
func (o *ops) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("ok\n"))
	})
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
