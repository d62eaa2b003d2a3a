package main

import (
	"encoding/json"
	"net/http"
	"time"
)

// readiness reports whether a screening would be answered.
func (s *server) readiness() readiness {
	r := readiness{Stopping: s.stopping.Load()}
	now := time.Now()
	for _, l := range s.screener.Sources() {
		if l.StoreErr != nil {
			r.Store = l.StoreErr.Error()
		}
		switch {
		case l.Required && !l.Loaded():
			r.Missing = append(r.Missing, l.Info.ID)
		case l.Required && (s.lists.tooOld(l, now) || s.lists.isDue(l, now)):
			r.Stale = append(r.Stale, l.Info.ID)
		}
	}
	if s.trail != nil {
		if err := s.trail.Err(); err != nil {
			r.Audit = err.Error()
		}
	}
	r.Ready = !r.Stopping && r.Missing == nil && r.Stale == nil && r.Audit == ""
	return r
}

// opsHandler returns the handler of the operators' listener, which is separate from the API, and
// off by default, because it asks for no key.
func (s *server) opsHandler() http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"GET /livez", "GET /healthz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("ok\n"))
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ready := s.readiness()
		w.Header().Set("Content-Type", "application/json")
		if !ready.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		json.NewEncoder(w).Encode(ready)
	})
	mux.Handle("GET /metrics", s.metrics.handler())
	return mux
}
